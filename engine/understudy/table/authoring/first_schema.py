"""The first schema of a table: suggested columns without those that identify, that cannot be
described or that are too many, and a codebook laid over them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from understudy.core.files import read_small_file
from understudy.core.numerals import count, join_first
from understudy.core.refusal import Refusal
from understudy.table.authoring import edits
from understudy.table.authoring.codebook import Entry, Merged, merge_codebook
from understudy.table.authoring.codebook_file import MOST_BYTES, read_codebook
from understudy.table.authoring.identifiers import (
    Identification,
    OccurringTexts,
    identifies_records,
    is_called_weight,
    recognise_identifier,
    unique_values,
)
from understudy.table.authoring.suggestion import (
    DescribedColumn,
    Suggestion,
    draft_column,
    suggest_schema,
    suggest_together,
    without_odd_rows,
)
from understudy.table.column import Column
from understudy.table.omissions import Omission, Why, can_be_named
from understudy.table.people import People
from understudy.table.raw import RawTable
from understudy.table.schema import MOST_COLUMNS, Schema

_FEWEST: Final = 2
_NAMED: Final = 3
"""The most columns whose reasons are given in full where too few can be used."""
_LISTED: Final = 50
_ASKED: Final = "You left it out."
WEIGHT_NOTE: Final = (
    "By its name it may be a survey weight. Say whether it is one: a weight is modelled in few "
    "cells, so that noise leaves its total what it is. One that nobody will use is left out."
)
_WHOSE: Final = "It says whose a record is."

SURPLUS: Final = (
    f"The first {MOST_COLUMNS} columns of the table are used, as many as can be used together. To "
    "use this one, leave out others."
)


def announce_width(columns: int | None) -> str:
    """Return what to say of a table before it is read, if it has more columns than can be used
    together; "" if not, or if that is not known."""
    if columns is None or columns <= MOST_COLUMNS:
        return ""
    return (
        f"The header names {columns:,} columns. At most {MOST_COLUMNS} can be used together: the "
        "first that can be are, and all others are left out until you choose."
    )


@dataclass(frozen=True)
class ColumnLeftOut:
    """A column that a suggestion leaves out.

    Attributes:
        why: the kind of reason, which is published with the schema.
        reason: a sentence for the custodian. Internal.
        column: as it was described, where it was.
    """

    why: Why
    reason: str
    column: Column | None = None


@dataclass(frozen=True)
class FirstSchema:
    """A schema suggested from a table. Internal until the custodian declares it public.

    Attributes:
        schema: the suggested columns, not declared.
        notes: per column, sentences on what to look at.
        left_out: the columns that are left out of the table, and why.
    """

    schema: Schema
    notes: Mapping[str, tuple[str, ...]]
    left_out: Mapping[str, ColumnLeftOut]


def suggest_first_schema(
    raw: RawTable,
    *,
    leave_out: Collection[str] = (),
    only: Collection[str] = (),
    keep: Collection[str] = (),
    keep_empty: Collection[str] = (),
    people: People | None = None,
    codebook: Path | None = None,
) -> FirstSchema:
    """Suggest the schema of a table that no schema describes yet.

    Args:
        raw: the table.
        leave_out: names of columns to leave out, or patterns of names such as `q17_*`.
        only: names or patterns of the columns to use, where not all others are left in.
        keep: names or patterns of columns to keep although they seem to identify somebody.
        keep_empty: names or patterns of columns that are left out, and kept as empty ones.
        people: whose the records are.
        codebook: a file with names, labels and values of columns.

    Raises:
        Refusal: the codebook cannot be read, a pattern fits no column, a column that is to be kept
            cannot be described, or fewer than two can be used.
    """
    empty = choose_names(raw.names, keep_empty, "keep_empty")
    unused = choose_names(raw.names, leave_out, "leave_out") | empty
    if only:
        chosen = choose_names(raw.names, only, "only")
        unused |= {name for name in raw.names if name not in chosen}
    selection = _Selection(raw, unused, choose_names(raw.names, keep, "keep"), people)
    suggestion = selection.suggest()
    schema = suggestion.schema
    if people is not None:
        schema = schema.with_people(people)
    notes = {
        column.name: (
            *suggestion.notes.get(column.name, ()),
            *((WEIGHT_NOTE,) if column.domain.numeric and is_called_weight(column.name) else ()),
        )
        for column in schema.columns
    }
    left_out = selection.left_out
    if codebook is not None:
        closed = [name for name, each in left_out.items() if each.why != "unusable"]
        merged = merge_codebook(schema, _read_entries(codebook), names=raw.names, leave_out=closed)
        schema, notes = merged.schema, _note_codebook(merged, notes)
        left_out = {name: each for name, each in left_out.items() if name not in schema.names}
    omissions = _list_omissions(raw, left_out)
    return FirstSchema(edits.keep_empty(schema.with_omissions(omissions), empty), notes, left_out)


def suggest_column(raw: RawTable, name: str) -> ColumnLeftOut:
    """Return what is found of one column of a table whose other columns are described already: why
    it should stay left out, or how it may be used."""
    selection = _Selection(raw, (), (), None)
    described: dict[str, DescribedColumn] = {}
    alone: dict[str, DescribedColumn] = {}
    selection.take(name, described, alone)
    selection.leave_unique(alone)
    if name in selection.left_out:
        return selection.left_out[name]
    return ColumnLeftOut("choice", "", described[name].column)


def choose_names(names: Sequence[str], patterns: Iterable[str], field: str) -> set[str]:
    """Return the names that some pattern fits; `*` stands for any signs, `?` for any one.

    Args:
        names: to choose from.
        patterns: names, or patterns of names.
        field: of a refusal.

    Raises:
        Refusal: a pattern fits no name.
    """
    chosen: set[str] = set()
    for pattern in patterns:
        fitting = {pattern} & {*names} or {each for each in names if fnmatchcase(each, pattern)}
        if not fitting:
            raise Refusal(
                f"The table has no column “{pattern}”.",
                "Name columns as the first row of the file does, or with * for what differs.",
                field=field,
            )
        chosen |= fitting
    return chosen


def _list_omissions(raw: RawTable, left_out: Mapping[str, ColumnLeftOut]) -> tuple[Omission, ...]:
    """Return what is left out of the file, for its schema; a name that cannot stand there is
    none."""
    return tuple(
        Omission(name=name, place=place, why=left_out[name].why)
        for place, name in enumerate(raw.names)
        if name in left_out and can_be_named(name)
    )


@dataclass
class _Selection:
    """The columns of a table, as far as it is decided which are used and which are left out."""

    raw: RawTable
    unused: Collection[str]
    keep: Collection[str]
    people: People | None
    left_out: dict[str, ColumnLeftOut] = field(default_factory=dict)

    def suggest(self) -> Suggestion:
        """Return the suggested schema, and fill `left_out`."""
        raw = self.raw = without_odd_rows(self.raw)
        if raw.reading.positions is not None:
            self.left_out = {name: self._explain_unused(name) for name in self.unused}
            return suggest_schema(raw, leave_out=self.unused)
        described: dict[str, DescribedColumn] = {}
        alone: dict[str, DescribedColumn] = {}
        for name in raw.names:
            if name in self.unused or (self.people is not None and name == self.people.person):
                self.left_out[name] = self._explain_unused(name)
                continue
            if len(described) == MOST_COLUMNS and self._recognise(name) is None:
                self.left_out[name] = ColumnLeftOut("surplus", SURPLUS)
            else:
                self.take(name, described, alone)
        if len(described) < _FEWEST:
            # Of a table of words that all differ, that alone is no reason to refuse.
            described |= alone
        if len(described) < _FEWEST:
            self.leave_unique(alone)
            raise _refuse_too_few(len(described), self.left_out)
        self.leave_unique({name: each for name, each in alone.items() if name not in described})
        return suggest_together(raw, [described[name] for name in raw.names if name in described])

    def _explain_unused(self, name: str) -> ColumnLeftOut:
        """Return why a column that is not used is left out."""
        if self.people is not None and name == self.people.person:
            return ColumnLeftOut("people", _WHOSE)
        identified = self._recognise(name)
        return ColumnLeftOut("choice" if identified is None else identified.why, _ASKED)

    def _recognise(self, name: str) -> Identification | None:
        if name in self.keep:
            return None
        found = OccurringTexts.of_column(self.raw, name)
        if self.raw.labels.values.get(name, {}).keys() >= {*found.texts}:
            return None
        return recognise_identifier(name, found)

    def take(
        self,
        name: str,
        described: dict[str, DescribedColumn],
        alone: dict[str, DescribedColumn],
    ) -> None:
        """Describe a column and put it among these, those that differ in every record apart; or
        leave it out."""
        identified = self._recognise(name)
        if identified is not None:
            self.left_out[name] = ColumnLeftOut(identified.why, identified.reason)
            return
        try:
            found = draft_column(self.raw, name)
        except Refusal as refusal:
            if name in self.keep:
                raise
            self.left_out[name] = ColumnLeftOut("unusable", refusal.problem)
            return
        texts = OccurringTexts.of_column(self.raw, name, found.column.missing_values)
        unique = name not in self.keep and identifies_records(found.column, texts)
        (alone if unique else described)[name] = found

    def leave_unique(self, alone: Mapping[str, DescribedColumn]) -> None:
        """Leave out columns whose values nearly all differ."""
        found = unique_values()
        for name, each in alone.items():
            self.left_out[name] = ColumnLeftOut(found.why, found.reason, each.column)


def _refuse_too_few(usable: int, left_out: Mapping[str, ColumnLeftOut]) -> Refusal:
    """Return the refusal of a table too few columns of which can be used, which names the others:
    what is wrong with them is what there is to mend, and not how many are left."""
    asked = (_ASKED, _WHOSE)
    others = {name: each for name, each in left_out.items() if each.reason not in asked}
    reasons = [
        each.reason if f"“{name}”" in each.reason else f"Column “{name}”: {each.reason}"
        for name, each in others.items()
    ]
    said = " ".join(reasons[:_NAMED])
    if len(others) > _NAMED:
        rest = [*others][_NAMED:]
        said += f" The same or the like holds of {join_first(rest, _LISTED)}."
    number = f"Only {count(usable, 'column')}" if usable else "No column"
    identifying = [name for name, each in others.items() if each.why != "unusable"]
    return Refusal(
        f"{number} of this table can be used, and {_FEWEST} are needed. {said}".strip(),
        "Keep those that identify nobody, or correct the others in the file."
        if identifying
        else "Correct these columns in the file.",
        field=identifying[0] if identifying else "columns",
    )


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
