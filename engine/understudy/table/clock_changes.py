"""Clocks that are put forward and back: the instants of what a zone's clock shows.

Seconds of a clock are counted from the beginning of 1970 as the clock shows it, instants from that
moment of UTC. A clock that is put forward skips some of its seconds; one that is put back shows
some twice, of which the first are meant here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo

import numpy as np

from understudy.core.arrays import IntArray

_DAY: Final = 24 * 3600
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST_CHANGE: Final = -200 * 366 * _DAY
"""Some 200 years before 1970 all clocks showed the time of the sun."""
_LAST: Final = int((datetime(9999, 12, 29, tzinfo=UTC) - _EPOCH).total_seconds())
_BEFORE_ALL: Final = -(2**60)
_STEP: Final = 5 * _DAY
"""No zone changes its clock twice within so short a time."""


@dataclass(frozen=True)
class ClockChanges:
    """How far a clock is ahead of UTC, from which instant on.

    Attributes:
        begins: (spans,) the first instant of each span in which nothing changes, rising.
        ahead: (spans,) by how many seconds the clock is ahead then.
    """

    begins: IntArray = field(repr=False)
    ahead: IntArray = field(repr=False)

    def shown_at(self, instants: IntArray) -> IntArray:
        """Return the seconds that the clock shows at some instants."""
        spans = np.searchsorted(self.begins[1:], instants, side="right")
        return np.asarray(instants + self.ahead[spans])

    def instants_of(self, shown: IntArray) -> IntArray:
        """Return the first instants at which the clock shows some seconds; of those that it skips,
        the instant at which it does."""
        ends = self.begins[1:] + self.ahead[:-1]
        spans = np.searchsorted(ends, shown, side="right")
        return np.asarray(np.maximum(shown - self.ahead[spans], self.begins[spans]))

    def list_skipped(self) -> list[tuple[int, int]]:
        """Return the seconds that the clock skips, each time from the first to the one that it
        goes on with."""
        ends = (self.begins[1:] + self.ahead[:-1]).tolist()
        starts = (self.begins[1:] + self.ahead[1:]).tolist()
        return [(end, start) for end, start in zip(ends, starts, strict=True) if end < start]


@lru_cache(maxsize=64)
def clock_changes(zone: str, first: int, last: int) -> ClockChanges:
    """Return the changes of a zone's clock.

    Args:
        zone: its name.
        first, last: the instants between which changes are looked for.
    """
    clock = ZoneInfo(zone)
    low, high = max(first, _FIRST_CHANGE) - _STEP, min(last, _LAST - _STEP) + _STEP
    begins, ahead = [_BEFORE_ALL], [_ahead_at(clock, low)]
    before = low
    while before < high:
        after = before + _STEP
        if _ahead_at(clock, after) != ahead[-1]:
            begins.append(_find_change(clock, before, after))
            ahead.append(_ahead_at(clock, after))
        before = after
    return ClockChanges(np.array(begins, dtype=np.int64), np.array(ahead, dtype=np.int64))


def _ahead_at(clock: ZoneInfo, instant: int) -> int:
    """Return by how many seconds a clock is ahead of UTC at an instant."""
    shown = (_EPOCH + timedelta(seconds=instant)).astimezone(clock).utcoffset()
    assert shown is not None
    return int(shown.total_seconds())


def _find_change(clock: ZoneInfo, before: int, after: int) -> int:
    """Return the first instant at which a clock is as far ahead as it is at the later of two."""
    target = _ahead_at(clock, after)
    while after - before > 1:
        middle = (before + after) // 2
        if _ahead_at(clock, middle) == target:
            after = middle
        else:
            before = middle
    return after
