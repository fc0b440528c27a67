"""Dates, with times or without, and how their days are drawn within a cell: evenly, or by a
declared pattern of weekdays.

A pattern is seven whole numbers, Monday first: how often each weekday occurs, in proportion. It is
public, as everything that a schema declares: opening hours, a publication, common knowledge; never
counted in the records. It decides how released days are drawn within the cells that a model saw,
and how a level that was counted is spread over finer cells, and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Final, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field, field_validator, model_validator

from understudy.core.arrays import FloatArray, IntArray
from understudy.core.refusal import Refusal
from understudy.table.domain import Setting
from understudy.table.field_entry import FieldEntry
from understudy.table.lattice import Gapped
from understudy.table.moments import MomentsInTime
from understudy.table.periods import goes_into

WEEKDAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MOST_OFTEN: Final = 10_000
_FIRST: Final = 1
"""The number of a day that is a Monday: 1 January of year 1."""

_REMEDY: Final = (
    "Enter seven whole numbers, Monday first, such as 5, 5, 5, 5, 5, 1, 0; or leave it blank for "
    "an even spread."
)


def read_weekdays(text: str, name: str) -> tuple[int, ...]:
    """Return the pattern that is typed; none for a blank text.

    Raises:
        Refusal: it is none.
    """
    parts = [part.strip() for part in text.replace(";", ",").split(",") if part.strip()]
    if not all(part.isascii() and part.isdigit() and len(part) <= 6 for part in parts):
        raise Refusal("The weekdays are not whole numbers.", _REMEDY, field=name)
    return tuple(map(int, parts))


def write_weekdays(pattern: Sequence[int]) -> str:
    """Return a pattern as it is typed."""
    return ", ".join(map(str, pattern))


WEEKDAY_SETTING: Final = Setting(
    "weekdays",
    "How often each weekday occurs",
    help="Seven whole numbers, Monday first, such as 5, 5, 5, 5, 5, 1, 0. Released days are drawn "
    "within their cells in this proportion. It counts as public: take it from opening hours or a "
    "publication, not from your records. Blank for an even spread.",
    placeholder="evenly",
    read=read_weekdays,
    write=write_weekdays,
)


class DatedMoments(MomentsInTime, what="the dates"):
    """Moments that have a date.

    Attributes:
        weekdays: how often each weekday occurs, in proportion, Monday first; empty for an even
            spread.

    Raises:
        Refusal: as of `MomentsInTime`, the weekdays are not seven numbers that can be, or days are
            not kept.
    """

    weekdays: tuple[int, ...] = Field(default=(), exclude_if=lambda pattern: not pattern)

    extra_names: ClassVar[frozenset[str]] = MomentsInTime.extra_names | {"weekdays"}

    @field_validator("weekdays", mode="before")
    @classmethod
    def _read_pattern(cls, value: Any) -> tuple[int, ...]:
        whole = isinstance(value, list | tuple) and all(type(each) is int for each in value)
        if not whole or (value and (len(value) != 7 or min(value) < 0 or max(value) > MOST_OFTEN)):
            raise Refusal(
                f"The weekdays are not seven whole numbers from 0 to {MOST_OFTEN:,}.",
                _REMEDY,
                field="weekdays",
            )
        if value and not any(value):
            raise Refusal("No weekday ever occurs.", _REMEDY, field="weekdays")
        return () if len(set(value)) < 2 else tuple(value)

    @model_validator(mode="after")
    def _days_kept(self) -> Self:
        if self.weekdays and not goes_into(self.precision, "day"):
            raise Refusal(
                f"{self.words.title} are kept to the {self.precision}, which has no weekday.",
                f"Keep them to the {self.usual_precision()}, or leave the weekdays blank.",
                field="weekdays",
            )
        return self

    @cached_property
    def _pace(self) -> _Pace:
        return _Pace.of(self, self.weekdays)

    def draw_places(self, cells: IntArray, words: npt.NDArray[np.uint64]) -> IntArray:
        """Return a place in each of some cells, by the pattern of weekdays; evenly in a cell in
        which none of its days occurs."""
        if not self.weekdays:
            return super().draw_places(cells, words)
        begins = self._pace.before_places(self.lattice.lowest_in(cells))
        held = self._pace.held[cells]
        offsets = words % np.maximum(held, 1).astype(np.uint64)
        drawn = self._pace.place_of(begins + offsets.astype(np.int64))
        return np.where(held > 0, drawn, super().draw_places(cells, words))

    @property
    def even_weights(self) -> FloatArray:
        """Cell → what it gets where days are spread by the pattern of weekdays."""
        if not self.weekdays:
            return super().even_weights
        return self._pace.held.astype(np.float64)

    @property
    def drawn_words(self) -> str:
        """How released days are drawn within a cell, in a phrase."""
        if not self.weekdays:
            return super().drawn_words
        pairs = zip(WEEKDAYS, self.weekdays, strict=True)
        named = ", ".join(f"{day} {often:,}" for day, often in pairs)
        return f"drawn within each by declared weekdays ({named})"

    def substance(self) -> list[object]:
        """Return what codes and texts depend on, and how days are drawn."""
        pattern = [{"weekdays": list(self.weekdays)}] if self.weekdays else []
        return [*super().substance(), *pattern]

    def to_field(self) -> FieldEntry:
        """Return what a field of a Table Schema says of it."""
        entry = super().to_field()
        pattern = {"weekdays": list(self.weekdays)} if self.weekdays else {}
        return FieldEntry(entry.type, entry.constraints, {**entry.extra, **pattern}, entry.settings)

    @classmethod
    def settings_of_field(cls, entry: FieldEntry) -> dict[str, Any]:
        """Return the settings that a field names.

        Raises:
            Refusal: as of `MomentsInTime.settings_of_field`.
        """
        pattern = {"weekdays": entry.extra["weekdays"]} if "weekdays" in entry.extra else {}
        return {**super().settings_of_field(entry), **pattern}


@dataclass(frozen=True, eq=False)
class _Pace:
    """How often each moment of some days occurs, in proportion.

    Attributes:
        firsts: (days,) the place of the first moment of each day.
        often: (days,) how often each of its moments occurs.
        before: (days,) how often all moments before the day occur together.
        whole: how often all do.
        held: (cells,) how often the moments of each cell do.
    """

    firsts: IntArray
    often: IntArray
    before: IntArray
    whole: int
    held: IntArray

    @classmethod
    def of(cls, domain: MomentsInTime, weekdays: Sequence[int]) -> _Pace:
        """Return the pace of the moments of a column, which are equally far apart but for gaps."""
        calendar, lattice = domain.full_lattice, domain.lattice
        low, high = calendar.whole_numbers(np.array([0, calendar.count - 1])) // domain.per_day
        days = np.arange(low, high + 1)
        firsts = np.maximum(0, (days * domain.per_day - calendar.first) // calendar.apart)
        if isinstance(lattice, Gapped):
            firsts = firsts - np.searchsorted(lattice.gaps, firsts)
        often = np.array(weekdays, dtype=np.int64)[(days - _FIRST) % 7]
        sums = np.cumsum(often * np.diff(firsts, append=lattice.count))
        before, whole = np.concatenate([[0], sums[:-1]]), int(sums[-1])
        begun = cls(firsts, often, before, whole, np.zeros(0, dtype=np.int64))
        cells = begun.before_places(lattice.lowest_in(np.arange(lattice.cells)))
        return replace(begun, held=np.diff(cells, append=whole))

    def before_places(self, places: IntArray) -> IntArray:
        """Return how often all moments before each place occur together."""
        day = np.searchsorted(self.firsts, places, side="right") - 1
        return np.asarray(self.before[day] + (places - self.firsts[day]) * self.often[day])

    def place_of(self, reached: IntArray) -> IntArray:
        """Return the place at which so much has occurred."""
        day = np.searchsorted(self.before, np.minimum(reached, self.whole - 1), side="right") - 1
        beyond = np.minimum(reached, self.whole - 1) - self.before[day]
        return np.asarray(self.firsts[day] + beyond // np.maximum(self.often[day], 1))
