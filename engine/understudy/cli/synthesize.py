"""`understudy synthesize`: a confidential table in, a synthetic table and its statement out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from understudy.cli.method import write_plan
from understudy.cli.new_run import (
    FIELDS,
    ResourceOptions,
    RunRequest,
    declared_schema,
    make_run,
    settle_plan,
)
from understudy.cli.options import TypedSettings
from understudy.cli.output import describe_budget, echo, print_aligned, print_json, print_wrapped
from understudy.cli.release import (
    GUARANTEE,
    check_place,
    follow_run,
    lock_folder,
    output_in,
    refuse_waiting,
    reserved_folder,
)
from understudy.cli.runs import Display
from understudy.cli.table import Connection, TableSource, name_columns, streamed_from
from understudy.core.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from understudy.runs.folder import RunFolder
    from understudy.runs.handover import Handover
    from understudy.runs.resources import Resources
    from understudy.table.records import Records
    from understudy.table.sources.streamed_table import StreamedTable


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
    from understudy.runs.control import check_room, count_bytes, home_ledger
    from understudy.runs.debit import reconcile
    from understudy.runs.evidence import read_planned_run
    from understudy.runs.resumption import resume

    reconcile(home_ledger())
    handover = find_handover(named, out)
    run = handover.run
    made = read_planned_run(run)
    if not any(handover.there):
        check_place(out, made.names)
    records = None
    if _has_stopped(run):
        source.check()
        display.stage("reading the table")
        records = _encode_records(run, source, streamed=streamed)

    def begin() -> RunFolder:
        return run if records is None else resume(run, records, resources=resources)

    needed = count_bytes(made, stained=run.about().stained)
    with reserved_folder(out, made.names, needed):
        if handover.passing is None:
            check_room(run.path, needed, "choose another run")
        run = follow_run(begin, handover, display)
    return run, handover.passing is None


def _has_stopped(run: RunFolder) -> bool:
    """Return whether a run has to be resumed.

    Raises:
        Refusal: it is neither finished nor under way, and cannot be.
    """
    if run.release.exists():
        return False
    if run.can_go_on:
        progress = run.read_progress()
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
    from understudy.runs.evidence import encode_as_run, read_plan_and_schema
    from understudy.runs.resumption import STAYS_SPENT

    plan, schema = read_plan_and_schema(run)
    try:
        if streamed:
            return streamed_from(source, schema, plan.policies, settled_here=False)
        raw = source.read(schema)
        with name_columns(raw.names):
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
    from understudy.runs.control import home_ledger, list_runs
    from understudy.runs.handover import Handover, Handovers

    beside = out.resolve()
    left = (
        run for place in beside.parent.glob(f".{escape(beside.name)}.*") for run in list_runs(place)
    )
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


def synthesize(
    asked: RunRequest,
    settings: Annotated[TypedSettings, FIELDS],
    connection: Connection,
    typed: ResourceOptions,
) -> None:
    """Make a synthetic table. Each run spends privacy budget, also with the same plan."""
    source = TableSource.of(asked.table, connection)
    if asked.resume is None:
        source.check()
    resources = typed.resources()
    if asked.resume is not None:
        check_alone([*asked.new(typed), *settings.options])
        _go_on(asked.resume, asked, source, resources, streamed=typed.streamed)
        return
    if asked.keeps_figures:
        typed.check_kept()
    if asked.schema is None:
        raise Refusal(
            "Missing option '--schema'.",
            "Say what the columns may contain, or name a run to go on with by --resume.",
        )
    schema = declared_schema(asked.schema, source)
    if asked.set_rules_aside:
        schema = schema.set_rules_aside()
    found = settle_plan(asked.plan, settings, schema, stained=asked.demo_seed is not None)
    # Locked before it is looked at, and until the release is in it: what is found to be free stays
    # free until the run is paid for.
    with lock_folder(asked.out):
        check_place(asked.out, found.names)
        refuse_waiting(asked.out)
        if asked.save_plan is not None:
            write_plan(found.plan, asked.save_plan)
        display = Display.on_stderr(asked.quiet)
        try:
            run = make_run(
                asked, source, schema, found, resources, display, streamed=typed.streamed
            )
            said = json.loads((asked.out / GUARANTEE).read_text(encoding="utf-8"))
        finally:
            display.close()
    _tell(said, asked.out, run.identity if asked.keeps_figures else None, as_json=asked.as_json)


def _go_on(
    run: str, asked: RunRequest, source: TableSource, resources: Resources, *, streamed: bool
) -> None:
    """Resume a run."""
    display, out = Display.on_stderr(asked.quiet), asked.out
    try:
        with lock_folder(out):
            found, kept = resume_run(run, source, out, resources, display, streamed=streamed)
    finally:
        display.close()
    said = json.loads((out / GUARANTEE).read_text(encoding="utf-8"))
    _tell(said, out, found.identity if kept else None, as_json=asked.as_json)


def _tell(said: dict[str, Any], out: Path, run: str | None, *, as_json: bool) -> None:
    """What was released, and where."""
    from understudy.mechanisms.statement import TABLE, stated_outputs

    if as_json:
        outputs = {name: str(output_in(out, name)) for name in stated_outputs(said)}
        table = outputs.pop(TABLE, None)
        files = {
            "table": table,
            **({"outputs": outputs} if outputs else {}),
            "guarantee": str(out / GUARANTEE),
        }
        print_json({"files": files, **({} if run is None else {"run": run}), **said})
    else:
        _print(said, out, run)


def _print(said: dict[str, Any], out: Path, run: str | None) -> None:
    from understudy.mechanisms.statement import stated_outputs

    total, outputs = said["guarantee"], stated_outputs(said)
    stated = describe_budget(total["epsilon"], total["delta"])
    print_aligned(
        [
            *(_file_line(output_in(out, name), each) for name, each in outputs.items()),
            ("Statement", str(out / GUARANTEE)),
            ("Guarantee", stated if total["epsilon"] is not None else "none"),
            *([] if run is None else [("Run", f"{run}, kept for `understudy evaluate`")]),
        ]
    )
    echo()
    print_wrapped(total["statement"])
    if total["population"] is not None:
        echo()
        print_wrapped(total["population"]["statement"])
    for note in {each["formulas"] for each in outputs.values() if "formulas" in each}:
        echo()
        print_wrapped(note)
    if said["table"] is not None and said["table"]["rows"] == 0:
        print_wrapped(
            "No candidate passed the test, and the attempts count as spent. Choose a smaller k or "
            "a larger ω for another run."
        )


def _file_line(file: Path, said: Mapping[str, Any]) -> tuple[str, str]:
    """Return a line about a released file."""
    if "rows" not in said:
        return "Figures", str(file)
    return "Table", f"{file}, {said['rows']:,} records"
