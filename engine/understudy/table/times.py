"""Two kinds of columns: days with a time of day, and times of day alone, both to the minute.

A day with a time is known by the minute that a clock shows; of which time zone the clock is, is
declared. Its minutes are counted from the beginning of year 1. Clocks that are put back show some
minutes twice, and these are the same here.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from decimal import Decimal
from functools import cached_property
from typing import Any, ClassVar, Final, Literal, Self

import numpy as np
import pyarrow as pa

from understudy.core.arrays import BoolArray, FloatArray, IntArray
from understudy.core.refusal import Refusal
from understudy.table.clock_changes import ClockChanges, clock_changes
from understudy.table.date_spellings import (
    KEPT_IN_UTC,
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
from understudy.table.moments import (
    SPELLING,
    ArrowMoments,
    EndTexts,
    MomentsInTime,
    period_setting,
    word_outside,
)
from understudy.table.periods import EPOCH
from understudy.table.weekdays import WEEKDAY_SETTING, DatedMoments

MomentPeriod = Literal[
    "minute", "5 minutes", "15 minutes", "hour", "3 hours", "6 hours", "day", "week", "month",
    "quarter", "year",
]  # fmt: skip
FineMoment = Literal["minute", "5 minutes", "15 minutes", "hour", "day"]
ClockPeriod = Literal["minute", "5 minutes", "15 minutes", "hour", "3 hours", "6 hours"]
FineClock = Literal["minute", "5 minutes", "15 minutes", "hour"]
_OFFSET: Final = re.compile(r":\d\d[+-]\d\d(:?\d\d)?$|\.\d+[+-]\d\d(:?\d\d)?$", re.ASCII)
_FIRST_OF_ARROW: Final = datetime(1970, 1, 1)
_USUAL_CLOCK: Final = "hh:mm"
_DAY_LETTERS: Final = 10
_FEW_HOURS: Final = 3 * MINUTES
_MILLISECONDS: Final = 60_000
"""Of a minute."""


def spell_minute(number: Decimal | int) -> str:
    """Return the day and the time of a minute as it is usually written: 2020-03-01 13:45."""
    day, minute = divmod(int(number), MINUTES)
    return f"{date.fromordinal(day).isoformat()} {spell_clock(minute)}"


def spell_clock(number: Decimal | int) -> str:
    """Return the time of a minute of a day as it is usually written: 13:45."""
    return f"{int(number) // 60:02}:{int(number) % 60:02}"


def _read_minute(value: object, name: str) -> Decimal | None:
    """Return the number of a minute; a day alone is its midnight, as a maximum its last minute.
    None if there is no such minute."""
    if isinstance(value, str):
        number = DatesTimes.parse(value)
        if number is not None and name == "maximum" and len(value.strip()) == _DAY_LETTERS:
            number += MINUTES - 1
        return number
    if isinstance(value, datetime):
        return Decimal(value.toordinal() * MINUTES + 60 * value.hour + value.minute)
    return _take_whole(value, MINUTES, (date.max.toordinal() + 1) * MINUTES)


def _read_clock_minute(value: object, name: str) -> Decimal | None:
    """Return the number of a minute of a day; None if there is no such minute."""
    if isinstance(value, str):
        return Times.parse(value)
    if isinstance(value, time):
        return Decimal(60 * value.hour + value.minute)
    return _take_whole(value, 0, MINUTES)


def _take_whole(value: object, low: int, end: int) -> Decimal | None:
    """Return a whole number from one on and below another; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, Decimal | int):
        return None
    return Decimal(value) if low <= value < end and value == int(value) else None


class DatesTimes(DatedMoments, what="the dates with times"):
    """Days with a time, from a first to a last minute, kept to the minute or to a coarser period.

    Attributes:
        zone: whose clock shows them; "" where that is not said, and UTC is meant where a text has
            an offset. “Europe/Berlin from UTC” says that files which know points in time, such as
            Parquet, keep them in UTC; minutes that the clock skips are none of the column then.
    """

    kind: Literal["moments"] = "moments"
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
    dated: ClassVar[bool] = True
    first_word: ClassVar[str] = "moment"
    needs: ClassVar[frozenset[str]] = frozenset({"year", "month", "day", "hour", "minute"})
    field_type: ClassVar[str] = "datetime"
    usual_format: ClassVar[str] = "%Y-%m-%d %H:%M"
    cuts_help: ClassVar[str] = "Cuts where they begin in the calendar."
    several: ClassVar[str] = "dates with times"
    remedy: ClassVar[str] = "Keep it as it is, or enter the first and the last moment."
    outside_words: ClassVar[Mapping[Verdict, str]] = word_outside(
        "moment", "dates with times", "dates with times"
    )
    ends: ClassVar[EndTexts] = EndTexts(
        _read_minute, spell_minute, "a day with a time", "Enter one such as 2020-03-01 13:45."
    )
    arrow: ClassVar[ArrowMoments] = ArrowMoments(
        pa.timestamp("ms"), pa.int64(), _MILLISECONDS, EPOCH * MINUTES
    )
    extra_names: ClassVar[frozenset[str]] = DatedMoments.extra_names | {"zone"}
    settings: ClassVar[tuple[Setting, ...]] = (
        *ends.list_settings(("First moment", "Last moment"), "YYYY-MM-DD hh:mm"),
        period_setting("step", "In cells of", MomentPeriod, "times", "day"),
        period_setting(
            "precision", "Kept to", FineMoment, "times", "minute",
            "Of an hour or a day, its first minute is kept and released.",
        ),
        SPELLING,
        Setting(
            "zone",
            "Time zone of the clock",
            placeholder="not said",
            read=read_typed,
            help="Such as Europe/Berlin. Texts with an offset, such as +01:00, are read as this "
            "clock shows them. Write Europe/Berlin from UTC if a Parquet file or a database keeps "
            "them in UTC or with a time zone: they are then read on this clock too.",
        ),
        WEEKDAY_SETTING,
    )  # fmt: skip
    advice: ClassVar[str] = (
        "Read as YYYY-MM-DD hh:mm, and as they are said to be written; seconds are left out. A "
        "model sees the cell that a moment is in, and the released one is drawn within its cell, "
        "evenly or by the weekdays that you name: cells of a month keep no hours."
    )

    def check_moments(self) -> None:
        """Check that the settings go together.

        Raises:
            Refusal: they do not, or there is no such time zone.
        """
        super().check_moments()
        zone_named(self.zone)

    @cached_property
    def clock(self) -> tzinfo:
        """The zone whose clock they are read on."""
        return zone_named(self.zone)

    @cached_property
    def typed(self) -> Domain:
        """The same as files hold it that know points in time."""
        if not self.zone.endswith(KEPT_IN_UTC):
            return self
        return Instants(**{name: getattr(self, name) for name in type(self).model_fields})

    @cached_property
    def changes(self) -> ClockChanges | None:
        """The changes of the clock, where files keep instants; None where they keep what it
        shows."""
        if not self.zone.endswith(KEPT_IN_UTC):
            return None
        ends = _seconds_of(np.array([int(self.minimum), int(self.maximum)])).tolist()
        return clock_changes(self.zone.removesuffix(KEPT_IN_UTC) or "UTC", *ends)

    def gap_places(self) -> IntArray:
        """Return the places of moments that stand for missing, and of those that the clock skips
        from their first to their last second."""
        gaps = super().gap_places()
        if self.changes is None:
            return gaps
        full, found = self.full_lattice, [gaps]
        for start, end in self.changes.list_skipped():
            # The first moment at or after the start, and the last whose next is not after the end.
            ends = np.array([-(-start // 60) - 1, end // 60]) + EPOCH * MINUTES
            before, after = full.last_places(ends).clip(-1, full.count - 1).tolist()
            first = before + 1
            found.append(np.arange(first, after, dtype=np.int64))
        return np.unique(np.concatenate(found))

    @classmethod
    def read_usual(cls, text: str, zone: tzinfo = UTC) -> Moment | None:
        """Return the minute of a text; a day alone is its midnight, as typed files write it."""
        return read_iso(text, zone)

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
        return {"Days": self.cuts_of("day"), **self.calendar_cuts()}

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
        return super().convert(domain, kind)

    def substance(self) -> list[object]:
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
        """Return minutes as timestamps, null where a value is missing; as instants with their zone,
        where files keep these in UTC."""
        if self.changes is not None:
            none = np.isnan(numbers)
            shown = _seconds_of(np.where(none, 0, numbers).astype(np.int64))
            instants = pa.array(self.changes.instants_of(shown) * 1000, pa.int64(), mask=missing)
            return instants.cast(pa.timestamp("ms", self.zone.removesuffix(KEPT_IN_UTC) or "UTC"))
        moments = super().numbers_to_arrow(numbers, missing)
        return moments.cast(pa.timestamp("ms", "UTC")) if self.zone == "UTC" else moments

    def numbers_of_arrow(self, values: pa.Array) -> FloatArray:
        """Return the minutes of an Arrow array, not a number where one is missing."""
        if self.changes is None:
            return super().numbers_of_arrow(values)
        seconds = values.cast(pa.timestamp("s"), safe=False).cast(pa.int64())
        missing = seconds.is_null().to_numpy(zero_copy_only=False)
        shown = self.changes.shown_at(seconds.fill_null(0).to_numpy(zero_copy_only=False))
        return np.where(missing, np.nan, shown // 60 + EPOCH * MINUTES)

    def kept_with(self, zone: str, texts: Collection[str]) -> Domain:
        """Return the range of instants on the clock of the zone that a file keeps them with; itself
        if the zone has no name."""
        kept = f"{zone}{KEPT_IN_UTC}"
        try:
            clock = zone_named(kept)
        except Refusal:
            return self
        moments = [found for text in texts if (found := Instants.read_usual(text, clock))]
        spanned = self.spanning(moments, "", outward=True)
        settings = {name: getattr(spanned, name) for name in type(self).model_fields}
        return type(self)(**{**settings, "zone": kept})


def _seconds_of(minutes: IntArray) -> IntArray:
    """Return the seconds of minutes that are counted from the beginning of year 1."""
    return np.asarray((minutes - EPOCH * MINUTES) * 60)


class Instants(DatesTimes, what="the dates with times"):
    """Dates with times as files hold them that keep points in time in UTC."""

    @property
    def typed(self) -> Domain:
        """Itself."""
        return self

    @classmethod
    def read_usual(cls, text: str, zone: tzinfo = UTC) -> Moment | None:
        """Return the minute that the clock shows at an instant; a day alone is its midnight."""
        found = read_iso(text, zone)
        if found is None or text[-1:] == "Z" or _OFFSET.search(text):
            return found
        whole = text if len(text) > _DAY_LETTERS else f"{text} 00:00"
        return read_iso(f"{whole}Z", zone)

    @classmethod
    def parse(cls, text: str) -> Decimal | None:
        """None: codes for missing are no instants of such a file."""
        return None

    def spell_places(self, places: Iterable[int]) -> list[str]:
        """Return the instant of the moment at each place, in UTC."""
        every = np.array(self.every_places(places), dtype=np.int64)
        assert self.changes is not None
        seconds = self.changes.instants_of(_seconds_of(self.full_lattice.whole_numbers(every)))
        return [f"{_FIRST_OF_ARROW + timedelta(seconds=each)}Z" for each in seconds.tolist()]


def _is_midnight(text: str) -> bool:
    found = read_iso(text)
    return found is not None and not found.minute and found.whole


class Times(MomentsInTime, what="the times"):
    """Times of day, from a first to a last minute, kept to the minute or to a coarser period."""

    kind: Literal["times"] = "times"
    minimum: Decimal = Decimal(0)
    maximum: Decimal = Decimal(MINUTES - 1)
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
    several: ClassVar[str] = "times of day"
    remedy: ClassVar[str] = "Keep it as it is, or enter the earliest and the latest time."
    outside_words: ClassVar[Mapping[Verdict, str]] = word_outside("time", "times", "times of day")
    ends: ClassVar[EndTexts] = EndTexts(
        _read_clock_minute, spell_clock, "a time", "Enter one such as 07:45."
    )
    arrow: ClassVar[ArrowMoments] = ArrowMoments(pa.time32("ms"), pa.int32(), _MILLISECONDS, 0)
    settings: ClassVar[tuple[Setting, ...]] = (
        *ends.list_settings(("Earliest", "Latest"), openings=("00:00", "23:59")),
        period_setting("step", "In cells of", ClockPeriod, "times", "hour"),
        period_setting(
            "precision", "Kept to", FineClock, "times", "minute",
            "Of an hour, its first minute is kept and released.",
        ),
        SPELLING,
    )  # fmt: skip
    advice: ClassVar[str] = (
        "Read as hh:mm, and as they are said to be written; seconds are left out. A model sees the "
        "cell that a time is in, and the released time is drawn evenly within its cell."
    )

    @classmethod
    def longer_cells(cls) -> str:
        """Cells that are long, for advice."""
        return "hours"

    @classmethod
    def read_usual(cls, text: str, zone: tzinfo = UTC) -> Moment | None:
        """Return the minute of a text."""
        return read_clock(text)

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
