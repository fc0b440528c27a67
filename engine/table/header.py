"""The names at the top of a table."""

from __future__ import annotations

from collections.abc import Sequence

from engine.refusal import Refusal
from engine.table.domain import first_repeat
from engine.table.numerals import number_in


def checked_names(names: Sequence[str], file: str) -> tuple[str, ...]:
    """The column names without blanks around them.

    A file without a header has its first record here, so names are spoken of by position.

    Raises:
        Refusal: there is only one, one is blank, or two are the same.
    """
    names = [name.strip() for name in names]
    if len(names) < 2:
        raise Refusal(
            f"{file} has only one column.",
            "Choose a table of two columns or more. If it has more, name the separator between "
            "them.",
            field="separator",
        )
    blank = [place for place, name in enumerate(names, 1) if not name]
    if blank:
        raise Refusal(
            f"Column {blank[0]} of {file} has no name"
            + (f", and {len(blank) - 1} more have none." if len(blank) > 1 else "."),
            "Give every column a name in the first row.",
            field="table",
        )
    repeated = first_repeat(names)
    if repeated is not None:
        raise Refusal(
            f"Columns {repeated[0] + 1} and {repeated[1] + 1} of {file} have the same name.",
            "Give each column a name of its own in the first row.",
            field="table",
        )
    return tuple(names)


def name_notes(names: Sequence[str]) -> tuple[str, ...]:
    """What a person should see about the names."""
    if any(number_in(name) is not None for name in names):
        return (
            "Some column names are numbers. If the first row is a record, put the names above it.",
        )
    return ()


def check_rows(rows: int, file: str) -> None:
    """Check that something follows the header.

    Raises:
        Refusal: nothing does.
    """
    if rows == 0:
        raise Refusal(
            f"{file} has column names but no records.",
            "Choose a file with records under the names.",
            field="table",
        )
