"""`understudy synthesize --resume RUN`: an interrupted run goes on, and is not paid for again."""

from __future__ import annotations

import shutil
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING

from engine.cli.place import check, check_room, reserved, room
from engine.cli.releasing import followed
from engine.cli.table import TableSource, columns_of, streamed_from
from engine.cli.watching import Display
from engine.cli.which_run import run_named
from engine.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.runs.folder import RunFolder
    from engine.runs.means import Means
    from engine.table.records import Records
    from engine.table.streamed import StreamedTable


def check_alone(given: Sequence[str]) -> None:
    """Check that no option was given that does not go with --resume.

    Args:
        given: those that were.

    Raises:
        Refusal: there is one.
    """
    if given:
        raise Refusal(
            f"{', '.join(given)} cannot be given together with --resume.",
            "Leave it out: a run goes on with the schema and the plan that it was begun with.",
        )


def resumed(
    named: str, source: TableSource, out: Path, means: Means, display: Display, *, streamed: bool
) -> tuple[RunFolder, bool]:
    """Let a run go on until its release is in its place.

    Args:
        named: the run's folder, or its name.
        source: its table.
        out: where the release is wanted.
        means: what it may use.
        display: shows how far it is.
        streamed: whether the table is read piece by piece.

    Returns:
        The run, and whether it is kept where it was.

    Raises:
        Refusal: there is no such run, it cannot be resumed, or the table is not its table.
    """
    from engine.runs.evidence import decided
    from engine.runs.resuming import resumable, resume

    check(out)
    run = found(named, out)
    if not resumable(run):
        raise Refusal(
            f"The run “{run.identity}” cannot be resumed: it has not been interrupted, has "
            "ended, or was interrupted before its model was learned and kept.",
            "Look at it under `understudy ledger`. A new run is a new spend.",
            field="resume",
        )
    plan, schema = decided(run)
    display.stage("reading the table")
    records = _records(run, source, streamed=streamed)
    kept = not _left_beside(run, out)
    with reserved(out, room(plan, schema)) as place:
        if kept:
            check_room(run.path, room(plan, schema), "choose another run")
        run = followed(lambda: resume(run, records, means=means), place, display, kept=kept)
    if not kept:
        shutil.rmtree(run.path.parent, ignore_errors=True)
    return run, kept


def _records(run: RunFolder, source: TableSource, *, streamed: bool) -> Records | StreamedTable:
    """The table of a run, coded as it was then."""
    from engine.runs.evidence import decided, recorded

    plan, schema = decided(run)
    if streamed:
        return streamed_from(source, schema, plan.policies, settled_here=False)
    raw = source.read(schema)
    with columns_of(raw.names):
        return recorded(run, raw)


def found(named: str, out: Path) -> RunFolder:
    """A run by its folder, or by its name: in the home folder, in a project, or left beside the
    folder that its release was wanted in.

    Raises:
        Refusal: there is none.
    """
    from engine.runs.control import runs

    beside = out.absolute()
    left = (run for place in beside.parent.glob(f".{escape(beside.name)}.*") for run in runs(place))
    run = run_named(named) or next((each for each in left if each.identity == named), None)
    if run is None:
        raise Refusal(
            f"There is no run “{named}”.",
            "Give its folder, or its name as `understudy ledger` shows it.",
            field="resume",
        )
    return run


def _left_beside(run: RunFolder, out: Path) -> bool:
    """Whether a run without figures left its files beside the folder of its release."""
    beside = out.absolute()
    folder = run.path.parent
    return folder.parent == beside.parent and folder.name.startswith(f".{beside.name}.")
