"""A kind of column: calendar dates.

A date is known by its day in the proleptic Gregorian calendar, counted from 1 January of year 1.
Records hold the day; what works on codes sees the day, week, month, quarter or year that it is in.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import UTC, date, tzinfo
from decimal import Decimal, InvalidOperation
from typing import ClassVar, Final, Literal, Self

import pyarrow as pa

from understudy.core.arrays import FloatArray
from understudy.table.cells import moment_text
from understudy.table.date_spellings import Moment, Spelling, read_iso, suggest_day_spelling
from understudy.table.domain import Domain, KindWords, Setting, Verdict
from understudy.table.moments import (
    SPELLING,
    ArrowMoments,
    EndTexts,
    MomentsInTime,
    period_setting,
    word_outside,
)
from understudy.table.periods import EPOCH, starts_of_months
from understudy.table.weekdays import WEEKDAY_SETTING, DatedMoments

Period = Literal["day", "week", "month", "quarter", "year"]
_LETTERS: Final = 10
"""Of a date; a longer text may be a point in time."""
_MOST_DAYS: Final = 366
_MOST_CELLS: Final = 300
_MOST_MONTHS: Final = 1_200
"""So many months are suggested as cells, with levels of longer periods above them."""
_YEARS: Final = 730
"""Days from which on suggested bounds are whole years."""


def spell_day(number: Decimal | int) -> str:
    """Return the date of a day as it is usually written: 2020-03-01."""
    return date.fromordinal(int(number)).isoformat()


def _read_day(value: object, name: str) -> Decimal | None:
    """Return a day that is given by a text, by its number or as a date; None if there is no such
    day."""
    if isinstance(value, str):
        return Dates.parse(value)
    if isinstance(value, date):
        return Decimal(value.toordinal())
    if isinstance(value, bool) or not isinstance(value, Decimal | int | float):
        return None
    try:
        number = Decimal(value)
        return number if date.fromordinal(int(number)) else None
    except (ValueError, OverflowError, InvalidOperation):
        return None


class Dates(DatedMoments, what="the dates"):
    """Dates from a first to a last day, kept to the day or to a coarser period.

    A date of a coarser period is that of its first day.
    """

    kind: Literal["dates"] = "dates"
    step: Period = "day"
    precision: Period = "day"

    kinds: ClassVar[Mapping[str, KindWords]] = {
        "dates": KindWords("Dates", "date", "date", "dates", ("dates", "day", "calendar date"))
    }
    per_day: ClassVar[int] = 1
    dated: ClassVar[bool] = True
    first_word: ClassVar[str] = "day"
    needs: ClassVar[frozenset[str]] = frozenset({"year", "month"})
    field_type: ClassVar[str] = "date"
    cuts_help: ClassVar[str] = "Cuts where they begin in the calendar."
    several: ClassVar[str] = "dates"
    remedy: ClassVar[str] = (
        "Keep it as it is. If whole numbers are dates such as 20200301, enter the first and the "
        "last day and write YYYYMMDD."
    )
    outside_words: ClassVar[Mapping[Verdict, str]] = word_outside("day", "dates", "dates")
    ends: ClassVar[EndTexts] = EndTexts(
        _read_day, spell_day, "a date", "Enter a date such as 2020-03-01."
    )
    arrow: ClassVar[ArrowMoments] = ArrowMoments(pa.date32(), pa.int32(), 1, EPOCH)
    settings: ClassVar[tuple[Setting, ...]] = (
        *ends.list_settings(("First day", "Last day"), "YYYY-MM-DD"),
        period_setting("step", "In cells of a", Period, "dates", "month"),
        period_setting(
            "precision", "Kept to the", Period, "dates", "day",
            "Of a month, a quarter or a year, its first day is kept and released.",
        ),
        SPELLING,
        WEEKDAY_SETTING,
    )  # fmt: skip
    advice: ClassVar[str] = (
        "Dates are read as YYYY-MM-DD, and as they are said to be written. A model sees the cell "
        "that a date is in, and the released date is drawn within its cell, evenly or by the "
        "weekdays that you name."
    )

    @classmethod
    def read_usual(cls, text: str, zone: tzinfo = UTC) -> Moment | None:
        """Return the day of a text. A midnight is its day, as typed files write days as points in
        time."""
        if len(text) > _LETTERS:
            text = moment_text(text)
        return read_iso(text) if len(text) == _LETTERS else None

    def name_period(self, number: int, period: str) -> str:
        """Return the name of the period that a day is in."""
        return name_months(number, period)

    def axis_values(self, edges: FloatArray) -> list[str]:
        """Return the midnights that days begin with, as a chart takes them."""
        last = date.max.toordinal()
        return [f"{spell_day(min(int(edge), last))}T00:00:00" for edge in edges]

    def usual_cuts(self) -> tuple[Decimal, ...]:
        """Return where months, quarters, years or spans of years begin: the shortest that make few
        buckets."""
        return self.few_cuts_of_months()

    def cut_presets(self) -> Mapping[str, tuple[Decimal, ...]]:
        """Return cuts where calendar periods begin."""
        return self.calendar_cuts()

    @classmethod
    def usual_step(cls, low: Decimal, high: Decimal, precision: str) -> Period:
        """Return the period whose cells are not too many between two days: days within a year, then
        months, quarters or years."""
        if precision != "day":
            return "year" if precision == "year" or precision == "week" else "month"
        return usual_period(low, high)

    @classmethod
    def suggest_spelling(cls, texts: Collection[str]) -> str | None:
        """Return how all texts are written; None where some are no dates."""
        if all(cls.read_usual(text) is not None for text in texts):
            return ""
        found = suggest_day_spelling(texts)
        if found is None:
            return None
        timed = any("hour" in pattern.says for pattern in found.patterns)
        if timed and any(
            each.minute or not each.whole for each in cls.moments_of(texts, found.text)
        ):
            return None
        return found.text

    @classmethod
    def spanning(cls, moments: Collection[Moment], spelling: str, *, outward: bool) -> Self:
        """Return the range from the first to the last of some days."""
        days = [Decimal(moment.day) for moment in moments]
        low, high = outward_days(min(days), max(days)) if outward else (min(days), max(days))
        precision: Period = "day"
        says = Spelling.of(spelling).patterns[0] if spelling else None
        if says is not None and "day" not in says.says:
            precision = "quarter" if "q" in says.parts else "month"
        if low == high:
            high += 1
        step = usual_period(low, high)
        if step != "day" and len(starts_of_months(int(low), int(high), 1)) <= _MOST_MONTHS:
            step = "month"
        if precision == "quarter" and step != "year":
            step = "quarter"
        elif precision == "month" and step == "day":
            step = "month"
        return cls.read(
            {
                "minimum": low, "maximum": high, "step": step, "precision": precision,
                "spelling": spelling,
            }
        )  # fmt: skip

    @classmethod
    def convert(cls, domain: Domain, kind: str) -> Domain:
        """Return the range of the dates that a list of categories holds, or that days with times
        are of.

        Raises:
            Refusal: it holds numbers, or values that are no dates.
        """
        if (
            isinstance(domain, MomentsInTime)
            and domain.per_day > 1
            and domain.field_type == "datetime"
        ):
            low, high = (end // domain.per_day for end in (domain.minimum, domain.maximum))
            return cls.spanning(
                [Moment(int(low), 0, True), Moment(int(high), 0, True)], "", outward=False
            )
        return super().convert(domain, kind)


def usual_period(low: Decimal, high: Decimal) -> Period:
    """Return the period whose cells are not too many between two days: days within a year, then
    months, quarters or years."""
    days = int(high - low) + 1
    if days <= _MOST_DAYS:
        return "day"
    lengths: tuple[tuple[Period, int], ...] = (("month", 1), ("quarter", 3))
    for period, months in lengths:
        if len(starts_of_months(int(low), int(high), months)) <= _MOST_CELLS:
            return period
    return "year"


def outward_days(low: Decimal, high: Decimal) -> tuple[Decimal, Decimal]:
    """Return the first and the last day of the whole months, or of long spans of the whole years,
    that two days are in."""
    first, last = date.fromordinal(int(low)), date.fromordinal(int(high))
    if high - low >= _YEARS:
        first, last = date(first.year, 1, 1), date(last.year, 12, 31)
        return Decimal(first.toordinal()), Decimal(last.toordinal())
    if last > date(9999, 11, 30):
        return Decimal(first.replace(day=1).toordinal()), Decimal(date.max.toordinal())
    length = starts_of_months(last.replace(day=1).toordinal(), last.toordinal() + 31, 1)[1]
    return Decimal(first.replace(day=1).toordinal()), Decimal(int(length) - 1)


def name_months(day: int, period: str) -> str:
    """Return the name of the year, quarter or month that a day is in."""
    its = date.fromordinal(day)
    match period:
        case "year":
            return f"{its.year:04}"
        case "quarter":
            return f"{its.year:04} Q{(its.month + 2) // 3}"
        case _:
            return f"{its.year:04}-{its.month:02}"
