"""Following a run of a verb to its end, and putting what it released where it is wanted."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from engine.cli.interruption import Cancelled, Interruption
from engine.cli.place import Place
from engine.cli.watching import Display, failure, watch
from engine.refusal import Refusal

if TYPE_CHECKING:
    from engine.runs.folder import RunFolder


def followed(
    begin: Callable[[], RunFolder], place: Place, display: Display, *, kept: bool
) -> RunFolder:
    """Begin a run, follow it, and move its release into its place.

    Args:
        begin: starts or resumes it.
        place: where the release is wanted.
        display: shows how far it is.
        kept: whether the run stays where it is, and leaves a copy of its release only.

    Raises:
        Cancelled: the user stopped it; nothing is released.
        Refusal: it failed, or was interrupted; nothing is released. It says how to go on.
        Fault: it met a fault of the program; nothing is released.
    """
    from engine.runs.resuming import resumable

    with Interruption() as interruption:
        run = begin()
        ended = watch(run, display.progress, interruption)
        if run.release.is_dir():
            place.publish(*(_copies(run, place) if kept else (run.table, run.guarantee)))
            if ended.message:
                display.note(ended.message)
            return run
    if resumable(run):
        where = run.path if kept else place.keep_back(run.path)
        options = shlex.join(["--resume", str(where), "--out", str(place.folder)])
        raise Refusal(
            "The run was interrupted, and nothing was released.",
            f"What it had done is in {where}. To go on, which spends nothing further, run "
            f"`understudy synthesize TABLE {options}`.",
        )
    if interruption.times:
        raise Cancelled("Cancelled. Nothing was released.")
    raise failure(ended)


def _copies(run: RunFolder, place: Place) -> list[Path]:
    """Copies of what a run released.

    Raises:
        Refusal: they cannot be made; it says where the release is, so that nobody pays twice.
    """
    try:
        return [
            Path(shutil.copyfile(each, place.private / each.name))
            for each in (run.table, run.guarantee)
        ]
    except OSError:
        raise Refusal(
            f"The release was made, but could not be copied into {place.folder}.",
            f"It is in {run.release}.",
        ) from None
