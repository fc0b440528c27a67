"""Measures as others define them, so that numbers can be held beside theirs.

They are of trajectories there; here a trajectory is a day.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from understudy.core.arrays import IntArray
from understudy.evaluation.measure import About, SubjectResult
from understudy.evaluation.mobility import counts
from understudy.evaluation.mobility.counts import DayCounts
from understudy.evaluation.mobility.days import DaysStudy, Seen
from understudy.evaluation.mobility.difference import PeopleDifference, jensen_shannon, kendall

_ADATRACE: Final = "AdaTrace, CCS 2018"
TOP_PATTERNS: Final = 100
_LONGEST: Final = 3


COVERAGE = PeopleDifference(
    About(
        key="coverage-tau",
        name="Order of places (Kendall’s τ)",
        sentence=(
            "Take two cells: how much more often the table and held-out people agree than disagree "
            "which of both is entered on more days. 1 is always, 0 is by chance; cells entered "
            "equally often count for neither."
        ),
        low=-1,
        high=1,
        better="higher",
        group="peers",
        source=_ADATRACE,
        unit="number",
    ),
    counts.count_visited,
    kendall,
    jackknife=False,
)


def _divergence(
    key: str, name: str, what: str, counted: Callable[[Seen], DayCounts], source: str = _ADATRACE
) -> PeopleDifference:
    about = About(
        key=key,
        name=name,
        sentence=(
            f"How far {what} of the table's days are from those of held-out people's: the "
            "Jensen–Shannon divergence in bits, 0 % for the same and 100 % for nothing in common."
        ),
        low=0,
        high=1,
        better="lower",
        group="peers",
        source=source,
    )
    return PeopleDifference(about, counted, jensen_shannon)


TRIPS = _divergence(
    "ends-of-days",
    "Ends of days (trip error)",
    "the zones that begin and end",
    counts.ends_of_days,
)
DIAMETERS = _divergence(
    "diameters",
    "Diameters of days",
    "the greatest distances between two cells",
    counts.diameters,
)
LENGTHS = _divergence("lengths", "Lengths of days", "the ways from cell to cell", counts.lengths)


@dataclass(frozen=True)
class FrequentPatterns:
    """The F₁ of the most frequent sequences of cells.

    A pattern is two or three cells that follow each other in a day. The `TOP_PATTERNS` that occur
    most often, or all where there are fewer, are the table's answer and the held-out people's.

    Attributes:
        about: what it says of itself.
    """

    about: About

    def measure(self, study: DaysStudy) -> Mapping[str, SubjectResult]:
        """Return every table."""
        wanted = frequent(study.held_out)
        return study.each(lambda table: SubjectResult(f_one(frequent(table.seen), wanted)))


def frequent(seen: Seen) -> frozenset[int]:
    """Return the numbers of the most frequent patterns of days; of equally frequent ones, the
    lower."""
    keys, counts = np.unique(patterns(seen), return_counts=True)
    return frozenset(keys[np.argsort(-counts, kind="stable")[:TOP_PATTERNS]].tolist())


def patterns(seen: Seen) -> IntArray:
    """Return the number of every pattern in every day."""
    runs, base = seen.runs, seen.where.cells + 1
    found = []
    for length in range(2, _LONGEST + 1):
        last = len(runs.cell) - length + 1
        if last < 1:
            continue
        same = runs.day[:last] == runs.day[length - 1 :]
        key = np.zeros(last, dtype=np.int64)
        for place in range(length):
            key = key * base + runs.cell[place : place + last] + 1
        found.append(key[same])
    return np.concatenate(found) if found else np.zeros(0, np.int64)


def f_one(found: frozenset[int], wanted: frozenset[int]) -> float:
    """Return twice what is in both, of what is in either, each counted; 1 where both are empty."""
    whole = len(found) + len(wanted)
    return 2 * len(found & wanted) / whole if whole else 1.0


PATTERNS = FrequentPatterns(
    About(
        key="frequent-patterns",
        name="Frequent patterns (F₁)",
        sentence=(
            f"How many of the {TOP_PATTERNS} commonest sequences of two or three cells in a day of "
            "held-out people are among those of the table's people."
        ),
        low=0,
        high=1,
        better="higher",
        group="peers",
        source=_ADATRACE,
    )
)

EVERY: Final = (COVERAGE, PATTERNS, TRIPS, DIAMETERS, LENGTHS)
