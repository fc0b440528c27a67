"""`understudy synthesize --resume RUN`: an interrupted run goes on, and is not paid for again."""

from __future__ import annotations

from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING

from understudy.cli.place import check_place, reserved_folder
from understudy.cli.releasing import follow_run
from understudy.cli.table import TableSource, columns_of, streamed_from
from understudy.cli.watching import Display
from understudy.core.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from understudy.runs.folder import RunFolder
    from understudy.runs.handover import Handover
    from understudy.runs.resources import Resources
    from understudy.table.records import Records
    from understudy.table.sources.streamed import StreamedTable


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


def resume_run(
    named: str,
    source: TableSource,
    out: Path,
    resources: Resources,
    display: Display,
    *,
    streamed: bool,
) -> tuple[RunFolder, bool]:
    """Let a run go on until its release is in its place. One that is under way is waited for, and
    one that has finished is handed over, for which its table is not needed.

    Args:
        named: the run's folder, or its name.
        source: its table.
        out: where the release is wanted.
        resources: what it may use.
        display: shows how far it is.
        streamed: whether the table is read piece by piece.

    Returns:
        The run, and whether it is kept where it was.

    Raises:
        Refusal: there is no such run, it cannot be resumed, or the table is not its table.
    """
    from understudy.runs.control import bytes_needed, check_room, home_ledger
    from understudy.runs.debit import reconcile
    from understudy.runs.evidence import read_planned_run
    from understudy.runs.resuming import resume

    reconcile(home_ledger())
    handover = find_handover(named, out)
    run = handover.run
    made = read_planned_run(run)
    if not any(handover.there):
        check_place(out, made.names)
    records = None
    if _stopped(run):
        source.check()
        display.stage("reading the table")
        records = _encode_records(run, source, streamed=streamed)

    def begin() -> RunFolder:
        return run if records is None else resume(run, records, resources=resources)

    needed = bytes_needed(made, stained=run.about().stained)
    with reserved_folder(out, made.names, needed):
        if handover.passing is None:
            check_room(run.path, needed, "choose another run")
        run = follow_run(begin, handover, display)
    return run, handover.passing is None


def _stopped(run: RunFolder) -> bool:
    """Return whether a run has to be resumed.

    Raises:
        Refusal: it is neither finished nor under way, and cannot be.
    """
    if run.release.exists():
        return False
    if run.can_go_on:
        progress = run.reported()
        return not progress.process or run.progress().ended
    if not run.progress().ended:
        return False
    raise Refusal(
        f"The run “{run.identity}” cannot be resumed: it was cancelled, fell short of its pass "
        "floor, or was interrupted while a third-party model learned.",
        "Look at it under `understudy ledger`. Its ε stays spent. A new run is a new spend.",
        field="resume",
    )


def _encode_records(
    run: RunFolder, source: TableSource, *, streamed: bool
) -> Records | StreamedTable:
    """Return the table of a run, coded as it was then."""
    from understudy.runs.evidence import encode_as_run, plan_and_schema
    from understudy.runs.resuming import STAYS_SPENT

    plan, schema = plan_and_schema(run)
    try:
        if streamed:
            return streamed_from(source, schema, plan.policies, settled_here=False)
        raw = source.read(schema)
        with columns_of(raw.names):
            return encode_as_run(run, raw)
    except Refusal as refusal:
        remedy = f"{refusal.remedy} {STAYS_SPENT}"
        raise Refusal(refusal.problem, remedy, field=refusal.field) from None


def find_handover(named: str, out: Path) -> Handover:
    """Return a run by its folder, or by its name: not handed over yet, in the home folder, in a
    project, or left beside the folder that its release was wanted in.

    Raises:
        Refusal: there is none.
    """
    from understudy.projects.catalogue import find_run
    from understudy.runs.control import home_ledger, runs
    from understudy.runs.handover import Handover, Handovers

    beside = out.resolve()
    left = (run for place in beside.parent.glob(f".{escape(beside.name)}.*") for run in runs(place))
    run = find_run(named) or next((each for each in left if each.identity == named), None)
    if run is None:
        raise Refusal(
            f"There is no run “{named}”.",
            "Give its folder, or its name as `understudy ledger` shows it.",
            field="resume",
        )
    noted = Handovers(home_ledger()).of(run.identity)
    if noted is not None and noted.run == run:
        return Handover(run, beside, noted.passing)
    return Handover(run, beside, run.path.parent if _left_beside(run, out) else None)


def _left_beside(run: RunFolder, out: Path) -> bool:
    """Return whether a run without figures left its files beside the folder of its release, and no
    note of that."""
    beside = out.resolve()
    folder = run.path.parent
    return folder.parent == beside.parent and folder.name.startswith(f".{beside.name}.")
