"""What may be typed after `understudy schema`, and what of it goes together."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from understudy.cli.settings import Json
from understudy.cli.table import Hints, Table
from understudy.cli.whose import Whose
from understudy.core.refusal import Refusal


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

    def check(self, hints: Hints, whose: Whose) -> None:
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

    def _check_nothing_new(self, hints: Hints, whose: Whose) -> None:
        """Check that nothing is asked for that only a schema which is made anew can follow."""
        taken = (
            ("keep", self.keep, "no columns are chosen any more", "Add the column to that file"),
            (
                "leave_out",
                self.leave_out,
                "no columns are chosen any more",
                "Take the column out of that file",
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
