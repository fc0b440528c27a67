"""What values a setting takes: how each kind is read from a text, and how a person reads it.

Nothing here depends on numerical libraries; see `understudy.mechanisms.fields`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from understudy.core.numerals import FIXED, print_range


@dataclass(frozen=True)
class OrNone:
    """A value that may be left out on purpose: None where somebody wrote “none”."""

    value: Any


@dataclass(frozen=True)
class Scale:
    """The usual values of a number, over which a slider runs.

    Attributes:
        low, high: its ends.
        powers: whether it stops at powers of ten only, from the largest to the smallest.
    """

    low: float
    high: float
    powers: bool = False


class Kind(Protocol):
    """What values a field takes, how they are read from a text, and how a person reads them."""

    @property
    def noun(self) -> str:
        """What is written for it in a plan file or after `--set`, such as “a whole number”."""

    def read(self, text: str) -> Any:
        """Return the value that a text stands for.

        Raises:
            ValueError: none; its text is a sentence that says so.
        """

    def show(self, value: Any) -> str:
        """Return a value that is not None, as a person reads it."""


@dataclass(frozen=True)
class Whole:
    """A whole number.

    Attributes:
        scale: its usual values; None where a slider is of no help.
    """

    scale: Scale | None = None

    @property
    def noun(self) -> str:
        """As `Kind`."""
        return "a whole number"

    def read(self, text: str) -> int:
        try:
            return int(text)
        except ValueError:
            raise ValueError(f"“{text}” is not a whole number.") from None

    def show(self, value: int) -> str:
        """Return the number with commas between thousands."""
        return f"{value:,}"


@dataclass(frozen=True)
class Number:
    """A number.

    Attributes:
        scale: its usual values; None where a slider is of no help.
        step: how far a press on the arrow of its box goes.
        digits: how many significant ones are shown.
        or_none: whether “none” may be written for it.
    """

    scale: Scale | None = None
    step: float = 0.1
    digits: int = 6
    or_none: bool = False

    @property
    def noun(self) -> str:
        """As `Kind`."""
        return "a number"

    def read(self, text: str) -> Any:
        """Answer as `Kind`; an `OrNone` where that may be written."""
        if self.or_none and text.strip().lower() == "none":
            return OrNone(None)
        try:
            value = float(text)
        except ValueError:
            told = "neither a number nor “none”" if self.or_none else "not a number"
            raise ValueError(f"“{text}” is {told}.") from None
        return OrNone(value) if self.or_none else value

    def show(self, value: float) -> str:
        """Return the number as short as its digits allow."""
        return f"{value:.{self.digits}g}".replace("e-0", "e-")


@dataclass(frozen=True)
class Share:
    """A share of something, entered as a number and shown in per cent."""

    step: float = 0.05

    @property
    def noun(self) -> str:
        """As `Kind`."""
        return "a number"

    def read(self, text: str) -> float:
        return float(Number().read(text))

    def show(self, value: float) -> str:
        """Return the share in per cent."""
        return f"{100 * value:.12g}{FIXED}%"


@dataclass(frozen=True)
class Choice:
    """One of a few words.

    Attributes:
        words: each word as a person reads it.
    """

    words: Mapping[Any, str]

    @property
    def noun(self) -> str:
        """As `Kind`."""
        return in_list(self.words)

    def read(self, text: str) -> str:
        if text not in self.words:
            raise ValueError(f"“{text}” is not {' or '.join(self.words)}.")
        return text

    def show(self, value: str) -> str:
        """Return the word as a person reads it."""
        return self.words.get(value, value)


def in_list(words: Iterable[str]) -> str:
    """Return words with commas between them, and “or” before the last."""
    *first, last = words
    return " or ".join(filter(None, (", ".join(first), last)))


@dataclass(frozen=True)
class Flag:
    """Yes or no."""

    @property
    def noun(self) -> str:
        """As `Kind`."""
        return "true or false"

    def read(self, text: str) -> bool:
        if text not in ("yes", "no"):
            raise ValueError(f"“{text}” is not yes or no.")
        return text == "yes"

    def show(self, value: bool) -> str:
        """Return yes or no."""
        return "yes" if value else "no"


@dataclass(frozen=True)
class Text:
    """A text that the mechanism itself takes apart, once it knows the schema."""

    @property
    def noun(self) -> str:
        """As `Kind`."""
        return "a text"

    def read(self, text: str) -> str:
        return text

    def show(self, value: object) -> str:
        """Return the value as it is written."""
        return str(value)


@dataclass(frozen=True)
class Span:
    """A number of columns, or a range of it, as a text such as “9” or “5-11”."""

    @property
    def noun(self) -> str:
        """As `Kind`."""
        return "a number or a range"

    def read(self, text: str) -> str:
        """Answer as `Kind`; the mechanism takes it apart."""
        return text

    def show(self, value: object) -> str:
        """Return the range with a dash as it is printed; and whether it is announced, where that is
        more than its text says."""
        announced = getattr(value, "reading", None) == "announced" and "-" in str(value)
        return print_range(str(value)) + (", announced" if announced else "")


@dataclass(frozen=True)
class OfColumns:
    """The name of a column of the table, or several.

    Attributes:
        several: whether any number of them is chosen.
    """

    several: bool = False

    @property
    def noun(self) -> str:
        """As `Kind`."""
        return 'columns, such as ["A", "B"]' if self.several else "a column"

    def read(self, text: str) -> Any:
        """Answer as `Kind`; several stand with commas between them."""
        return [each.strip() for each in text.split(",")] if self.several else text

    def show(self, value: Any) -> str:
        """Return the names."""
        return ", ".join(value) if self.several else str(value)


@dataclass(frozen=True)
class GroupsOfColumns:
    """Columns that belong together: a list of groups, each a list of names."""

    @property
    def noun(self) -> str:
        """As `Kind`."""
        return 'groups of columns, such as [["A", "B"]]'

    def read(self, text: str) -> Any:
        """Answer as `Kind`; written as in a plan file."""
        return AsJson().read(text)

    def show(self, value: Sequence[Sequence[str]]) -> str:
        """Return the groups."""
        return "; ".join(" with ".join(group) for group in value) or "none"


@dataclass(frozen=True)
class OnOthers:
    """For some columns, the others that each depends on: lists of names by name."""

    @property
    def noun(self) -> str:
        """As `Kind`."""
        return 'columns by column, such as {"A": ["B", "C"]}'

    def read(self, text: str) -> Any:
        """Answer as `Kind`; written as in a plan file."""
        return AsJson().read(text)

    def show(self, value: Mapping[str, Sequence[str]]) -> str:
        """Return each column and what it depends on."""
        return "; ".join(f"{name} by {', '.join(on)}" for name, on in value.items()) or "none"


@dataclass(frozen=True)
class PerColumn:
    """A number for some columns, by name."""

    @property
    def noun(self) -> str:
        """As `Kind`."""
        return 'a number by column, such as {"A": 1.5}'

    def read(self, text: str) -> Any:
        """Answer as `Kind`; written as in a plan file."""
        return AsJson().read(text)

    def show(self, value: Mapping[str, float]) -> str:
        """Return each column and its number."""
        return "; ".join(f"{name}: {Number().show(each)}" for name, each in value.items()) or "none"


@dataclass(frozen=True)
class Word:
    """A word or a few, as they are typed."""

    @property
    def noun(self) -> str:
        """As `Kind`."""
        return "a text"

    def read(self, text: str) -> str:
        return text

    def show(self, value: object) -> str:
        """Return the value as it is written."""
        return str(value)


@dataclass(frozen=True)
class AsJson:
    """Anything else, written as it stands in a plan file."""

    @property
    def noun(self) -> str:
        """As `Kind`."""
        return "JSON, as in a plan file"

    def read(self, text: str) -> Any:
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            raise ValueError(
                "It is not valid JSON; words stand in quotation marks there."
            ) from None

    def show(self, value: Any) -> str:
        """Return the value as it is written."""
        return json.dumps(value, ensure_ascii=False, default=str)


def plainly(value: Any) -> str:
    """Return a value of which only the type is known, as a person reads it."""
    if isinstance(value, bool):
        return Flag().show(value)
    if isinstance(value, int):
        return Whole().show(value)
    return Number().show(value) if isinstance(value, float) else str(value)
