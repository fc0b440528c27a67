"""What a column may contain, whatever its kind: the base of every kind of column.

A domain is public. It comes from a code book or a questionnaire, never from the records: whoever
derives one from the records has to have somebody declare it public (see `schema.Declaration`).

A kind of column is a class derived from `Domain`; from `Ranged` if its values have an order and
distances, as numbers and days do; or from `Measured` if records hold its numbers beside the cells
that they are in. It is in a file of its own and registered in `kinds.py`. Whatever works on columns
asks the object and never for its class: its size and texts, its `scale`, the numbers behind its
codes (`ranged`), how a text is read and a number written, and how a schema file, an Arrow table, a
chart and a page show it. `tests/engine/table/test_kinds.py` holds what every kind has to do.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from enum import IntEnum
from functools import cached_property
from typing import Any, ClassVar, Final, Literal, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pydantic import Field

from understudy.core.arrays import BoolArray, FloatArray, IntArray
from understudy.core.numerals import with_separators
from understudy.core.refusal import Refusal
from understudy.core.text_escape import escape_invisible
from understudy.core.validation import Frozen
from understudy.table.cells import parse_number, without_trailing_zeros
from understudy.table.field_entry import FieldEntry, plain_number, read_number
from understudy.table.lattice import Gapped, Lattice, PlacedNumbers

Scale = Literal["list", "steps", "cells"]
"""A list of values without an order; numbers in steps, each a code; or numbers that records hold
beside the code of the cell that each is in."""


class Verdict(IntEnum):
    """Whether a text has a code in a column, and if not, why."""

    FITS = 0
    ROUNDED = 1
    UNKNOWN = 2
    TOO_LOW = 3
    TOO_HIGH = 4
    NOT_OF_KIND = 5
    MISSING = 6
    NOT_TEXT = 7
    NOT_APART = 8
    NOT_A_VALUE = 9


NO_PLACE: Final = -1
"""In place of a number's place, where a text holds none."""

_MOST_SHOWN: Final = 5
"""Of the numbers that stand for missing."""

Reader = Callable[[str], tuple[int, int]]
"""Returns the code of a text, or in a column on the scale “cells” the place of its number, and the
verdict."""


@dataclass(frozen=True)
class KindWords:
    """The words for a kind of column.

    Attributes:
        title: on pages, such as “Whole numbers”.
        noun: of one value, in the data dictionary, such as “whole number”.
        codebook: the type in a codebook, such as “integer”.
        plural: of several values, such as “numbers”.
        spellings: other words for it in codebooks.
    """

    title: str
    noun: str
    codebook: str
    plural: str = "numbers"
    spellings: tuple[str, ...] = ()


def read_decimal(text: str, name: str) -> Decimal:
    """Return the number that is typed for a setting.

    Raises:
        Refusal: it is none.
    """
    try:
        return Decimal(text.strip().replace("−", "-"))
    except InvalidOperation:
        raise Refusal(
            f"The {name} is not a number.", "Enter a plain number such as 17 or 0.5.", field=name
        ) from None


def read_typed(text: str, name: str) -> str:
    """Return the text that is typed for a setting, without blanks around it."""
    return text.strip()


def write_value(value: object) -> str:
    """Return the value of a setting as it is typed."""
    return f"{without_trailing_zeros(value):f}" if isinstance(value, Decimal) else str(value)


@dataclass(frozen=True)
class Setting:
    """A setting of a kind of column, as a form or a codebook says it: by a text.

    Attributes:
        name: of the field of the class.
        label: on pages.
        help: what to know about it.
        placeholder: shown while it is blank.
        opening: what it begins with where nothing is known.
        options: the texts to choose from, with their labels; none where any text can be typed.
        read: returns the value of a text; raises `Refusal` if it has none.
        write: returns the text of a value.
    """

    name: str
    label: str
    help: str | None = None
    placeholder: str | None = None
    opening: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    read: Callable[[str, str], object] = read_decimal
    write: Callable[[Any], str] = write_value


OUTSIDE_WORDS: Final[Mapping[Verdict, str]] = {
    Verdict.ROUNDED: "between two steps",
    Verdict.UNKNOWN: "not among its categories",
    Verdict.TOO_LOW: "below its minimum",
    Verdict.TOO_HIGH: "above its maximum",
    Verdict.NOT_OF_KIND: "not numbers",
}
"""Why texts have no code, or another number's, after how many there are."""


class Domain(Frozen, ABC, what="the values"):
    """What a column may contain: `size` values, coded 0 … size − 1.

    Attributes:
        kind: its name, in schemas and in plans.
    """

    kind: str

    kinds: ClassVar[Mapping[str, KindWords]]
    """The words for each kind that the class is registered for."""
    scale: ClassVar[Scale] = "list"
    settings: ClassVar[tuple[Setting, ...]] = ()
    """What a form asks for; none where it shows a list of values to edit."""
    advice: ClassVar[str] = ""
    """What becomes of values between others, in a sentence on pages."""
    extra_names: ClassVar[frozenset[str]] = frozenset()
    """What a schema file says of it beyond the words of the standard."""
    numeric: ClassVar[bool] = False
    """Whether its values are plain numbers, which have a mean, a logarithm and units."""
    bucket_kinds: ClassVar[tuple[str, ...]] = ("each", "groups")
    """The kinds of buckets that a page offers for it."""
    outside_words: ClassVar[Mapping[Verdict, str]] = OUTSIDE_WORDS
    """Why texts have no code, or another number's, after how many there are."""
    few_listed: ClassVar[int] = 0
    """So few different values that occur again and again are suggested as a list."""

    @property
    @abstractmethod
    def size(self) -> int:
        """How many codes there are, missing left out."""

    @property
    @abstractmethod
    def texts(self) -> tuple[str, ...]:
        """Code → text in a file; on the scale “cells”, the numbers of the cell in a phrase."""

    @abstractmethod
    def to_field(self) -> FieldEntry:
        """Return what a field of a Table Schema says of it."""

    @classmethod
    @abstractmethod
    def claims(cls, entry: FieldEntry) -> bool:
        """Return whether a field of a Table Schema describes a column of this kind."""

    @classmethod
    @abstractmethod
    def from_field(cls, entry: FieldEntry) -> Self:
        """Return what a field describes that this kind claims.

        Raises:
            Refusal: something is missing, or unusable.
        """

    @classmethod
    @abstractmethod
    def convert(cls, domain: Domain, kind: str) -> Domain:
        """Return the values of a column of another kind as one of this kind.

        Raises:
            Refusal: they cannot be; of the field “kind”.
        """

    @classmethod
    def recognise(cls, texts: Collection[str]) -> Domain | None:
        """Return a domain suggested for texts that can only be of this kind; None for others."""
        return None

    @classmethod
    def from_values(cls, values: Sequence[str], labels: Sequence[str]) -> Domain:
        """Return the domain of listed values, with their labels.

        Raises:
            Refusal: they are not of this kind.
        """
        domain = cls.recognise(values)
        if domain is None:
            raise Refusal(
                "The listed values are not all of the kind of the column.",
                "Correct the list, or make it one of categories.",
                field="kind",
            )
        return domain

    @classmethod
    def from_texts(cls, kind: str, texts: Mapping[str, str]) -> Self:
        """Return the domain whose settings are typed.

        Args:
            kind: which of those that the class is registered for.
            texts: by the name of the setting; one that is left out has its usual value.

        Raises:
            Refusal: a text cannot be read, or the settings make no domain; of the setting's field.
        """
        known = {setting.name: setting for setting in cls.settings}
        return cls.read(
            {
                "kind": kind,
                **{name: known[name].read(text, name) for name, text in texts.items()},
            }
        )

    def setting_texts(self) -> dict[str, str]:
        """Return its settings as they are typed."""
        return {each.name: each.write(getattr(self, each.name)) for each in self.settings}

    def with_value(self, value: str, label: str) -> Domain:
        """Return the domain with one value more, at the end.

        Raises:
            Refusal: its values are not listed; of the field “kind”.
        """
        raise Refusal(
            f"It holds {self.words.plural}, which are not listed.",
            "Widen its range instead.",
            field="kind",
        )

    @abstractmethod
    def substance(self) -> list[object]:
        """Return what codes and texts depend on, for the fingerprint of a schema."""

    @property
    def words(self) -> KindWords:
        """The words for its kind."""
        return self.kinds[self.kind]

    @property
    def given_labels(self) -> tuple[str, ...]:
        """Code → what a person reads, where that is declared; else empty."""
        return ()

    @property
    def labels_read(self) -> tuple[str, ...]:
        """Code → what a person reads."""
        return self.given_labels or tuple(escape_invisible(text, lines=True) for text in self.texts)

    @property
    def units(self) -> str:
        """What is counted, such as “kg”; empty where it needs none."""
        return ""

    @property
    def ordered(self) -> bool:
        """Whether the values have an order and distances."""
        return self.scale != "list"

    @property
    def measured(self) -> bool:
        """Whether records hold numbers and not only codes."""
        return self.scale == "cells"

    @property
    def ranged(self) -> Ranged | None:
        """Itself as a range of numbers; None where the values have no order."""
        return None

    @property
    def typed(self) -> Domain:
        """The same as typed files hold it, which know no spellings of numbers."""
        return self

    @property
    def held_as_texts(self) -> bool:
        """Whether typed files hold as texts what they could hold as numbers."""
        return False

    @property
    def question(self) -> str:
        """What a person still has to say of how its texts are read, in a sentence or two; "" where
        all is said. A schema with a question cannot be declared public."""
        return ""

    @property
    def choices(self) -> tuple[str, ...]:
        """The texts for the setting “spelling” that answer the question."""
        return ()

    def explain_choice(self, choice: str) -> str:
        """Return what a choice would make of a text, in a few words."""
        return choice

    def kept_with(self, zone: str, texts: Collection[str]) -> Domain:
        """Return the domain suggested for some texts of a file that keeps them with a time zone;
        itself if its values know none.

        Args:
            zone: as the file names it.
            texts: as a typed file holds them, in UTC.
        """
        return self

    def respelt(self, texts: Collection[str], spelling: str) -> Domain:
        """Return the domain suggested for some texts, now that it is said how they are written.

        Raises:
            Refusal: none of them is written so, or there is one way only.
        """
        raise Refusal(
            f"It holds {self.words.plural if self.ordered else 'categories'}, which stand as they "
            "are listed.",
            "Make it one of dates, times or numbers first.",
            field="kind",
        )

    @property
    def even_weights(self) -> FloatArray:
        """Code → what it gets of values that are spread evenly, in proportion."""
        return np.ones(self.size)

    @property
    def listed_texts(self) -> tuple[str, ...]:
        """The texts written to a file that can be listed."""
        return self.texts

    @property
    def most_bytes(self) -> int:
        """The size of the longest text that is written to a file."""
        return max(len(text.encode()) for text in self.texts)

    def holds(self, text: str) -> bool:
        """Return whether a text stands for a value."""
        return text in self.texts

    @abstractmethod
    def reader(self, missing_values: Sequence[str], missing: tuple[int, int]) -> Reader:
        """Return what turns a text into a code, or the place of a number, and a verdict.

        Args:
            missing_values: the texts that stand for missing.
            missing: the code and the verdict of these.
        """

    def code(self, places: IntArray, missing_code: int) -> tuple[IntArray, FloatArray | None]:
        """Return the codes, and where records hold numbers these too.

        Args:
            places: as a reader returns them.
            missing_code: the code where there is no number.
        """
        return places, None

    def to_arrow(self, codes: IntArray, missing: BoolArray | None) -> pa.Array:
        """Return codes as an Arrow array, null where a value is missing."""
        places = pa.array(codes, pa.int32(), mask=missing)
        return pa.DictionaryArray.from_arrays(places, pa.array(self.texts, pa.string()))


class Ranged(Domain):
    """Numbers from a minimum on, with an order and distances; days are numbers too.

    The bounds are exact decimals, so that no value depends on binary rounding.

    Attributes:
        minimum, maximum: the ends of the range.
        gaps: rising, the numbers between these that are no values, as a code for missing of the
            column says so (`with_gaps`).
    """

    minimum: Decimal
    maximum: Decimal
    gaps: tuple[Decimal, ...] = Field(default=(), exclude_if=lambda gaps: not gaps)

    per_day: ClassVar[int] = 0
    """How many units a day has, of dates and times; 0 for what is none."""
    dated: ClassVar[bool] = False
    """Whether they are of a day of the calendar."""
    bucket_kinds: ClassVar[tuple[str, ...]] = ("each", "width", "cuts")
    axis: ClassVar[Literal["numbers", "moments"]] = "numbers"
    """What stands on the axis of a chart."""
    cuts_help: ClassVar[str] = ""
    """Where the cuts lie that a page offers for the kind, in a sentence."""

    @property
    def ranged(self) -> Ranged:
        """Itself."""
        return self

    @property
    @abstractmethod
    def width(self) -> Decimal:
        """The distance of neighbouring codes; the least, if they are not equally far apart."""

    @property
    @abstractmethod
    def resolution(self) -> Decimal:
        """The distance of neighbouring numbers that a record may hold; the least, if they are not
        equally far apart."""

    @property
    @abstractmethod
    def full_lattice(self) -> PlacedNumbers:
        """The numbers from the lowest to the highest, and their cells, without any gap."""

    @cached_property
    def lattice(self) -> PlacedNumbers:
        """The numbers that records may hold, and the cells of its codes, in whole numbers."""
        places = self.gap_places()
        return Gapped(self.full_lattice, places) if len(places) else self.full_lattice

    def gap_places(self) -> IntArray:
        """Return the places among all numbers of those that are no values, rising."""
        return np.array([self.full_lattice.place(gap) for gap in self.gaps], dtype=np.int64)

    @property
    def kept_cells(self) -> IntArray:
        """(size,) which of the cells without gaps each cell is."""
        lattice = self.lattice
        return lattice.kept_cells if isinstance(lattice, Gapped) else np.arange(lattice.cells)

    def every_places(self, places: Iterable[int]) -> list[int]:
        """Return the places of some numbers among all, those of the gaps included."""
        lattice = self.lattice
        if not isinstance(lattice, Gapped):
            return list(places)
        every: list[int] = lattice.every_places(np.array(list(places), dtype=np.int64)).tolist()
        return every

    def with_gaps(self, numbers: Collection[Decimal]) -> Self:
        """Return the same without some numbers, and with those that were left out so far.

        Args:
            numbers: of these, the ones that it could hold.

        Raises:
            Refusal: none would be left.
        """
        gaps = tuple(sorted(number for number in set(numbers) if self._could_hold(number)))
        if gaps == self.gaps:
            return self
        if len(gaps) >= self.full_lattice.count:
            raise Refusal(
                "Every number of the range stands for missing.",
                "Widen the range, or take some out of the codes for missing.",
                field="missing_codes",
            )
        settings = {name: getattr(self, name) for name in type(self).model_fields}
        return type(self)(**{**settings, "gaps": gaps})

    def _could_hold(self, number: Decimal) -> bool:
        """Return whether a number is one of those from the lowest to the highest."""
        if not self.minimum <= number <= self.maximum:
            return False
        full = self.full_lattice
        return full.number(full.place(number)) == number

    def numbers_meant(self, texts: Iterable[str]) -> set[Decimal]:
        """Return the numbers that texts stand for in text files or in typed ones, such as those of
        codes for missing."""
        typed = range_of(self.typed)
        return {
            number
            for text in texts
            for number in (self.value_of(text), typed.value_of(text))
            if number is not None
        }

    @property
    @abstractmethod
    def end_texts(self) -> tuple[str, str]:
        """The texts of the lowest and the highest number."""

    @property
    @abstractmethod
    def edges(self) -> FloatArray:
        """(size + 1,) where each code begins on an axis, and where the last one ends."""

    @property
    @abstractmethod
    def numbers(self) -> tuple[Decimal, ...]:
        """Code → its lowest number, exact."""

    @property
    def code_ends(self) -> tuple[Sequence[str], Sequence[str]]:
        """Code → the texts of its lowest and of its highest number."""
        return self.texts, self.texts

    @property
    def span(self) -> Decimal:
        """The least width of a bucket that holds every value."""
        if self.gaps:
            return self.maximum - self.minimum + self.width
        return self.width * self.size

    @property
    def step_words(self) -> str:
        """The distance of neighbouring codes, as people read it."""
        return f"{self.width:,f}"

    @property
    def kept_words(self) -> str:
        """How exact the numbers that records hold are, in a phrase."""
        return f"to the nearest {self.resolution:,f}"

    @property
    def gap_words(self) -> str:
        """The numbers between its ends that stand for missing, in a phrase; "" if there are
        none."""
        shown = [self.show(gap) for gap in self.gaps[:_MOST_SHOWN]]
        if len(self.gaps) > _MOST_SHOWN:
            shown.append(f"{len(self.gaps) - _MOST_SHOWN:,} more")
        first = ", ".join(shown[:-1])
        return f"{first} and {shown[-1]}" if first else "".join(shown)

    @abstractmethod
    def between(self, low: int, high: int) -> str:
        """Return the numbers from one code to another, in a phrase."""

    def show_ends(self) -> str:
        """Return the lowest and the highest number in a phrase."""
        return join_ends(*self.end_texts)

    @classmethod
    def parse(cls, text: str) -> Decimal | None:
        """Return the number that a text stands for; None if it stands for none."""
        return parse_number(text)

    @classmethod
    def spell(cls, number: Decimal) -> str:
        """Return a number as it is typed."""
        return f"{number:f}"

    def spell_places(self, places: Iterable[int]) -> list[str]:
        """Return the text of the number at each place, as it is released."""
        return [self.spell(self.lattice.number(place)) for place in places]

    @classmethod
    def show(cls, number: Decimal) -> str:
        """Return a number as people read it."""
        return f"{number:,f}"

    @classmethod
    def to_json(cls, number: Decimal) -> int | float | str:
        """Return a number as a schema file holds it."""
        return plain_number(number)

    @classmethod
    def from_json(cls, value: object, what: str) -> Decimal:
        """Return a number that a schema file holds.

        Raises:
            Refusal: it is none.
        """
        return read_number(value, what)

    def axis_values(self, edges: FloatArray) -> list[float] | list[str]:
        """Return some of its edges as a chart takes them."""
        values: list[float] = edges.tolist()
        return values

    def value_of(self, text: str) -> Decimal | None:
        """Return the number that a text of a file stands for; None if it stands for none."""
        return self.parse(text)

    def holds(self, text: str) -> bool:
        """Return whether a text of a file is a number within the bounds."""
        number = self.value_of(text)
        return (
            number is not None
            and self.minimum <= number <= self.maximum
            and number not in self.gaps
        )

    def fits_width(self, width: Decimal) -> bool:
        """Return whether buckets of a width cut no cell in two."""
        return not self.measured or not width % self.width

    def usual_cuts(self) -> tuple[Decimal, ...] | None:
        """Return where buckets begin that suit the kind; None for a round width."""
        return None

    def cut_presets(self) -> Mapping[str, tuple[Decimal, ...]]:
        """Return cuts that a page offers for the kind, by a title."""
        return {}

    def substance(self) -> list[object]:
        """Return what codes and texts depend on, for the fingerprint of a schema."""
        return [self.kind, *map(exact_text, (self.minimum, self.maximum, self.width))]

    def bound_constraints(self) -> dict[str, object]:
        """Return its ends as constraints of a Table Schema."""
        return {"minimum": self.to_json(self.minimum), "maximum": self.to_json(self.maximum)}

    def numbers_to_arrow(self, numbers: FloatArray, missing: BoolArray | None) -> pa.Array:
        """Return numbers that records hold as an Arrow array, null where a value is missing."""
        return pa.array(numbers, pa.float64(), mask=missing)

    def numbers_of_arrow(self, values: pa.Array) -> FloatArray:
        """Return the numbers of an Arrow array, not a number where one is missing."""
        numbers: FloatArray = values.cast(pa.float64()).to_numpy(zero_copy_only=False)
        return numbers


class Measured(Ranged):
    """Numbers that records hold beside the code of the cell that each is in."""

    scale: ClassVar[Scale] = "cells"

    @property
    def size(self) -> int:
        """How many cells there are."""
        return self.lattice.cells

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Cell → its numbers in a phrase, which is no number."""
        return tuple(self.between(cell, cell) for cell in range(self.size))

    @property
    def even_weights(self) -> FloatArray:
        """Cell → how many numbers it holds."""
        return self.lattice.held_by(np.arange(self.size)).astype(np.float64)

    def draw_places(self, cells: IntArray, words: npt.NDArray[np.uint64]) -> IntArray:
        """Return a place in each of some cells, evenly drawn by random words: a cell of c numbers
        takes each with probability 1/c, except for at most 2^-64 of it."""
        offsets = words % self.lattice.held_by(cells).astype(np.uint64)
        return self.lattice.lowest_in(cells) + offsets.astype(np.int64)

    @property
    def drawn_words(self) -> str:
        """How released numbers are drawn within a cell, in a phrase."""
        return "drawn evenly within each"

    @property
    def listed_texts(self) -> tuple[str, ...]:
        """None, as there may be too many numbers."""
        return ()

    @property
    def most_bytes(self) -> int:
        """The size of the longest number in a file."""
        return max(len(text.encode()) for text in self.end_texts)

    @property
    def end_texts(self) -> tuple[str, str]:
        """The texts of the lowest and the highest number."""
        low, high = self.spell_places((0, self.lattice.count - 1))
        return low, high

    @property
    def code_ends(self) -> tuple[Sequence[str], Sequence[str]]:
        """Cell → the texts of its lowest and of its highest number."""
        cells = np.arange(self.size)
        lowest = self.lattice.lowest_in(cells)
        highest = lowest + self.lattice.held_by(cells) - 1
        return self.spell_places(lowest.tolist()), self.spell_places(highest.tolist())

    def read_value(self, text: str) -> tuple[Decimal, bool] | None:
        """Return the number that a text of a file stands for, and whether it says no more than
        that; None if it stands for none."""
        number = self.value_of(text)
        return None if number is None else (number, True)

    def reader(self, missing_values: Sequence[str], missing: tuple[int, int]) -> Reader:
        """Return what turns a text into the place of the number that it is put on, of one outside
        the bounds that of the bound, and a verdict."""
        lattice, highest = self.lattice, self.lattice.count - 1
        none = NO_PLACE, missing[1]
        standing = dict.fromkeys(missing_values, none)
        coded = self.numbers_meant(missing_values).union(self.gaps)

        def read(text: str) -> tuple[int, int]:
            verdict = standing.get(text.strip())
            if verdict is not None:
                return verdict
            value = self.read_value(text)
            if value is None:
                return NO_PLACE, Verdict.NOT_OF_KIND
            number, exact = value
            if exact and number in coded:
                return none
            if number < self.minimum:
                return 0, Verdict.TOO_LOW
            if number > self.maximum:
                return highest, Verdict.TOO_HIGH
            place = lattice.place(number)
            fits = exact and lattice.number(place) == number
            return place, Verdict.FITS if fits else Verdict.ROUNDED

        return read

    def code(self, places: IntArray, missing_code: int) -> tuple[IntArray, FloatArray | None]:
        """Return the cells of some places and their numbers, not a number for no place."""
        none = places < 0
        cells = self.lattice.cells_of(np.where(none, 0, places))
        numbers = np.where(none, np.nan, self.lattice.numbers(places))
        return np.where(none, missing_code, cells), numbers


def range_of(domain: Domain) -> Ranged:
    """Return the numbers of a domain.

    Raises:
        Refusal: its values have no order.
    """
    ranged = domain.ranged
    if ranged is None:
        raise Refusal(
            "Categories have no order to cut.", "Group the categories instead.", field="buckets"
        )
    return ranged


def measured_of(domain: Domain) -> Measured:
    """Return the numbers of a domain that records hold beside their cells.

    Raises:
        ValueError: they hold none.
    """
    if not isinstance(domain, Measured):
        raise ValueError(f"records hold no {domain.words.plural} beside their codes")
    return domain


def lattice_of(domain: Domain) -> Lattice:
    """Return the equally spaced numbers of a domain.

    Raises:
        Refusal: its values have no order, or are not equally far apart.
    """
    ranged = range_of(domain)
    if ranged.gaps:
        raise Refusal(
            f"Numbers between its bounds stand for missing: {ranged.gap_words}. This method takes "
            "numbers that are equally far apart.",
            "Give missing other codes in the file, narrow the range, or leave the column out.",
            field="kind",
        )
    lattice = ranged.lattice
    if not isinstance(lattice, Lattice):
        raise Refusal(
            f"It holds {domain.words.plural}, which are not equally far apart.",
            "Choose a column of plain numbers.",
            field="kind",
        )
    return lattice


def exact_text(number: Decimal) -> str:
    """Return a number without trailing zeros and without an exponent."""
    return f"{without_trailing_zeros(number):f}"


def join_ends(low: str, high: str) -> str:
    """Return two numbers in a phrase, one if they are the same."""
    return " to ".join(map(with_separators, dict.fromkeys((low, high))))
