"""The room that a release needs on a disk, checked before anything is spent."""

from __future__ import annotations

import shutil
from pathlib import Path

from understudy.core.refusal import Refusal
from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.outputs import Output
from understudy.table.seed_mark import marked_schema

_FIGURES = 1 << 20


def bytes_needed(decided: PlannedRun, *, stained: bool) -> int:
    """Return the most bytes that the outputs of a plan can come to.

    Args:
        decided: the plan.
        stained: whether every record says that the release is a demonstration.

    Raises:
        Refusal: it is one, and a table has no room to say so.
    """

    def of(output: Output) -> int:
        if output.schema is None:
            return _FIGURES
        shown = marked_schema(output.schema) if stained else output.schema
        return output.rows_at_most * sum(column.most_bytes + 3 for column in shown.columns)

    return sum(map(of, decided.outputs))


def check_room(place: Path, needed: int, elsewhere: str) -> None:
    """Check that a disk has room for a release, before anything is spent.

    Args:
        place: a folder on it, which need not be there yet.
        needed: how many bytes the release may come to.
        elsewhere: what takes it to another disk.

    Raises:
        Refusal: it has not.
    """
    there = next(each for each in (place, *place.parents) if each.exists())
    free = shutil.disk_usage(there).free
    if free < needed:
        raise Refusal(
            f"The release may come to {_size(needed)}, and the disk of {place} has "
            f"{_size(free)} left.",
            f"Free some space, make fewer attempts, or {elsewhere}.",
            field="out",
        )


def _size(count: int) -> str:
    return f"{count / 1e9:,.1f} GB" if count >= 10**8 else f"{count / 1e6:,.1f} MB"
