"""How an object shows itself: as plain text, and in a notebook as HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from understudy.core.text_escape import escape_invisible

MOST_ROWS = 40
"""The most rows of a table that are shown."""


@dataclass(frozen=True)
class Shown:
    """What an object shows of itself. Never a confidential value.

    Attributes:
        title: what it is.
        facts: names and values.
        head: the heads of a table's columns.
        rows: its rows.
        remarks: sentences below.
    """

    title: str
    facts: Sequence[tuple[str, str]] = ()
    head: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    remarks: Sequence[str] = ()

    def as_text(self) -> str:
        """Return it as lines of plain text."""
        lines = [self.title, *_align(self.facts)]
        if self.rows:
            lines += _align([self.head, *self.rows[:MOST_ROWS]])
        return "\n".join(
            escape_invisible(line) for line in (*lines, *self._left_out, *self.remarks)
        )

    def as_html(self) -> str:
        """Return it as HTML, every text escaped."""
        parts = [f"<p><strong>{_html(self.title)}</strong></p>"]
        if self.facts:
            parts.append(_table([], [list(fact) for fact in self.facts]))
        if self.rows:
            parts.append(_table(self.head, self.rows[:MOST_ROWS]))
        parts += [f"<p>{_html(each)}</p>" for each in (*self._left_out, *self.remarks)]
        return f"<div>{''.join(parts)}</div>"

    @property
    def _left_out(self) -> tuple[str, ...]:
        more = len(self.rows) - MOST_ROWS
        return (f"… and {more:,} more.",) if more > 0 else ()


class ShowsItself:
    """An object that shows what `describe_itself` returns."""

    def describe_itself(self) -> Shown:
        """Return what is shown."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return self.describe_itself().as_text()

    def __str__(self) -> str:
        return repr(self)

    def _repr_html_(self) -> str:
        return self.describe_itself().as_html()


def _align(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows as lines, each column as wide as its widest cell."""
    columns = max((len(row) for row in rows), default=0)
    widths = [max(len(row[at]) for row in rows if at < len(row)) for at in range(columns)]
    return [
        "  "
        + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=False)).rstrip()
        for row in rows
    ]


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    headed = "".join(f"<th>{_html(cell)}</th>" for cell in head)
    lines = ("".join(f"<td>{_html(cell)}</td>" for cell in row) for row in rows)
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return (
        f"<table>{f'<thead><tr>{headed}</tr></thead>' if head else ''}<tbody>{body}</tbody></table>"
    )


def _html(text: str) -> str:
    return escape(escape_invisible(text))
