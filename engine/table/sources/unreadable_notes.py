"""Notes on the values of a table that cannot be read."""

from __future__ import annotations

from engine.table.raw import RawTable
from engine.table.unreadable import WHY


def unreadable_notes(raw: RawTable) -> tuple[str, ...]:
    """Column by column, how many there are and why. Internal."""
    return tuple(
        f"{count:,} values of column “{name}” are {WHY[text]}, and count as outside of it."
        for name in raw.names
        for text, count in raw.unreadable(name).items()
        if count
    )
