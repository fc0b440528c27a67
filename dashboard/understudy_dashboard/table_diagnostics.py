"""What is counted in the open table, kept until it changes: how its values fit, and whose it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from understudy.core.refusal import Refusal
from understudy.table.authoring.attention import Attention, needs_attention
from understudy.table.authoring.derivation_edits import count_mismatches
from understudy.table.authoring.derivation_suggestions import (
    DerivationSuggestion,
    suggest_derivations,
)
from understudy.table.authoring.rule_suggestions import RuleSuggestion, suggest_rules
from understudy.table.authoring.settled_columns import Settling, derived_columns, settling_columns
from understudy.table.column import Column
from understudy.table.derivations.derived_column import DerivationMismatch
from understudy.table.domain import Domain
from understudy.table.encoding import (
    Fitting,
    count_distances,
    encode,
    encode_unrepaired,
    fitting,
)
from understudy.table.fit import Outside, Policy
from understudy.table.people import People, Tally, keep_records, tally
from understudy.table.raw import RawTable
from understudy.table.records import Records
from understudy.table.rules.rule import Rule
from understudy.table.rules.rule_check import RuleCheck, check_rule
from understudy.table.schema import Schema
from understudy_dashboard.loaded_table import LoadedTable


@dataclass
class ResultCache:
    """Results made for one page, made again only if what they depend on changes."""

    _results: dict[str, tuple[Any, Any]] = field(default_factory=dict)

    def keep(self, name: str, key: Any, make: Callable[[], Any]) -> Any:
        """Return the result of a name, made now unless it was made for the same key."""
        result = self._results.get(name)
        if result is None or result[0] != key:
            result = self._results[name] = (key, make())
        return result[1]

    def replace(self, name: str, key: Any, result: Any) -> None:
        """Put another result in the place of the one of a name."""
        self._results[name] = (key, result)

    def clear(self) -> None:
        """Forget every result."""
        self._results.clear()


@dataclass
class TableDiagnostics:
    """The open table, and what is counted in it. All of it is internal.

    Attributes:
        cache: keeps what is counted.
        table: the table that is open. Confidential.
        notes: per column, what the suggestion wants looked at.
        suggested: per column that was suggested from the table, what it may contain by that.
    """

    cache: ResultCache
    table: LoadedTable | None = None
    notes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    suggested: Mapping[str, Domain] = field(default_factory=dict)

    @property
    def simulated(self) -> bool:
        """Whether the table is the simulated sample, whose size is public."""
        return self.table is not None and self.table.sample

    def is_read_off(self, column: Column) -> bool:
        """Return whether what a column may contain is still what was read off the table, as far as
        this page knows."""
        return not column.origin and self.suggested.get(column.name) == column.domain

    def tally(self, people: People) -> Tally:
        """Return how many records are kept of how many people. Internal.

        Raises:
            Refusal: as of `people.tally`, or no table is open.
        """
        if self.table is None:
            raise Refusal("No table is open.", "Open one on the Data page.", field="table")
        raw = self.table.raw
        found: Tally = self.cache.keep("tally", people, lambda: tally(raw, people))
        return found

    def outside(self, schema: Schema) -> Mapping[str, Outside]:
        """Return per column, how many values the schema does not name. Internal.

        Raises:
            Refusal: the table lacks a column of the schema.
        """
        if self.table is None:
            return {}
        return {column.name: self.fitting(column, schema).outside for column in schema.file_columns}

    def attention(self, schema: Schema) -> Mapping[str, tuple[Attention, ...]]:
        """Return what each column that was suggested needs looked at for, the most pressing first.
        Internal: from the table."""
        if self.table is None or not self.notes:
            return {}
        raw = self.table.raw
        key = (schema.fingerprint, tuple(each.origin for each in schema.columns))
        names = schema.of_file.names
        derived = derived_columns(self._settling(raw, names), names)
        found: Mapping[str, tuple[Attention, ...]] = self.cache.keep(
            "attention", key, lambda: needs_attention(raw, schema.of_file, derived)
        )
        return found

    def derivation_suggestions(self, schema: Schema) -> tuple[DerivationSuggestion, ...]:
        """Return the columns that seem to be derived from others. Internal: from the table."""
        if self.table is None:
            return ()
        raw = self.table.raw
        found: tuple[DerivationSuggestion, ...] = self.cache.keep(
            "derivation suggestions",
            schema.fingerprint,
            lambda: suggest_derivations(raw, schema.of_file),
        )
        return found

    def derivation_mismatches(self, schema: Schema) -> tuple[DerivationMismatch, ...]:
        """Return how many records differ from what is derived, by column. Internal.

        Raises:
            Refusal: the table lacks a column of the schema.
        """
        if self.table is None:
            return ()
        raw = self.table.raw
        found: tuple[DerivationMismatch, ...] = self.cache.keep(
            "derivation mismatches", schema.fingerprint, lambda: count_mismatches(raw, schema)
        )
        return found

    def _settling(self, raw: RawTable, names: Sequence[str]) -> Settling:
        """Return what settles what, of these columns at least; found once for a table, whichever of
        them are left out afterwards."""
        known: frozenset[str] = self.cache.keep(
            "settled names", raw.names, lambda: frozenset(names)
        )
        if not known >= {*names}:
            known = known | {*names}
            self.cache.replace("settled names", raw.names, known)
        every = [name for name in raw.names if name in known]
        found: Settling = self.cache.keep("settling", every, lambda: settling_columns(raw, every))
        return found

    def fitting(self, column: Column, schema: Schema) -> Fitting:
        """Return how the records fit a column of a schema. Internal.

        Args:
            column: of the schema, or of its file.
            schema: whose columns.

        Raises:
            Refusal: no table is open, or it lacks the column.
        """
        if self.table is None:
            raise Refusal("No table is open.", "Open one on the Data page.", field="table")
        raw, people = self.table.raw, schema.people
        if column.name in {each.distance for each in schema.recodings}:
            distances: Fitting = self.cache.keep(
                f"column {column.name}",
                (people, schema.recodings, _domains(schema)),
                lambda: count_distances(raw, schema, column),
            )
            return distances
        found: Fitting = self.cache.keep(
            f"column {column.name}",
            (people, *_domain(column)),
            lambda: fitting(raw if people is None else self._of_people(raw, people), column),
        )
        return found

    def _of_people(self, raw: RawTable, people: People) -> RawTable:
        """Return the records that are kept of each person. Confidential.

        Raises:
            Refusal: as of `people.keep_records`.
        """
        found: RawTable = self.cache.keep("people", people, lambda: keep_records(raw, people)[0])
        return found

    def records(self, schema: Schema, policies: Mapping[str, Policy]) -> Records:
        """Return the table as codes. Confidential.

        Raises:
            Refusal: no table is open, or it holds values outside the schema.
        """
        if self.table is None:
            raise Refusal("No table is open.", "Open one on the Data page.", field="table")
        raw = self.table.raw
        settled = tuple(sorted(policies.items()))
        changes = (schema.rules, schema.recodings)
        key = (schema.reading, schema.people, _domains(schema), settled, changes)
        records: Records = self.cache.keep("records", key, lambda: encode(raw, schema, policies))
        return records if records.schema == schema else records.under(schema)

    def unrepaired_records(self, schema: Schema, policies: Mapping[str, Policy]) -> Records:
        """Return the table as codes, with the records that break rules as they are. Confidential.

        Raises:
            Refusal: as of `records`.
        """
        if self.table is None:
            raise Refusal("No table is open.", "Open one on the Data page.", field="table")
        raw, plain = self.table.raw, schema.of_file.with_rules(())
        key = (plain.reading, plain.people, _domains(plain), tuple(sorted(policies.items())))
        records: Records = self.cache.keep(
            "unrepaired", key, lambda: encode_unrepaired(raw, plain, policies)
        )
        return records

    def check_rule(self, schema: Schema, policies: Mapping[str, Policy], rule: Rule) -> RuleCheck:
        """Return how the open table keeps a rule. Internal.

        Raises:
            Refusal: as of `records`.
        """
        records = self.unrepaired_records(schema, policies)
        found: RuleCheck = self.cache.keep(
            f"rule {rule.text}", records, lambda: check_rule(records, rule)
        )
        return found

    def rule_suggestions(
        self, schema: Schema, policies: Mapping[str, Policy]
    ) -> tuple[RuleSuggestion, ...]:
        """Return the rules that the open table looks as if it kept, and that are not there.
        Internal.

        Raises:
            Refusal: as of `records`.
        """
        records = self.unrepaired_records(schema, policies)
        found: tuple[RuleSuggestion, ...] = self.cache.keep(
            "rule suggestions", records, lambda: suggest_rules(records)
        )
        known = {rule.text for rule in schema.declared_rules}
        return tuple(each for each in found if each.text not in known)


def _domains(schema: Schema) -> tuple[Any, ...]:
    """Return what codes depend on: the domains, but not the buckets."""
    return tuple((column.name, *_domain(column)) for column in schema.columns)


def _domain(column: Column) -> tuple[Any, ...]:
    return column.domain, column.missing, column.missing_codes
