"""Kinds of values that settings have which nobody described: names of columns, words, all else."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class OfColumns:
    """The name of a column of the table, or several.

    Attributes:
        several: whether any number of them is chosen.
    """

    several: bool = False

    def read(self, text: str) -> Any:
        """As `Kind`; several stand with commas between them."""
        return [each.strip() for each in text.split(",")] if self.several else text

    def show(self, value: Any) -> str:
        """The names."""
        return ", ".join(value) if self.several else str(value)


@dataclass(frozen=True)
class Word:
    """A word or a few, as they are typed."""

    def read(self, text: str) -> str:
        """As `Kind`."""
        return text

    def show(self, value: object) -> str:
        """As it is written."""
        return str(value)


@dataclass(frozen=True)
class AsJson:
    """Anything else, written as it stands in a plan file."""

    def read(self, text: str) -> Any:
        """As `Kind`."""
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            raise ValueError(
                "It is not valid JSON; words stand in quotation marks there."
            ) from None

    def show(self, value: Any) -> str:
        """As it is written."""
        return json.dumps(value, ensure_ascii=False)
