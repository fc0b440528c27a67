"""A kind of column: calendar dates.

A date is known by its day in the proleptic Gregorian calendar, counted from 1 January of year 1.
Records hold the day; what works on codes sees the day, week, month, quarter or year that it is in.
The first and the last day are public, and cells follow from them alone. Weeks begin on Mondays.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal, InvalidOperation
from functools import cached_property
from typing import Annotated, Any, ClassVar, Final, Literal, Self, get_args

import numpy as np
import pyarrow as pa
from pydantic import BeforeValidator, PlainSerializer, ValidationInfo, model_validator

from understudy.core.arrays import BoolArray, FloatArray, IntArray
from understudy.core.refusal import Refusal
from understudy.table.cells import moment_text
from understudy.table.checks import MOST_STEPS
from understudy.table.domain import Domain, KindWords, Measured, Setting, Verdict
from understudy.table.field_entry import FieldEntry, read_text
from understudy.table.lattice import PlacedNumbers

Period = Literal["day", "week", "month", "quarter", "year"]
_MONTHS: Final[Mapping[Period, int]] = {"month": 1, "quarter": 3, "year": 12}
"""How many months a period has; days and weeks are counted in days."""
_LEAST_DAYS: Final[Mapping[Period, int]] = {
    "day": 1, "week": 7, "month": 28, "quarter": 90, "year": 365,
}  # fmt: skip

_LETTERS: Final = 10
"""Of a date; a longer text may be a point in time."""
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_EPOCH: Final = date(1970, 1, 1).toordinal()
"""The day that Arrow and NumPy count from."""
_FEW_DATES: Final = 20
"""So few different dates may be appointed ones, such as those of the waves of a survey."""
_MOST_DAYS: Final = 366
_MOST_CELLS: Final = 300
_MOST_BUCKETS: Final = 24
_YEARS: Final = 730
"""Days from which on suggested bounds are whole years."""


def parse_day(text: str) -> Decimal | None:
    """Return the number of the day that a text names, blanks around it ignored; None if it names
    none. A midnight is its day, as typed files write days as points in time."""
    text = text.strip()
    if len(text) > _LETTERS:
        text = moment_text(text)
    if not _DAY.fullmatch(text):
        return None
    try:
        return Decimal(date.fromisoformat(text).toordinal())
    except ValueError:
        return None


def spell_day(number: Decimal | int) -> str:
    """Return the date of a day as it is written: 2020-03-01."""
    return date.fromordinal(int(number)).isoformat()


def read_day(value: Any, name: str) -> Decimal:
    """Return the number of a day that is typed or held by a file.

    Raises:
        Refusal: it is none.
    """
    number = parse_day(value) if isinstance(value, str) else _numbered_day(value)
    if number is None:
        raise Refusal(f"The {name} is not a date.", "Enter a date such as 2020-03-01.", field=name)
    return number


def _numbered_day(value: Any) -> Decimal | None:
    """Return a day that is given by its number or as a date; None if there is no such day."""
    if isinstance(value, date):
        return Decimal(value.toordinal())
    try:
        number = None if isinstance(value, bool) else Decimal(value)
        return number if number is not None and date.fromordinal(int(number)) else None
    except (TypeError, ValueError, OverflowError, InvalidOperation):
        return None


def _validate_day(value: Any, info: ValidationInfo) -> Decimal:
    return read_day(value, info.field_name or "day")


Day = Annotated[
    Decimal,
    BeforeValidator(_validate_day),
    PlainSerializer(spell_day, str, when_used="json"),
]
"""The number of a day, which files hold as a date."""


def period_starts(low: int, high: int, period: Period) -> IntArray:
    """Return the day `low`, and the first days of all periods that begin after it up to `high`."""
    if period == "day":
        return np.arange(low, high + 1)
    if period == "week":
        return np.array([low, *range(low - (low - 1) % 7 + 7, high + 1, 7)])
    return _starts_of_months(low, high, _MONTHS[period])


def _starts_of_months(low: int, high: int, months: int) -> IntArray:
    """Return the day `low`, and the first day of every so many months after it up to `high`."""
    ends = np.array([low, high]) - _EPOCH
    first, last = ends.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
    # Months are counted from January 1970, so that those of a year or a decade begin together.
    begun = 1970 * 12 + np.array([first, last])
    turns = np.arange(begun[0] // months + 1, begun[1] // months + 1) * months - 1970 * 12
    days = turns.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
    return np.concatenate([[low], days + _EPOCH])


@dataclass(frozen=True)
class Calendar(PlacedNumbers):
    """The days that records may hold, rising, and the periods that are cells.

    Attributes:
        count: how many days there are.
        days: (count,) the number of each.
        firsts: (cells,) the place of the first day of each cell.
    """

    count: int
    days: IntArray = field(repr=False, compare=False)
    firsts: IntArray = field(repr=False, compare=False)

    @property
    def cells(self) -> int:
        """How many cells there are."""
        return len(self.firsts)

    def cells_of(self, places: IntArray) -> IntArray:
        """Return the cell of each place."""
        return np.searchsorted(self.firsts, places, side="right") - 1

    def lowest_in(self, cells: IntArray) -> IntArray:
        """Return the lowest place of each cell."""
        return np.asarray(self.firsts[cells])

    def held_by(self, cells: IntArray) -> IntArray:
        """Return how many places each cell holds."""
        return np.asarray(np.diff(self.firsts, append=self.count)[cells])

    def place(self, number: Decimal) -> int:
        """Return the place of the latest day that is not after one."""
        return int(np.searchsorted(self.days, int(number), side="right")) - 1

    def number(self, place: int) -> Decimal:
        """Return the number of the day at a place."""
        return Decimal(int(self.days[place]))

    def numbers(self, places: IntArray) -> FloatArray:
        """Return the number of the day at each place."""
        return self.days[places].astype(np.float64)

    def holds(self, numbers: FloatArray) -> BoolArray:
        """Return whether each number is one that `numbers` returns."""
        places = np.clip(self.places(numbers), 0, None)
        return np.asarray(self.days[places] == numbers)

    def places(self, numbers: FloatArray) -> IntArray:
        """Return the place of each number, which has to be one that `numbers` returned."""
        return np.searchsorted(self.days, numbers, side="right") - 1


def begins_period(day: int, period: Period) -> bool:
    """Return whether a period begins with a day."""
    if period not in _MONTHS:
        return period == "day" or (day - 1) % 7 == 0
    if day > date.max.toordinal():
        return True
    its = date.fromordinal(day)
    return its.day == 1 and (its.month - 1) % _MONTHS[period] == 0


def _read_period(text: str, name: str) -> str:
    """Return the period that a text names.

    Raises:
        Refusal: it names none.
    """
    period = text.strip().casefold()
    if period not in _PERIODS:
        raise Refusal(
            f"The {name} of dates is no period.", f"Enter one of {', '.join(_PERIODS)}.", field=name
        )
    return period


_PERIODS: Final = {period: period for period in get_args(Period)}


class Dates(Measured, what="the dates"):
    """Dates from a first to a last day, kept to the day or to a coarser period.

    A date of a coarser period is that of its first day.

    Attributes:
        minimum, maximum: the first and the last day, by number; files hold them as dates.
        step: the period that is a cell.
        precision: the period that dates are kept to; cells are made of whole ones.

    Raises:
        Refusal: the days are unusable, the precision does not go into the cells or the range, or
            there would be too many cells.
    """

    kind: Literal["dates"] = "dates"
    minimum: Day
    maximum: Day
    step: Period = "day"
    precision: Period = "day"

    kinds: ClassVar[Mapping[str, KindWords]] = {
        "dates": KindWords("Dates", "date", "date", "dates", ("dates", "day", "calendar date"))
    }
    axis: ClassVar[Literal["numbers", "moments"]] = "moments"
    bucket_kinds: ClassVar[tuple[str, ...]] = ("each", "cuts")
    cuts_help: ClassVar[str] = "Cuts where they begin in the calendar."
    outside_words: ClassVar[Mapping[Verdict, str]] = {
        Verdict.ROUNDED: "finer than dates are kept",
        Verdict.TOO_LOW: "before its first day",
        Verdict.TOO_HIGH: "after its last day",
        Verdict.NOT_OF_KIND: "not dates",
    }
    settings: ClassVar[tuple[Setting, ...]] = (
        Setting("minimum", "First day", placeholder="YYYY-MM-DD", read=read_day, write=spell_day),
        Setting("maximum", "Last day", placeholder="YYYY-MM-DD", read=read_day, write=spell_day),
        Setting("step", "In cells of a", opening="month", options=_PERIODS, read=_read_period),
        Setting(
            "precision",
            "Kept to the",
            opening="day",
            options=_PERIODS,
            read=_read_period,
            help="Of a month, a quarter or a year, its first day is kept and released.",
        ),
    )
    advice: ClassVar[str] = (
        "Dates are read as YYYY-MM-DD. A model sees the cell that a date is in, and the released "
        "date is drawn evenly within its cell."
    )
    extra_names: ClassVar[frozenset[str]] = frozenset({"step", "precision"})

    @model_validator(mode="after")
    def _usable(self) -> Dates:
        if self.minimum >= self.maximum:
            raise Refusal(
                "The first day is not before the last.",
                "Enter two different days, the earlier one first.",
                field="minimum",
            )
        self._check_precision()
        if self.size > MOST_STEPS:
            raise Refusal(
                f"The range holds {self.size:,} cells; at most {MOST_STEPS:,} can be used.",
                "Choose longer cells, such as months.",
                field="step",
            )
        return self

    def _check_precision(self) -> None:
        if not _goes_into(self.precision, self.step):
            raise Refusal(
                f"Dates are kept to the {self.precision}, and a {self.step} is not made of whole "
                f"{self.precision}s.",
                f"Keep them to the day, or choose cells of a {self.precision} or longer.",
                field="precision",
            )
        if not begins_period(int(self.minimum), self.precision):
            raise Refusal(
                f"The first day is not the first of a {self.precision}, which dates are kept to.",
                f"Enter the day on which the {self.precision} begins, or keep dates to the day.",
                field="minimum",
            )

    @property
    def width(self) -> Decimal:
        """The fewest days of a cell."""
        return Decimal(_LEAST_DAYS[self.step])

    @property
    def resolution(self) -> Decimal:
        """The fewest days between neighbouring dates."""
        return Decimal(_LEAST_DAYS[self.precision])

    @cached_property
    def lattice(self) -> Calendar:
        """Its days and cells."""
        low, high = int(self.minimum), int(self.maximum)
        days = period_starts(low, high, self.precision)
        return Calendar(len(days), days, np.searchsorted(days, period_starts(low, high, self.step)))

    @cached_property
    def numbers(self) -> tuple[Decimal, ...]:
        """Cell → its first day."""
        return tuple(map(Decimal, self.lattice.days[self.lattice.firsts].tolist()))

    @cached_property
    def edges(self) -> FloatArray:
        """(size + 1,) the first day of each cell, and the day after the last one."""
        return np.array([*map(float, self.numbers), float(self.maximum) + 1])

    @property
    def span(self) -> Decimal:
        """How many days there are from the first to the last."""
        return self.maximum - self.minimum + 1

    @property
    def step_words(self) -> str:
        """A cell, as people read it."""
        return f"1 {self.step}"

    @property
    def kept_words(self) -> str:
        """How exact its dates are, in a phrase."""
        return f"to the {self.precision}"

    def between(self, low: int, high: int) -> str:
        """Return the days from one cell to another, by the longest periods that begin and end with
        them."""
        edges = self.edges
        first, last = int(edges[low]), int(edges[high + 1]) - 1
        for period in ("year", "quarter", "month"):
            if begins_period(first, period) and begins_period(last + 1, period):
                names = (_name_period(day, period) for day in (first, last))
                return " to ".join(dict.fromkeys(names))
        return " to ".join(dict.fromkeys(map(spell_day, (first, last))))

    def show_ends(self) -> str:
        """Return the first and the last date in a phrase."""
        return " to ".join(self.end_texts)

    @classmethod
    def parse(cls, text: str) -> Decimal | None:
        """Return the number of the day that a text names; None if it names none."""
        return parse_day(text)

    @classmethod
    def spell(cls, number: Decimal) -> str:
        """Return the date of a day."""
        return spell_day(number)

    @classmethod
    def show(cls, number: Decimal) -> str:
        """Return the date of a day."""
        return spell_day(number)

    @classmethod
    def to_json(cls, number: Decimal) -> str:
        """Return the date of a day."""
        return spell_day(number)

    @classmethod
    def from_json(cls, value: Any, what: str) -> Decimal:
        """Return the number of the day that a schema file holds.

        Raises:
            Refusal: it holds no date.
        """
        return read_day(read_text(value, f"Its {what}"), what)

    def axis_values(self, edges: FloatArray) -> list[str]:
        """Return the midnights that days begin with, as a chart takes them."""
        last = date.max.toordinal()
        return [f"{spell_day(min(int(edge), last))}T00:00:00" for edge in edges]

    def fits_width(self, width: Decimal) -> bool:
        """Return whether buckets of so many days cut no cell in two."""
        borders = np.arange(int(self.minimum), int(self.maximum) + 1, max(1, int(width)))
        return width == int(width) and bool(np.isin(borders, self.edges).all())

    def usual_cuts(self) -> tuple[Decimal, ...]:
        """Return where months, quarters, years or spans of years begin: the shortest that make few
        buckets."""
        for months in (1, 3, 12, 24, 60, 120, 300, 600, 1200, 6000):
            cuts = self._cuts_every(months)
            if len(cuts) < _MOST_BUCKETS:
                return cuts
        return ()

    def cut_presets(self) -> Mapping[str, tuple[Decimal, ...]]:
        """Return cuts where calendar periods begin."""
        periods = {"Months": 1, "Quarters": 3, "Years": 12, "Decades": 120}
        return {title: self._cuts_every(months) for title, months in periods.items()}

    def _cuts_every(self, months: int) -> tuple[Decimal, ...]:
        """Return the first days of cells that begin with, or first after, a period of months."""
        starts = _starts_of_months(int(self.minimum), int(self.maximum), months)[1:].tolist()
        places = dict.fromkeys(bisect_left(self.numbers, start) for start in starts)
        return tuple(self.numbers[place] for place in places if 0 < place < self.size)

    def substance(self) -> list[Any]:
        """Return what codes and texts depend on."""
        return [self.kind, *map(spell_day, (self.minimum, self.maximum)), self.step, self.precision]

    def to_field(self) -> FieldEntry:
        """Return what a field of a Table Schema says of it."""
        extra = {"step": self.step, "precision": self.precision}
        return FieldEntry("date", self.bound_constraints(), extra)

    @classmethod
    def claims(cls, entry: FieldEntry) -> bool:
        """Return whether a field is of dates between bounds."""
        return entry.type == "date" and entry.bounded and not entry.listed

    @classmethod
    def from_field(cls, entry: FieldEntry) -> Self:
        """Return the dates of a field.

        Raises:
            Refusal: a bound is no date, dates are written in another way, or a period is unknown.
        """
        if entry.settings.get("format", "default") not in ("default", "any"):
            raise Refusal(
                "Its dates are written in another way than 2020-03-01.",
                "Write them so in the file, and leave the format out.",
            )
        low, high = (
            cls.from_json(entry.constraints[name], name) for name in ("minimum", "maximum")
        )
        precision = entry.extra.get("precision", "day")
        step = entry.extra.get("step", usual_period(low, high))
        return cls.read({"minimum": low, "maximum": high, "step": step, "precision": precision})

    @classmethod
    def convert(cls, domain: Domain, kind: str) -> Domain:
        """Return the range of the dates that a list of categories holds.

        Raises:
            Refusal: it holds numbers, or values that are no dates.
        """
        if domain.ranged is not None:
            raise Refusal(
                f"It holds {domain.words.plural}, which are no dates.",
                "Keep it as it is, or write the dates in the file as 2020-03-01.",
                field="kind",
            )
        return cls._spanning(domain.texts)

    @classmethod
    def from_values(cls, values: Sequence[str], labels: Sequence[str]) -> Domain:
        """Return the range of listed dates.

        Raises:
            Refusal: they are not all dates.
        """
        return cls._spanning(values)

    @classmethod
    def _spanning(cls, texts: Sequence[str]) -> Self:
        days = [day for text in texts if (day := parse_day(text)) is not None]
        if len(days) < len(texts):
            raise Refusal(
                f"{len(texts) - len(days):,} of its {len(texts):,} categories are not dates.",
                "Remove them, or keep it as categories.",
                field="kind",
            )
        low, high = min(days), max(days)
        return cls(minimum=low, maximum=high, step=usual_period(low, high))

    @classmethod
    def recognise(cls, texts: Collection[str]) -> Domain | None:
        """Return whole months or years that hold some dates; None where others are among them, or
        they are few."""
        days: set[Decimal] = set()
        for text in texts:
            day = parse_day(text)
            if day is None:
                return None
            days.add(day)
        if len(days) <= _FEW_DATES:
            return None
        low, high = _outward(min(days), max(days))
        return cls(minimum=low, maximum=high, step=usual_period(low, high))

    def numbers_to_arrow(self, numbers: FloatArray, missing: BoolArray | None) -> pa.Array:
        """Return days as dates, null where a value is missing."""
        days = np.where(np.isnan(numbers), _EPOCH, numbers) - _EPOCH
        return pa.array(days.astype(np.int32), pa.int32(), mask=missing).cast(pa.date32())

    def numbers_of_arrow(self, values: pa.Array) -> FloatArray:
        """Return the days of an Arrow array of dates, not a number where one is missing."""
        days = values.cast(pa.date32()).cast(pa.int32()).cast(pa.float64())
        numbers: FloatArray = days.to_numpy(zero_copy_only=False) + _EPOCH
        return numbers


def usual_period(low: Decimal, high: Decimal) -> Period:
    """Return the period whose cells are not too many between two days: days within a year, then
    months, quarters or years."""
    days = int(high - low) + 1
    if days <= _MOST_DAYS:
        return "day"
    for period in ("month", "quarter"):
        if len(period_starts(int(low), int(high), period)) <= _MOST_CELLS:
            return period
    return "year"


def _goes_into(fine: Period, coarse: Period) -> bool:
    """Return whether each of the one period is made of whole ones of the other."""
    if fine in ("day", coarse):
        return True
    return fine in _MONTHS and coarse in _MONTHS and _MONTHS[fine] < _MONTHS[coarse]


def _outward(low: Decimal, high: Decimal) -> tuple[Decimal, Decimal]:
    """Return the first and the last day of the whole months, or of long spans of the whole years,
    that two days are in."""
    first, last = date.fromordinal(int(low)), date.fromordinal(int(high))
    if high - low >= _YEARS:
        first, last = date(first.year, 1, 1), date(last.year, 12, 31)
        return Decimal(first.toordinal()), Decimal(last.toordinal())
    length = period_starts(last.replace(day=1).toordinal(), last.toordinal() + 31, "month")[1]
    return Decimal(first.replace(day=1).toordinal()), Decimal(int(length) - 1)


def _name_period(day: int, period: Period) -> str:
    """Return the name of the period that a day is in."""
    its = date.fromordinal(day)
    match period:
        case "year":
            return f"{its.year:04}"
        case "quarter":
            return f"{its.year:04} Q{(its.month + 2) // 3}"
        case _:
            return f"{its.year:04}-{its.month:02}"
