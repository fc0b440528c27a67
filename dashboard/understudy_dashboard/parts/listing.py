"""Categories and missing values as text a person can edit, and back."""

from __future__ import annotations

from collections.abc import Sequence

from understudy.core.refusal import Refusal
from understudy.table.domain import Domain

BLANK = "(blank)"
_MEANS = " = "


def editable(domain: Domain) -> bool:
    """Return whether a list of lines says the same; not with line breaks or “ = ” in a value."""
    try:
        return read_lines(type(domain), lines_of(domain)) == domain
    except Refusal:
        return False


def lines_of(domain: Domain) -> str:
    """Return one value a line: its text and, where there is one, “ = ” and its label."""
    pairs = zip(domain.texts, domain.given_labels or domain.texts, strict=True)
    return "\n".join(
        value if value == label else f"{value}{_MEANS}{label}" for value, label in pairs
    )


def read_lines(kind: type[Domain], lines: str) -> Domain:
    """Return the values of an edited list; blank lines do not count.

    Args:
        kind: the class of the column.
        lines: the list.

    Raises:
        Refusal: the list is empty or too long, or names a value twice.
    """
    parts = [line.strip().partition(_MEANS) for line in lines.splitlines() if line.strip()]
    values = [value.strip() for value, _, _ in parts]
    return kind.from_values(values, [label.strip() for _, _, label in parts])


def tokens_line(tokens: Sequence[str]) -> str:
    """Return the texts that stand for missing, separated by commas."""
    return ", ".join(token or BLANK for token in tokens)


def tokens_of(line: str) -> tuple[str, ...]:
    """Return the texts of an edited line, each once, in order; a blank one if there is none."""
    found = [part.strip() for part in line.split(",")]
    tokens = ["" if token == BLANK else token for token in found if token]
    return tuple(dict.fromkeys(tokens)) or ("",)
