"""What a run has drawn and learned before its first attempt."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from understudy.mechanisms.mechanism import Arrays
from understudy.mechanisms.seedbased.stored_networks import arrays_of, network_of
from understudy.models.noisy_tables import NoisyTable
from understudy.models.sequential import Sequential
from understudy.table.schema import Schema

_PARTS: Final = "parts"
_NETWORK: Final = "network"
_NOISE: Final = "acceptance noise"
_TABLE: Final = "noisy table "
BASELINE: Final = "baseline"
FORGOTTEN: Final = frozenset({_NOISE})
"""What is not kept of a run that has ended; see `Look.forgotten`."""


@dataclass(frozen=True, eq=False)
class SeedbasedState:
    """A run up to its first attempt: with the table and the secret, all that its release follows
    from. Confidential.

    Attributes:
        parts: (n,) which part each record went to; see `assign`.
        network: the model its candidates come from.
        acceptance_noise: (statistics, 2) the noise of the acceptance test, drawn before there is
            anything to add it to; None where there is no such test, and once the run has ended.
        tables: the noisy tables that the model was learned from, where they are to be released.
        baseline: the private marginals beside it; None until the run has ended.
    """

    parts: npt.NDArray[np.uint8]
    network: Sequential
    acceptance_noise: npt.NDArray[np.int64] | None = None
    tables: tuple[NoisyTable, ...] = ()
    baseline: Sequential | None = None

    def arrays(self) -> Arrays:
        """Return what was drawn and learned as arrays, to be kept."""
        drawn = {} if self.acceptance_noise is None else {_NOISE: self.acceptance_noise}
        for number, table in enumerate(self.tables):
            drawn |= {f"{_TABLE}{number}.{what}": each for what, each in table.arrays().items()}
        return {_PARTS: self.parts, **arrays_of(_NETWORK, self.network), **drawn}

    @classmethod
    def of(cls, arrays: Arrays, schema: Schema) -> SeedbasedState:
        """Return what `arrays` was made of.

        Raises:
            Refusal: the model is a third party's, which is not installed as it was then.
            KeyError, ValueError: these are no such arrays.
        """
        parts = arrays[_PARTS].astype(np.uint8, copy=False)
        ended = any(name.startswith(f"{BASELINE}.") for name in arrays)
        baseline = network_of(arrays, schema, BASELINE) if ended else None
        noise = arrays[_NOISE].astype(np.int64, copy=False) if _NOISE in arrays else None
        return cls(
            parts, network_of(arrays, schema, _NETWORK), noise, tuple(_tables(arrays)), baseline
        )


def _tables(arrays: Arrays) -> Iterator[NoisyTable]:
    number = 0
    while f"{_TABLE}{number}.counts" in arrays:
        start = f"{_TABLE}{number}."
        held = {name: each for name, each in arrays.items() if name.startswith(start)}
        yield NoisyTable.of({name.removeprefix(start): each for name, each in held.items()})
        number += 1
