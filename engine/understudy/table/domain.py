"""What a column may contain, whatever its kind: the base of every kind of column.

A domain is public. It comes from a code book or a questionnaire, never from the records: whoever
derives one from the records has to have somebody declare it public (see `schema.Declaration`).

A kind of column is a class derived from `Domain`, or from `Ranged` where its values are numbers, in
a file of its own, and is registered in `kinds.py`. Whatever works on columns asks the object and
never for its class: its size and texts, its `scale`, the numbers behind its codes (`ranged`), how a
text is coded, how a schema file, an Arrow table and a page write it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import IntEnum
from functools import cached_property
from typing import Any, ClassVar, Final, Literal, Self

import pyarrow as pa

from understudy.core.arrays import BoolArray, FloatArray, IntArray
from understudy.core.numerals import with_separators
from understudy.core.refusal import Refusal
from understudy.core.text_escape import escape_invisible
from understudy.core.validation import Frozen
from understudy.table.cells import parse_number, without_trailing_zeros
from understudy.table.field_entry import FieldEntry, plain_number
from understudy.table.lattice import Lattice

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
    NOT_A_NUMBER = 5
    MISSING = 6
    NOT_TEXT = 7
    NOT_APART = 8
    NOT_A_VALUE = 9


NO_PLACE: Final = -1
"""In place of a number's place, where a text holds none."""

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
    """

    title: str
    noun: str
    codebook: str


@dataclass(frozen=True)
class Setting:
    """A setting of a kind of column, as a form asks for it.

    Attributes:
        name: of the field of the class.
        label: on pages.
        numeric: whether it is a number.
        help: what to know about it.
        placeholder: shown while it is blank.
    """

    name: str
    label: str
    numeric: bool = True
    help: str | None = None
    placeholder: str | None = None


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

    def with_value(self, value: str, label: str) -> Domain:
        """Return the domain with one value more, at the end.

        Raises:
            Refusal: its values are not listed; of the field “kind”.
        """
        raise Refusal(
            "It holds numbers, which are not listed.", "Widen its range instead.", field="kind"
        )

    @abstractmethod
    def substance(self) -> list[Any]:
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
        """Whether the values are numbers, with an order and distances."""
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
    """Numbers from a minimum on, with an order and distances.

    The bounds and the step are exact decimals, so that no value depends on binary rounding.

    Attributes:
        minimum, maximum: the ends of the range.
        step: the distance of neighbouring codes.
    """

    minimum: Decimal
    maximum: Decimal
    step: Decimal

    @property
    def ranged(self) -> Ranged:
        """Itself."""
        return self

    @property
    @abstractmethod
    def resolution(self) -> Decimal:
        """The distance of neighbouring numbers that a record may hold."""

    @property
    @abstractmethod
    def lattice(self) -> Lattice:
        """The numbers that records may hold, and the cells of its codes, in whole numbers."""

    @property
    @abstractmethod
    def ends(self) -> tuple[str, str]:
        """The texts of the lowest and the highest number."""

    @property
    @abstractmethod
    def edges(self) -> tuple[float, float]:
        """Where an axis begins and ends on which every code is as wide as its step."""

    @cached_property
    def numbers(self) -> tuple[Decimal, ...]:
        """Code → its lowest number, exact."""
        return tuple(self.minimum + i * self.step for i in range(self.size))

    @abstractmethod
    def between(self, low: int, high: int) -> str:
        """Return the numbers from one code to another, in a phrase."""

    def holds(self, text: str) -> bool:
        """Return whether a text is a number within the bounds."""
        number = parse_number(text)
        return number is not None and self.minimum <= number <= self.maximum

    def fits_width(self, width: Decimal) -> bool:
        """Return whether buckets of a width cut no cell in two."""
        return not self.measured or not width % self.step

    def substance(self) -> list[Any]:
        """Return what codes and texts depend on, for the fingerprint of a schema."""
        return [self.kind, *map(exact_text, (self.minimum, self.maximum, self.step))]

    def bound_constraints(self) -> dict[str, Any]:
        """Return its ends as constraints of a Table Schema."""
        return {"minimum": plain_number(self.minimum), "maximum": plain_number(self.maximum)}


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


def exact_text(number: Decimal) -> str:
    """Return a number without trailing zeros and without an exponent."""
    return f"{without_trailing_zeros(number):f}"


def join_ends(low: str, high: str) -> str:
    """Return two numbers in a phrase, one if they are the same."""
    return " to ".join(map(with_separators, dict.fromkeys((low, high))))
