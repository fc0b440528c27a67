"""What a run draws and keeps, and what is left of it to be looked at after its end. Internal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from understudy.mechanisms.planned_run import PlannedRun
from understudy.table.records import Records

Arrays = Mapping[str, npt.NDArray[np.generic]]
"""Named arrays, as they stand in one file of a run's internal folder."""


class State(Protocol):
    """What a run has drawn and learned before its first output. Confidential."""

    def arrays(self) -> Arrays:
        """Return all of it but the run's secret, to be kept and handed to `Mechanism.restore`."""
        ...


class Figures(Protocol):
    """What the custodian may look at after a run, and nobody else. Internal."""

    def save(self, folder: Path) -> None:
        """Write it into a folder of its own kind.

        Raises:
            OSError: it cannot be written.
        """
        ...


@dataclass(frozen=True, eq=False)
class Look:
    """What a run leaves to be looked at. Internal.

    Attributes:
        figures: measured as the run ended.
        evidence: what later inquiries work on, beside the table and the state.
        forgotten: the arrays of the state that nothing needs once the run has ended, by name, and
            that are not kept: noise above all, which taken away from what was released leaves
            exact numbers.
    """

    figures: Figures
    evidence: Arrays
    forgotten: frozenset[str] = frozenset()

    def kept(self, state: State) -> Arrays:
        """Return what later inquiries find of the run: its state, except for what is forgotten, and
        the evidence."""
        still = {name: each for name, each in state.arrays().items() if name not in self.forgotten}
        return {**still, **self.evidence}


@dataclass(frozen=True, eq=False)
class Evidence:
    """Everything an inquiry into a run works on. Confidential.

    Attributes:
        decided: what was run.
        records: the confidential table.
        state: of the run; see `Mechanism.restore`.
        tables: those that it released, by the names of their outputs, in their order; the first
            few of many. None for a rehearsal, or where they are gone.
    """

    decided: PlannedRun
    records: Records
    state: Any
    tables: Mapping[str, Records]

    @property
    def released(self) -> Records | None:
        """The first released table with the columns that are compared; None where there is none.
        See `PlannedRun.compared`."""
        return next(iter(self.alike.values()), None)

    @property
    def alike(self) -> Mapping[str, Records]:
        """The released tables with the columns that are compared."""
        own = self.decided.compared.fingerprint
        return {name: each for name, each in self.tables.items() if each.schema.fingerprint == own}


@dataclass(frozen=True)
class EvaluationRequest:
    """What an evaluation asks for.

    Attributes:
        target: the column to predict, by name; "" where no measure predicts one.
        repeats: how many times what is random is repeated for an interval.
        most: how many records, or people, of each table to look at.
    """

    target: str
    repeats: int
    most: int
