"""`understudy schema`: suggest what each column may contain, and record that it is public."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.cli.output import (
    disk_refusal,
    echo,
    print_aligned,
    print_json,
    print_wrapped,
    refuse_taken,
)
from engine.cli.settings import Json
from engine.cli.table import (
    Connection,
    Hints,
    Table,
    TableSource,
    columns_of,
    spoken,
)
from engine.cli.whose import Whose, about_people
from engine.core.refusal import Refusal

if TYPE_CHECKING:
    from engine.table.authoring.codebook import Merged
    from engine.table.raw import RawTable
    from engine.table.schema import Column, Schema

Notes = dict[str, list[str]]
_LEFT_OUT = (
    "Left out, as every record has a value of its own there, as an identifier has. If it is none, "
    "--keep {} uses it."
)


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What was typed."""

    table: Table = None
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The schema file, in JSON.")]
    declare_public: Annotated[
        bool,
        typer.Option(
            "--declare-public",
            help="Confirm that columns, categories, bounds, steps and buckets of the schema file, "
            "which has to be there already, are public knowledge as they stand. Takes a note.",
        ),
    ] = False
    note: Annotated[
        str | None,
        typer.Option(
            "--note",
            metavar="TEXT",
            help="Where that is known from, such as a code book; kept "
            "with the confirmation and published with it.",
        ),
    ] = None
    leave_out: Annotated[
        list[str] | None,
        typer.Option(
            "--leave-out", metavar="COLUMN", help="A column to leave out. May be repeated."
        ),
    ] = None
    keep: Annotated[
        list[str] | None,
        typer.Option(
            "--keep",
            metavar="COLUMN",
            help="A column to keep although every record has a value of its own there, as an "
            "identifier has. May be repeated.",
        ),
    ] = None
    origin: Annotated[
        list[str] | None,
        typer.Option(
            "--origin",
            metavar="SOURCE=COLUMNS",
            help="Where it is known from what columns may contain: questionnaire, codebook, "
            "classification, law or design, then = and the columns with commas between; a source "
            "alone is that of all others. Goes with --declare-public, and is told to the board. "
            "May be repeated.",
        ),
    ] = None
    codebook: Annotated[
        Path | None,
        typer.Option(
            "--codebook",
            metavar="FILE",
            help="Names, labels and values of columns, laid over the suggestion: CSV, Excel or a "
            "Table Schema in JSON.",
        ),
    ] = None
    export_codebook: Annotated[
        Path | None,
        typer.Option(
            "--export-codebook",
            metavar="FILE",
            help="Write the schema as a codebook too, in CSV. Of a schema file that is there "
            "already, no table is needed for that.",
        ),
    ] = None
    as_json: Json = False


def schema(asked: Asked, hints: Hints, connection: Connection, whose: Whose) -> None:
    """Suggest a schema for a table, or declare it public."""
    out, exported = asked.out, asked.export_codebook
    given = _Given(asked, hints, whose, out.exists())
    given.check()
    if exported is not None:
        refuse_taken(exported, field="export_codebook")
        if given.there and not asked.declare_public:
            _export(_loaded(out), exported)
            return
    source = TableSource.of(asked.table, connection)
    given.check_new()
    made, notes, raw = given.confirming(source) if given.there else given.suggested(source)
    if asked.declare_public:
        assert asked.note is not None
        from engine.table.authoring.settling import with_origins

        made = with_origins(made, asked.origin or ()).declare_public(asked.note)
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

    asked: Asked
    hints: Hints
    whose: Whose
    there: bool

    def check(self) -> None:
        """Check that the options go together, and that what is declared is there to be read."""
        if self.asked.declare_public and not self.there:
            raise Refusal(
                f"There is no schema file {self.asked.out} to declare public.",
                "Leave --declare-public out, and a schema is suggested there. Correct whatever is "
                "not public knowledge in it, and declare it in a step of its own.",
                field="declare_public",
            )
        if self.asked.declare_public and not any(map(str.isalpha, self.asked.note or "")):
            raise Refusal(
                "It is not said where it is public knowledge from.",
                "Name the source in --note, such as a code book, a questionnaire or a law.",
                field="note",
            )
        if self.asked.note is not None and not self.asked.declare_public:
            raise Refusal(
                "A note goes with a confirmation.",
                "Add --declare-public, or leave it out.",
                field="note",
            )
        if self.asked.origin and not self.asked.declare_public:
            raise Refusal(
                "Where columns are known from goes with a confirmation.",
                "Add --declare-public and --note, or leave it out.",
                field="origin",
            )
        if self.there and self.asked.keep:
            raise Refusal(
                f"{self.asked.out} exists already, so no columns are chosen any more.",
                "Add the column to that file, or choose another name for --out.",
                field="keep",
            )
        if self.there and self.asked.leave_out:
            raise Refusal(
                f"{self.asked.out} exists already, so no columns are chosen any more.",
                "Take the column out of that file, or choose another name for --out.",
                field="leave_out",
            )
        if self.there and self.asked.codebook is not None:
            raise Refusal(
                f"{self.asked.out} exists already, and no codebook is laid over it.",
                "Choose another name for --out.",
                field="codebook",
            )
        self.whose.check()
        if self.there and self.whose.given:
            raise Refusal(
                f"{self.asked.out} exists already, and says whose the rows are or that each stands "
                "for itself.",
                "Correct it there, or choose another name for --out.",
                field=self.whose.given[0],
            )
        if self.there and self.hints.given:
            raise Refusal(
                f"{self.asked.out} exists already, and says how the table is read.",
                "Correct it there, or choose another name for --out.",
                field=self.hints.given[0],
            )

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
        """A schema made from the table and the codebook, per column what to look at, and the
        table."""
        raw = source.first_read(self.hints)
        with columns_of(raw.names):
            return *self._suggested(raw), raw

    def _suggested(self, raw: RawTable) -> tuple[Schema, Notes]:
        from engine.table.authoring.attention import identifiers
        from engine.table.authoring.editing import without_columns
        from engine.table.authoring.suggestion import suggest_schema

        try:
            people = self.whose.people(raw)
            left_out = {*(self.asked.leave_out or ()), *([people.person] if people else ())}
            suggestion = suggest_schema(raw, leave_out=left_out)
        except Refusal as refusal:
            if refusal.field not in raw.names:
                raise
            option = f"--leave-out {shlex.quote(refusal.field)}"
            raise Refusal(
                refusal.problem,
                f"{refusal.remedy} On the command line: {option}.",
                field=refusal.field,
            ) from None
        alone = identifiers(raw, suggestion.schema, self.asked.keep or ())
        made = without_columns(suggestion.schema, alone).with_people(people)
        notes = {name: [_LEFT_OUT.format(shlex.quote(name))] for name in alone}
        notes |= {name: [*suggestion.notes.get(name, ())] for name in made.names}
        if self.asked.codebook is None:
            return made, notes
        return self._with_codebook(self.asked.codebook, made, notes, raw)

    def _with_codebook(
        self, codebook: Path, schema: Schema, notes: Notes, raw: RawTable
    ) -> tuple[Schema, Notes]:
        from engine.table.authoring.codebook import merge_codebook
        from engine.table.authoring.codebook_file import read_codebook

        try:
            data = codebook.read_bytes()
        except OSError as error:
            raise Refusal(
                f"The codebook {codebook} cannot be read: {error.strerror or 'it failed'}.",
                "Check the path, and that the file may be read.",
                field="codebook",
            ) from None
        entries = read_codebook(data, codebook.name)
        left_out = self.asked.leave_out or ()
        found = merge_codebook(schema, entries, names=raw.names, leave_out=left_out)
        return found.schema, _noted(found, notes)

    def confirming(self, source: TableSource) -> tuple[Schema, Notes, RawTable]:
        """The schema that is there, per column what the table holds that it does not allow, and
        the table."""
        made = _loaded(self.asked.out)
        raw = source.read(made)
        with columns_of(raw.names):
            return made, self._unfit(made, raw), raw

    def _unfit(self, made: Schema, raw: RawTable) -> Notes:
        from engine.table.encoding import choices, outside

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


def _noted(found: Merged, notes: Notes) -> Notes:
    """Per column, what the codebook did to it, in place of the notes about what it settles."""
    noted = {name: notes.get(name, []) for name in found.schema.names}
    for name, changes in found.taken.items():
        noted[name] = [f"From the codebook: {', '.join(changes) or 'nothing new'}."]
    for name, why in found.unfit.items():
        noted[name] = [*noted.get(name, []), f"The codebook is not used: {why}"]
    for name in found.unknown:
        noted[name] = ["The codebook names it, and the table does not have it."]
    return noted


def _loaded(path: Path) -> Schema:
    from engine.table.schema import Schema

    return Schema.load(path)


def _export(made: Schema, path: Path) -> None:
    _write(made, path)
    echo(f"Wrote {len(made):,} columns to {path}.")


def _write(made: Schema, path: Path) -> None:
    from engine.table.authoring.codebook_file import csv_codebook

    try:
        path.write_text(csv_codebook(made), encoding="utf-8", newline="\n")
    except OSError as error:
        raise disk_refusal(error, path) from None


def _figures(made: Schema, notes: Notes, out: Path, raw: RawTable) -> dict[str, Any]:
    from engine.table.authoring.attention import needs_attention

    attention = needs_attention(raw, made)
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
                **({"levels": _levels(column)} if column.levels else {}),
                "origin": column.origin,
                "attention": attention.get(column.name, ()),
                "notes": notes[column.name],
            }
            for column in made.columns
        ],
    }


def _print(made: Schema, notes: Notes, raw: RawTable) -> None:
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
        echo()
        print_wrapped(f"{', '.join(names)}:")
        print_wrapped(sentence, indent="  ")
    _print_attention(made, raw)
    echo()


def _print_attention(made: Schema, raw: RawTable) -> None:
    """What to look at before it is declared, the most pressing first."""
    from engine.table.authoring.attention import ATTENTION, needs_attention

    if made.declared:
        return
    found = needs_attention(raw, made)
    echo()
    echo("To look at first (internal)")
    for kind, said in ATTENTION.items():
        names = [name for name, kinds in found.items() if kinds and kinds[0] == kind]
        if names:
            print_wrapped(f"{said}: {', '.join(names)}", indent="  ")
    if raw.reading.kind == "csv":
        print_wrapped(f"The file is read as text: {spoken(raw.reading)}.")
        echo()
    people = about_people(made, raw)
    if people:
        print_wrapped(people)
        echo()


def _row(column: Column) -> tuple[str, str, str, str]:
    domain = column.domain
    if domain.kind == "categories":
        contents = f"{domain.size:,} values"
    else:
        contents = f"{domain.minimum:,f} to {domain.maximum:,f} by {domain.step:,f}"
    if domain.kind == "continuous":
        unit = f" {domain.unit}" if domain.unit else ""
        contents += f", to the nearest {domain.precision:,f}{unit}"
    missing = " or missing" if column.missing else ""
    buckets = ", then ".join(f"{size:,}" for size in (column.bucket_count, *_levels(column)))
    return column.name, domain.kind, contents + missing, buckets


def _levels(column: Column) -> list[int]:
    """How many values there are at each level above the buckets."""
    return [column.level_size(level) for level in range(2, column.coarsest + 1)]
