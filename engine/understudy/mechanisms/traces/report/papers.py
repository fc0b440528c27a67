"""The settings of a plan of made traces in words, its terms, and what its run measured."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.traces.charts.close import closeness_words
from understudy.mechanisms.traces.inspection import DaysFigures
from understudy.mechanisms.traces.plan import TracesPlan
from understudy.report.papers import PaperMeasurements, PlainPapers

_TERMS: Final[tuple[tuple[str, str], ...]] = (
    ("Cell", "A rectangle of the public map. Where somebody is, is told by cells and never "
     "closer."),
    ("Made person", "Somebody who does not exist, with a home, for most a place of work, and "
     "days between them, drawn from noisy counts of what real people do."),
    ("Person", "Somebody with all days that were recorded of them. The promise is about "
     "whether a person is in the table with all of that, or not at all."),
    ("Zone", "Some cells of the map together. What few people tell of cells, zones tell."),
)  # fmt: skip


class TracesPapers(PlainPapers):
    """What there is to be said of plans of made traces."""

    def terms(self, decided: PlannedRun[TracesPlan]) -> tuple[tuple[str, str], ...]:
        """Return what its plans speak of."""
        return _TERMS

    def measurements(
        self, folder: Path, decided: PlannedRun[TracesPlan]
    ) -> PaperMeasurements | None:
        """Return how close made days are to real ones, in sentences."""
        found = DaysFigures.load(folder)
        return None if found is None else PaperMeasurements((), closeness_words(found))


PAPERS: Final = TracesPapers()
