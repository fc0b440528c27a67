"""`understudy evaluate`: what a synthetic table kept and what it lost, beside real records."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from understudy.cli.options import Json
from understudy.cli.output import keep_finite, print_json
from understudy.cli.runs import Display, Run, find_named_run, watch
from understudy.cli.table import (
    Database,
    Query,
    TableSource,
    name_columns,
)
from understudy.cli.verb import CommandCancelled, Interruption, whole_option

if TYPE_CHECKING:
    from understudy.evaluation.evaluation import Evaluation
    from understudy.runs.folder import RunFolder
    from understudy.runs.inquiry import EvaluationOf
    from understudy.table.records import Records


def evaluate(
    run: Run = None,
    *,
    table: Annotated[
        Path | None,
        typer.Option(
            "--table",
            metavar="FILE",
            help="The confidential table that the run was made from, its records in the same "
            "order. Leave it out to read from a database.",
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(
            "--target",
            metavar="COLUMN",
            help="The column that classifiers predict (default: the last with 2 to 20 values). "
            "Made days have none.",
        ),
    ] = None,
    repeats: Annotated[
        int,
        whole_option(
            "repeats",
            "NUMBER",
            "How often what is random is repeated for the intervals; more takes "
            "longer (default 4).",
        ),
    ] = 4,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
    as_json: Json = False,
    database: Database = None,
    query: Query = None,
) -> None:
    """Measure what a run kept and lost. Internal: nothing is released and nothing spent."""
    from understudy.cli.findings import findings_as_json, print_findings
    from understudy.runs.inquiry import make_evaluation

    source = TableSource(table, database, query)
    source.check()
    chosen = find_named_run(run)
    asked = make_evaluation(chosen, target, repeats)
    display = Display.on_stderr(quiet)
    try:
        display.stage("reading the table")
        records = _records(chosen, source)
        evaluation = _run_evaluation(asked, records, chosen, display)
    finally:
        display.close()
    if as_json:
        print_json(keep_finite(findings_as_json(chosen, evaluation)))
    else:
        print_findings(chosen, evaluation)


def _records(run: RunFolder, source: TableSource) -> Records:
    """Return the table, coded as the run coded its own."""
    from understudy.runs.evidence import encode_as_run, read_plan_and_schema

    raw = source.read(read_plan_and_schema(run)[1])
    with name_columns(raw.names):
        return encode_as_run(run, raw)


def _run_evaluation(
    asked: EvaluationOf, records: Records, run: RunFolder, display: Display
) -> Evaluation:
    """Do the evaluation and follow it to its end.

    Raises:
        Cancelled: the user stopped it.
        RunFailed: it failed.
    """
    from understudy.evaluation.evaluation import Evaluation
    from understudy.runs.inquiry import ask
    from understudy.runs.work_folder import describe_failure

    with Interruption() as interruption:
        folder = ask(asked, records, run)
        ended = watch(folder, display.progress, interruption)
    if ended.state == "finished":
        found = Evaluation.load(folder.result)
        assert found is not None
        return found
    if interruption.times or ended.state == "cancelled":
        raise CommandCancelled("Cancelled. Nothing was released or spent.")
    raise describe_failure(ended)
