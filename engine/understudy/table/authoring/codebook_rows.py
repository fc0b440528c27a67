"""Rows of a codebook that is a table, and lists of codes and labels within a cell of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from understudy.core.refusal import Refusal

_TOKEN = re.compile(r'\s*(?:"((?:[^"]|"")*)"|([^=;"]*))\s*')


class Row:
    """One row of a codebook."""

    def __init__(self, number: int, cells: Mapping[str, str]) -> None:
        self.number, self.cells = number, cells

    def __getitem__(self, what: str) -> str:
        return self.cells.get(what, "")

    def refusal(self, problem: str, remedy: str) -> Refusal:
        return Refusal(f"Row {self.number} of the codebook: {problem}", remedy)


def first_said(rows: Iterable[Row], what: str) -> tuple[Row, str] | None:
    """Return the first row that says something under a heading, and what; None where none does."""
    return next(((row, row[what]) for row in rows if row[what]), None)


def pairs(row: Row, text: str) -> list[tuple[str, str]]:
    """Codes and labels of `1=male; 2=female`; a label is empty where there is none."""
    found: list[tuple[str, str]] = []
    place = 0
    while place < len(text):
        code, place = _token(row, text, place)
        label: str | None = None
        if text[place : place + 1] == "=":
            label, place = _token(row, text, place + 1, label=True)
        if code is not None:
            found.append((code, label or ""))
        if place < len(text) and text[place] != ";":
            raise row.refusal(
                "a list of values is not understood.",
                'Write it as 1=male; 2=female, with "quotation marks" around a text that has one '
                "of = ; in it.",
            )
        place += 1
    return found


def _token(row: Row, text: str, place: int, *, label: bool = False) -> tuple[str | None, int]:
    """Return a text of a list and where it ends; nothing between two signs is None."""
    if label and not text[place:].lstrip().startswith('"'):
        # A label may hold the sign between code and label.
        end = text.find(";", place)
        end = len(text) if end < 0 else end
        return text[place:end].strip() or None, end
    found = _TOKEN.match(text, place)
    assert found is not None
    quoted, bare = found.groups()
    if quoted is not None:
        return quoted.replace('""', '"'), found.end()
    return bare.strip() or None, found.end()


def quoted(text: str) -> str:
    """Return a text as it stands in such a list."""
    bare = bool(text) and text == text.strip() and not any(sign in text for sign in '=;"')
    return text if bare else '"' + text.replace('"', '""') + '"'
