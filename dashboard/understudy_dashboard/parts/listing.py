"""Categories and missing values as text a person can edit, and back."""

from __future__ import annotations

from collections.abc import Sequence

from understudy.core.refusal import Refusal
from understudy.table.schema import Categories

BLANK = "(blank)"
_MEANS = " = "


def editable(categories: Categories) -> bool:
    """Return whether a list of lines says the same; not with line breaks or “ = ” in a value."""
    try:
        return categories_of(lines_of(categories)) == categories
    except Refusal:
        return False


def lines_of(categories: Categories) -> str:
    """Return one category a line: its value and, where there is one, “ = ” and its label."""
    if not categories.labels:
        return "\n".join(categories.values)
    pairs = zip(categories.values, categories.labels, strict=True)
    return "\n".join(
        value if value == label else f"{value}{_MEANS}{label}" for value, label in pairs
    )


def categories_of(lines: str) -> Categories:
    """Return the categories of an edited list; blank lines do not count.

    Raises:
        Refusal: the list is empty or too long, or names a category twice.
    """
    found = [line.strip() for line in lines.splitlines() if line.strip()]
    parts = [line.partition(_MEANS) for line in found]
    values = tuple(value.strip() for value, _, _ in parts)
    labels = tuple(label.strip() or value.strip() for value, _, label in parts)
    return Categories(values=values, labels=labels if labels != values else ())


def tokens_line(tokens: Sequence[str]) -> str:
    """Return the texts that stand for missing, separated by commas."""
    return ", ".join(token or BLANK for token in tokens)


def tokens_of(line: str) -> tuple[str, ...]:
    """Return the texts of an edited line, each once, in order; a blank one if there is none."""
    found = [part.strip() for part in line.split(",")]
    tokens = ["" if token == BLANK else token for token in found if token]
    return tuple(dict.fromkeys(tokens)) or ("",)
