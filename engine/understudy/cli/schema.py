"""`understudy schema`: suggest what each column may contain, and record that it is public."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from understudy.cli.output import echo, print_aligned, print_json, print_wrapped, refuse_taken
from understudy.cli.schema_asked import SchemaRequest
from understudy.cli.table import (
    Connection,
    Hints,
    TableSource,
    columns_of,
    reading_options,
)
from understudy.cli.whose import Whose, describe_people
from understudy.core.files import disk_refusal
from understudy.core.refusal import Refusal

if TYPE_CHECKING:
    from understudy.table.authoring.attention import Attention
    from understudy.table.raw import RawTable
    from understudy.table.schema import Schema

Notes = dict[str, list[str]]
_LEFT_OUT = (
    "Left out, as every record has a value of its own there, as an identifier has. If it is none, "
    "--keep {} uses it."
)


def schema(asked: SchemaRequest, hints: Hints, connection: Connection, whose: Whose) -> None:
    """Suggest a schema for a table, or declare it public."""
    out, exported = asked.out, asked.export_codebook
    given = _Given(asked, hints, whose, out.exists())
    asked.check(hints, whose)
    if exported is not None:
        refuse_taken(exported, field="export_codebook")
        if given.there and not asked.declare_public:
            _export(_loaded(out), exported)
            return
    source = TableSource.of(asked.table, connection)
    given.check_new()
    made, notes, raw = given.confirming(source) if given.there else given.suggested(source)
    if asked.declare_public:
        made = _declared(made, raw, asked, whose)
    made.save(out)
    if exported is not None:
        _write(made, exported)
    if asked.as_json:
        print_json(_figures(made, notes, out, raw))
        return
    _print(made, notes, raw)
    if made.declared:
        echo(f"Declared public, in {out}.")
        return
    print_wrapped(
        f"This is a suggestion made from the table, in {out}. Correct there whatever is not public "
        "knowledge. Once you have checked it, run this with where it is known from as the note:"
    )
    options = ["--out", str(out), "--declare-public", "--note", "…"]
    echo("  " + shlex.join(["understudy", "schema", *source.again(), *options]))


@dataclass(frozen=True)
class _Given:
    """What is to become of the schema file."""

    asked: SchemaRequest
    hints: Hints
    whose: Whose
    there: bool

    def check_new(self) -> None:
        """Check that no file would be written over."""
        if self.there and not self.asked.declare_public:
            raise Refusal(
                f"{self.asked.out} exists already, and is not overwritten.",
                "Add --declare-public and --note to confirm it as it stands, or choose another "
                "name.",
                field="out",
            )

    def suggested(self, source: TableSource) -> tuple[Schema, Notes, RawTable]:
        """Return a schema made from the table and the codebook, per column what to look at, and the
        table."""
        raw = source.first_read(self.hints)
        with columns_of(raw.names):
            return *self._suggested(raw), raw

    def _suggested(self, raw: RawTable) -> tuple[Schema, Notes]:
        from understudy.table.authoring.first_schema import suggest_first_schema

        try:
            first = suggest_first_schema(
                raw,
                leave_out=self.asked.leave_out or (),
                keep=self.asked.keep or (),
                people=self.whose.people(raw),
                codebook=self.asked.codebook,
            )
        except Refusal as refusal:
            if refusal.field not in raw.names:
                raise
            option = f"--leave-out {shlex.quote(refusal.field)}"
            raise Refusal(
                refusal.problem,
                f"{refusal.remedy} On the command line: {option}.",
                field=refusal.field,
            ) from None
        alone = {name: [_LEFT_OUT.format(shlex.quote(name))] for name in first.left_out}
        return first.schema, alone | {name: [*notes] for name, notes in first.notes.items()}

    def confirming(self, source: TableSource) -> tuple[Schema, Notes, RawTable]:
        """Return the schema that is there, per column what the table holds that it does not allow,
        and the table."""
        made = _loaded(self.asked.out)
        raw = source.read(made)
        with columns_of(raw.names):
            return made, self._unfit(made, raw), raw

    def _unfit(self, made: Schema, raw: RawTable) -> Notes:
        from understudy.table.encoding import choices, outside

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
        return notes


def _declared(made: Schema, raw: RawTable, asked: SchemaRequest, whose: Whose) -> Schema:
    """Return the schema declared public.

    Raises:
        Refusal: as of `declaration.declare`; it names the options that answer.
    """
    from understudy.table.authoring.declaration import SEVERAL_ROWS, declare

    try:
        return declare(
            made,
            raw,
            asked.note or "",
            origins=asked.origin or (),
            single_rows=whose.single_rows,
        )
    except Refusal as refusal:
        if refusal.field != SEVERAL_ROWS:
            raise
        raise Refusal(
            refusal.problem,
            f"{refusal.remedy} On the command line: --person, --order and --most-per-person with "
            "another name for --out, or --single-rows.",
            field="person",
        ) from None


def _loaded(path: Path) -> Schema:
    from understudy.table.schema import Schema

    return Schema.load(path)


def _export(made: Schema, path: Path) -> None:
    _write(made, path)
    echo(f"Wrote {len(made):,} columns to {path}.")


def _write(made: Schema, path: Path) -> None:
    from understudy.table.authoring.codebook_file import csv_codebook

    try:
        path.write_text(csv_codebook(made), encoding="utf-8", newline="\n")
    except OSError as error:
        raise disk_refusal(error, path) from None


def _figures(made: Schema, notes: Notes, out: Path, raw: RawTable) -> dict[str, Any]:
    from understudy.table.column import level_sizes

    attention = _attention(made, raw)
    declared = made.declaration.model_dump(mode="json") if made.declaration else None
    return {
        "schema": str(out),
        "read": {**raw.reading.written(), "notes": [*raw.notes]},
        "fingerprint": made.fingerprint,
        "declared_public": declared if made.declared else None,
        "left_out": {name: told for name, told in notes.items() if name not in made.names},
        "columns": [
            {
                "name": column.name,
                "kind": column.domain.kind,
                "values": column.cardinality,
                "missing": column.missing,
                "buckets": column.bucket_count,
                **({"levels": level_sizes(column)} if column.levels else {}),
                "origin": column.origin,
                "attention": attention.get(column.name, ()),
                "notes": notes[column.name],
            }
            for column in made.columns
        ],
    }


def _attention(made: Schema, raw: RawTable) -> dict[str, tuple[Attention, ...]]:
    from understudy.table.authoring.attention import needs_attention
    from understudy.table.authoring.derived import derived_columns, settling_columns

    there = [name for name in made.names if name in raw.names]
    return needs_attention(raw, made, derived_columns(settling_columns(raw, there), there))


def _print(made: Schema, notes: Notes, raw: RawTable) -> None:
    from understudy.table.column import described

    for sentence in raw.notes:
        print_wrapped(sentence)
    print_aligned(
        [("Column", "Kind", "May contain", "Buckets"), *(described(each) for each in made.columns)]
    )
    columns: dict[str, list[str]] = {}
    for name, sentences in notes.items():
        for sentence in sentences:
            columns.setdefault(sentence, []).append(name)
    for sentence, names in columns.items():
        echo()
        print_wrapped(f"{', '.join(names)}:")
        print_wrapped(sentence, indent="  ")
    _print_attention(made, raw)
    echo()


def _print_attention(made: Schema, raw: RawTable) -> None:
    """What to look at before it is declared, the most pressing first."""
    from understudy.table.authoring.attention import ATTENTION

    if made.declared:
        return
    found = _attention(made, raw)
    echo()
    echo("To look at first (internal)")
    for kind, said in ATTENTION.items():
        names = [name for name, kinds in found.items() if kinds and kinds[0] == kind]
        if names:
            print_wrapped(f"{said}: {', '.join(names)}", indent="  ")
    if raw.reading.kind == "csv":
        echo()
        print_wrapped(f"The file is read as text: {reading_options(raw.reading)}.")
    people = describe_people(made, raw)
    if people:
        echo()
        print_wrapped(people)
