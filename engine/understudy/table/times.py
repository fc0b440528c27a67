"""Two kinds of columns: days with a time of day, and times of day alone, both to the minute.

A day with a time is known by the minute that a clock shows; of which time zone the clock is, is
declared. Its minutes are counted from the beginning of year 1. Clocks that are put back show some
minutes twice, and these are the same here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, date, datetime, time, tzinfo
from decimal import Decimal
from functools import cached_property
from typing import Annotated, Any, ClassVar, Final, Literal, Self, get_args

import numpy as np
import pyarrow as pa
from pydantic import BeforeValidator, PlainSerializer, ValidationInfo, model_validator

from understudy.core.arrays import BoolArray, FloatArray
from understudy.core.refusal import Refusal
from understudy.table.date_spellings import (
    MINUTES,
    Moment,
    Spelling,
    read_clock,
    read_iso,
    suggest_clock_spelling,
    suggest_day_spelling,
    zone_named,
)
from understudy.table.dates import name_months, outward_days, usual_period
from understudy.table.domain import Domain, KindWords, Setting, Verdict, read_typed
from understudy.table.field_entry import FieldEntry, read_text
from understudy.table.moments import EPOCH, SPELLING, MomentsInTime

MomentPeriod = Literal[
    "minute", "5 minutes", "15 minutes", "hour", "3 hours", "6 hours", "day", "week", "month",
    "quarter", "year",
]  # fmt: skip
FineMoment = Literal["minute", "5 minutes", "15 minutes", "hour", "day"]
ClockPeriod = Literal["minute", "5 minutes", "15 minutes", "hour", "3 hours", "6 hours"]
FineClock = Literal["minute", "5 minutes", "15 minutes", "hour"]
_USUAL_CLOCK: Final = "hh:mm"
_DAY_LETTERS: Final = 10
_FEW_HOURS: Final = 3 * MINUTES
_MILLISECONDS: Final = 60_000
"""Of a minute."""


def _options(periods: Any) -> dict[str, str]:
    return {period: period for period in get_args(periods)}


def _read_among(periods: Any, text: str, name: str) -> str:
    """Return the period that a text names.

    Raises:
        Refusal: it names none of those.
    """
    period = " ".join(text.split()).casefold()
    if period not in get_args(periods):
        raise Refusal(
            f"The {name} of times is no period.",
            f"Enter one of {', '.join(get_args(periods))}.",
            field=name,
        )
    return period


def spell_minute(number: Decimal | int) -> str:
    """Return the day and the time of a minute as it is usually written: 2020-03-01 13:45."""
    day, minute = divmod(int(number), MINUTES)
    return f"{date.fromordinal(day).isoformat()} {spell_clock(minute)}"


def spell_clock(number: Decimal | int) -> str:
    """Return the time of a minute of a day as it is usually written: 13:45."""
    return f"{int(number) // 60:02}:{int(number) % 60:02}"


def read_minute(value: Any, name: str) -> Decimal:
    """Return the number of a minute that is typed or held by a file; a day alone is its midnight,
    as a maximum its last minute.

    Raises:
        Refusal: it is none.
    """
    number: Decimal | None = None
    if isinstance(value, str):
        number = DatesTimes.parse(value)
        if number is not None and name == "maximum" and len(value.strip()) == _DAY_LETTERS:
            number += MINUTES - 1
    elif isinstance(value, datetime):
        number = Decimal(value.toordinal() * MINUTES + 60 * value.hour + value.minute)
    elif isinstance(value, Decimal | int) and not isinstance(value, bool):
        last = (date.max.toordinal() + 1) * MINUTES
        number = Decimal(value) if MINUTES <= value < last and value == int(value) else None
    if number is None:
        raise Refusal(
            f"The {name} is not a day with a time.",
            "Enter one such as 2020-03-01 13:45.",
            field=name,
        )
    return number


def read_minute_of_day(value: Any, name: str) -> Decimal:
    """Return the number of a minute of a day that is typed or held by a file.

    Raises:
        Refusal: it is none.
    """
    number: Decimal | None = None
    if isinstance(value, str):
        number = Times.parse(value)
    elif isinstance(value, time):
        number = Decimal(60 * value.hour + value.minute)
    elif isinstance(value, Decimal | int) and not isinstance(value, bool):
        number = Decimal(value) if 0 <= value < MINUTES and value == int(value) else None
    if number is None:
        raise Refusal(f"The {name} is not a time.", "Enter one such as 07:45.", field=name)
    return number


def _validate_minute(value: Any, info: ValidationInfo) -> Decimal:
    return read_minute(value, info.field_name or "minute")


def _validate_clock(value: Any, info: ValidationInfo) -> Decimal:
    return read_minute_of_day(value, info.field_name or "minute")


Minute = Annotated[
    Decimal,
    BeforeValidator(_validate_minute),
    PlainSerializer(spell_minute, str, when_used="json"),
]
"""The number of a minute, which files hold as a day with a time."""
MinuteOfDay = Annotated[
    Decimal,
    BeforeValidator(_validate_clock),
    PlainSerializer(spell_clock, str, when_used="json"),
]
"""The number of a minute of a day, which files hold as a time."""


class DatesTimes(MomentsInTime, what="the dates with times"):
    """Days with a time, from a first to a last minute, kept to the minute or to a coarser period.

    Attributes:
        zone: whose clock shows them; "" where that is not said, and UTC is meant where a text has
            an offset.
    """

    kind: Literal["moments"] = "moments"
    minimum: Minute
    maximum: Minute
    step: MomentPeriod = "day"
    precision: FineMoment = "minute"
    zone: str = ""

    kinds: ClassVar[Mapping[str, KindWords]] = {
        "moments": KindWords(
            "Dates with times",
            "date with time",
            "datetime",
            "dates with times",
            ("moments", "date and time", "timestamp", "date with time"),
        )
    }
    per_day: ClassVar[int] = MINUTES
    first_word: ClassVar[str] = "moment"
    needs: ClassVar[frozenset[str]] = frozenset({"year", "month", "day", "hour", "minute"})
    field_type: ClassVar[str] = "datetime"
    usual_format: ClassVar[str] = "%Y-%m-%d %H:%M"
    cuts_help: ClassVar[str] = "Cuts where they begin in the calendar."
    outside_words: ClassVar[Mapping[Verdict, str]] = {
        Verdict.ROUNDED: "finer than dates with times are kept",
        Verdict.TOO_LOW: "before its first moment",
        Verdict.TOO_HIGH: "after its last moment",
        Verdict.NOT_OF_KIND: "not dates with times",
    }
    extra_names: ClassVar[frozenset[str]] = MomentsInTime.extra_names | {"zone"}
    settings: ClassVar[tuple[Setting, ...]] = (
        Setting(
            "minimum",
            "First moment",
            placeholder="YYYY-MM-DD hh:mm",
            read=read_minute,
            write=spell_minute,
        ),
        Setting(
            "maximum",
            "Last moment",
            placeholder="YYYY-MM-DD hh:mm",
            read=read_minute,
            write=spell_minute,
        ),
        Setting(
            "step",
            "In cells of",
            opening="day",
            options=_options(MomentPeriod),
            read=lambda text, name: _read_among(MomentPeriod, text, name),
        ),
        Setting(
            "precision",
            "Kept to",
            opening="minute",
            options=_options(FineMoment),
            read=lambda text, name: _read_among(FineMoment, text, name),
            help="Of an hour or a day, its first minute is kept and released.",
        ),
        SPELLING,
        Setting(
            "zone",
            "Time zone of the clock",
            placeholder="not said",
            read=read_typed,
            help="Such as Europe/Berlin. Texts with an offset, such as +01:00, are read as this "
            "clock shows them. Parquet files with time zones are read in UTC: write UTC for these.",
        ),
    )
    advice: ClassVar[str] = (
        "Read as YYYY-MM-DD hh:mm, and as they are said to be written; seconds are left out. A "
        "model sees the cell that a moment is in, and the released one is drawn evenly within its "
        "cell: cells of a month keep no hours."
    )

    @model_validator(mode="after")
    def _usable(self) -> DatesTimes:
        self.check_moments()
        zone_named(self.zone)
        return self

    @cached_property
    def clock(self) -> tzinfo:
        """The zone whose clock they are read on."""
        return zone_named(self.zone)

    @classmethod
    def read_usual(cls, text: str, zone: tzinfo = UTC) -> Moment | None:
        """Return the minute of a text; a day alone is its midnight, as typed files write it."""
        return read_iso(text, zone)

    @classmethod
    def read_end(cls, value: Any, name: str) -> Decimal:
        """Return the number of a minute that is typed or held by a file.

        Raises:
            Refusal: it is none.
        """
        return read_minute(value, name)

    @classmethod
    def spell(cls, number: Decimal) -> str:
        """Return the day and the time of a minute."""
        return spell_minute(number)

    @classmethod
    def named_periods(cls) -> Sequence[str]:
        """The periods that have names, the longest first."""
        return ("year", "quarter", "month", "day")

    def name_period(self, number: int, period: str) -> str:
        """Return the name of the year, quarter, month or day that a minute is in."""
        day = number // MINUTES
        return date.fromordinal(day).isoformat() if period == "day" else name_months(day, period)

    def axis_values(self, edges: FloatArray) -> list[str]:
        """Return minutes as a chart takes them."""
        last = (date.max.toordinal() + 1) * MINUTES - 1
        return [spell_minute(min(int(edge), last)).replace(" ", "T") + ":00" for edge in edges]

    def usual_cuts(self) -> tuple[Decimal, ...]:
        """Return where hours or days of a short range begin, or else months, quarters or years: the
        shortest that make few buckets."""
        if self.span <= _FEW_HOURS:
            return self.cuts_of("6 hours" if self.span > MINUTES else "hour")
        if self.span <= 20 * MINUTES:
            return self.cuts_of("day")
        return self.few_cuts_of_months()

    def cut_presets(self) -> Mapping[str, tuple[Decimal, ...]]:
        """Return cuts where calendar periods begin."""
        months = {"Months": 1, "Quarters": 3, "Years": 12, "Decades": 120}
        return {
            "Days": self.cuts_of("day"),
            **{title: self.cuts_of_months(each) for title, each in months.items()},
        }

    @classmethod
    def usual_step(cls, low: Decimal, high: Decimal, precision: str) -> MomentPeriod:
        """Return the period whose cells are not too many between two minutes."""
        if precision != "day" and high - low <= _FEW_HOURS:
            return "hour"
        return usual_period(low // MINUTES, high // MINUTES)

    @classmethod
    def suggest_spelling(cls, texts: Collection[str]) -> str | None:
        """Return how all texts are written; None where some are no days with times, or all are
        days."""
        if all(read_iso(text) for text in texts):
            if all(_is_midnight(text) for text in texts):
                return None
            found = suggest_day_spelling({text for text in texts if len(text) > _DAY_LETTERS})
            spelling = "" if found is None else found.text
            return "" if spelling == "YYYY-MM-DD hh:mm" else spelling
        found = suggest_day_spelling(texts)
        if found is None or any("hour" not in each.says for each in found.patterns):
            return None
        moments = cls.moments_of(texts, found.text)
        return found.text if any(each.minute or not each.whole for each in moments) else None

    @classmethod
    def spanning(cls, moments: Collection[Moment], spelling: str, *, outward: bool) -> Self:
        """Return the range from the first to the last of some minutes."""
        numbers = [cls.number_of(moment) for moment in moments]
        low, high = min(numbers), max(numbers)
        if outward:
            days = outward_days(low // MINUTES, high // MINUTES)
            low, high = days[0] * MINUTES, (days[1] + 1) * MINUTES - 1
        elif low == high:
            high += 1
        step = cls.usual_step(low, high, "minute")
        return cls.read({"minimum": low, "maximum": high, "step": step, "spelling": spelling})

    @classmethod
    def convert(cls, domain: Domain, kind: str) -> Domain:
        """Return the range of the moments that a list of categories holds, or that dates are of.

        Raises:
            Refusal: it holds numbers, or values that are no moments.
        """
        if isinstance(domain, MomentsInTime) and domain.per_day == 1:
            low, high = domain.minimum * MINUTES, (domain.maximum + 1) * MINUTES - 1
            return cls.read({"minimum": low, "maximum": high, "step": domain.step})
        if domain.ranged is not None:
            raise Refusal(
                f"It holds {domain.words.plural}, which are no dates with times.",
                "Keep it as it is, or enter the first and the last moment.",
                field="kind",
            )
        return cls.spanned_by(domain.texts)

    def substance(self) -> list[Any]:
        """Return what codes and texts depend on, the time zone among it."""
        return [*super().substance(), *([{"zone": self.zone}] if self.zone else [])]

    def to_field(self) -> FieldEntry:
        """Return what a field of a Table Schema says of it."""
        entry = super().to_field()
        extra = {**entry.extra, **({"zone": self.zone} if self.zone else {})}
        return FieldEntry(entry.type, entry.constraints, extra, entry.settings)

    @classmethod
    def settings_of_field(cls, entry: FieldEntry) -> dict[str, Any]:
        """Return the settings that a field names.

        Raises:
            Refusal: as of `MomentsInTime.settings_of_field`, or the zone is no text.
        """
        zone = read_text(entry.extra.get("zone", ""), "Its time zone")
        return {**super().settings_of_field(entry), "zone": zone}

    def numbers_to_arrow(self, numbers: FloatArray, missing: BoolArray | None) -> pa.Array:
        """Return minutes as timestamps, null where a value is missing; with the zone UTC, where
        that is theirs."""
        start = EPOCH * MINUTES
        minutes = np.where(np.isnan(numbers), start, numbers).astype(np.int64) - start
        zone = "UTC" if self.zone == "UTC" else None
        return pa.array(minutes * _MILLISECONDS, pa.int64(), mask=missing).cast(
            pa.timestamp("ms", zone)
        )

    def numbers_of_arrow(self, values: pa.Array) -> FloatArray:
        """Return the minutes of an Arrow array of timestamps, not a number where one is missing."""
        moments = values.cast(pa.timestamp("ms")).cast(pa.int64()).cast(pa.float64())
        numbers: FloatArray = moments.to_numpy(zero_copy_only=False) // _MILLISECONDS
        return numbers + EPOCH * MINUTES


def _is_midnight(text: str) -> bool:
    found = read_iso(text)
    return found is not None and not found.minute and found.whole


class Times(MomentsInTime, what="the times"):
    """Times of day, from a first to a last minute, kept to the minute or to a coarser period."""

    kind: Literal["times"] = "times"
    minimum: MinuteOfDay = Decimal(0)
    maximum: MinuteOfDay = Decimal(MINUTES - 1)
    step: ClockPeriod = "hour"
    precision: FineClock = "minute"

    kinds: ClassVar[Mapping[str, KindWords]] = {
        "times": KindWords("Times of day", "time of day", "time", "times", ("times", "time of day"))
    }
    per_day: ClassVar[int] = MINUTES
    first_word: ClassVar[str] = "time"
    needs: ClassVar[frozenset[str]] = frozenset({"hour", "minute"})
    field_type: ClassVar[str] = "time"
    usual_format: ClassVar[str] = "%H:%M"
    cuts_help: ClassVar[str] = "Cuts on the clock."
    outside_words: ClassVar[Mapping[Verdict, str]] = {
        Verdict.ROUNDED: "finer than times are kept",
        Verdict.TOO_LOW: "before its first time",
        Verdict.TOO_HIGH: "after its last time",
        Verdict.NOT_OF_KIND: "not times of day",
    }
    settings: ClassVar[tuple[Setting, ...]] = (
        Setting("minimum", "Earliest", opening="00:00", read=read_minute_of_day, write=spell_clock),
        Setting("maximum", "Latest", opening="23:59", read=read_minute_of_day, write=spell_clock),
        Setting(
            "step",
            "In cells of",
            opening="hour",
            options=_options(ClockPeriod),
            read=lambda text, name: _read_among(ClockPeriod, text, name),
        ),
        Setting(
            "precision",
            "Kept to",
            opening="minute",
            options=_options(FineClock),
            read=lambda text, name: _read_among(FineClock, text, name),
            help="Of an hour, its first minute is kept and released.",
        ),
        SPELLING,
    )
    advice: ClassVar[str] = (
        "Read as hh:mm, and as they are said to be written; seconds are left out. A model sees the "
        "cell that a time is in, and the released time is drawn evenly within its cell."
    )

    @model_validator(mode="after")
    def _usable(self) -> Times:
        self.check_moments()
        return self

    @classmethod
    def longer_cells(cls) -> str:
        """Cells that are long, for advice."""
        return "hours"

    @classmethod
    def read_usual(cls, text: str, zone: tzinfo = UTC) -> Moment | None:
        """Return the minute of a text."""
        return read_clock(text)

    @classmethod
    def read_end(cls, value: Any, name: str) -> Decimal:
        """Return the number of a minute of a day that is typed or held by a file.

        Raises:
            Refusal: it is none.
        """
        return read_minute_of_day(value, name)

    @classmethod
    def spell(cls, number: Decimal) -> str:
        """Return the time of a minute."""
        return spell_clock(number)

    @classmethod
    def named_periods(cls) -> Sequence[str]:
        """None: times are named by the clock."""
        return ()

    def name_period(self, number: int, period: str) -> str:
        """Return the time with which a period begins."""
        return spell_clock(number)

    def axis_values(self, edges: FloatArray) -> list[str]:
        """Return minutes as a chart takes them, of a day that stands for all."""
        days = (divmod(int(edge), MINUTES) for edge in edges)
        return [f"1970-01-{1 + day:02}T{spell_clock(minute)}:00" for day, minute in days]

    def usual_cuts(self) -> tuple[Decimal, ...]:
        """Return where hours begin."""
        return self.cuts_of("hour")

    def cut_presets(self) -> Mapping[str, tuple[Decimal, ...]]:
        """Return cuts of the clock."""
        return {
            "Hours": self.cuts_of("hour"),
            "3 hours": self.cuts_of("3 hours"),
            "6 hours": self.cuts_of("6 hours"),
        }

    @classmethod
    def usual_step(cls, low: Decimal, high: Decimal, precision: str) -> ClockPeriod:
        """Return hours."""
        return "hour"

    @classmethod
    def suggest_spelling(cls, texts: Collection[str]) -> str | None:
        """Return how all texts are written; None where some are no times of day."""
        found = suggest_clock_spelling(texts)
        if found is None:
            return None
        return "" if found.text == _USUAL_CLOCK else found.text

    @classmethod
    def moments_of(cls, texts: Collection[str], spelling: str) -> set[Moment]:
        """Return all times that texts could name in a spelling."""
        patterns = Spelling.of(spelling or _USUAL_CLOCK).patterns
        read = {each.read(text) for text in texts for each in patterns}
        return {each for each in read if each is not None}

    @classmethod
    def spanning(cls, moments: Collection[Moment], spelling: str, *, outward: bool) -> Self:
        """Return the range from the first to the last of some times, or the whole day."""
        minutes = [moment.minute for moment in moments]
        low, high = (0, MINUTES - 1) if outward else (min(minutes), max(minutes))
        if low == high:
            low, high = 0, MINUTES - 1
        return cls.read({"minimum": low, "maximum": high, "spelling": spelling})

    @classmethod
    def convert(cls, domain: Domain, kind: str) -> Domain:
        """Return the range of the times that a list of categories holds.

        Raises:
            Refusal: it holds numbers or dates, or values that are no times.
        """
        if domain.ranged is not None:
            raise Refusal(
                f"It holds {domain.words.plural}, which are no times of day.",
                "Keep it as it is, or enter the earliest and the latest time.",
                field="kind",
            )
        return cls.spanned_by(domain.texts)

    def numbers_to_arrow(self, numbers: FloatArray, missing: BoolArray | None) -> pa.Array:
        """Return minutes as times, null where a value is missing."""
        moments = np.where(np.isnan(numbers), 0, numbers).astype(np.int32) * _MILLISECONDS
        return pa.array(moments, pa.int32(), mask=missing).cast(pa.time32("ms"))

    def numbers_of_arrow(self, values: pa.Array) -> FloatArray:
        """Return the minutes of an Arrow array of times, not a number where one is missing."""
        moments = values.cast(pa.time32("ms")).cast(pa.int32()).cast(pa.float64())
        numbers: FloatArray = moments.to_numpy(zero_copy_only=False) // _MILLISECONDS
        return numbers
