"""Kinds of derivations that are about dates and times: ages, durations, and parts of a date."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import ClassVar, Final, Literal, Self

import numpy as np
from pydantic import model_validator

from understudy.core.arrays import IntArray
from understudy.core.refusal import Refusal
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.date_spellings import MINUTES
from understudy.table.derivations.derivation import (
    FORMULA,
    Argument,
    Derivation,
    FormField,
    Name,
    Values,
    list_texts,
    place_units,
    refuse_call,
    show_name,
    span_numbers,
    take_lines,
    take_text,
)
from understudy.table.domain import Domain, Ranged
from understudy.table.periods import EPOCH
from understudy.table.rules.tree import quote_column, quote_constant


def _require_moments(column: Column, what: str, *, dated: bool | None = True) -> Ranged:
    """Return the moments of a column.

    Args:
        column: it.
        what: what needs them.
        dated: whether they have to be of a day, or must not be; None for either.

    Raises:
        Refusal: it holds no such moments.
    """
    ranged = column.domain.ranged
    if ranged is None or not ranged.per_day or dated not in (None, ranged.dated):
        kind = {True: "dates", False: "times of day", None: "dates or times"}[dated]
        raise Refusal(
            f"Column “{column.name}” holds {column.domain.words.plural}, and {what} needs {kind}.",
            f"Make it a column of {kind}, or choose another.",
            field=FORMULA,
        )
    return ranged


def _list_ends(ranged: Ranged) -> IntArray:
    """Return the first and the last moment, by number."""
    return ranged.lattice.whole_numbers(np.array([0, ranged.lattice.count - 1]))


def _split_days(days: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return the year, the month and the day of the month of each day."""
    dates = (days - EPOCH).astype("datetime64[D]")
    years, months = (dates.astype(f"datetime64[{unit}]") for unit in "YM")
    return (
        years.astype(np.int64) + 1970,
        (months - years).astype(np.int64) + 1,
        (dates - months).astype(np.int64) + 1,
    )


def _count_years(born: IntArray, at: IntArray) -> IntArray:
    """Return the whole years from one day to another; somebody born on 29 February is a year older
    on 1 March of common years."""
    (year, month, day), (later, its_month, its_day) = _split_days(born), _split_days(at)
    before = its_month * 32 + its_day < month * 32 + day
    return np.asarray(later - year - before)


class Age(Derivation, what="the age"):
    """The age in whole years at a date.

    Attributes:
        born: the column of birth dates.
        at: the column of dates at which it is asked for; "" for a fixed one.
        on: the fixed date, such as 2021-05-09; "" for a column.
    """

    kind: Literal["age"] = "age"
    born: str
    at: str = ""
    on: str = ""

    title: ClassVar[str] = "Age in years at a date"
    calls: ClassVar[Mapping[str, str]] = {
        "age": 'age(born, admitted) or age(born, "2021-05-09")',
    }
    fields: ClassVar[tuple[FormField, ...]] = (
        FormField("born", "Born on", "column"),
        FormField("at", "At the date in", "column", optional=True),
        FormField("on", "Or at this date", "text", "Such as 2021-05-09.", optional=True),
    )

    @model_validator(mode="after")
    def _usable(self) -> Age:
        if bool(self.at) == bool(self.on):
            raise Refusal(
                "An age is at the date in a column, or at one fixed date.",
                "Name one of the two.",
                field=FORMULA,
            )
        if self.at == self.born:
            raise Refusal(
                "An age is asked for at the date of birth itself.",
                "Name two different columns.",
                field=FORMULA,
            )
        if self.on:
            self._read_day()
        return self

    def _read_day(self) -> int:
        """Return the number of the fixed day.

        Raises:
            Refusal: it is no day.
        """
        try:
            return date.fromisoformat(self.on).toordinal()
        except ValueError:
            raise Refusal(
                f"“{self.on}” is no date.", "Write it like 2021-05-09.", field=FORMULA
            ) from None

    @property
    def inputs(self) -> tuple[str, ...]:
        """The birth date, and the date if it is not a fixed one."""
        return (self.born, self.at) if self.at else (self.born,)

    @property
    def formula(self) -> str:
        """Birth date, then date."""
        at = quote_column(self.at) if self.at else quote_constant(self.on)
        return f"age({quote_column(self.born)}, {at})"

    @property
    def words(self) -> str:
        """At which date."""
        at = show_name(self.at) if self.at else self.on
        return f"age in whole years at {at}, born on {show_name(self.born)}"

    def domain(self, columns: Sequence[Column]) -> Domain:
        """Return every age between the ends of the dates."""
        ends = [
            _list_ends(ranged) // ranged.per_day
            for ranged in (_require_moments(column, "an age") for column in columns)
        ]
        at = ends[1] if self.at else np.full(2, self._read_day())
        low, high = _count_years(ends[0][::-1], at).tolist()
        return span_numbers(low, high, 1, 0)

    def compute(self, values: Sequence[Values], domain: Domain) -> IntArray:
        """Return the place of each age."""
        days = [each.units() // each.numbers.per_day for each in values]
        at = days[1] if self.at else np.full(len(days[0]), self._read_day())
        return place_units(_count_years(days[0], at), 0, domain)

    @classmethod
    def from_call(cls, function: str, arguments: Sequence[Argument]) -> Self:
        """Return the age of a birth date at a column or a date."""
        match arguments:
            case [Name(born), Name(at)]:
                return cls(born=born, at=at)
            case [Name(born), str(on)]:
                return cls(born=born, on=on)
        raise refuse_call(cls.calls[function])

    @classmethod
    def from_form(cls, texts: Mapping[str, Sequence[str]]) -> Self:
        """Return the age of a form."""
        at, on = ("".join(take_lines(texts, name)) for name in ("at", "on"))
        return cls(born=take_text(texts, "born", "Born on"), at=at, on=on)


Unit = Literal["days", "hours", "minutes"]
_PER_DAY: Final[Mapping[Unit, int]] = {"days": 1, "hours": 24, "minutes": MINUTES}


class Duration(Derivation, what="the duration"):
    """How long it is from one moment to another.

    Attributes:
        start, end: the columns of moments, both of days or both of times of day.
        unit: what is counted: midnights between the two, or whole hours or minutes.
        past_midnight: of times of day, whether an end before the start is on the next day.
    """

    kind: Literal["duration"] = "duration"
    start: str
    end: str
    unit: Unit = "days"
    past_midnight: bool = False

    title: ClassVar[str] = "Time between two dates or times"
    calls: ClassVar[Mapping[str, str]] = {
        unit: f'{unit}(start, end) or {unit}(start, end, "past midnight")' for unit in _PER_DAY
    }
    fields: ClassVar[tuple[FormField, ...]] = (
        FormField("start", "From", "column"),
        FormField("end", "To", "column"),
        FormField("unit", "Counted in", "text", options=tuple(_PER_DAY)),
        FormField(
            "past_midnight",
            "If a time of day ends before it starts",
            "text",
            options=("it is below zero", "it ends on the next day"),
        ),
    )

    @model_validator(mode="after")
    def _usable(self) -> Duration:
        if self.start == self.end:
            raise Refusal(
                "A duration is asked for from a column to itself.",
                "Name two different columns.",
                field=FORMULA,
            )
        return self

    @property
    def inputs(self) -> tuple[str, ...]:
        """Start and end."""
        return (self.start, self.end)

    @property
    def formula(self) -> str:
        """Start, then end."""
        more = ', "past midnight"' if self.past_midnight else ""
        return f"{self.unit}({quote_column(self.start)}, {quote_column(self.end)}{more})"

    @property
    def words(self) -> str:
        """From when to when."""
        counted = "days" if self.unit == "days" else f"whole {self.unit}"
        text = f"{counted} from {show_name(self.start)} to {show_name(self.end)}"
        return f"{text}, past midnight if it ends before it starts" if self.past_midnight else text

    def domain(self, columns: Sequence[Column]) -> Domain:
        """Return every duration between the ends of the moments."""
        ranges = [_require_moments(column, "a duration", dated=None) for column in columns]
        start, end = ranges
        if start.dated is not end.dated or (self.past_midnight and start.dated):
            raise Refusal(
                "A duration past midnight is one between two times of day."
                if self.past_midnight
                else f"“{self.start}” and “{self.end}” are not both of days or both of times.",
                "Choose two columns of dates, or two of times of day.",
                field=FORMULA,
            )
        if self.unit == "days" and not start.dated:
            raise Refusal(
                "Between two times of day there are no days.",
                "Count in minutes or hours.",
                field=FORMULA,
            )
        if self.unit != "days" and (start.per_day == 1 or start.per_day != end.per_day):
            raise Refusal(
                f"Between days there are no {self.unit}.",
                "Count in days, or keep the times of both columns.",
                field=FORMULA,
            )
        (first, last), (early, late) = (_list_ends(each).tolist() for each in ranges)
        if self.past_midnight:
            return span_numbers(0, _PER_DAY[self.unit] - 1, 1, 0)
        low, high = (
            self._count(np.array(times[:1]), np.array(times[1:]), ranges)
            for times in ((last, early), (first, late))
        )
        return span_numbers(int(low[0]), int(high[0]), 1, 0)

    def _count(self, start: IntArray, end: IntArray, ranges: Sequence[Ranged]) -> IntArray:
        """Return how many units there are between moments, by their numbers."""
        if self.unit == "days":
            return np.asarray(end // ranges[1].per_day - start // ranges[0].per_day)
        between, per_day = end - start, ranges[0].per_day
        if self.past_midnight:
            between = between % per_day
        return np.asarray(between // (per_day // _PER_DAY[self.unit]))

    def compute(self, values: Sequence[Values], domain: Domain) -> IntArray:
        """Return the place of each duration."""
        start, end = (each.units() for each in values)
        return place_units(self._count(start, end, [each.numbers for each in values]), 0, domain)

    @classmethod
    def from_call(cls, function: str, arguments: Sequence[Argument]) -> Self:
        """Return the duration from one column to another."""
        match arguments:
            case [Name(start), Name(end)]:
                return cls.read({"start": start, "end": end, "unit": function})
            case [Name(start), Name(end), "past midnight"]:
                settings = {"start": start, "end": end, "unit": function, "past_midnight": True}
                return cls.read(settings)
        raise refuse_call(cls.calls[function])

    @classmethod
    def from_form(cls, texts: Mapping[str, Sequence[str]]) -> Self:
        """Return the duration of a form."""
        past = take_lines(texts, "past_midnight") == (cls.fields[-1].options[1],)
        return cls.read(
            {
                "start": take_text(texts, "start", "From"),
                "end": take_text(texts, "end", "To"),
                "unit": take_text(texts, "unit", "Counted in"),
                "past_midnight": past,
            }
        )


Part = Literal["year", "quarter", "month", "weekday", "day", "hour"]
_SPANS: Final[Mapping[Part, tuple[int, int]]] = {
    "year": (1, 9999),
    "quarter": (1, 4),
    "month": (1, 12),
    "weekday": (1, 7),
    "day": (1, 31),
    "hour": (0, 23),
}
"""The least and the largest number of each part."""


class DatePart(Derivation, what="the part of a date"):
    """A part of a date or time, as a number or a text.

    Attributes:
        column: of dates, of dates with times or, for the hour, of times.
        part: which; weekdays count from Monday, which is 1.
        labels: the text of each number of it, from the least; if none are given, the number itself.
    """

    kind: Literal["part"] = "part"
    column: str
    part: Part
    labels: tuple[str, ...] = ()

    title: ClassVar[str] = "Year, month or another part of a date"
    calls: ClassVar[Mapping[str, str]] = {
        part: f"{part}(admitted)"
        + ('; quarter(admitted, c("Q1", "Q2", "Q3", "Q4"))' if part == "quarter" else "")
        for part in _SPANS
    }
    fields: ClassVar[tuple[FormField, ...]] = (
        FormField("column", "Of column", "column"),
        FormField("part", "Which part", "text", options=tuple(_SPANS)),
        FormField(
            "labels",
            "Texts instead of numbers",
            "lines",
            "One a line, such as twelve names of months. Weekdays begin with Monday.",
            optional=True,
        ),
    )

    @model_validator(mode="after")
    def _usable(self) -> DatePart:
        low, high = _SPANS[self.part]
        if self.labels and len(self.labels) != high - low + 1:
            raise Refusal(
                f"There are {len(self.labels)} texts for the {high - low + 1} numbers of a "
                f"{self.part}.",
                "Name one for each, or none.",
                field=FORMULA,
            )
        return self

    @property
    def inputs(self) -> tuple[str, ...]:
        """The one column."""
        return (self.column,)

    @property
    def formula(self) -> str:
        """The column, then texts."""
        more = f", c({', '.join(map(quote_constant, self.labels))})" if self.labels else ""
        return f"{self.part}({quote_column(self.column)}{more})"

    @property
    def words(self) -> str:
        """Which part of which column."""
        return f"{self.part} of {show_name(self.column)}"

    def domain(self, columns: Sequence[Column]) -> Domain:
        """Return every number or text of the part."""
        clock = self.part == "hour"
        ranged = _require_moments(columns[0], f"the {self.part}", dated=None if clock else True)
        if clock and ranged.per_day == 1:
            raise Refusal(
                f"Column “{self.column}” holds dates without a time.",
                "Choose another part, or keep the times of the column.",
                field=FORMULA,
            )
        if self.labels:
            return Categories(values=self.labels)
        low, high = _SPANS[self.part]
        if self.part == "year":
            low, high = _split_days(_list_ends(ranged) // ranged.per_day)[0].tolist()
        return span_numbers(low, high, 1, 0)

    def compute(self, values: Sequence[Values], domain: Domain) -> IntArray:
        """Return the place of each number, or the code of its text."""
        numbers = self._find_part(values[0].units(), values[0].numbers.per_day)
        if self.labels:
            return numbers - _SPANS[self.part][0]
        return place_units(numbers, 0, domain)

    def _find_part(self, units: IntArray, per_day: int) -> IntArray:
        """Return the part of each moment."""
        days = units // per_day
        match self.part:
            case "hour":
                return np.asarray(units % per_day // (per_day // 24))
            case "weekday":
                return np.asarray((days - 1) % 7 + 1)
            case "quarter":
                return np.asarray((_split_days(days)[1] + 2) // 3)
        return _split_days(days)[("year", "month", "day").index(self.part)]

    @classmethod
    def from_call(cls, function: str, arguments: Sequence[Argument]) -> Self:
        """Return the part of a column, perhaps with texts."""
        match arguments:
            case [Name(column)]:
                return cls.read({"column": column, "part": function})
            case [Name(column), labels]:
                texts = list_texts(labels)
                return cls.read({"column": column, "part": function, "labels": texts})
        raise refuse_call(cls.calls[function])

    @classmethod
    def from_form(cls, texts: Mapping[str, Sequence[str]]) -> Self:
        """Return the part of a form."""
        return cls.read(
            {
                "column": take_text(texts, "column", "Of column"),
                "part": take_text(texts, "part", "Which part"),
                "labels": take_lines(texts, "labels"),
            }
        )
