"""What dates, points in time and times of day have in common: a bounded line of days or minutes.

Records hold the day or the minute; what works on codes sees the period that it is in: an hour, a
day, a month. The first and the last moment are public, and cells follow from them alone. Days and
minutes are counted from the beginning of year 1 of the proleptic Gregorian calendar, or from
midnight.
"""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, tzinfo
from decimal import Decimal
from functools import cached_property
from typing import Any, ClassVar, Final, Self, get_args

import numpy as np
import pyarrow as pa
from pydantic import ValidationInfo, field_serializer, field_validator, model_validator

from understudy.core.arrays import BoolArray, FloatArray
from understudy.core.refusal import Refusal
from understudy.table.checks import MOST_STEPS
from understudy.table.date_spellings import MINUTES, Moment, Spelling, pattern_of_standard
from understudy.table.domain import Domain, Measured, Setting, Verdict, read_typed
from understudy.table.field_entry import FieldEntry, read_text
from understudy.table.periods import (
    FIXED,
    MONTHS,
    Calendar,
    Timeline,
    goes_into,
    starts_of_months,
)

MOST_BUCKETS: Final = 24
FEW_LISTED: Final = 20
"""So few different moments may be appointed ones, such as the days of the waves of a survey."""


@dataclass(frozen=True)
class EndTexts:
    """How the ends of a range of moments are typed, and held by files.

    Attributes:
        number_of: returns the number of a value, given the name of the end; None if it has none.
        write: returns the text of a number.
        noun: of one, with its article.
        remedy: what to enter, in a sentence.
    """

    number_of: Callable[[object, str], Decimal | None]
    write: Callable[[Decimal | int], str]
    noun: str
    remedy: str

    def read(self, value: object, name: str) -> Decimal:
        """Return the number of a moment that is typed or held by a file.

        Raises:
            Refusal: it is none.
        """
        number = self.number_of(value, name)
        if number is None:
            raise Refusal(f"The {name} is not {self.noun}.", self.remedy, field=name)
        return number

    def list_settings(
        self,
        labels: tuple[str, str],
        placeholder: str | None = None,
        openings: tuple[str, str] = ("", ""),
    ) -> Iterator[Setting]:
        """Return the settings of both ends."""
        for name, label, opening in zip(("minimum", "maximum"), labels, openings, strict=True):
            yield Setting(name, label, None, placeholder, opening, {}, self.read, self.write)


@dataclass(frozen=True)
class ArrowMoments:
    """How an Arrow array holds moments.

    Attributes:
        type: of the array.
        counts: of the whole numbers behind it.
        per_unit: how many of these a day or a minute has.
        origin: the number of the moment that they are counted from.
    """

    type: pa.DataType
    counts: pa.DataType
    per_unit: int
    origin: int


def period_setting(
    name: str, label: str, periods: Any, of: str, opening: str, about: str | None = None
) -> Setting:
    """Return the setting of a period.

    Args:
        name: of the field.
        label: on pages.
        periods: the literal type of those to choose from.
        of: what they are periods of, for the refusal of another.
        opening: the one that it begins with.
        about: what to know about it.
    """
    options = {period: period for period in get_args(periods)}

    def read(text: str, name: str) -> str:
        period = " ".join(text.split()).casefold()
        if period not in options:
            raise Refusal(
                f"The {name} of {of} is no period.",
                f"Enter one of {', '.join(options)}.",
                field=name,
            )
        return period

    return Setting(name, label, about, opening=opening, options=options, read=read)


def word_outside(first_word: str, plural: str, several: str) -> Mapping[Verdict, str]:
    """Return why texts have no code, or another moment's, in the words of a kind."""
    return {
        Verdict.ROUNDED: f"finer than {plural} are kept",
        Verdict.TOO_LOW: f"before its first {first_word}",
        Verdict.TOO_HIGH: f"after its last {first_word}",
        Verdict.NOT_OF_KIND: f"not {several}",
    }


SPELLING: Final = Setting(
    "spelling",
    "Written as",
    help="How a text file writes it, such as DD/MM/YYYY, DDMONYYYY or YYYY-MM-DD hh:mm. Years of "
    "two digits need a first year: DD.MM.YY from 1930. Blank for the usual way.",
    placeholder="the usual way",
    read=read_typed,
)


class MomentsInTime(Measured, what="the dates"):
    """Moments from a first to a last one, kept to a unit of time or to a coarser period.

    A moment of a coarser period is that with which it begins.

    Attributes:
        minimum, maximum: the first and the last moment, by number; files hold them as texts.
        step: the period that is a cell.
        precision: the period that moments are kept to; cells are made of whole ones.
        spelling: how text files write them; "" for the usual way, which is always read too.

    Raises:
        Refusal: the ends are unusable, the precision does not go into the cells or the range, there
            would be too many cells, or the spelling is of something else.
    """

    step: str
    precision: str
    spelling: str = ""

    per_day: ClassVar[int]
    """How many units a day has."""
    first_word: ClassVar[str]
    """What the ends are called."""
    needs: ClassVar[frozenset[str]]
    """What a spelling has to say."""
    field_type: ClassVar[str]
    usual_format: ClassVar[str] = ""
    """The usual way as a Table Schema writes it, where the standard begins with another."""
    ends: ClassVar[EndTexts]
    several: ClassVar[str]
    """What other values are not."""
    remedy: ClassVar[str]
    """What to do about others, in a sentence."""
    arrow: ClassVar[ArrowMoments]
    axis = "moments"
    bucket_kinds = ("each", "cuts")
    few_listed = FEW_LISTED
    extra_names = frozenset({"step", "precision", "spelling"})

    @field_validator("minimum", "maximum", mode="before")
    @classmethod
    def _read_end(cls, value: object, info: ValidationInfo) -> Decimal:
        return cls.ends.read(value, info.field_name or "minimum")

    @field_serializer("minimum", "maximum", when_used="json")
    @classmethod
    def _write_end(cls, number: Decimal) -> str:
        return cls.spell(number)

    @model_validator(mode="after")
    def _usable(self) -> Self:
        self.check_moments()
        return self

    @classmethod
    @abstractmethod
    def read_usual(cls, text: str, zone: tzinfo = UTC) -> Moment | None:
        """Return the moment of a text that is written in the usual way; None for others."""

    @abstractmethod
    def name_period(self, number: int, period: str) -> str:
        """Return the name of the period that begins with a moment."""

    def check_moments(self) -> None:
        """Check that the settings go together.

        Raises:
            Refusal: they do not.
        """
        if self.minimum >= self.maximum:
            raise Refusal(
                f"The first {self.first_word} is not before the last.",
                f"Enter two different {self.first_word}s, the earlier one first.",
                field="minimum",
            )
        if not goes_into(self.precision, self.step):
            raise Refusal(
                f"{self.words.title} are kept to the {self.precision}, and a {self.step} is not "
                f"made of whole {self.precision}s.",
                f"Keep them to the {self.usual_precision()}, or choose cells of a {self.precision} "
                "or longer.",
                field="precision",
            )
        if not self.timeline.begins(int(self.minimum), self.precision):
            raise Refusal(
                f"The first {self.first_word} is not the first of a {self.precision}, which "
                f"{self.words.plural} are kept to.",
                f"Enter the {self.first_word} with which the {self.precision} begins, or keep "
                f"{self.words.plural} to the {self.usual_precision()}.",
                field="minimum",
            )
        cells = self.span // self.width + 1 if self.step in FIXED else 0
        # Cells too many to be counted one by one are not.
        cells = cells if cells > 2 * MOST_STEPS else self.size
        if cells > MOST_STEPS:
            raise Refusal(
                f"The range holds {cells:,} cells; at most {MOST_STEPS:,} can be used.",
                f"Choose longer cells, such as {self.longer_cells()}.",
                field="step",
            )
        self._check_spelling()

    @classmethod
    def usual_precision(cls) -> str:
        """The finest period that they can be kept to."""
        return next(iter(FIXED)) if cls.per_day > 1 else "day"

    @classmethod
    def longer_cells(cls) -> str:
        """Cells that are long, for advice."""
        return "months"

    def _check_spelling(self) -> None:
        if not self.spelling:
            return
        spelling = Spelling.of(self.spelling)
        for pattern in spelling.patterns:
            if not self.needs <= pattern.says or ("year" in pattern.says) is not self.dated:
                raise Refusal(
                    f"{self.spelling} does not write {self.words.plural}.",
                    "Write the way like DD/MM/YYYY for days, DD/MM/YYYY hh:mm for days with a "
                    "time, or hh:mm for times.",
                    field="spelling",
                )
            if self.dated and self.per_day == 1:
                self._check_days(pattern.says)
            if pattern.first_year is not None:
                self._check_century(pattern.first_year)

    def _check_days(self, says: Collection[str]) -> None:
        """Check that days that are kept can be written.

        Raises:
            Refusal: only their month or year would be.
        """
        if "day" not in says and self.precision not in MONTHS:
            raise Refusal(
                f"{self.spelling} writes no days.",
                "Keep dates to the month or longer, or name the way in which days are written.",
                field="precision",
            )

    def _check_century(self, first: int) -> None:
        """Check that all years can be told from their last two digits.

        Raises:
            Refusal: some are not of the hundred years from the first.
        """
        low, high = (
            date.fromordinal(int(end) // self.per_day).year for end in (self.minimum, self.maximum)
        )
        if not first <= low <= high < first + 100:
            raise Refusal(
                f"Years of two digits from {first:04} on reach to {first + 99:04}, and the range "
                "goes beyond.",
                "Enter a first and a last day within these years, or another first year.",
                field="minimum",
            )

    @cached_property
    def written_as(self) -> Spelling | None:
        """How text files write them; None for the usual way."""
        return Spelling.of(self.spelling) if self.spelling else None

    @property
    def question(self) -> str:
        """What is still to be said of how texts are read."""
        return "" if self.written_as is None else self.written_as.question

    @property
    def choices(self) -> tuple[str, ...]:
        """The spellings that the question can be answered with."""
        return () if self.written_as is None else self.written_as.choices

    def explain_choice(self, choice: str) -> str:
        """Return a choice with a text that all choices could mean, and the day that it is then."""
        return choice if self.written_as is None else self.written_as.explain_choice(choice)

    @property
    def clock(self) -> tzinfo:
        """The zone whose clock they are read on."""
        return UTC

    @property
    def timeline(self) -> Timeline:
        """The line that its moments are on."""
        return Timeline(self.per_day)

    @property
    def width(self) -> Decimal:
        """The fewest units of a cell."""
        return Decimal(self.timeline.length(self.step))

    @property
    def resolution(self) -> Decimal:
        """The fewest units between neighbouring moments."""
        return Decimal(self.timeline.length(self.precision))

    @cached_property
    def full_lattice(self) -> Calendar:
        """Its moments and cells, without any gap."""
        return self.timeline.calendar(
            int(self.minimum), int(self.maximum), self.step, self.precision
        )

    @cached_property
    def numbers(self) -> tuple[Decimal, ...]:
        """Cell → its first moment."""
        lattice = self.full_lattice
        firsts = lattice.firsts[self.kept_cells]
        return tuple(map(Decimal, lattice.whole_numbers(firsts).tolist()))

    @cached_property
    def edges(self) -> FloatArray:
        """(size + 1,) the first moment of each cell, and the one after the last."""
        return np.array([*map(float, self.numbers), float(self.maximum) + 1])

    @property
    def span(self) -> Decimal:
        """How many units there are from the first to the last moment."""
        return self.maximum - self.minimum + 1

    @property
    def step_words(self) -> str:
        """A cell, as people read it."""
        return self.step if self.step[0].isdigit() else f"1 {self.step}"

    @property
    def kept_words(self) -> str:
        """How exact its moments are, in a phrase."""
        return f"to {self.precision}" if self.precision[0].isdigit() else f"to the {self.precision}"

    def between(self, low: int, high: int) -> str:
        """Return the moments from one cell to another, by the longest periods that begin and end
        with them."""
        edges = self.edges
        first, last = int(edges[low]), int(edges[high + 1]) - 1
        for period in self.named_periods():
            if self.timeline.begins(first, period) and self.timeline.begins(last + 1, period):
                names = (self.name_period(each, period) for each in (first, last))
                return " to ".join(dict.fromkeys(names))
        return " to ".join(dict.fromkeys(self.show(Decimal(each)) for each in (first, last)))

    @classmethod
    def named_periods(cls) -> Sequence[str]:
        """The periods that have names, the longest first."""
        return ("year", "quarter", "month")

    def show_ends(self) -> str:
        """Return the first and the last moment in a phrase."""
        return " to ".join(self.end_texts)

    @classmethod
    def parse(cls, text: str) -> Decimal | None:
        """Return the number of the moment that a text in the usual way names, blanks around it
        ignored; None if it names none."""
        found = cls.read_usual(text.strip())
        return None if found is None else cls.number_of(found)

    @classmethod
    def number_of(cls, moment: Moment) -> Decimal:
        """Return the number of a moment."""
        return Decimal(moment.day * cls.per_day + moment.minute * cls.per_day // MINUTES)

    def moment_of(self, text: str) -> Moment | None:
        """Return the moment that a text of a file names, in the usual way or as declared; None if
        it names none."""
        text = text.strip()
        found = self.read_usual(text, self.clock)
        if found is None and self.written_as is not None:
            found = self.written_as.read(text, self.clock)
            if found is not None and self.per_day == 1 and (found.minute or not found.whole):
                return None
        return found

    def value_of(self, text: str) -> Decimal | None:
        """Return the number of the moment that a text of a file names; None if it names none."""
        found = self.moment_of(text)
        return None if found is None else self.number_of(found)

    def read_value(self, text: str) -> tuple[Decimal, bool] | None:
        """Return the number of the moment that a text of a file names, and whether it is that to
        the second; None if it names none."""
        moment = self.moment_of(text)
        return None if moment is None else (self.number_of(moment), moment.whole)

    def spell_places(self, places: Iterable[int]) -> list[str]:
        """Return the text of the moment at each place, as text files hold it."""
        every = np.array(self.every_places(places), dtype=np.int64)
        numbers = self.full_lattice.whole_numbers(every).tolist()
        if self.written_as is None:
            return [self.spell(Decimal(number)) for number in numbers]
        pattern, zone = self.written_as.patterns[0], self.clock
        per_minute = MINUTES // self.per_day
        split = (divmod(number, self.per_day) for number in numbers)
        return [pattern.write(day, rest * per_minute, zone) for day, rest in split]

    @property
    def most_bytes(self) -> int:
        """The size of the longest text in a file."""
        longest = 0 if self.written_as is None else self.written_as.patterns[0].longest
        return max(longest, *(len(text.encode()) for text in self.end_texts))

    @classmethod
    def spell(cls, number: Decimal) -> str:
        """Return the text of a moment in the usual way."""
        return cls.ends.write(number)

    @classmethod
    def show(cls, number: Decimal) -> str:
        """Return the text of a moment."""
        return cls.spell(number)

    @classmethod
    def to_json(cls, number: Decimal) -> str:
        """Return the text of a moment."""
        return cls.spell(number)

    @classmethod
    def from_json(cls, value: object, what: str) -> Decimal:
        """Return the number of the moment that a schema file holds.

        Raises:
            Refusal: it holds none.
        """
        return cls.ends.read(read_text(value, f"Its {what}"), what)

    def fits_width(self, width: Decimal) -> bool:
        """Return whether buckets of so many units cut no cell in two."""
        borders = np.arange(int(self.minimum), int(self.maximum) + 1, max(1, int(width)))
        return width == int(width) and bool(np.isin(borders, self.edges).all())

    def cuts_of_months(self, months: int) -> tuple[Decimal, ...]:
        """Return the first moments of cells that begin with, or first after, a period of months."""
        low, high = int(self.minimum) // self.per_day, int(self.maximum) // self.per_day
        return self._cuts_at((starts_of_months(low, high, months)[1:] * self.per_day).tolist())

    def cuts_of(self, period: str) -> tuple[Decimal, ...]:
        """Return the first moments of cells that begin with, or first after, a period."""
        starts = self.timeline.starts(int(self.minimum), int(self.maximum), period)[1:]
        return self._cuts_at(starts.tolist())

    def _cuts_at(self, starts: Iterable[int]) -> tuple[Decimal, ...]:
        places = dict.fromkeys(bisect_left(self.numbers, start) for start in starts)
        return tuple(self.numbers[place] for place in places if 0 < place < self.size)

    def calendar_cuts(self) -> dict[str, tuple[Decimal, ...]]:
        """Return the cuts where months, quarters, years and decades begin, by a title."""
        periods = {"Months": 1, "Quarters": 3, "Years": 12, "Decades": 120}
        return {title: self.cuts_of_months(months) for title, months in periods.items()}

    def few_cuts_of_months(self) -> tuple[Decimal, ...]:
        """Return where months, quarters, years or spans of years begin: the shortest that make few
        buckets."""
        for months in (1, 3, 12, 24, 60, 120, 300, 600, 1200, 6000):
            cuts = self.cuts_of_months(months)
            if len(cuts) < MOST_BUCKETS:
                return cuts
        return ()

    def substance(self) -> list[object]:
        """Return what codes and texts depend on."""
        ends = map(self.spell, (self.minimum, self.maximum))
        spelling = [self.spelling] if self.spelling else []
        return [self.kind, *ends, self.step, self.precision, *spelling]

    def to_field(self) -> FieldEntry:
        """Return what a field of a Table Schema says of it."""
        extra = {"step": self.step, "precision": self.precision}
        settings = {"format": self.usual_format} if self.usual_format else {}
        if self.written_as is not None:
            extra["spelling"] = self.spelling
            standard = None if self.question else self.written_as.patterns[0].standard
            settings = {} if standard is None else {"format": standard}
        return FieldEntry(self.field_type, self.bound_constraints(), extra, settings)

    @classmethod
    def claims(cls, entry: FieldEntry) -> bool:
        """Return whether a field is of moments between bounds."""
        return entry.type == cls.field_type and entry.bounded and not entry.listed

    @classmethod
    def settings_of_field(cls, entry: FieldEntry) -> dict[str, Any]:
        """Return the settings that a field names.

        Raises:
            Refusal: a bound is no moment, or they are written in a way that is not known.
        """
        low, high = (
            cls.from_json(entry.constraints[name], name) for name in ("minimum", "maximum")
        )
        spelling = entry.extra.get("spelling")
        if spelling is None:
            form = entry.settings.get("format", "default")
            usual = not isinstance(form, str) or form in ("default", "any", cls.usual_format)
            spelling = "" if usual else pattern_of_standard(form)
        if spelling is None:
            raise Refusal(
                "Its dates or times are written in a way that is not known here.",
                "Name it by a spelling of its own, such as DD/MM/YYYY, and leave the format out.",
                field="spelling",
            )
        given = {name: entry.extra[name] for name in ("step", "precision") if name in entry.extra}
        return {"minimum": low, "maximum": high, "spelling": spelling, **given}

    @classmethod
    def from_field(cls, entry: FieldEntry) -> Self:
        """Return the moments of a field.

        Raises:
            Refusal: a bound is no moment, the spelling is not known, or a period is unknown.
        """
        found = cls.settings_of_field(entry)
        low, high, precision = found["minimum"], found["maximum"], found.get("precision")
        usual = cls.usual_step(low, high, precision or cls.usual_precision())
        return cls.read({"step": usual, **found})

    @classmethod
    @abstractmethod
    def usual_step(cls, low: Decimal, high: Decimal, precision: str) -> str:
        """Return the period whose cells are not too many between two moments."""

    @classmethod
    @abstractmethod
    def suggest_spelling(cls, texts: Collection[str]) -> str | None:
        """Return how all texts are written; None where some are no moments of the kind."""

    @classmethod
    @abstractmethod
    def spanning(cls, moments: Collection[Moment], spelling: str, *, outward: bool) -> Self:
        """Return the range from the first to the last of some moments.

        Args:
            moments: at least one.
            spelling: how they are written.
            outward: whether the ends are those of whole periods.
        """

    @classmethod
    def convert(cls, domain: Domain, kind: str) -> Domain:
        """Return the range of the moments that a list of categories holds.

        Raises:
            Refusal: it holds numbers, or values that are no such moments.
        """
        if domain.ranged is not None:
            raise Refusal(
                f"It holds {domain.words.plural}, which are no {cls.several}.",
                cls.remedy,
                field="kind",
            )
        return cls.spanned_by(domain.texts)

    @classmethod
    def from_values(cls, values: Sequence[str], labels: Sequence[str]) -> Domain:
        """Return the range of listed moments.

        Raises:
            Refusal: they are not all of the kind.
        """
        return cls.spanned_by(values)

    @classmethod
    def spanned_by(cls, texts: Collection[str]) -> Self:
        """Return the range from the first to the last of some texts.

        Raises:
            Refusal: they are not all of the kind.
        """
        stripped = {text.strip() for text in texts}
        spelling = cls.suggest_spelling(stripped)
        if spelling is None:
            known = sum(cls.read_usual(text) is not None for text in stripped)
            raise Refusal(
                f"{len(stripped) - known:,} of its {len(stripped):,} categories are not "
                f"{cls.plural()}.",
                "Remove them, or keep it as categories.",
                field="kind",
            )
        return cls.spanning(cls.moments_of(stripped, spelling), spelling, outward=False)

    def respelt(self, texts: Collection[str], spelling: str) -> Domain:
        """Return the range suggested for some texts, now that it is said how they are written.

        Raises:
            Refusal: none of them is written so.
        """
        found = self.moments_of({text.strip() for text in texts}, spelling)
        if not found:
            raise Refusal(
                f"Nothing in the file is written as {spelling}.",
                "Choose another way.",
                field="spelling",
            )
        return self.spanning(found, spelling, outward=True)

    @classmethod
    def plural(cls) -> str:
        """What several of them are called."""
        return next(iter(cls.kinds.values())).plural

    @classmethod
    def moments_of(cls, texts: Collection[str], spelling: str) -> set[Moment]:
        """Return all moments that texts could name in a spelling, whatever is still to be said."""
        patterns = Spelling.of(spelling).known_patterns if spelling else ()
        found: set[Moment] = set()
        for text in texts:
            usual = cls.read_usual(text)
            its = [each.read(text) for each in patterns] if usual is None else [usual]
            found |= {each for each in its if each is not None}
        return found

    @classmethod
    def recognise(cls, texts: Collection[str]) -> Domain | None:
        """Return whole periods that hold some moments; None where others are among them."""
        spelling = cls.suggest_spelling(texts) if texts else None
        if spelling is None:
            return None
        return cls.spanning(cls.moments_of(texts, spelling), spelling, outward=True)

    def numbers_to_arrow(self, numbers: FloatArray, missing: BoolArray | None) -> pa.Array:
        """Return moments as dates, times or points in time, null where a value is missing."""
        held = self.arrow
        whole = np.where(np.isnan(numbers), held.origin, numbers).astype(np.int64) - held.origin
        return pa.array(whole * held.per_unit, held.counts, mask=missing).cast(held.type)

    def numbers_of_arrow(self, values: pa.Array) -> FloatArray:
        """Return the numbers of the moments of an Arrow array, not a number where one is
        missing."""
        counts = values.cast(self.arrow.type).cast(self.arrow.counts).cast(pa.float64())
        numbers: FloatArray = counts.to_numpy(zero_copy_only=False) // self.arrow.per_unit
        return numbers + self.arrow.origin
