"""The schema: the public domain of every column, and who declared it public.

Integer codes, models and noise all take their sizes from here and never from the records.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import AwareDatetime, field_validator, model_validator

from understudy.core import clock
from understudy.core.arrays import IntArray
from understudy.core.display import Shown, ShowsItself
from understudy.core.refusal import Refusal
from understudy.core.text_escape import escape_invisible, first_unseen
from understudy.core.validation import Frozen
from understudy.table import schema_checks as checks
from understudy.table import schema_file
from understudy.table.buckets import Buckets, ByCuts, ByGroups, ByWidth, EachValue, Group
from understudy.table.categories import Categories
from understudy.table.checks import MOST_CATEGORIES, MOST_STEPS
from understudy.table.column import Column, summarise_column
from understudy.table.continuous import Continuous
from understudy.table.declared_reading import Kind, Reading, usual
from understudy.table.derivations.derived_column import DerivedColumn, order_derivations
from understudy.table.domain import Domain
from understudy.table.grid import Grid
from understudy.table.joint_totals import JointTotals
from understudy.table.known_totals import (
    BoundTotals,
    KnownTotals,
    check_agreement,
    check_bound_numbers,
)
from understudy.table.missing_codes import MISSING_TOKENS
from understudy.table.omissions import Omission, omit, order_names
from understudy.table.people import People
from understudy.table.recodings.recoded_column import (
    Follows,
    Recoding,
    order_recodings,
    recode_columns,
)
from understudy.table.rules.conditions import Condition, can_be_broken
from understudy.table.rules.conflicts import relate_rules
from understudy.table.rules.named_values import SumParts
from understudy.table.rules.not_applicable import list_open_codes
from understudy.table.rules.relation import Relations
from understudy.table.rules.rule import Rule
from understudy.table.schema_checks import MOST_COLUMNS

__all__ = [
    "MISSING_TOKENS",
    "MOST_CATEGORIES",
    "MOST_COLUMNS",
    "MOST_STEPS",
    "Buckets",
    "ByCuts",
    "ByGroups",
    "ByWidth",
    "Categories",
    "Column",
    "Continuous",
    "Declaration",
    "Domain",
    "EachValue",
    "Grid",
    "Group",
    "People",
    "Schema",
]


class Declaration(Frozen, what="the declaration"):
    """That somebody confirmed the domains, the buckets and the reading to be public knowledge.

    Attributes:
        at: when, in UTC.
        domain: fingerprint of what was confirmed.
        note: where the knowledge comes from, in the custodian's words.
    """

    at: AwareDatetime
    domain: str
    note: str = ""

    @field_validator("at")
    @classmethod
    def _in_utc(cls, at: datetime) -> datetime:
        try:
            return at.astimezone(UTC)
        except OverflowError:
            raise Refusal(
                "The schema was declared public at a moment that has no date in UTC.",
                "Declare it public again.",
                field="at",
            ) from None

    @field_validator("note")
    @classmethod
    def _check_note(cls, note: str) -> str:
        lines = " ".join(note.splitlines())
        place = first_unseen(lines)
        if place is not None:
            raise Refusal(
                "The note to the declaration holds a character that is not seen, "
                f"{escape_invisible(lines[place])}.",
                "Type it anew, without what was pasted.",
                field="note",
            )
        return note


class Schema(ShowsItself, Frozen, what="the schema"):
    """The columns of a table, in the order of their codes.

    Attributes:
        columns: 2 … `MOST_COLUMNS`, their names all different.
        reading: how the file is read that the columns are in; where there is none, as is usual for
            its kind.
        declaration: the custodian's confirmation, where there is one; see `declared`.
        people: whose the records are, where one person has several; None where each record stands
            for itself.
        omissions: the columns of the file that are left out, in the order of the file.
        derived: the columns of the released table that are computed from others, each after those
            that it is computed from. No model sees them.
        rules: what everyone knows of the values of one record, and every released row keeps.
        set_aside: rules that are declared, and not kept: released rows may break them.
        recodings: the columns of the file that are modelled by their distance from another. In
            their place, `columns` has the distances; `of_file` has the columns of the file.
        totals: how many rows of a release are in each cell of a column or of a pair.

    Raises:
        Refusal: too few or too many columns, two of one name, or one that says whose a record is;
            or records are made of positions, and whose they are is not said; or a column cannot be
            derived, or is derived in a circle; or a rule names what is not there, or totals do, or
            totals contradict each other.
    """

    columns: tuple[Column, ...]
    reading: Reading | None = None
    declaration: Declaration | None = None
    people: People | None = None
    omissions: tuple[Omission, ...] = ()
    derived: tuple[DerivedColumn, ...] = ()
    rules: tuple[Rule, ...] = ()
    set_aside: tuple[Rule, ...] = ()
    recodings: tuple[Recoding, ...] = ()
    totals: tuple[KnownTotals, ...] = ()

    @model_validator(mode="after")
    def _usable(self) -> Schema:
        derived, of_positions = [each.name for each in self.derived], self.made_of_positions
        checks.check_column_names(self.names)
        checks.check_owner(self.people, (*self._file_names, *derived))
        if self.recodings:
            ordered = order_recodings(self.recodings, self.names)
            object.__setattr__(self, "recodings", ordered)
            checks.check_recodings(ordered, self.columns, self._file_names)
            _ = self.of_file
        checks.check_omissions(self.omissions, (*self._file_names, *derived))
        checks.check_position_owner(self.people, of_positions=of_positions)
        if self.derived:
            names = (*self.names, *(each.name for each in self.recodings))
            object.__setattr__(self, "derived", order_derivations(self.derived, names))
            _ = self.full
        checks.check_declared_rules(self.declared_rules, derived, of_positions=of_positions)
        for rule in self.set_aside:
            rule.bind(self.columns, self.sums)
        _ = self.conditions
        distances = [each.distance for each in self.recodings]
        checks.check_declared_totals(self.totals, distances, of_positions=of_positions)
        check_agreement(self.bound_totals, self.columns)
        ruled = [name for rule in self.of_file.rules for name in rule.names]
        check_bound_numbers(self.bound_totals, self.columns, ruled)
        return self

    @property
    def made_of_positions(self) -> bool:
        """Whether records are made of positions of people."""
        return self.reading is not None and self.reading.positions is not None

    @property
    def declared_rules(self) -> tuple[Rule, ...]:
        """Every rule that is declared: those that are kept, then those set aside."""
        return (*self.rules, *self.set_aside)

    @cached_property
    def conditions(self) -> tuple[Condition, ...]:
        """What each rule of `kept_rules` asks of a record."""
        return tuple(rule.bind(self.columns, self.sums) for rule in self.kept_rules)

    @cached_property
    def kept_rules(self) -> tuple[Rule, ...]:
        """The rules that records of these columns have to keep. If columns are modelled by their
        distance from others, these are the declared ones that the ranges of the distances leave
        open, and those by which what is put together is a value of its column."""
        if not self.recodings:
            return self.rules
        columns = self._every_column
        own = (
            rule
            for each in self.recodings
            for rule in each.list_model_rules(columns[each.after], columns[each.distance])
        )
        rules = {rule.text: rule for rule in (*own, *self.rules)}
        return tuple(
            rule for rule in rules.values() if can_be_broken(rule.bind(self.columns, self.sums))
        )

    @cached_property
    def sums(self) -> SumParts:
        """The columns of the file that records do not hold, each with its anchor and its
        distance."""
        return {each.name: (each.after, each.distance) for each in self.recodings}

    @property
    def _every_column(self) -> dict[str, Column]:
        """The columns, those of the file that are modelled by distances among them, by name."""
        return {each.name: each for each in (*self.columns, *(it.column for it in self.recodings))}

    @cached_property
    def of_file(self) -> Schema:
        """The same with the columns that the file has, and with what their records have to keep so
        that they can be put together from distances."""
        if not self.recodings:
            return self
        columns, own = self._every_column, {each.distance: each for each in self.recodings}
        rules = {rule.text: rule for rule in self.rules}
        for each in self.recodings:
            asked = each.list_reading_rules(columns[each.after], columns[each.distance])
            rules |= {rule.text: rule for rule in asked if rule.text not in rules}
        return Schema(
            columns=tuple(
                own[each.name].column if each.name in own else each for each in self.columns
            ),
            reading=self.reading,
            people=self.people,
            omissions=self.omissions,
            derived=self.derived,
            rules=tuple(rules.values()),
        )

    @property
    def computed_names(self) -> tuple[str, ...]:
        """The names of the columns that are put together or derived from others."""
        return tuple(each.name for each in self.recodings) + tuple(it.name for it in self.derived)

    @property
    def file_columns(self) -> tuple[Column, ...]:
        """The columns as the file has them."""
        return self.of_file.columns

    @cached_property
    def _file_names(self) -> tuple[str, ...]:
        """The names of the columns as the file has them."""
        names = {each.distance: each.name for each in self.recodings}
        return tuple(names.get(name, name) for name in self.names)

    @cached_property
    def bound_totals(self) -> tuple[BoundTotals, ...]:
        """The known totals, by codes."""
        return tuple(each.bind(self.columns) for each in self.totals)

    @cached_property
    def joint_totals(self) -> JointTotals | None:
        """The known totals together, under the rules; None if there are none.

        Raises:
            Refusal: no table has them and keeps the rules, or as of `relations`.
        """
        if not self.totals:
            return None
        return JointTotals.of(self.bound_totals, self.columns, self.relations)

    def __len__(self) -> int:
        return len(self.columns)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The column names."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def header(self) -> tuple[str, ...]:
        """The names of the columns of a released table, those that are derived or kept empty among
        them, in the order of the file."""
        beside = {each.name for each in self.omissions if each.empty}
        beside |= {each.name for each in self.derived}
        if not beside:
            return self._file_names
        return tuple(name for name in self.order if name in beside or name in self._file_names)

    @property
    def order(self) -> tuple[str, ...]:
        """The names of all columns, those that are derived or left out among them, in the order of
        the file."""
        return order_names(self._file_names, (*self.omissions, *self.derived))

    @cached_property
    def full(self) -> Schema:
        """The schema of a released table: derived columns stand in it as columns of their own, with
        every value that can come out."""
        if self.recodings:
            return self.of_file.with_rules(()).full
        if not self.derived:
            return self
        columns = {each.name: each for each in self.columns}
        for derived in self.derived:
            columns[derived.name] = derived.build_column(columns)
        return Schema(
            columns=tuple(columns[name] for name in self.header if name in columns),
            reading=self.reading,
            people=self.people,
            omissions=self.omissions,
        )

    @cached_property
    def comparison_schema(self) -> Schema:
        """The columns in which tables are compared: those of a released table, and the distances
        by which some are modelled."""
        if not self.recodings:
            return self.full
        columns = {each.name: each for each in (*self.full.columns, *self.columns)}
        return Schema(columns=tuple(columns.values()), reading=self.reading, people=self.people)

    @cached_property
    def released_places(self) -> tuple[int, ...]:
        """Where each column stands in a released table, counted from 0."""
        places = {name: place for place, name in enumerate(self.header)}
        return tuple(places[name] for name in self._file_names)

    @property
    def needed(self) -> tuple[str, ...]:
        """The columns that a confidential table has to have: these, and those that say whose its
        records are."""
        more = () if self.people is None else self.people.columns
        return tuple(dict.fromkeys((*self._file_names, *more)))

    @cached_property
    def cardinalities(self) -> IntArray:
        """Codes per column, shape (columns,), read-only."""
        sizes = np.array([column.cardinality for column in self.columns], dtype=np.int64)
        sizes.flags.writeable = False
        return sizes

    @cached_property
    def relations(self) -> Relations:
        """Which combinations of codes are possible.

        Raises:
            Refusal: a rule binds too many of them, or rules leave nothing.
        """
        return relate_rules(self, self.kept_rules)

    @cached_property
    def measured_places(self) -> tuple[int, ...]:
        """The places of the measured columns, rising."""
        return tuple(place for place, each in enumerate(self.columns) if each.measured)

    @property
    def weights(self) -> tuple[str, ...]:
        """The names of the columns of numbers that are survey weights and used."""
        return tuple(
            each.name for each in self.columns if each.role == "weight" and each.domain.numeric
        )

    @property
    def configurations(self) -> int:
        """How many different records are possible."""
        return math.prod(column.cardinality for column in self.columns)

    def refine(self, fine: Sequence[bool]) -> Schema:
        """Return the same columns, with every value of those marked in a bucket of its own."""
        columns = tuple(
            column.with_buckets(EachValue())
            if each and column.bucket_count < column.cardinality
            else column
            for column, each in zip(self.columns, fine, strict=True)
        )
        # Totals may be by buckets.
        refined = self.with_totals(()).with_columns(columns)
        if "relations" in self.__dict__:
            # Buckets have no say in what rules leave, which may have taken long to find out.
            refined.__dict__["relations"] = self.relations
        return refined

    def with_columns(self, columns: Sequence[Column]) -> Schema:
        """Return the schema with these columns instead; none of them is left out or derived any
        more. Rules and totals are kept if all of their columns are.

        A declaration is kept, but counts only while the fingerprint is what was declared.

        Raises:
            Refusal: as on construction.
        """
        used = {column.name for column in columns}
        omissions = tuple(each for each in self.omissions if each.name not in used)
        derived = tuple(each for each in self.derived if each.name not in used)
        recodings = tuple(each for each in self.recodings if each.distance in used)
        known = used.union(each.name for each in recodings)
        rules, aside = (
            tuple(rule for rule in some if known.issuperset(rule.names))
            for some in (self.rules, self.set_aside)
        )
        totals = tuple(each for each in self.totals if used.issuperset(each.columns))
        return self._change(
            columns=tuple(columns),
            omissions=omissions,
            derived=derived,
            rules=rules,
            set_aside=aside,
            recodings=recodings,
            totals=totals,
        )

    def with_reading(self, reading: Reading | None) -> Schema:
        """Return the schema with its file read in another way; a declaration as of
        `with_columns`."""
        return self._change(reading=reading)

    def with_people(self, people: People | None) -> Schema:
        """Return the schema with records that belong to these people; a declaration as of
        `with_columns`.

        Raises:
            Refusal: as on construction.
        """
        return self._change(people=people)

    def with_omissions(self, omissions: Sequence[Omission]) -> Schema:
        """Return the schema with these columns of the file left out; a declaration as of
        `with_columns`.

        Raises:
            Refusal: as on construction.
        """
        return self._change(omissions=tuple(omissions))

    def with_derived(self, derived: Sequence[DerivedColumn]) -> Schema:
        """Return the schema with these columns derived; none of them is in the model or left out
        any more, and rules and totals about them go with them. A declaration as of
        `with_columns`.

        Raises:
            Refusal: as on construction.
        """
        names = {each.name for each in derived}
        return self._change(
            columns=tuple(each for each in self.columns if each.name not in names),
            omissions=tuple(each for each in self.omissions if each.name not in names),
            rules=tuple(rule for rule in self.rules if names.isdisjoint(rule.names)),
            set_aside=tuple(rule for rule in self.set_aside if names.isdisjoint(rule.names)),
            totals=tuple(each for each in self.totals if names.isdisjoint(each.columns)),
            derived=tuple(derived),
        )

    def with_rules(self, rules: Sequence[Rule]) -> Schema:
        """Return the schema with these rules instead; those set aside that are among them are kept
        again, and the others stay set aside. A declaration as of `with_columns`.

        Raises:
            Refusal: as on construction.
        """
        texts = {rule.text for rule in rules}
        aside = tuple(rule for rule in self.set_aside if rule.text not in texts)
        return self._change(rules=tuple(rules), set_aside=aside)

    def set_rules_aside(self) -> Schema:
        """Return the schema with every rule set aside: declared, and not kept by what is released.
        What was declared public stays so, as nothing more is claimed."""
        return self._move_rules(rules=(), set_aside=self.declared_rules)

    def keep_rules(self) -> Schema:
        """Return the schema with every rule kept that was set aside. What was declared public stays
        so, as these rules were declared with it.

        Raises:
            Refusal: the rules leave nothing.
        """
        return self._move_rules(rules=self.declared_rules, set_aside=())

    def _move_rules(self, **settings: Any) -> Schema:
        moved = self._change(**settings)
        if not self.declared or self.declaration is None:
            return moved
        return moved.declare_public(self.declaration.note, self.declaration.at)

    def with_totals(self, totals: Sequence[KnownTotals]) -> Schema:
        """Return the schema with these known totals instead; a declaration as of `with_columns`.

        Raises:
            Refusal: as on construction.
        """
        return self._change(totals=tuple(totals))

    def with_recodings(self, recodings: Sequence[Recoding], columns: Sequence[Column]) -> Schema:
        """Return the schema with these columns modelled by their distance from others; a
        declaration as of `with_columns`.

        Args:
            recodings: all of them.
            columns: that the model has, distances among them.

        Raises:
            Refusal: as on construction.
        """
        return self._change(columns=tuple(columns), recodings=tuple(recodings))

    def _change(self, **settings: Any) -> Schema:
        kept = {name: getattr(self, name) for name in type(self).model_fields}
        return Schema(**{**kept, **settings})

    def reading_of(self, kind: Kind) -> Reading:
        """Return how a file of a kind is read: as declared for that kind, or as is usual for it."""
        return usual(kind) if self.reading is None else self.reading.of_kind(kind)

    @property
    def fine(self) -> tuple[bool, ...]:
        """Of each column, whether every value is in a bucket of its own."""
        return tuple(column.bucket_count == column.cardinality for column in self.columns)

    def index(self, name: str) -> int:
        """Return the place of a column, counted from 0.

        Raises:
            Refusal: there is no column of that name.
        """
        if name not in self.names:
            raise Refusal(
                f"The schema has no column “{name}”.",
                "Choose one of: " + ", ".join(self.names) + ".",
                field=name,
            )
        return self.names.index(name)

    def column(self, name: str) -> Column:
        """Return a column by name.

        Raises:
            Refusal: there is no column of that name.
        """
        return self.columns[self.index(name)]

    def replace(self, column: Column) -> Schema:
        """Return the schema with the column of the same name exchanged; a declaration as of
        `with_columns`.

        Raises:
            Refusal: there is no column of that name.
        """
        place = self.index(column.name)
        return self.with_columns((*self.columns[:place], column, *self.columns[place + 1 :]))

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256, in hex, of the domains with their units, of the buckets and the levels above
        them, of what survey weights add up to, of the reading where it is not the usual one, of
        whose the records are where that is said, of the columns that are derived or kept empty, of
        the rules and which are set aside, and of known totals; titles, labels and notes do not
        count."""
        parts: list[Any] = [column.substance() for column in self.columns]
        if self.reading is not None and not self.reading.is_usual:
            parts.append({"reading": self.reading.substance()})
        if self.people is not None:
            parts.append({"people": self.people.as_dict()})
        if self.derived:
            parts.append({"derived": [each.substance() for each in self.derived]})
        if self.header != self.names:
            parts.append({"header": list(self.header)})
        if self.recodings:
            parts.append({"recoded": [each.substance() for each in self.recodings]})
        if self.rules:
            parts.append({"rules": [rule.substance() for rule in self.rules]})
        if self.set_aside:
            parts.append({"set_aside": [rule.substance() for rule in self.set_aside]})
        if self.totals:
            parts.append({"totals": [each.substance() for each in self.totals]})
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()

    @property
    def declared(self) -> bool:
        """Whether these very domains, buckets and reading were confirmed to be public."""
        return self.declaration is not None and self.declaration.domain == self.fingerprint

    def declare_public(self, note: str = "", at: datetime | None = None) -> Schema:
        """Record the custodian's confirmation that domains, buckets and the way the file is read
        are public knowledge.

        Args:
            note: where the knowledge comes from.
            at: when, with its time zone; now if left out.

        Raises:
            Refusal: it is still to be said how the texts of a column are read, or exactly when one
                is not applicable, the rules leave nothing, or no table keeps them and has the
                known totals.
        """
        _ = self.relations, self.joint_totals
        for code in list_open_codes(self):
            raise code.refuse()
        for column in self.of_file.columns:
            if column.domain.question:
                raise Refusal(
                    f"Column “{column.name}”: {column.domain.question}",
                    "Choose one of: " + "; ".join(column.domain.choices) + ".",
                    field=column.name,
                )
        now = at or clock.now()
        declaration = Declaration(at=now, domain=self.fingerprint, note=note)
        return self._change(declaration=declaration)

    def describe_itself(self) -> Shown:
        """Return what it shows of itself; while it is not declared, it may have been suggested
        from confidential records, and what columns may contain is not shown."""
        if not self.declared:
            rows = [summarise_column(column)[:2] for column in self.full.columns]
            said = f"A schema of {len(self.full)} columns, not declared public"
            return Shown(said, head=("Column", "Kind"), rows=rows)
        assert self.declaration is not None
        note = f": {self.declaration.note}" if self.declaration.note else ""
        return Shown(
            f"A schema of {len(self.full)} columns, declared public on "
            f"{self.declaration.at:%Y-%m-%d}{note}",
            head=("Column", "Kind", "May contain", "Buckets"),
            rows=[summarise_column(column) for column in self.full.columns],
            remarks=[
                *(f"{each.name}: {each.sentence}" for each in self.recodings),
                *(f"{each.name}: {each.sentence}" for each in self.derived),
                *(each.sentence for each in self.totals),
            ],
        )

    def to_json(self) -> str:
        """Return the schema as a Frictionless Table Schema."""
        declared = None
        if self.declaration is not None:
            declared = self.declaration.model_dump(mode="json")
        people = None if self.people is None else self.people.as_dict()
        return schema_file.compose_schema(
            self.of_file.columns,
            self.reading,
            declared,
            people,
            self.omissions,
            derived=self.derived,
            rules=self.rules,
            set_aside=self.set_aside,
            recoded=[
                Follows(each.name, each.after, self.column(each.distance))
                for each in self.recodings
            ],
            totals=self.totals,
        )

    @classmethod
    def from_json(cls, text: str) -> Schema:
        """Read a Table Schema, one of ours or any other that says enough. Of one that describes
        more columns than can be used together, the first are used and the others left out.

        Raises:
            Refusal: it is not one, or leaves open what a column may contain.
        """
        found = schema_file.parse_schema(text)
        surplus = [column.name for column in found.columns[MOST_COLUMNS:]]
        names = [column.name for column in found.columns]
        columns, recodings = recode_columns(found.columns[:MOST_COLUMNS], found.recoded)
        return cls(
            columns=columns,
            recodings=recodings,
            reading=found.reading,
            declaration=None if found.declared is None else Declaration.read(found.declared),
            people=None if found.people is None else People.read(found.people),
            omissions=omit(found.omissions, names, surplus, "surplus")
            if surplus
            else found.omissions,
            derived=found.derived,
            rules=found.rules,
            set_aside=found.set_aside,
            totals=found.totals,
        )

    def save(self, path: Path) -> None:
        """Write the schema file; a file already there stays whole until it is replaced.

        Raises:
            Refusal: the place cannot be written to.
        """
        schema_file.save(self.to_json(), path)

    @classmethod
    def load(cls, path: Path) -> Schema:
        """Read a schema file.

        Raises:
            Refusal: it cannot be read, or as `from_json`.
        """
        return cls.from_json(schema_file.load(path))
