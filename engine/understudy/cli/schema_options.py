"""The options of `understudy schema`: what may be typed, and what goes together."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from understudy.cli.options import Json
from understudy.cli.table import Table, TableHints
from understudy.core.refusal import Refusal

if TYPE_CHECKING:
    from understudy.table.people import People
    from understudy.table.raw import RawTable

_OWNER_OPTIONS = {"person": "--person", "order": "--order", "most_per_person": "--most-per-person"}


@dataclass(frozen=True)
class RowOwners:
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
        return [name for name in _OWNER_OPTIONS if getattr(self, name) is not None]

    def check(self) -> None:
        """Check that either none or all of them are given.

        Raises:
            Refusal: some are missing.
        """
        from understudy.table.authoring.declaration import check_complete

        check_complete({name: getattr(self, name) for name in _OWNER_OPTIONS}, _OWNER_OPTIONS)

    def find_people(self, raw: RawTable) -> People | None:
        """Return whose the records of a table are; None if nothing is said.

        Raises:
            Refusal: it has no such column, or as of `people.group_people`.
        """
        from understudy.table.authoring.declaration import people_in

        return people_in(raw, self.person, self.order, self.most_per_person)


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

    def check(self, hints: TableHints, owners: RowOwners) -> None:
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
        if owners.single_rows and not self.declare_public:
            raise Refusal(
                "That nobody has several rows is said with a confirmation.",
                "Add --declare-public and --note, or leave it out.",
                field="single_rows",
            )
        owners.check()
        if there:
            self._check_nothing_new(hints, owners)

    def _check_nothing_new(self, hints: TableHints, owners: RowOwners) -> None:
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
                next(iter(owners.given), ""),
                owners.given,
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
