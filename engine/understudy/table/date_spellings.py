"""The ways in which text files write days and times: patterns such as DD/MM/YYYY hh:mm.

A pattern is declared, and how a text is read depends on the pattern and on that text alone. Where
several patterns could be meant, as for 03/04/2020, all of them are named: only what they agree on
is read, until a person has said which one it is. Days are counted from 1 January of year 1.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import cached_property, lru_cache
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from understudy.core.refusal import Refusal

MINUTES: Final = 24 * 60
"""Of a day."""
_TOKEN = re.compile(r"YYYY|YY|Month|MON|Mon|mon|MM|M|DD|D|hh|h|mm|ss|AM|am|Z|q|[-/. ,:TQ]")
_CENTURY = re.compile(r"(.*\bYY\b.*|.*YY.*) from (\d{4})")
_OR: Final = " or "
_MOST_PATTERNS: Final = 6
_LONGEST: Final = 40
_NAMES: Final = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
_MONTHS: Final[Mapping[str, int]] = {
    **{name: place for place, name in enumerate(_NAMES, 1)},
    **{name[:3]: place for place, name in enumerate(_NAMES, 1)},
    "sept": 9,
}
_PARTS: Final[Mapping[str, str]] = {
    "YYYY": r"(?P<year>\d{4})",
    "YY": r"(?P<year>\d{2})",
    **dict.fromkeys(("Month", "MON", "Mon", "mon"), r"(?P<name>[A-Za-z]{3,9})\.?"),
    **dict.fromkeys(("MM", "M"), r"(?P<month>\d{1,2})"),
    **dict.fromkeys(("DD", "D"), r"(?P<day>\d{1,2})"),
    **dict.fromkeys(("hh", "h"), r"(?P<hour>\d{1,2})"),
    "mm": r"(?P<minute>\d{2})",
    "ss": r"(?P<second>\d{2})(?:\.(?P<part>\d{1,9}))?",
    **dict.fromkeys(("AM", "am"), r"(?P<half>[AaPp])\.?[Mm]\.?"),
    "Z": r"(?P<zone>Z|[+-]\d\d(?::?\d\d)?)",
    "q": r"(?P<quarter>[1-4])",
}
"""What stands for each part of a pattern in a text."""
_DIGITS: Final = ("YYYY", "YY", "MM", "M", "DD", "D", "hh", "h", "mm", "ss", "q")
_WHATS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("YYYY", "YY"), "year"),
    **dict.fromkeys(("Month", "MON", "Mon", "mon", "MM", "M", "q"), "month"),
    **dict.fromkeys(("DD", "D"), "day"),
    **dict.fromkeys(("hh", "h"), "hour"),
    **dict.fromkeys(("AM", "am"), "half"),
    "mm": "minute", "ss": "second", "Z": "zone",
}  # fmt: skip
_STANDARD: Final[Mapping[str, str]] = {
    "YYYY": "%Y", "YY": "%y", "MM": "%m", "DD": "%d", "Month": "%B", "Mon": "%b", "hh": "%H",
    "mm": "%M", "ss": "%S", "AM": "%p", "Z": "%z",
}  # fmt: skip
"""The parts as a Table Schema writes them."""
_ISO = re.compile(
    r"(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+-]\d\d(?::?\d\d)?)?)?",
    re.ASCII,
)
_CLOCK = re.compile(r"(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?", re.ASCII)


class Moment(NamedTuple):
    """A day and a time of day.

    Attributes:
        day: its number; 0 where none is said.
        minute: of the day.
        whole: whether no seconds are left over.
    """

    day: int
    minute: int
    whole: bool


def read_iso(text: str, zone: tzinfo = UTC) -> Moment | None:
    """Return the day, or day and time, of a text such as 2020-03-01 or 2020-03-01 13:45:00; one
    with an offset as a clock of the zone shows it; None for other texts."""
    found = _ISO.fullmatch(text)
    if found is None:
        return None
    day, clock, second, part, offset = found.groups()
    try:
        its = date.fromisoformat(day).toordinal()
    except ValueError:
        return None
    if clock is None:
        return Moment(its, 0, whole=True)
    return _moment(its, int(clock[:2]), int(clock[3:]), second, part, offset, zone)


def read_clock(text: str) -> Moment | None:
    """Return the time of day of a text such as 13:45 or 13:45:00; None for other texts."""
    found = _CLOCK.fullmatch(text)
    if found is None:
        return None
    hour, minute, second, part = found.groups()
    return _moment(0, int(hour), int(minute), second, part, None, UTC)


def _moment(
    day: int,
    hour: int,
    minute: int,
    second: str | None,
    part: str | None,
    offset: str | None,
    zone: tzinfo,
) -> Moment | None:
    """Return a moment; None if a clock shows no such time, or the calendar no such day."""
    seconds = int(second or 0)
    if hour > 23 or minute > 59 or seconds > 59:
        return None
    found = Moment(day, 60 * hour + minute, whole=not seconds and not (part or "").strip("0"))
    if offset is None:
        return found
    try:
        # Clocks of long ago differ from UTC by seconds too.
        at = datetime.fromordinal(day) + timedelta(minutes=found.minute, seconds=seconds)
        moved = at.replace(tzinfo=UTC) - _offset(offset)
        shown = moved.astimezone(zone)
        whole = not shown.second and not (part or "").strip("0")
        return Moment(shown.toordinal(), 60 * shown.hour + shown.minute, whole)
    except (ValueError, OverflowError):
        return None


def _offset(text: str) -> timedelta:
    """Return how much the clock of an offset from UTC is ahead."""
    if text == "Z":
        return timedelta(0)
    hours, minutes = int(text[1:3]), int(text[3:].lstrip(":") or 0)
    span = timedelta(hours=hours, minutes=minutes)
    return span if text[0] == "+" else -span


@dataclass(frozen=True)
class Pattern:
    """One way to write days, times, or both.

    Attributes:
        parts: what stands one after another: years, months and so on, and the signs between them.
        first_year: which years of two digits begin with; None where that is not said.
    """

    parts: tuple[str, ...]
    first_year: int | None = None

    @classmethod
    def parse_pattern(cls, text: str) -> Pattern:
        """Return the pattern that a text names.

        Raises:
            Refusal: it names none.
        """
        century = _CENTURY.fullmatch(text)
        body, first = (century[1], int(century[2])) if century else (text, None)
        parts = tuple(_TOKEN.findall(body))
        whats = [_WHATS[part] for part in parts if part in _WHATS]
        if "".join(parts) != body or len(set(whats)) < len(whats) or not _is_whole(set(whats)):
            raise Refusal(
                "The way in which days or times are written is not understood.",
                "Write it like DD/MM/YYYY, DD.MM.YY from 1930, DDMONYYYY or YYYY-MM-DD hh:mm.",
                field="spelling",
            )
        return cls(parts, first if "YY" in parts else None)

    @property
    def text(self) -> str:
        """The pattern as it is declared."""
        body = "".join(self.parts)
        return body if self.first_year is None else f"{body} from {self.first_year:04}"

    @property
    def says(self) -> frozenset[str]:
        """What of a day and a time it says."""
        return frozenset(_WHATS[part] for part in self.parts if part in _WHATS)

    @property
    def is_open(self) -> bool:
        """Whether nobody has said which hundred years years of two digits are of."""
        return "YY" in self.parts and self.first_year is None

    @cached_property
    def _form(self) -> re.Pattern[str]:
        """What texts look like. Digits that follow one another stand in full."""
        found: list[str] = []
        for place, part in enumerate(self.parts):
            form = _PARTS.get(part, re.escape(part))
            after = self.parts[place + 1] if place + 1 < len(self.parts) else ""
            before = self.parts[place - 1] if place else ""
            beside = {after, before} & {*_DIGITS}
            if part == "ss" and before == ":":
                form = f"(?::{form})?"
                found.pop()
            found.append(form.replace("{1,2}", "{2}") if beside else form)
        return re.compile(
            "".join(found).replace(r"\ ", " +").replace(r" +(?P<half>", " *(?P<half>"), re.ASCII
        )

    def read(self, text: str, zone: tzinfo = UTC) -> Moment | None:
        """Return what a text says, blanks around it ignored; None for one of another form, or that
        names no day or no time."""
        found = None if self.is_open else self._form.fullmatch(text.strip())
        if found is None:
            return None
        parts = found.groupdict()
        hour = _hour_of(parts)
        day = self._day_of(parts)
        if hour is None or day is None:
            return None
        minute = int(parts.get("minute") or 0)
        second, part, offset = (parts.get(name) for name in ("second", "part", "zone"))
        return _moment(day, hour, minute, second, part, offset, zone)

    def _day_of(self, parts: Mapping[str, str | None]) -> int | None:
        """Return the day of the parts of a text, 0 without a year; None if there is no such day."""
        if parts.get("year") is None:
            return 0
        year = int(parts["year"] or 0)
        if self.first_year is not None:
            year += self.first_year - self.first_year % 100
            year += 100 if year < self.first_year else 0
        name = parts.get("name")
        month = int(parts.get("month") or 1) if name is None else _MONTHS.get(name.casefold(), 0)
        if parts.get("quarter") is not None:
            month = 3 * int(parts["quarter"] or 1) - 2
        try:
            return date(year, month, int(parts.get("day") or 1)).toordinal()
        except ValueError:
            return None

    def write(self, day: int, minute: int, zone: tzinfo = UTC) -> str:
        """Return the text of a minute of a day, on a clock of the zone."""
        its = datetime.fromordinal(max(day, 1)) + timedelta(minutes=minute)
        half = "AM" if its.hour < 12 else "PM"
        hour = (its.hour - 1) % 12 + 1 if "half" in self.says else its.hour
        name = _NAMES[its.month - 1].title()
        texts = {
            "YYYY": f"{its.year:04}", "YY": f"{its.year % 100:02}", "Month": name,
            "MON": name[:3].upper(), "Mon": name[:3], "mon": name[:3].lower(),
            "MM": f"{its.month:02}", "M": str(its.month), "DD": f"{its.day:02}", "D": str(its.day),
            "hh": f"{hour:02}", "h": str(hour), "mm": f"{its.minute:02}", "ss": "00",
            "AM": half, "am": half.lower(), "q": str((its.month + 2) // 3),
        }  # fmt: skip
        if "Z" in self.parts:
            texts["Z"] = _write_offset(its, zone)
        return "".join(texts.get(part, part) for part in self.parts)

    @property
    def longest(self) -> int:
        """How many bytes its texts have at most."""
        lengths = {"YYYY": 4, "Month": 9, "MON": 3, "Mon": 3, "mon": 3, "Z": 6, "q": 1}
        return sum(lengths.get(part, 2) for part in self.parts)

    @property
    def standard(self) -> str | None:
        """The pattern as a Table Schema writes it; None where it has no words for it."""
        clock = {"hh": "%I"} if "half" in self.says else {}
        known = {**_STANDARD, **clock}
        if any(part in _WHATS and part not in known for part in self.parts):
            return None
        return "".join(known.get(part, part) for part in self.parts)


def _is_whole(whats: set[str]) -> bool:
    """Return whether nothing is left out between what is said."""
    days = ("year", "month", "day")
    dated = {*days} & whats
    timed = {"hour", "minute", "second", "half", "zone"} & whats
    if not dated:
        return {"hour", "minute"} <= whats and "zone" not in whats
    if timed and not {*days, "hour", "minute"} <= whats:
        return False
    return {"year", "month"} <= whats


def _hour_of(parts: Mapping[str, str | None]) -> int | None:
    """Return the hour of the parts of a text; None if a clock with two halves shows no such."""
    hour = int(parts.get("hour") or 0)
    half = parts.get("half")
    if half is None:
        return hour
    if not 1 <= hour <= 12:
        return None
    return hour % 12 + (12 if half in "Pp" else 0)


def _write_offset(its: datetime, zone: tzinfo) -> str:
    """Return how much the clock of a zone is ahead of UTC at a moment that it shows."""
    span = its.replace(tzinfo=zone).utcoffset() or timedelta(0)
    if not span:
        return "Z"
    minutes = int(span.total_seconds() // 60)
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"


@dataclass(frozen=True)
class Spelling:
    """The patterns of a column, one of which is meant.

    Attributes:
        patterns: one, or those that are still to be chosen from.
    """

    patterns: tuple[Pattern, ...]

    @classmethod
    def of(cls, text: str) -> Spelling:
        """Return the spelling that a declared text names.

        Raises:
            Refusal: it names none.
        """
        if len(text) > _LONGEST * _MOST_PATTERNS:
            raise Refusal(
                "The way in which days or times are written is too long.",
                "Write it like DD/MM/YYYY.",
                field="spelling",
            )
        return _parse_spelling(text)

    @property
    def text(self) -> str:
        """The spelling as it is declared."""
        return _OR.join(pattern.text for pattern in self.patterns)

    @property
    def question(self) -> str:
        """What a person has to say before a text is read for sure; "" where all is said."""
        if len(self.patterns) > 1:
            return (
                f"It can be written as {self.text}, which are different days. Say which one it is."
            )
        if self.patterns[0].is_open:
            return (
                f"Years have two digits. Say from which year on they count, such as "
                f"{self.patterns[0].text} from 1930, which makes 29 the year 2029 and 30 1930."
            )
        return ""

    @property
    def choices(self) -> tuple[str, ...]:
        """What the question can be answered with; none where there is none."""
        if not self.question:
            return ()
        return tuple(
            f"{pattern.text} from {first}" if pattern.is_open else pattern.text
            for pattern in self.patterns
            for first in (_FIRST_YEARS if pattern.is_open else (0,))
        )

    def explain_choice(self, choice: str) -> str:
        """Return a choice with a text that all choices could mean, and the day that it is then."""
        first, pattern = (Spelling.of(each).patterns[0] for each in (self.choices[0], choice))
        year = _EXAMPLE_YEAR if first.first_year is None else first.first_year + 5
        sample = first.write(date(year, 4, 3).toordinal(), 0)
        moment = pattern.read(sample)
        if moment is None:
            return pattern.text
        its = date.fromordinal(moment.day)
        return f"{pattern.text}: {sample} is {its.day} {_NAMES[its.month - 1].title()} {its.year}"

    @property
    def known_patterns(self) -> tuple[Pattern, ...]:
        """The patterns, those whose hundred years are still to be said as if these began with
        1930."""
        return tuple(
            Pattern(each.parts, _LIKELY_CENTURY) if each.is_open else each for each in self.patterns
        )

    def read(self, text: str, zone: tzinfo = UTC) -> Moment | None:
        """Return what all patterns that a text has the form of say that it says; None if they
        differ, or there is none."""
        found = {pattern.read(text, zone) for pattern in self.patterns} - {None}
        return found.pop() if len(found) == 1 else None


_LIKELY_CENTURY: Final = 1930
_EXAMPLE_YEAR: Final = 2025
_FIRST_YEARS: Final = (1900, 1925, 1930, 1950, 1970, 2000)
"""What years of two digits are offered to begin with."""


@lru_cache(maxsize=256)
def _parse_spelling(text: str) -> Spelling:
    parts = [part.strip() for part in text.split(_OR)]
    found = Spelling(tuple(dict.fromkeys(map(Pattern.parse_pattern, parts))))
    if len(found.patterns) > _MOST_PATTERNS or len({each.says for each in found.patterns}) > 1:
        raise Refusal(
            "The ways in which days or times could be written do not go together.",
            "Name one, such as DD/MM/YYYY.",
            field="spelling",
        )
    return found


def pattern_of_standard(form: str) -> str | None:
    """Return the pattern that a Table Schema writes with per cent signs; None where it is not
    known here."""
    names = {sign: part for part, sign in _STANDARD.items()} | {"%I": "hh"}
    text = re.sub(r"%[A-Za-z]", lambda found: names.get(found[0], found[0]), form)
    try:
        return Pattern.parse_pattern(text).text
    except Refusal:
        return None


# The spelling that texts seem to have, for a person to confirm.

_SEPARATORS: Final = ("/", "-", ".", " ")
_LIKELY_YEARS: Final = range(1800, 2201)
"""Digits without signs between them are taken for days of these years only."""
_TAIL = re.compile(
    r"(?P<day>.*[^\s,T])(?P<sep>, |,| +|T)(?P<hour>\d{1,2}):\d\d(?P<sec>:\d\d(?:\.\d{1,9})?)?"
    r"(?P<half> ?[AaPp]\.?[Mm]\.?)?(?P<zone>Z|[+-]\d\d(?::?\d\d)?)?",
    re.ASCII,
)
_ALONE = re.compile(
    r"(?P<hour>\d{1,2}):\d\d(?P<sec>:\d\d(?:\.\d{1,9})?)?(?P<half> ?[AaPp]\.?[Mm]\.?)?", re.ASCII
)


def suggest_day_spelling(texts: Collection[str]) -> Spelling | None:
    """Return the patterns of days, with a time or without, that all texts could have; None where
    there are none, or all are written as 2020-03-01 or 2020-03-01 13:45."""
    ends = (min(texts, default=""), max(texts, default=""))
    tails = [_TAIL.fullmatch(text) for text in ends]
    if not all(tails):
        return _of_days(texts, ends)
    split = [found for text in texts if (found := _TAIL.fullmatch(text)) is not None]
    signs = {found["sep"].strip(" ") for found in split}
    if len(split) < len(texts) or len(signs) > 1:
        return None
    tail = _clock_pattern(split)
    if tail is None:
        return None
    sign = signs.pop()
    days = {found["day"] for found in split}
    separator = {"": " ", ",": ", "}.get(sign, sign)
    if all(read_iso(day) for day in days):
        return Spelling.of(f"YYYY-MM-DD{separator}{tail}")
    dated = _of_days(days, (min(days), max(days)))
    if dated is None or any("day" not in each.says for each in dated.patterns):
        return None
    return Spelling.of(
        _OR.join(f"{''.join(each.parts)}{separator}{tail}" for each in dated.patterns)
    )


def suggest_clock_spelling(texts: Collection[str]) -> Spelling | None:
    """Return the pattern of times of day that all texts have; None where there is none."""
    split = []
    for text in texts:
        found = _ALONE.fullmatch(text)
        if found is None:
            return None
        split.append(found)
    tail = _clock_pattern(split)
    spelling = None if tail is None else Spelling.of(tail)
    return spelling if spelling and all(map(spelling.read, texts)) else None


def _clock_pattern(found: Collection[re.Match[str]]) -> str | None:
    """Return how times are written; None where some have halves of a day or zones, and some not."""
    halves = {each["half"] for each in found}
    zones = {each.groupdict().get("zone") is not None for each in found}
    if (None in halves and len(halves) > 1) or len(zones) > 1 or not found:
        return None
    hour = "h" if any(len(each["hour"]) == 1 for each in found) else "hh"
    text = f"{hour}:mm{':ss' if any(each['sec'] for each in found) else ''}"
    if None not in halves:
        half = min(str(each) for each in halves)
        text += (" " if half.startswith(" ") else "") + (
            "AM" if half.strip()[0].isupper() else "am"
        )
    return f"{text}Z" if True in zones else text


def _of_days(texts: Collection[str], ends: tuple[str, str]) -> Spelling | None:
    """Return the patterns of days alone that all texts could have."""
    found = [
        pattern
        for pattern in map(Pattern.parse_pattern, _list_likely())
        if all(_reads(pattern, text) for text in ends)
        and all(_reads(pattern, text) for text in texts)
    ]
    dotted = [each for each in found if each.parts[1] == "." and each.parts[0] in ("DD", "D")]
    # Nobody writes months first with dots, nor years last but one.
    found = dotted or found
    if not found:
        return None
    return Spelling.of(_OR.join(dict.fromkeys(_fit_lengths(each, texts).text for each in found)))


def _list_likely() -> Iterator[str]:
    for sign in _SEPARATORS:
        for years in ("YYYY", "YY"):
            for parts in (("DD", "MM", years), ("MM", "DD", years), (years, "MM", "DD")):
                yield sign.join(parts)
        yield sign.join(("DD", "Mon", "YYYY"))
        yield sign.join(("DD", "Mon", "YY"))
        yield sign.join(("YYYY", "Mon", "DD"))
        yield sign.join(("Mon", "YYYY"))
    yield from ("DDMonYYYY", "DDMonYY", "DD. Mon YYYY", "Mon DD, YYYY", "YYYYMMDD", "YYYY-MM")
    yield from ("YYYY/MM", "MM/YYYY", "YYYYQq", "YYYY-Qq", "YYYY Qq", "Qq YYYY")


def _reads(pattern: Pattern, text: str) -> bool:
    """Return whether a text could be written in a pattern, whatever hundred years it is of."""
    found = Spelling((pattern,)).known_patterns[0].read(text)
    if found is None:
        return False
    compact = not any(part in _SEPARATORS for part in pattern.parts) and "Mon" not in pattern.parts
    return not compact or date.fromordinal(found.day).year in _LIKELY_YEARS


def _fit_lengths(pattern: Pattern, texts: Collection[str]) -> Pattern:
    """Return a pattern with digits and names of months as long as those of the texts."""
    parts = list(pattern.parts)
    # A group of the form for each part that is looked at.
    found = [match.groupdict() for text in texts if (match := pattern._form.fullmatch(text))]
    for long, short, name in (("DD", "D", "day"), ("MM", "M", "month")):
        if long in parts and any(len(each[name]) == 1 for each in found):
            parts[parts.index(long)] = short
    if "Mon" in parts:
        names = [each["name"] for each in found]
        word = "Mon"
        if any(len(name) > len("sept") for name in names):
            word = "Month"
        elif all(name.isupper() for name in names):
            word = "MON"
        elif all(name.islower() for name in names):
            word = "mon"
        parts[parts.index("Mon")] = word
    return Pattern(tuple(parts), pattern.first_year)


KEPT_IN_UTC: Final = " from UTC"
"""What stands behind a zone where files that know points in time keep these in UTC."""


def zone_named(name: str) -> tzinfo:
    """Return a time zone; UTC where none is named.

    Raises:
        Refusal: there is none of that name.
    """
    try:
        bare = name.removesuffix(KEPT_IN_UTC)
        return ZoneInfo(bare) if bare else UTC
    except (ValueError, OSError, LookupError):
        raise Refusal(
            "There is no time zone of that name.",
            "Use a name such as Europe/Berlin or UTC, or Europe/Berlin from UTC where files keep "
            "it in UTC; or leave it blank.",
            field="zone",
        ) from None
