"""`understudy export`: a released table as a file of SPSS or Stata."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from understudy.cli.options import Json
from understudy.cli.output import echo, print_json, print_wrapped, read_text_file, refuse_taken
from understudy.cli.runs import find_named_run
from understudy.cli.verb import one_of_type
from understudy.core.refusal import Refusal

if TYPE_CHECKING:
    from understudy.runs.statistics_layout import StatisticsForm
    from understudy.table.records import Records

_FORMS: Final = ("sav", "dta")


@dataclass(frozen=True, kw_only=True)
class ExportRequest:
    """What was typed."""

    run: Annotated[
        str | None,
        typer.Argument(
            metavar="RUN_OR_RELEASE",
            help="The folder of a run, the name of one in the home folder, or the table or folder "
            "of a release, with --schema (default: the newest release in the home folder).",
        ),
    ] = None
    out: Annotated[
        Path, typer.Option("--out", metavar="FILE", help="The file to write: NAME.sav or NAME.dta.")
    ]
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="FORM",
            parser=one_of_type(*_FORMS),
            help="sav for SPSS or dta for Stata (default: as the name of the file ends).",
        ),
    ] = None
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            metavar="NAME",
            help="Which table, of a run that released several (default: synthetic, or the first).",
        ),
    ] = None
    schema: Annotated[
        Path | None,
        typer.Option(
            "--schema",
            metavar="FILE",
            help="The schema that the table was made with, for a release without its run "
            "(default: schema.json beside the table).",
        ),
    ] = None
    as_json: Json = False


def export(asked: ExportRequest) -> None:
    """Save a released table for SPSS or Stata, with titles, labels, missing values and dates.

    It is made from the release and the public schema, and spends nothing.
    """
    from understudy.runs.statistics_export import export_records
    from understudy.runs.statistics_layout import TITLES, plan_layout

    form = _form_of(asked)
    refuse_taken(asked.out, field="out")
    records = _read(asked)
    layout = plan_layout(records.schema, form)
    export_records(records, layout, asked.out)
    if asked.as_json:
        print_json(
            {
                "file": str(asked.out),
                "rows": len(records),
                "columns": [each.name for each in layout.columns],
                "changes": list(layout.changes),
            }
        )
        return
    echo(
        f"{asked.out}: {len(records):,} records in {len(layout.columns)} columns, for "
        f"{TITLES[form]}."
    )
    for change in layout.changes:
        print_wrapped(change, indent="  ")


def _form_of(asked: ExportRequest) -> StatisticsForm:
    named = asked.to or asked.out.suffix.lower().removeprefix(".")
    if named == "sav":
        return "sav"
    if named == "dta":
        return "dta"
    raise Refusal(
        f"{asked.out} does not say whether it is for SPSS or for Stata.",
        "End its name in .sav or .dta, or add --to sav or --to dta.",
        field="out",
    )


def _read(asked: ExportRequest) -> Records:
    """Return the records of what was named."""
    from understudy.mechanisms.statement import TABLE
    from understudy.runs.evidence import read_planned_run
    from understudy.runs.statistics_export import read_table_of

    place = None if asked.run is None else Path(asked.run)
    if place is not None and (place.is_file() or asked.schema is not None or _is_release(place)):
        return _read_release(place, asked)
    run = find_named_run(asked.run)
    tables = [each.name for each in read_planned_run(run).tables]
    usual = TABLE if TABLE in tables or not tables else tables[0]
    return read_table_of(run, asked.output or usual)


def _is_release(place: Path) -> bool:
    """Return whether a folder is that of a release or of a packet, and not that of a run."""
    from understudy.runs.folder import ABOUT

    return (place / "guarantee.json").exists() and not (place / ABOUT).exists()


def _read_release(place: Path, asked: ExportRequest) -> Records:
    """Return the records of a table that stands without its run."""
    from understudy.mechanisms.statement import TABLE
    from understudy.runs.statistics_export import bears_mark, check_released, read_whole_table
    from understudy.table.schema import Schema

    table = place
    if place.is_dir():
        name = asked.output or TABLE
        tables = [*place.glob(f"*{name}.csv"), *place.glob(f"*{name}.parquet")]
        if not tables:
            raise Refusal(
                f"{place} holds no table {name}.csv or {name}.parquet.",
                "Name the file of the table.",
            )
        table = tables[0]
    check_released(table)
    path = asked.schema or table.parent / "schema.json"
    if not path.exists() and asked.schema is None:
        raise Refusal(
            f"No schema is beside {table}.",
            "Name the schema that the table was made with: --schema FILE.",
        )
    schema = Schema.from_json(read_text_file(path, "the schema"))
    return read_whole_table(table, schema, stained=bears_mark(table))
