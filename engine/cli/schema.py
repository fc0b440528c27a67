"""`understudy schema`: suggest what each column may contain, and record that it is public."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.cli.output import print_aligned, print_json, print_wrapped
from engine.cli.settings import Json
from engine.cli.table import Encoding, Separator, Sheet, Table, again, columns_of, read
from engine.refusal import Refusal

if TYPE_CHECKING:
    from engine.table.raw import RawTable
    from engine.table.schema import Column, Schema


def schema(
    table: Table,
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The schema file, in JSON.")],
    declare_public: Annotated[
        bool,
        typer.Option(
            "--declare-public",
            help="Confirm that columns, categories, bounds, steps and buckets are public "
            "knowledge. If the schema file is there already, it is confirmed as it stands.",
        ),
    ] = False,
    note: Annotated[
        str | None,
        typer.Option(
            "--note", metavar="TEXT", help="Where that is known from; kept with the confirmation."
        ),
    ] = None,
    leave_out: Annotated[
        list[str] | None,
        typer.Option(
            "--leave-out", metavar="COLUMN", help="A column to leave out. May be repeated."
        ),
    ] = None,
    separator: Separator = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    as_json: Json = False,
) -> None:
    """Suggest a schema for a table, or declare it public."""
    if note is not None and not declare_public:
        raise Refusal(
            "A note goes with a confirmation.",
            "Add --declare-public, or leave it out.",
            field="note",
        )
    there = out.exists()
    _check(out, there, declare_public, leave_out or ())
    raw = read(table, separator, encoding, sheet)
    with columns_of(raw):
        made, notes = _confirming(out, raw) if there else _suggested(raw, leave_out or ())
    if declare_public:
        made = made.declare_public(note or "")
    made.save(out)
    if as_json:
        print_json(_figures(made, notes, out, raw))
        return
    _print(made, notes, raw)
    if made.declared:
        typer.echo(f"Declared public, in {out}.")
        return
    options = ["--out", str(out), "--declare-public", *again(separator, encoding, sheet)]
    print_wrapped(
        f"This is a suggestion made from the file, in {out}. Correct there whatever is not public "
        "knowledge. Once you have checked it, run"
    )
    typer.echo("  " + shlex.join(["understudy", "schema", str(table), *options]))


def _check(out: Path, there: bool, declare_public: bool, leave_out: list[str] | tuple[()]) -> None:
    if there and not declare_public:
        raise Refusal(
            f"{out} exists already, and is not overwritten.",
            "Add --declare-public to confirm it as it stands, or choose another name.",
            field="out",
        )
    if there and leave_out:
        raise Refusal(
            f"{out} exists already, so no columns are chosen any more.",
            "Take the column out of that file, or choose another name for --out.",
            field="leave_out",
        )


def _suggested(
    raw: RawTable, leave_out: list[str] | tuple[()]
) -> tuple[Schema, dict[str, list[str]]]:
    """A schema made from the file, and per column what to look at."""
    from engine.table.suggestion import suggest_schema

    try:
        suggestion = suggest_schema(raw, leave_out=leave_out)
    except Refusal as refusal:
        if refusal.field not in raw.names:
            raise
        option = f"--leave-out {shlex.quote(refusal.field)}"
        raise Refusal(
            refusal.problem,
            f"{refusal.remedy} On the command line: {option}.",
            field=refusal.field,
        ) from None
    return suggestion.schema, {
        name: [*suggestion.notes.get(name, ())] for name in suggestion.schema.names
    }


def _confirming(out: Path, raw: RawTable) -> tuple[Schema, dict[str, list[str]]]:
    """The schema that is there, and per column what the table holds that it does not allow."""
    from engine.table.encoding import choices, outside
    from engine.table.schema import Schema

    made = Schema.load(out)
    notes = {}
    for found in outside(raw, made):
        others = [each for each in choices(made.column(found.column)) if each != "refuse"]
        options = " or ".join(f"--outside {shlex.quote(f'{found.column}={x}')}" for x in others)
        remedy = f"synthesize will refuse them{f' unless told {options}' if options else ''}."
        notes[found.column] = (
            [f"{found.total:,} values are outside its domain (internal); {remedy}"]
            if found.total
            else []
        )
    return made, notes


def _figures(made: Schema, notes: dict[str, list[str]], out: Path, raw: RawTable) -> dict[str, Any]:
    declared = made.declaration.model_dump(mode="json") if made.declaration else None
    return {
        "schema": str(out),
        "read": {**asdict(raw.format), "notes": [*raw.notes]},
        "fingerprint": made.fingerprint,
        "declared_public": declared if made.declared else None,
        "columns": [
            {
                "name": column.name,
                "kind": column.domain.kind,
                "values": column.cardinality,
                "missing": column.missing,
                "buckets": column.bucket_count,
                "notes": notes[column.name],
            }
            for column in made.columns
        ],
    }


def _print(made: Schema, notes: dict[str, list[str]], raw: RawTable) -> None:
    for sentence in raw.notes:
        print_wrapped(sentence)
    print_aligned(
        [("Column", "Kind", "May contain", "Buckets"), *(_row(each) for each in made.columns)]
    )
    columns: dict[str, list[str]] = {}
    for name, sentences in notes.items():
        for sentence in sentences:
            columns.setdefault(sentence, []).append(name)
    for sentence, names in columns.items():
        typer.echo()
        print_wrapped(f"{', '.join(names)}:")
        print_wrapped(sentence, indent="  ")
    typer.echo()


def _row(column: Column) -> tuple[str, str, str, str]:
    domain = column.domain
    if domain.kind == "categories":
        contents = f"{domain.size:,} values"
    else:
        contents = f"{domain.minimum:,f} to {domain.maximum:,f} by {domain.step:,f}"
    missing = " or missing" if column.missing else ""
    return column.name, domain.kind, contents + missing, f"{column.bucket_count:,}"
