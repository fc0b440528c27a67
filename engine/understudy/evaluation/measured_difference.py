"""In which measures one of two runs came nearer to other real records than the other. Internal.

Runs are compared on the common scale of measures (`standing`), each between references of its own.
Where intervals of both are known, they have to lie apart; where they are not, the two have to be a
twentieth of the scale apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from understudy.evaluation.finding import Measured
from understudy.evaluation.side_by_side import MeasureOfRuns

CLEAR: Final = 0.05
"""Of the scale between the marginals and other real records."""


@dataclass(frozen=True)
class Difference:
    """Two runs, measure by measure.

    Attributes:
        first, second: the names of the measures in which the first, or the second, came nearer.
        alike: those in which chance may explain what sets them apart.
    """

    first: tuple[str, ...]
    second: tuple[str, ...]
    alike: tuple[str, ...]

    @property
    def measured(self) -> int:
        """How many measures there are."""
        return len(self.first) + len(self.second) + len(self.alike)


def measured_difference(found: Sequence[MeasureOfRuns], first: str, second: str) -> Difference:
    """In which measures these two runs differ, of those that have a scale for both.

    Args:
        found: as `measures_of_runs` finds them.
        first, second: the names of the runs.
    """
    nearer: dict[int, list[str]] = {1: [], -1: [], 0: []}
    for each in found:
        if first in each.placed and second in each.placed:
            side = _nearer(each.placed[first], each.placed[second])
            nearer[side].append(each.about.name)
    return Difference(tuple(nearer[1]), tuple(nearer[-1]), tuple(nearer[0]))


def _nearer(one: Measured, other: Measured) -> int:
    """1 where the one is higher on the scale, −1 where the other is, 0 where neither is for
    certain."""
    if one.interval is None or other.interval is None:
        apart = one.value - other.value
        return 0 if abs(apart) < CLEAR else (1 if apart > 0 else -1)
    return int(one.interval.low > other.interval.high) - int(other.interval.low > one.interval.high)
