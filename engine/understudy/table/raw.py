"""A table as texts, column by column, before a schema is applied; with the labels of its file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa

from understudy.core.arrays import IntArray, ShortIntArray
from understudy.core.text_escape import escape_invisible, shorten_text
from understudy.table.cells import WHY
from understudy.table.checks import LONGEST_TEXT
from understudy.table.declared_reading import Reading

# Metadata in a file about its columns: titles, labels of codes, codes for missing.
#
# They are only suggestions: the custodian decides whether they are public.


@dataclass(frozen=True)
class Labels:
    """The metadata of a file about its columns and their codes.

    Attributes:
        titles: column → what a person reads.
        values: column → text of a code → its label. A code may occur in no record.
        missing: column → texts that are declared to stand for missing.
        zones: column → the time zone that its points in time are kept with.
        texts: the columns whose values a typed file keeps as texts.
    """

    titles: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    missing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    zones: Mapping[str, str] = field(default_factory=dict)
    texts: tuple[str, ...] = ()

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
    def restore_labels(cls, about: Mapping[str, Any]) -> Labels:
        """Return labels that were written as JSON.

        Raises:
            KeyError: they are something else.
        """
        missing = {name: tuple(texts) for name, texts in about["missing"].items()}
        texts = tuple(about["texts"])
        return cls(about["titles"], about["values"], missing, about["zones"], texts)

    def rename_columns(self, names: Mapping[str, str]) -> Labels:
        """Return the same under other column names, each old one given."""
        return Labels(
            {names[old]: title for old, title in self.titles.items()},
            {names[old]: values for old, values in self.values.items()},
            {names[old]: texts for old, texts in self.missing.items()},
            {names[old]: zone for old, zone in self.zones.items()},
            tuple(names[old] for old in self.texts),
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
                + _list_names(tuple(self.missing))
                + ". They are kept as they are, and suggested as missing values."
            )
        return tuple(notes)


NO_LABELS = Labels()


def _read(text: str) -> str:
    return shorten_text(escape_invisible(" ".join(text.split())), LONGEST_TEXT - len(" … "))


def _list_names(names: tuple[str, ...]) -> str:
    first = ", ".join(f"“{name}”" for name in names[:5])
    return first if len(names) <= 5 else f"{first} and {len(names) - 5} more columns"


TEXTS = pa.dictionary(pa.int32(), pa.string())


@dataclass(frozen=True, eq=False)
class RawTable:
    """The texts of a table. Confidential.

    Attributes:
        arrow: one chunk per column, each dictionary<int32, string> without nulls: what a file
            leaves empty is the empty text, and what it holds that is no text at all is one of
            `unreadable`.
        reading: how the file was read, as suggested from it or as declared.
        notes: sentences about reading it that a person should see.
        labels: what the file says about its columns and codes, where it does.
    """

    arrow: pa.Table = field(repr=False)
    reading: Reading
    notes: tuple[str, ...] = ()
    labels: Labels = NO_LABELS

    @classmethod
    def restore_table(cls, arrow: pa.Table, about: Mapping[str, Any]) -> RawTable:
        """Return a table from its texts and what `about` said.

        Raises:
            KeyError, TypeError, Refusal: `about` said something else.
        """
        return cls(
            arrow,
            Reading.read(about["reading"]),
            tuple(about["notes"]),
            Labels.restore_labels(about["labels"]),
        )

    def about(self) -> dict[str, Any]:
        """Return all but the texts, ready for JSON."""
        return {
            "reading": self.reading.substance(),
            "notes": list(self.notes),
            "labels": asdict(self.labels),
        }

    @property
    def names(self) -> tuple[str, ...]:
        """The column names."""
        return tuple(self.arrow.column_names)

    @property
    def rows(self) -> int:
        """How many records there are."""
        return int(self.arrow.num_rows)

    def distinct(self, name: str) -> tuple[list[str], ShortIntArray]:
        """Return the different texts of a column, and for every record the place of its text.

        A text may occur in no record.
        """
        column = self.arrow.column(name).chunk(0)
        return column.dictionary.to_pylist(), column.indices.to_numpy()

    def take(self, rows: IntArray) -> RawTable:
        """Return some of the records, by their places."""
        return replace(self, arrow=self.arrow.take(pa.array(rows)).combine_chunks())

    def of_file(self) -> RawTable:
        """Return the same records, as if a file held them and they were not made of positions."""
        return replace(self, reading=self.reading.of_file())

    def unreadable(self, name: str) -> dict[str, int]:
        """Return how many values of a column are no text, by what stands in their place.
        Internal."""
        texts, places = self.distinct(name)
        if not any(text in WHY for text in texts):
            return {}
        counts = np.bincount(places, minlength=len(texts)).tolist()
        return {text: count for text, count in zip(texts, counts, strict=True) if text in WHY}

    def unreadable_notes(self) -> tuple[str, ...]:
        """Return a sentence for each column and reason with values that cannot be read.
        Internal."""
        return tuple(
            f"{count:,} values of column “{name}” are {WHY[text]}, and count as outside of it."
            for name in self.names
            for text, count in self.unreadable(name).items()
            if count
        )


def text_column(indices: IntArray, texts: Sequence[str]) -> pa.DictionaryArray:
    """Return a column from the place of each record's text, where a text may stand more than
    once."""
    places: dict[str, int] = {}
    merged = np.array([places.setdefault(text, len(places)) for text in texts], dtype=np.int32)
    codes = merged[indices] if len(indices) else np.zeros(0, dtype=np.int32)
    return pa.DictionaryArray.from_arrays(
        pa.array(codes, pa.int32()), pa.array(list(places), pa.string())
    )


def table_of(names: Sequence[str], columns: Iterable[pa.DictionaryArray]) -> pa.Table:
    """Return a table of text columns, in one chunk."""
    return pa.table(list(columns), names=list(names))
