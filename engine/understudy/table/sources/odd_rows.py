"""Rows of a table that are no records: names that come again, a row of units, a footer.

They are left out by the declared rules. Without these they are looked for only while it is
suggested how a file is read, for a person to see and to decide on. Which rows they are does not
depend on the order of the rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Final

import numpy as np

from understudy.core.arrays import BoolArray, IntArray, ShortIntArray
from understudy.core.numerals import count
from understudy.table.cells import parse_number
from understudy.table.raw import RawTable
from understudy.table.row_rules import RowRule, find_rows
from understudy.table.sources.header import check_rows

_ENOUGH: Final = 10
"""So many numbers tell that a column is one of numbers."""
_MOST_FOOTERS: Final = 3
_MOST_WORDS: Final = 3
_LONG: Final = 60
_MOST_CELLS: Final = 50_000_000
"""Larger tables are not looked through."""


@dataclass(frozen=True, eq=False)
class OddRows:
    """The rows that look like no records. Internal.

    Attributes:
        again: the places of those that name the columns again.
        words: of those that hold words where all others hold numbers, such as units.
        footers: of those with one cell alone that is filled.
        rules: that would leave them out, read off these rows, by the name of the field.
    """

    again: IntArray = field(repr=False)
    words: IntArray = field(repr=False)
    footers: IntArray = field(repr=False)
    rules: Mapping[str, tuple[RowRule, ...]] = field(default_factory=dict, repr=False)

    @property
    def all_rules(self) -> tuple[RowRule, ...]:
        """The rules that would leave all of them out that one can."""
        return tuple(dict.fromkeys(chain.from_iterable(self.rules.values())))

    @property
    def all(self) -> IntArray:
        """The places of all of them."""
        return np.unique(np.concatenate([self.again, self.words, self.footers]))

    def notes(self) -> tuple[str, ...]:
        """Return a sentence for each sort of them."""
        told = (
            ("again", "names the columns again", "name the columns again"),
            (
                "words",
                "holds words where all others hold numbers, as a row of units does",
                "hold words where all others hold numbers, as rows of units do",
            ),
            (
                "footers",
                "has one cell alone that is filled, as a footer has",
                "have one cell alone that is filled, as footers have",
            ),
        )
        return tuple(
            f"{count(len(rows), 'row')} {one if len(rows) == 1 else several}. Is it a record? If "
            f"not, {self._advise(sort)}: it would count as one. It is left aside in what is "
            "suggested."
            for sort, one, several in told
            if len(rows := getattr(self, sort))
        )

    def _advise(self, sort: str) -> str:
        """Return what to do about one sort of rows, in a few words."""
        lines = ", ".join(f"“{rule.line}”" for rule in self.rules.get(sort, ()))
        by_rule = f"have such rows left out by the rule {lines}, or " if lines else ""
        return f"{by_rule}take it out of the file"


def find_odd_rows(raw: RawTable) -> OddRows:
    """Return the rows of a table that look like no records."""
    none = np.zeros(0, dtype=np.int64)
    if raw.rows < _ENOUGH or raw.rows * len(raw.names) > _MOST_CELLS:
        return OddRows(none, none, none)
    named = np.zeros(raw.rows, dtype=np.int64)
    blank = np.zeros(raw.rows, dtype=np.int64)
    lone: list[int] = []
    blanks: list[BoolArray] = []
    for name in raw.names:
        texts, places = raw.distinct(name)
        stripped = [text.strip() for text in texts]
        named += np.array([text == name for text in stripped], dtype=bool)[places]
        empty = np.array([not text for text in stripped], dtype=bool)[places]
        blank += empty
        blanks.append(empty)
        lone += _find_lone_words(stripped, places)
    again = np.flatnonzero(named == len(raw.names))
    rows, times = np.unique(np.array(lone, dtype=np.int64), return_counts=True)
    words = np.setdiff1d(rows[times > 1], again)
    footers = _find_footers(blank, blanks, np.union1d(again, words))
    by_text = {
        sort: tuple(_suggest_rules(raw, rows, alone=sort == "footers"))
        for sort, rows in (("words", words), ("footers", footers))
        if len(rows)
    }
    rules = {"again": (RowRule(kind="names"),), **by_text} if len(again) else by_text
    return OddRows(again, words, footers, rules)


def _suggest_rules(raw: RawTable, rows: IntArray, *, alone: bool) -> Iterator[RowRule]:
    """Yield rules that would leave some rows out, and no other rows."""
    columns = [raw.distinct(name) for name in raw.names]
    rules = [RowRule(kind="alone")] if alone else []
    for place, (name, (texts, places)) in enumerate(zip(raw.names, columns, strict=True)):
        rules += [
            RowRule(kind="begins", column=name if place else "", text=text)
            for row in rows.tolist()
            if (text := texts[places[row]].strip()) and text.isprintable() and len(text) < _LONG
        ]
    left = set(rows.tolist())
    for rule in rules:
        out = set(np.flatnonzero(find_rows((rule,), raw.names, columns)).tolist())
        if out and out <= left:
            left -= out
            yield rule


def leave_rows_out(
    raw: RawTable, ragged: Mapping[int, Sequence[str]], file: str
) -> tuple[RawTable, IntArray]:
    """Return a table without the rows that its reading leaves out, and the places of those that
    stay.

    Args:
        raw: the table.
        ragged: the cells of rows that have not one for each column, by their places.
        file: what it is called.

    Raises:
        Refusal: no row stays, or a rule is about a column that is not there.
    """
    rules, names = raw.reading.leave_out, raw.names
    if not rules:
        return raw, np.arange(raw.rows)
    out = find_rows(rules, names, [raw.distinct(name) for name in names])
    for place, cells in ragged.items():
        out[place] = any(rule.leaves_out(cells, names) for rule in rules)
    staying = np.flatnonzero(~out)
    check_rows(len(staying), file)
    return (raw.take(staying), staying) if len(staying) < raw.rows else (raw, staying)


def note_left_out(rows: int) -> tuple[str, ...]:
    """Return how many rows are left out by declared rules. Internal."""
    words = "is left out, as its rule says" if rows == 1 else "are left out, as their rules say"
    return (f"{count(rows, 'row')} {words}.",) if rows else ()


def _find_lone_words(texts: Sequence[str], places: ShortIntArray) -> list[int]:
    """Return the rows of the few words among numbers; none where there are more, or one occurs
    again, or there are no numbers."""
    counts = np.bincount(places, minlength=len(texts))
    words, numbers = [], 0
    for place, text in enumerate(texts):
        if not text or not counts[place]:
            continue
        if parse_number(text) is not None:
            numbers += int(counts[place])
        else:
            words.append(place)
            if len(words) > _MOST_WORDS or counts[place] > 1:
                return []
    if numbers < _ENOUGH * len(words):
        return []
    return np.flatnonzero(np.isin(places, words)).tolist()


def _find_footers(blank: IntArray, blanks: Sequence[BoolArray], aside: IntArray) -> IntArray:
    """Return the few rows with one cell alone that is filled, where two columns or more have a
    value in all other rows, some left aside."""
    footers = np.setdiff1d(np.flatnonzero(blank == len(blanks) - 1), aside)
    if len(blanks) < 3 or not 0 < len(footers) <= _MOST_FOOTERS:
        return np.zeros(0, dtype=np.int64)
    sums = [(int(empty.sum() - empty[aside].sum()), int(empty[footers].sum())) for empty in blanks]
    full = sum(0 < everywhere == there for everywhere, there in sums)
    return footers if full > 1 else np.zeros(0, dtype=np.int64)
