"""The declaration that what columns may contain is public knowledge, and what has to be said
before it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from understudy.core.refusal import Refusal
from understudy.table.authoring.column_origins import check_origins, with_origins
from understudy.table.authoring.edits import name_omissions
from understudy.table.authoring.record_owner import likely_people, order_of
from understudy.table.fit import check_present
from understudy.table.people import People, tally
from understudy.table.raw import RawTable
from understudy.table.schema import Schema

SEVERAL_ROWS: Final = "several_rows"
"""The field of a refusal to declare a schema while it is open whether a person has several rows."""


def declare(
    schema: Schema,
    raw: RawTable,
    note: str,
    *,
    origins: Sequence[str] = (),
    single_rows: bool = False,
) -> Schema:
    """Return the schema, declared public.

    Args:
        schema: what the custodian has checked.
        raw: the confidential table that it describes.
        note: where it is known from; published with it.
        origins: where single columns are known from, as `with_origins` reads them.
        single_rows: that nobody has several rows, where a column looks as if it named people.

    Raises:
        Refusal: the note names no source, a column looks as if it named people with several rows
            and nothing is said of that, an origin cannot be read, or of some column nobody has said
            where it is known from.
    """
    check_note(note)
    check_people_settled(schema, raw, single_rows=single_rows)
    said = with_origins(schema, origins)
    check_origins(said)
    return name_left_out(said, raw).declare_public(note)


def name_left_out(schema: Schema, raw: RawTable) -> Schema:
    """Return the schema with every column of a table that it does not use named as left out; those
    of positions are no columns."""
    return schema if raw.reading.positions is not None else name_omissions(schema, raw.names)


def check_note(note: str) -> None:
    """Check that a note names where columns are known from.

    Raises:
        Refusal: it does not; of the field “note”.
    """
    if not any(map(str.isalpha, note)):
        raise Refusal(
            "It is not said where it is public knowledge from.",
            "Name the source in the note, such as a code book, a questionnaire or a law.",
            field="note",
        )


def check_people_settled(schema: Schema, raw: RawTable, *, single_rows: bool) -> None:
    """Check that a schema says whose the rows are, if a column looks as if it named people.

    Args:
        schema: what is about to be declared.
        raw: its table.
        single_rows: that nobody has several rows.

    Raises:
        Refusal: it does not, and nobody said that each person has one row at most; of the field
            `SEVERAL_ROWS`.
    """
    if schema.people is not None or single_rows:
        return
    likely = likely_people(raw)
    if likely is not None:
        raise Refusal(
            f"Values of column “{likely.person}” stand in several rows each, and it is not "
            "said whether one person has several rows.",
            "If so, suggest the schema anew with the column that names the person, the column of "
            "the order, and how many rows of a person are kept: the guarantee is then for a person "
            "with all of their rows. If nobody has several, say so.",
            field=SEVERAL_ROWS,
        )


def check_declared(schema: Schema) -> None:
    """Check that a schema was declared public as it stands.

    Raises:
        Refusal: it was not, or was changed since; of the field “schema”.
    """
    if not schema.declared:
        changed = ", or was changed since" if schema.declaration is not None else ""
        raise Refusal(
            f"The schema has not been declared public{changed}.",
            "Declare it once you have checked it, with where it is known from as the note.",
            field="schema",
        )


def people_in(
    raw: RawTable, person: str | None, order: str | None, most_per_person: int | None
) -> People | None:
    """Return whose the records of a table are; None if nothing is said.

    Args:
        raw: the table.
        person: the column that says whose a record is.
        order: the column that orders a person's records.
        most_per_person: how many records of a person are kept.

    Raises:
        Refusal: only some of the three are given, the table has no such column, or as of
            `people.grouped`.
    """
    check_complete({"person": person, "order": order, "most_per_person": most_per_person})
    if person is None or order is None or most_per_person is None:
        return None
    check_present(raw.names, (person, order))
    people = People(
        person=person,
        order=order,
        **order_of(raw, order)._asdict(),
        records_at_most=most_per_person,
    )
    tally(raw, people)
    return people


def check_complete(given: Mapping[str, object], spelled: Mapping[str, str] | None = None) -> None:
    """Check that whose the rows are is said in full or not at all.

    Args:
        given: what is said, by the parameters of `people_in`; None for what is not.
        spelled: how each of these is spelled where it is said, if not by its name.

    Raises:
        Refusal: a part is missing; of a field that is given.
    """
    there = [name for name, value in given.items() if value is not None]
    lacking = [(spelled or {}).get(name, name) for name in given if name not in there]
    if there and lacking:
        raise Refusal(
            "It is not said in full whose the rows are.",
            f"Add {' and '.join(lacking)}.",
            field=there[0],
        )
