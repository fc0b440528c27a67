"""`understudy schema`: suggest what each column may contain, and record that it is public."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from understudy.cli.options import Json
from understudy.cli.output import echo, print_aligned, print_json, print_wrapped, refuse_taken
from understudy.cli.rules import print_rules
from understudy.cli.table import (
    Connection,
    Table,
    TableHints,
    TableSource,
    list_row_rules,
    name_columns,
    reading_options,
)
from understudy.core.files import refuse_disk_error
from understudy.core.refusal import Refusal

if TYPE_CHECKING:
    from understudy.table.authoring.attention import Attention
    from understudy.table.column import Column
    from understudy.table.people import People
    from understudy.table.raw import RawTable
    from understudy.table.rules.validate_file import ImportedRules
    from understudy.table.schema import Schema

_OPTIONS = {"person": "--person", "order": "--order", "most_per_person": "--most-per-person"}


@dataclass(frozen=True)
class Whose:
    """Whose the rows are, as far as the options say.

    Attributes:
        person: the column that says it.
        order: the column that orders a person's rows.
        most_per_person: how many rows of a person are kept.
        single_rows: whether it was said that nobody has several rows.
    """

    person: Annotated[
        str | None,
        typer.Option(
            "--person",
            metavar="COLUMN",
            help="Where one person has several rows: the column that says whose a row is. It is "
            "used for that alone. Takes --order and --most-per-person.",
        ),
    ] = None
    order: Annotated[
        str | None,
        typer.Option(
            "--order",
            metavar="COLUMN",
            help="The column that orders a person’s rows: numbers, or points in time.",
        ),
    ] = None
    most_per_person: Annotated[
        int | None,
        typer.Option(
            "--most-per-person",
            metavar="N",
            help="How many rows of a person are kept: the first in order. The guarantee is for all "
            "of them together. It is published, so choose it by what is publicly known.",
        ),
    ] = None

    single_rows: Annotated[
        bool,
        typer.Option(
            "--single-rows",
            help="Say, with --declare-public, that nobody has several rows, where a column looks "
            "as if it named people who have.",
        ),
    ] = False

    @property
    def given(self) -> list[str]:
        """The options that say something."""
        return [name for name in _OPTIONS if getattr(self, name) is not None]

    def check(self) -> None:
        """Check that either none or all of them are given.

        Raises:
            Refusal: some are missing.
        """
        from understudy.table.authoring.declaration import check_complete

        check_complete({name: getattr(self, name) for name in _OPTIONS}, _OPTIONS)

    def people(self, raw: RawTable) -> People | None:
        """Return whose the records of a table are; None if nothing is said.

        Raises:
            Refusal: it has no such column, or as of `people.group_people`.
        """
        from understudy.table.authoring.declaration import people_in

        return people_in(raw, self.person, self.order, self.most_per_person)


def describe_kept_people(made: Schema, raw: RawTable) -> str:
    """Return what is kept of whom, or a question where a column looks as if it named people; ""
    where there is neither. Internal."""
    from understudy.table.authoring.record_owner import likely_people
    from understudy.table.people import tally

    if made.people is not None:
        found = tally(raw, made.people)
        return (
            f"{found.records:,} rows of {found.people:,} people (internal). The first "
            f"{made.people.records_at_most:,} of each are kept, in the order of "
            f"“{made.people.order}”: {found.dropped:,} rows of {found.shortened:,} people are not "
            "used (internal)."
        )
    likely = None if made.declared else likely_people(raw)
    if likely is None:
        return ""
    return (
        f"Values of column “{likely.person}” stand in several rows each (internal). If it says "
        "whose a row is, suggest the schema anew with --person, --order and --most-per-person: the "
        "guarantee is then for a person with all of their rows. If nobody has several, say "
        "--single-rows as you declare it."
    )


@dataclass(frozen=True, kw_only=True)
class SchemaRequest:
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
            "--leave-out",
            metavar="COLUMN",
            help="A column to leave out, or a pattern of names such as 'q17_*'. May be repeated.",
        ),
    ] = None
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            metavar="COLUMN",
            help="A column to use, or a pattern of names; all others are left out. May be "
            "repeated.",
        ),
    ] = None
    keep_empty: Annotated[
        list[str] | None,
        typer.Option(
            "--keep-empty",
            metavar="COLUMN",
            help="A column to leave out and to keep in the released table as an empty one, so that "
            "its header is that of the file; or a pattern of names. May be repeated.",
        ),
    ] = None
    keep: Annotated[
        list[str] | None,
        typer.Option(
            "--keep",
            metavar="COLUMN",
            help="A column to keep although it looks as if it identified somebody, or a pattern of "
            "names. May be repeated.",
        ),
    ] = None
    origin: Annotated[
        list[str] | None,
        typer.Option(
            "--origin",
            metavar="SOURCE=COLUMNS",
            help="Where it is known from what columns may contain: questionnaire, codebook, "
            "classification, law, design, or a line of your own, then = and the columns or "
            "patterns of names with commas between, such as 'the form of 2024=q1_*'; one of the "
            "five alone is that of all others. 'table=COLUMNS' confirms by name what was read off "
            "the table. Goes with --declare-public, is needed for each column without a source, "
            "and is told to the board. May be repeated.",
        ),
    ] = None
    role: Annotated[
        list[str] | None,
        typer.Option(
            "--role",
            metavar="ROLE=COLUMNS",
            help="What columns are to the table: weight, 'other weight' (a survey weight that is "
            "not used), target or geography, then = and the columns with commas between. A weight "
            "in many steps becomes continuous, in few cells. May be repeated.",
        ),
    ] = None
    population: Annotated[
        list[str] | None,
        typer.Option(
            "--population",
            metavar="WEIGHT=NUMBER",
            help="The public number that a survey weight adds up to over the whole population, "
            "such as w1=8900000. Documents then say how released weights are scaled to it.",
        ),
    ] = None
    written: Annotated[
        list[str] | None,
        typer.Option(
            "--written",
            metavar="WAY=COLUMNS",
            help="How a text file writes dates, times or numbers, such as DD/MM/YYYY or 1.234,5 "
            "for the number 1234.5, then = and the columns with commas between. Their bounds are "
            "suggested from the table again. May be repeated.",
        ),
    ] = None
    derive: Annotated[
        list[str] | None,
        typer.Option(
            "--derive",
            metavar="COLUMN=FORMULA",
            help="A column that is a function of others, of the file or a new one. It is left out "
            "of the model and computed last, exactly: 'total=drugs + bed', 'age=age(born, "
            "admitted)', 'band=bands(age, c(18, 65))', 'stay=days(admitted, discharged)', "
            "'year=year(admitted)', 'chapter=prefix(code, 1)', or 'region=lookup(code, c(\"1\" = "
            '"North"))\'. May be repeated.',
        ),
    ] = None
    follows: Annotated[
        list[str] | None,
        typer.Option(
            "--follows",
            metavar="COLUMN=ANCHOR",
            help="A date or amount that is never before another: 'discharged=admitted'. The model "
            "knows it by how far it is after that, which keeps the length of stay, and it is put "
            "together when rows are written. With + and the longest distance that is possible, in "
            "days or as a number: 'discharged=admitted+365'. May be repeated.",
        ),
    ] = None
    look_up: Annotated[
        list[str] | None,
        typer.Option(
            "--look-up",
            metavar="COLUMN=CODES=FILE",
            help="A column that a public list has a text for by the code in another: a file with "
            "codes in its first column and texts in its second, such as "
            "region=district=regions.csv. It is kept in the schema, and has to have every code "
            "that the column of codes may contain. May be repeated.",
        ),
    ] = None
    missing_means: Annotated[
        list[str] | None,
        typer.Option(
            "--missing-means",
            metavar="CODE=MEANING",
            help="What a code for missing means, such as '-8=not asked', in all columns that have "
            "it. With another = and columns with commas, or patterns, in these alone, where it "
            "becomes a code for missing if it is a listed value: '9=no answer=q1_*'. May be "
            "repeated.",
        ),
    ] = None
    rules: Annotated[
        Path | None,
        typer.Option(
            "--rules",
            metavar="FILE",
            help="Rules about the values of one record that everybody knows, such as if (age < 16) "
            'marital == "single": one a line, or a file of R’s validate. They are added to the '
            "schema; `understudy rules` checks them.",
        ),
    ] = None
    totals: Annotated[
        list[str] | None,
        typer.Option(
            "--totals",
            metavar="FILE=OF:SOURCE",
            help="Known totals by a column or a pair, which released rows hit exactly: a CSV file "
            "with the columns and the total last, what it counts, “population” or “table”, and "
            "where it is published, such as 'regions.csv=population:Census 2021, table 4'. Totals "
            "of the table itself are listed as disclosed. May be given twice.",
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

    def check(self, hints: TableHints, whose: Whose) -> None:
        """Check that the options go together, and that what is declared is there to be read.

        Raises:
            Refusal: they do not, or it is not.
        """
        from understudy.table.authoring.declaration import check_note

        there = self.out.exists()
        if self.declare_public and not there:
            raise Refusal(
                f"There is no schema file {self.out} to declare public.",
                "Leave --declare-public out, and a schema is suggested there. Correct whatever is "
                "not public knowledge in it, and declare it in a step of its own.",
                field="declare_public",
            )
        if self.declare_public:
            check_note(self.note or "")
        if self.note is not None and not self.declare_public:
            raise Refusal(
                "A note goes with a confirmation.",
                "Add --declare-public, or leave it out.",
                field="note",
            )
        if self.origin and not self.declare_public:
            raise Refusal(
                "Where columns are known from goes with a confirmation.",
                "Add --declare-public and --note, or leave it out.",
                field="origin",
            )
        if whose.single_rows and not self.declare_public:
            raise Refusal(
                "That nobody has several rows is said with a confirmation.",
                "Add --declare-public and --note, or leave it out.",
                field="single_rows",
            )
        whose.check()
        if there:
            self._check_nothing_new(hints, whose)

    def _check_nothing_new(self, hints: TableHints, whose: Whose) -> None:
        """Check that nothing is asked for that only a schema which is made anew can follow."""
        taken = (
            ("keep", self.keep, "no columns are chosen any more", "Add the column to that file"),
            (
                "leave_out",
                self.leave_out,
                "no columns are chosen any more",
                "Take the column out of that file",
            ),
            (
                "only",
                self.only,
                "no columns are chosen any more",
                "Take the other columns out of that file",
            ),
            (
                "keep_empty",
                self.keep_empty,
                "no columns are chosen any more",
                "Write it there, under “left_out”",
            ),
            ("codebook", self.codebook, "no codebook is laid over it", ""),
            (
                next(iter(whose.given), ""),
                whose.given,
                "it says whose the rows are or that each stands for itself",
                "Correct it there",
            ),
            (next(iter(hints.given), ""), hints.given, "it says how the table is read",
             "Correct it there"),
        )  # fmt: skip
        for field, given, why, instead in taken:
            if given:
                another = "another name for --out."
                raise Refusal(
                    f"{self.out} exists already: {why}.",
                    f"{instead}, or choose {another}" if instead else f"Choose {another}",
                    field=field,
                )


Notes = dict[str, list[str]]
_MOST_NAMED = 30
_LONGEST_SHOWN = 120
"""Of formulas; a longer one is a list that is kept in a file."""
_KEEP = "--keep with the name of a column uses it all the same."


def schema(asked: SchemaRequest, hints: TableHints, connection: Connection, whose: Whose) -> None:
    """Suggest a schema for a table, or declare it public."""
    from understudy.table.authoring.recoding_edits import with_follows

    out, exported = asked.out, asked.export_codebook
    given = _Given(asked, hints, whose, out.exists())
    asked.check(hints, whose)
    if exported is not None:
        refuse_taken(exported, field="export_codebook")
        if given.there and not asked.declare_public:
            _export(_load(out), exported)
            return
    source = TableSource.of(asked.table, connection)
    given.check_new()
    made, notes, raw = given.confirming(source) if given.there else given.suggest(source)
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
        made = _declare(made, raw, asked, whose)
    made.save(out)
    if exported is not None:
        _write(made, exported)
    if asked.as_json:
        figures = _figures(made, notes, out, raw)
        if imported is not None:
            figures["rules_not_used"] = [
                *(each.sentence for each in imported.refused),
                *imported.notes,
            ]
        print_json(figures)
        return
    _print(made, notes, raw)
    _print_known(made, raw, imported, about_totals)
    if made.declared:
        echo(f"Declared public, in {out}.")
        return
    _print_next_step(made, source, out)


def _print_known(
    made: Schema, raw: RawTable, imported: ImportedRules | None, about_totals: str
) -> None:
    """Print the rules and the known totals of a schema, if there are any."""
    if made.declared_rules:
        print_rules(raw, made, imported)
    if about_totals:
        print_wrapped(about_totals)


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


def _print_next_step(made: Schema, source: TableSource, out: Path) -> None:
    """Print the command that declares a suggested schema, with a place for each source."""
    from understudy.table.authoring.column_origins import write_options

    groups = write_options(made)
    print_wrapped(
        f"This is a suggestion made from the table, in {out}. Correct there whatever is not public "
        "knowledge. Once you have checked it, run this with where it is known from as the note"
        f"{', and with the source of each group in place of SOURCE' if groups else ''}:"
    )
    options = ["--out", str(out), "--declare-public", "--note", "…"]
    for group in groups:
        options += ["--origin", group]
    echo("  " + shlex.join(["understudy", "schema", *source.again(), *options]))


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
class _Given:
    """What is to become of the schema file."""

    asked: SchemaRequest
    hints: TableHints
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
                people=self.whose.people(raw),
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

    def confirming(self, source: TableSource) -> tuple[Schema, Notes, RawTable]:
        """Return the schema that is there, per column what the table holds that it does not allow,
        and the table."""
        made = _load(self.asked.out)
        raw = source.read(made)
        with name_columns(raw.names):
            return made, self._unfit(made, raw), raw

    def _unfit(self, made: Schema, raw: RawTable) -> Notes:
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


def _declare(made: Schema, raw: RawTable, asked: SchemaRequest, whose: Whose) -> Schema:
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
            single_rows=whose.single_rows,
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


def _load(path: Path) -> Schema:
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
        raise refuse_disk_error(error, path) from None


def _figures(made: Schema, notes: Notes, out: Path, raw: RawTable) -> dict[str, Any]:
    from understudy.table.column import level_sizes

    attention = _attention(made, raw)
    declared = made.declaration.model_dump(mode="json") if made.declaration else None
    return {
        "schema": str(out),
        "read": {**raw.reading.as_dict(), "notes": [*raw.notes]},
        "fingerprint": made.fingerprint,
        "declared_public": declared if made.declared else None,
        "left_out": {
            name: told for name, told in notes.items() if name not in (*made.names, *made.computed)
        },
        **_list_derived(made, raw),
        **_list_recoded(made),
        "rules": [rule.as_dict() for rule in made.rules],
        "rules_set_aside": [rule.as_dict() for rule in made.set_aside],
        "totals": [each.as_dict() for each in made.totals],
        "columns": [
            {
                "name": column.name,
                "kind": column.domain.kind,
                "values": column.cardinality,
                "missing": column.missing,
                **_list_missing_codes(column),
                "buckets": column.bucket_count,
                **({"levels": level_sizes(column)} if column.levels else {}),
                "origin": column.origin,
                "known_from": column.known_from,
                "attention": attention.get(column.name, ()),
                "notes": notes.get(column.name, []),
            }
            for column in made.columns
        ],
    }


def _list_derived(made: Schema, raw: RawTable) -> dict[str, Any]:
    """Return the derived columns, if there are any, with the records that differ (internal)."""
    from understudy.table.authoring.derivation_edits import count_mismatches

    if not made.derived:
        return {}
    differing = {each.column: each.records for each in count_mismatches(raw, made)}
    return {
        "derived": [
            {
                "name": each.name,
                "formula": each.formula.formula,
                "in_words": each.formula.words,
                "records_that_differ": differing.get(each.name),
            }
            for each in made.derived
        ]
    }


def _list_missing_codes(column: Column) -> dict[str, Any]:
    """Return the codes for missing of a column that has several, or meanings."""
    if column.has_plain_missing or not column.missing:
        return {}
    codes = column.missing_codes
    return {"missing_codes": [{"texts": [*each.values], "meaning": each.label} for each in codes]}


def _attention(made: Schema, raw: RawTable) -> dict[str, tuple[Attention, ...]]:
    from understudy.table.authoring.attention import needs_attention
    from understudy.table.authoring.settled_columns import derived_columns, settling_columns

    made = made.of_file
    there = [name for name in made.names if name in raw.names]
    return needs_attention(raw, made, derived_columns(settling_columns(raw, there), there))


def _print(made: Schema, notes: Notes, raw: RawTable) -> None:
    from understudy.table.column import summarise_column

    for sentence in raw.notes:
        print_wrapped(sentence)
    print_aligned(
        [
            ("Column", "Kind", "May contain", "Buckets"),
            *(summarise_column(each) for each in made.columns),
        ]
    )
    columns: dict[str, list[str]] = {}
    for name, sentences in notes.items():
        for sentence in sentences:
            columns.setdefault(sentence, []).append(name)
    for sentence, names in columns.items():
        echo()
        print_wrapped(f"{_list_names(names)}:")
        print_wrapped(sentence, indent="  ")
    _print_origins(made)
    _print_derived(made, raw)
    _print_recoded(made)
    _print_derivable(made, raw)
    _print_left_out(made)
    _print_attention(made, raw)
    echo()


def _list_names(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED:,} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more


def _print_origins(made: Schema) -> None:
    """Where it is known from what columns may contain, and of which nobody has said so."""
    from understudy.table.authoring.column_origins import list_origins, list_unsaid

    left = list_unsaid(made)
    echo()
    echo("Where it is known from what columns may contain")
    for known, names in list_origins(made.columns).items():
        print_wrapped(f"{known}: {_list_names(names)}", indent="  ")
    if left:
        print_wrapped(f"not said, {len(left):,} of {len(made):,}: {_list_names(left)}", indent="  ")


def _print_derived(made: Schema, raw: RawTable) -> None:
    """Print how columns are derived, and in how many records of the table they differ from that."""
    from understudy.table.authoring.derivation_edits import count_mismatches, describe_mismatches

    if not made.derived:
        return
    echo()
    echo("Derived from other columns (published with the schema)")
    for each in made.derived:
        print_wrapped(f"{each.name} = {each.formula.formula}", indent="  ")
    for sentence in describe_mismatches(count_mismatches(raw, made)):
        print_wrapped(sentence, indent="  ")


def _list_recoded(made: Schema) -> dict[str, Any]:
    """Return the columns that are modelled by their distance from another, if there are any."""
    if not made.recodings:
        return {}
    return {
        "recoded": [
            {"name": each.name, "after": each.after, "distance": each.distance}
            for each in made.recodings
        ]
    }


def _print_recoded(made: Schema) -> None:
    """Print which columns are modelled by their distance from another; and while nothing is
    declared, which could be by the rules."""
    from understudy.table.authoring.recoding_edits import list_orders

    if made.recodings:
        echo()
        echo("Modelled by how far they are after another (published with the schema)")
        for recoding in made.recodings:
            print_wrapped(f"{recoding.name} = {recoding.words}", indent="  ")
    orders = () if made.declared else list_orders(made)
    if orders:
        echo()
        print_wrapped("Rules put columns in order. How far they are apart is kept by:")
        for each in orders:
            most = "" if each.most is None else f"+{each.most:f}"
            echo("    --follows " + shlex.quote(f"{each.column}={each.after}{most}"))


def _print_derivable(made: Schema, raw: RawTable) -> None:
    """Print the columns that seem to be derived from others, while nothing is declared."""
    from understudy.table.authoring.derivation_suggestions import (
        describe_suggestion,
        suggest_derivations,
    )

    suggestions = () if made.declared else suggest_derivations(raw, made.of_file)
    if not suggestions:
        return
    echo()
    print_wrapped(
        "Seem to follow from others. A column that is derived costs nothing and never contradicts "
        "them; derive it if that is publicly known, not because it was found here:"
    )
    for each in suggestions:
        print_wrapped(describe_suggestion(each), indent="  ")
        formula = each.derivation.formula
        if len(formula) <= _LONGEST_SHOWN:
            echo("    --derive " + shlex.quote(f"{each.column}={formula}"))


def _print_left_out(made: Schema) -> None:
    """What the schema leaves out, as it is published with it."""
    from understudy.table.omissions import list_reasons

    if not made.omissions:
        return
    echo()
    echo("Left out of what is released (published with the schema)")
    for why, names in list_reasons(made.omissions).items():
        print_wrapped(f"{why}: {_list_names(names)}", indent="  ")
    if not made.declared:
        print_wrapped(_KEEP, indent="  ")


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
            print_wrapped(f"{said}: {_list_names(names)}", indent="  ")
    if raw.reading.kind == "csv":
        echo()
        print_wrapped(f"The file is read as text: {reading_options(raw.reading)}.")
    if raw.reading.leave_out:
        echo()
        print_wrapped(list_row_rules(raw.reading))
    people = describe_kept_people(made, raw)
    if people:
        echo()
        print_wrapped(people)
