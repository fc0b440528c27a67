"""Whose the rows of a table are: options of `understudy schema`, and the question where nobody
said."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from understudy.table.people import People
    from understudy.table.raw import RawTable
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


def describe_people(made: Schema, raw: RawTable) -> str:
    """Return what is kept of whom, or a question where a column looks as if it named people; ""
    where there is neither. Internal."""
    from understudy.table.authoring.belonging import likely_people
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
