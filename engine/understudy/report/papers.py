"""What a packet says about a method: its settings in words, its terms, its own chart.

A method that has more to say than the names and values of its settings has a module `report.papers`
in its folder, with an object `PAPERS`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from markupsafe import Markup

from understudy.evaluation.comparison import Compared, QuickFigures
from understudy.mechanisms.companions import companion
from understudy.mechanisms.fields import StatedSetting
from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.registry import method_named


@dataclass(frozen=True)
class PaperFigure:
    """A chart of a report.

    Attributes:
        drawn: the chart, as SVG.
        caption: what it shows, in words.
    """

    drawn: Markup
    caption: str


@dataclass(frozen=True)
class PaperMeasurements:
    """What a run measured as it ended. Internal.

    Attributes:
        compared: tables beside held-out records.
        told: further findings, a sentence each.
    """

    compared: tuple[Compared, ...]
    told: tuple[str, ...] = ()


class Papers(Protocol):
    """What a packet and an annex say about plans of a method."""

    def terms(self, decided: PlannedRun[Any]) -> tuple[tuple[str, str], ...]:
        """Terms that a board member meets, and what they mean."""
        ...

    def settings(self, decided: PlannedRun[Any]) -> tuple[StatedSetting, ...]:
        """Return all settings of a plan."""
        ...

    def figure(self, decided: PlannedRun[Any]) -> PaperFigure | None:
        """Return a chart of how the cost in ε grows; None where there is nothing to draw."""
        ...

    def measurements(self, folder: Path, decided: PlannedRun[Any]) -> PaperMeasurements | None:
        """Return what a run measured as it ended; None where it left nothing. Internal.

        Args:
            folder: of the run's internal files.
            decided: what was run.

        Raises:
            OSError, ValueError, KeyError: it cannot be read.
        """
        ...


class PlainPapers:
    """The papers of a method without any of its own: its settings by their names."""

    def terms(self, decided: PlannedRun[Any]) -> tuple[tuple[str, str], ...]:
        """Return None of its own."""
        return ()

    def settings(self, decided: PlannedRun[Any]) -> tuple[StatedSetting, ...]:
        """Return the method, and every setting that has a use."""
        method = StatedSetting("Method", decided.mechanism.title, "How the outputs are made.")
        return (method, *stated_settings(decided))

    def figure(self, decided: PlannedRun[Any]) -> None:
        """None."""
        return

    def measurements(self, folder: Path, decided: PlannedRun[Any]) -> PaperMeasurements | None:
        """Return the tables that stand in a file of their own; see `QuickFigures`."""
        found = QuickFigures.load(folder)
        return None if found is None else PaperMeasurements(found.compared, found.told)


def stated_settings(decided: PlannedRun[Any]) -> tuple[StatedSetting, ...]:
    """Return every setting of a plan that has a use, as its declaration words it."""
    fields = decided.mechanism.fields
    return fields.state_settings(fields.values(decided.plan, len(decided.schema)))


@cache
def find_papers(kind: str) -> Papers:
    """Return the papers of a method, by its kind."""
    found = companion(method_named(kind), "report.papers")
    papers: Papers = PlainPapers() if found is None else found.PAPERS
    return papers
