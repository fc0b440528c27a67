"""The first schema of a table: suggested columns without identifiers, and a codebook laid over
them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from understudy.core.files import read_small_file
from understudy.core.refusal import Refusal
from understudy.table.authoring.attention import identifiers
from understudy.table.authoring.codebook import Entry, Merged, merge_codebook
from understudy.table.authoring.codebook_file import MOST_BYTES, read_codebook
from understudy.table.authoring.editing import without_columns
from understudy.table.authoring.suggestion import suggest_schema
from understudy.table.people import People
from understudy.table.raw import RawTable
from understudy.table.schema import Schema


@dataclass(frozen=True)
class FirstSchema:
    """A schema suggested from a table. Internal until the custodian declares it public.

    Attributes:
        schema: the suggested columns, not declared.
        notes: per column, sentences on what to look at.
        left_out: the columns that look like identifiers of the records.
    """

    schema: Schema
    notes: Mapping[str, tuple[str, ...]]
    left_out: tuple[str, ...]


def suggest_first_schema(
    raw: RawTable,
    *,
    leave_out: Collection[str] = (),
    keep: Collection[str] = (),
    people: People | None = None,
    codebook: Path | None = None,
) -> FirstSchema:
    """Suggest the schema of a table that no schema describes yet.

    Args:
        raw: the table.
        leave_out: columns to leave out.
        keep: columns to keep although they look like identifiers of the records.
        people: whose the records are.
        codebook: a file with names, labels and values of columns.

    Raises:
        Refusal: the codebook cannot be read, or as of `suggestion.suggest_schema`.
    """
    unused = {*leave_out, *([people.person] if people else ())}
    suggestion = suggest_schema(raw, leave_out=unused)
    alone = identifiers(raw, suggestion.schema, keep)
    schema = without_columns(suggestion.schema, alone).with_people(people)
    notes = {name: tuple(suggestion.notes.get(name, ())) for name in schema.names}
    if codebook is None:
        return FirstSchema(schema, notes, alone)
    merged = merge_codebook(
        schema, _read_entries(codebook), names=raw.names, leave_out=tuple(leave_out)
    )
    left_out = tuple(name for name in alone if name not in merged.schema.names)
    return FirstSchema(merged.schema, _note_codebook(merged, notes), left_out)


def _read_entries(codebook: Path) -> tuple[Entry, ...]:
    try:
        data = read_small_file(codebook, MOST_BYTES)
    except OSError as error:
        raise Refusal(
            f"The codebook {codebook} cannot be read: {error.strerror or 'it failed'}.",
            "Check the path, and that the file may be read.",
            field="codebook",
        ) from None
    return read_codebook(data, codebook.name)


def _note_codebook(
    merged: Merged, notes: Mapping[str, tuple[str, ...]]
) -> dict[str, tuple[str, ...]]:
    """Return per column what the codebook did to it, in place of the notes on what it settles."""
    noted = {name: notes.get(name, ()) for name in merged.schema.names}
    for name, changes in merged.taken.items():
        noted[name] = (f"From the codebook: {', '.join(changes) or 'nothing new'}.",)
    for name, why in merged.unfit.items():
        noted[name] = (*noted.get(name, ()), f"The codebook is not used: {why}")
    for name in merged.unknown:
        noted[name] = ("The codebook names it, and the table does not have it.",)
    return noted
