"""`understudy schema`: suggest what each column may contain, and record that it is public."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from understudy.cli.output import echo, print_json, print_wrapped, refuse_taken
from understudy.cli.rules import print_rules
from understudy.cli.schema_options import RowOwners, SchemaRequest
from understudy.cli.schema_output import Notes, list_figures, print_next_step, print_schema
from understudy.cli.table import Connection, TableHints, TableSource, name_columns
from understudy.core.files import refuse_disk_error
from understudy.core.refusal import Refusal

if TYPE_CHECKING:
    from understudy.table.raw import RawTable
    from understudy.table.schema import Schema


def schema(
    asked: SchemaRequest, hints: TableHints, connection: Connection, owners: RowOwners
) -> None:
    """Suggest a schema for a table, or declare it public."""
    from understudy.table.authoring.recoding_edits import with_follows

    out, exported = asked.out, asked.export_codebook
    start = _SchemaStart(asked, hints, owners, out.exists())
    asked.check(hints, owners)
    if exported is not None:
        refuse_taken(exported, field="export_codebook")
        if start.there and not asked.declare_public:
            made = _load_schema(out)
            _save_codebook(made, exported)
            echo(f"Wrote {len(made):,} columns to {exported}.")
            return
    source = TableSource.of(asked.table, connection)
    start.check_new()
    made, notes, raw = start.load(source) if start.there else start.suggest(source)
    made = _change_columns(made, raw, asked)
    notes = _settle_weights(made, notes)
    imported = None
    if asked.rules is not None:
        from understudy.table.rules.validate_file import load_rules

        imported = load_rules(asked.rules, made.file_columns)
        made = made.with_rules(imported.added_to(made.rules))
    made = with_follows(made, asked.follows or ())
    made, about_totals = _add_totals(made, asked.totals or ())
    if asked.declare_public:
        made = _declare(made, raw, asked, owners)
    made.save(out)
    if exported is not None:
        _save_codebook(made, exported)
    if asked.as_json:
        print_json({"schema": str(out), **list_figures(made, notes, raw, imported)})
        return
    print_schema(made, notes, raw)
    if made.declared_rules:
        print_rules(raw, made, imported)
    if about_totals:
        print_wrapped(about_totals)
    if made.declared:
        echo(f"Declared public, in {out}.")
        return
    print_next_step(made, source, out)


def _add_totals(made: Schema, given: Sequence[str]) -> tuple[Schema, str]:
    """Return the schema with totals of files after its own, and what to know about all of them.

    Raises:
        Refusal: an option is incomplete, a file cannot be read, or the totals cannot be used or
            hit.
    """
    from understudy.table.totals_file import load_totals

    notes: list[str] = []
    for text in given:
        found = load_totals(text, made.columns)
        notes += found.notes
        made = made.with_totals((*made.totals, found.totals))
    _ = made.joint_totals
    return made, " ".join([*(each.sentence for each in made.totals), *notes])


def _change_columns(made: Schema, raw: RawTable, asked: SchemaRequest) -> Schema:
    """Return the schema with what options say of single columns.

    Raises:
        Refusal: one cannot be followed.
    """
    from understudy.table.authoring.bulk_resolution import (
        with_meanings,
        with_populations,
        with_roles,
        with_spellings,
    )
    from understudy.table.authoring.derivation_edits import with_derivations, with_look_ups
    from understudy.table.sources.reading import read_table

    made = with_roles(made, asked.role or ())
    made = with_populations(made, asked.population or ())
    made = with_meanings(made, asked.missing_means or ())
    made = with_spellings(made, raw, asked.written or ())
    made = with_look_ups(made, asked.look_up or (), raw.names, lambda path: read_table(Path(path)))
    return with_derivations(made, asked.derive or (), raw.names)


def _settle_weights(made: Schema, notes: Notes) -> Notes:
    """Return the notes without the question whether a column is a survey weight that has been
    answered."""
    from understudy.table.authoring.first_schema import WEIGHT_NOTE

    answered = {column.name for column in made.columns if column.role}
    return {
        name: [each for each in said if each != WEIGHT_NOTE or name not in answered]
        for name, said in notes.items()
    }


@dataclass(frozen=True)
class _SchemaStart:
    """Where a schema comes from: its file if that is there, and else the table."""

    asked: SchemaRequest
    hints: TableHints
    owners: RowOwners
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

    def suggest(self, source: TableSource) -> tuple[Schema, Notes, RawTable]:
        """Return a schema made from the table and the codebook, per column what to look at, and the
        table."""
        self._announce_width(source)
        raw = source.first_read(self.hints)
        with name_columns(raw.names):
            return *self._suggest(raw), raw

    def _announce_width(self, source: TableSource) -> None:
        """Print at once, by the header alone, if a table has more columns than can be used
        together."""
        from understudy.table.authoring.first_schema import announce_width
        from understudy.table.sources.header import count_header

        if source.table is None or self.asked.only:
            return
        said = announce_width(count_header(source.table, self.hints.spelled_separator))
        if said:
            echo(f"{said} --only 'q17_*' uses others.", err=True)

    def _suggest(self, raw: RawTable) -> tuple[Schema, Notes]:
        from understudy.table.authoring.first_schema import suggest_first_schema

        try:
            first = suggest_first_schema(
                raw,
                leave_out=self.asked.leave_out or (),
                only=self.asked.only or (),
                keep_empty=self.asked.keep_empty or (),
                keep=self.asked.keep or (),
                people=self.owners.find_people(raw),
                codebook=self.asked.codebook,
            )
        except Refusal as refusal:
            if refusal.field not in raw.names:
                raise
            raise Refusal(
                refusal.problem,
                f"{refusal.remedy} On the command line: {self._option(refusal.field)}.",
                field=refusal.field,
            ) from None
        left_out = {name: [f"Left out: {each.reason}"] for name, each in first.left_out.items()}
        return first.schema, left_out | {name: [*notes] for name, notes in first.notes.items()}

    def _option(self, name: str) -> str:
        """Return the option that settles what was refused of a column."""
        kept = name in (self.asked.keep or ())
        return f"{'--leave-out' if kept else '--keep'} {shlex.quote(name)}"

    def load(self, source: TableSource) -> tuple[Schema, Notes, RawTable]:
        """Return the schema that is there, per column what the table holds that it does not allow,
        and the table."""
        made = _load_schema(self.asked.out)
        raw = source.read(made)
        with name_columns(raw.names):
            return made, self._describe_outside(made, raw), raw

    def _describe_outside(self, made: Schema, raw: RawTable) -> Notes:
        """Return by column how many values its domain does not allow, and what can be done about
        them."""
        from understudy.table.encoding import choices, outside

        notes = {}
        for found in outside(raw, made):
            others = [
                each for each in choices(made.of_file.column(found.column)) if each != "refuse"
            ]
            options = " or ".join(f"--outside {shlex.quote(f'{found.column}={x}')}" for x in others)
            remedy = f"synthesize will refuse them{f' unless told {options}' if options else ''}."
            notes[found.column] = (
                [f"{found.total:,} values are outside its domain (internal); {remedy}"]
                if found.total
                else []
            )
        return notes


def _declare(made: Schema, raw: RawTable, asked: SchemaRequest, owners: RowOwners) -> Schema:
    """Return the schema declared public.

    Raises:
        Refusal: as of `declaration.declare`; it names the options that answer.
    """
    from understudy.table.authoring.column_origins import UNSAID, with_origins, write_options
    from understudy.table.authoring.declaration import SEVERAL_ROWS, declare

    try:
        return declare(
            made,
            raw,
            asked.note or "",
            origins=asked.origin or (),
            single_rows=owners.single_rows,
        )
    except Refusal as refusal:
        asking = [each for each in made.columns if each.name == refusal.field]
        if asking and asking[0].domain.question:
            said = shlex.quote(f"{asking[0].domain.choices[0]}={asking[0].name}")
            raise Refusal(
                refusal.problem,
                f"{refusal.remedy} On the command line: --written {said}.",
                field=refusal.field,
            ) from None
        if refusal.field == UNSAID:
            sourced = with_origins(made, asked.origin or ())
            options = " ".join(f"--origin {shlex.quote(each)}" for each in write_options(sourced))
            kept = ""
            if sourced != made:
                sourced.save(asked.out)
                kept = f" What you said of the others is kept in {asked.out}."
            raise Refusal(
                refusal.problem,
                f"{refusal.remedy}{kept} On the command line, with a source in place of SOURCE: "
                f"{options}.",
                field="origin",
            ) from None
        if refusal.field != SEVERAL_ROWS:
            raise
        raise Refusal(
            refusal.problem,
            f"{refusal.remedy} On the command line: --person, --order and --most-per-person with "
            "another name for --out, or --single-rows.",
            field="person",
        ) from None


def _load_schema(path: Path) -> Schema:
    from understudy.table.schema import Schema

    return Schema.load(path)


def _save_codebook(made: Schema, path: Path) -> None:
    """Write a schema as a codebook.

    Raises:
        Refusal: the place cannot be written to.
    """
    from understudy.table.authoring.codebook_file import csv_codebook

    try:
        path.write_text(csv_codebook(made), encoding="utf-8", newline="\n")
    except OSError as error:
        raise refuse_disk_error(error, path) from None
