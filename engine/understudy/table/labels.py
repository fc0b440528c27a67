"""Metadata in a file about its columns: titles, labels of codes, codes for missing.

They are only suggestions: the custodian decides whether they are public.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from understudy.core.text_escape import escape_invisible, shorten
from understudy.table.checks import LONGEST_TEXT


@dataclass(frozen=True)
class Labels:
    """The metadata of a file about its columns and their codes.

    Attributes:
        titles: column → what a person reads.
        values: column → text of a code → its label. A code may occur in no record.
        missing: column → texts that are declared to stand for missing.
    """

    titles: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    missing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of_file(
        cls,
        titles: Mapping[str, str],
        values: Mapping[str, Mapping[str, str]],
        missing: Mapping[str, tuple[str, ...]],
    ) -> Labels:
        """Return what a file says, its words in one line and every letter of them seen."""
        return cls(
            {name: _read(title) for name, title in titles.items()},
            {
                name: {code: _read(label) for code, label in labels.items()}
                for name, labels in values.items()
            },
            missing,
        )

    @classmethod
    def restored(cls, about: Mapping[str, Any]) -> Labels:
        """Labels that were written as JSON.

        Raises:
            KeyError: they are something else.
        """
        missing = {name: tuple(texts) for name, texts in about["missing"].items()}
        return cls(about["titles"], about["values"], missing)

    def renamed(self, names: Mapping[str, str]) -> Labels:
        """Return the same under other column names, each old one given."""
        return Labels(
            {names[old]: title for old, title in self.titles.items()},
            {names[old]: values for old, values in self.values.items()},
            {names[old]: texts for old, texts in self.missing.items()},
        )

    def notes(self) -> tuple[str, ...]:
        """Return what a person should know about them."""
        notes = []
        if self.titles or self.values:
            columns = len(self.titles.keys() | self.values.keys())
            notes.append(
                f"The file names or labels {columns} of its columns in words; these are suggested "
                "as titles and labels."
            )
        if self.missing:
            notes.append(
                "The file declares codes that stand for missing in "
                + _listed(tuple(self.missing))
                + ". They are kept as they are, and suggested as missing values."
            )
        return tuple(notes)


NO_LABELS = Labels()


def _read(text: str) -> str:
    return shorten(escape_invisible(" ".join(text.split())), LONGEST_TEXT - len(" … "))


def _listed(names: tuple[str, ...]) -> str:
    first = ", ".join(f"“{name}”" for name in names[:5])
    return first if len(names) <= 5 else f"{first} and {len(names) - 5} more columns"
