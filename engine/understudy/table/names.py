"""Valid column names: without invisible characters, and none that looks like another."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from understudy.core.visible import escaped, first_unseen, same_letters
from understudy.table.domain import first_repeat

LONGEST_NAME: Final = 200


def name_problem(name: str) -> str | None:
    """Return what is wrong with a name, as the second half of a sentence about it; None where
    nothing is. The name is not quoted, as it may be a cell of a file without a header."""
    if len(name) > LONGEST_NAME:
        return f"has {len(name):,} characters; at most {LONGEST_NAME} can be used"
    place = first_unseen(name)
    if place is not None:
        return (
            f"holds a character that is not seen, {escaped(name[place])}, at place {place + 1}: a "
            "line break, a control character, or one without width or that turns the direction of "
            "writing"
        )
    return None


def first_lookalikes(names: Iterable[str]) -> tuple[int, int] | None:
    """Return the indices, from 0, of the first two names that differ only in their Unicode form.
    Case counts."""
    return first_repeat(map(same_letters, names))
