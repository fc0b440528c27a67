"""`understudy synthesize`: a confidential table in, a synthetic table and its statement out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from understudy.cli.new_run import RunRequest, declared_schema, make_run, settle_plan
from understudy.cli.output import (
    describe_budget,
    echo,
    print_aligned,
    print_json,
    print_wrapped,
)
from understudy.cli.place import GUARANTEE, check_place, output_in
from understudy.cli.plan_file import write_plan
from understudy.cli.plan_options import FIELDS
from understudy.cli.releasing import lock_folder, refuse_waiting
from understudy.cli.resources import ResourceOptions
from understudy.cli.resumption import check_alone, resume_run
from understudy.cli.settings import Settings
from understudy.cli.table import Connection, TableSource
from understudy.cli.watching import Display
from understudy.core.refusal import Refusal

if TYPE_CHECKING:
    from understudy.runs.resources import Resources


def synthesize(
    asked: RunRequest,
    settings: Annotated[Settings, FIELDS],
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
    if asked.kept:
        typed.check_kept()
    if asked.schema is None:
        raise Refusal(
            "Missing option '--schema'.",
            "Say what the columns may contain, or name a run to go on with by --resume.",
        )
    schema = declared_schema(asked.schema, source)
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
    _tell(said, asked.out, run.identity if asked.kept else None, as_json=asked.as_json)


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
            *(_named(output_in(out, name), each) for name, each in outputs.items()),
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


def _named(file: Path, said: Mapping[str, Any]) -> tuple[str, str]:
    """Return a line about a released file."""
    if "rows" not in said:
        return "Figures", str(file)
    return "Table", f"{file}, {said['rows']:,} records"
