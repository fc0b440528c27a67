"""What is counted in the open table, kept until it changes: how its values fit, and whose it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from understudy.core.refusal import Refusal
from understudy.table.authoring.attention import Attention, needs_attention
from understudy.table.authoring.derived import Settling, derived_columns, settling_columns
from understudy.table.column import Column
from understudy.table.encoding import Fitting, encode, fitting
from understudy.table.fitting import Outside
from understudy.table.people import People, Tally, kept, tally
from understudy.table.raw import RawTable
from understudy.table.records import Records
from understudy.table.schema import Schema
from understudy_dashboard.loaded_table import LoadedTable
from understudy_dashboard.settings import Settings


@dataclass
class TableDiagnostics(Settings):
    """The settings, and what they come to in the open table. All of it is internal.

    Attributes:
        table: the table that is open. Confidential.
        notes: per column, what the suggestion wants looked at.
    """

    table: LoadedTable | None = None
    notes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def simulated(self) -> bool:
        """Whether the table is the simulated sample, whose size is public."""
        return self.table is not None and self.table.sample

    @property
    def public_people(self) -> int | None:
        """How many people are in the table, if nobody in it exists and people count."""
        people = None if self.schema is None else self.schema.people
        return self.tally(people).people if self.simulated and people is not None else None

    def tally(self, people: People) -> Tally:
        """Return how many records are kept of how many people. Internal.

        Raises:
            Refusal: as of `people.tally`, or no table is open.
        """
        if self.table is None:
            raise Refusal("No table is open.", "Open one on the Data page.", field="table")
        raw = self.table.raw
        found: Tally = self._keep("tally", people, lambda: tally(raw, people))
        return found

    def outside(self) -> Mapping[str, Outside]:
        """Return per column, how many values the schema does not name. Internal.

        Raises:
            Refusal: the table lacks a column of the schema.
        """
        if self.table is None:
            return {}
        return {column.name: self.fitting(column).outside for column in self._schema().columns}

    def attention(self) -> Mapping[str, tuple[Attention, ...]]:
        """Return what each column that was suggested needs looked at for, the most pressing first.
        Internal: from the table."""
        if self.table is None or not self.notes:
            return {}
        raw, schema = self.table.raw, self._schema()
        key = (schema.fingerprint, tuple(each.origin for each in schema.columns))
        # Once for a table, whichever of its columns are left out.
        settling: Settling = self._keep(
            "settling", raw.names, lambda: settling_columns(raw, raw.names)
        )
        derived = derived_columns(settling, schema.names)
        found: Mapping[str, tuple[Attention, ...]] = self.keep(
            "attention", key, lambda: needs_attention(raw, schema, derived)
        )
        return found

    def fitting(self, column: Column) -> Fitting:
        """Return how the records fit a column of the schema. Internal.

        Raises:
            Refusal: no table is open, or it lacks the column.
        """
        if self.table is None:
            raise Refusal("No table is open.", "Open one on the Data page.", field="table")
        raw, people = self.table.raw, self._schema().people
        found: Fitting = self._keep(
            f"column {column.name}",
            (people, *_domain(column)),
            lambda: fitting(raw if people is None else self._of_people(raw, people), column),
        )
        return found

    def _of_people(self, raw: RawTable, people: People) -> RawTable:
        """Return the records that are kept of each person. Confidential.

        Raises:
            Refusal: as of `people.kept`.
        """
        found: RawTable = self._keep("people", people, lambda: kept(raw, people)[0])
        return found

    def records(self) -> Records:
        """Return the table as codes. Confidential.

        Raises:
            Refusal: no table is open, or it holds values outside the schema.
        """
        if self.table is None:
            raise Refusal("No table is open.", "Open one on the Data page.", field="table")
        schema, raw = self._schema(), self.table.raw
        policies = tuple(sorted(self.policies.items()))
        key = (schema.reading, schema.people, _domains(schema), policies)
        records: Records = self._keep("records", key, lambda: encode(raw, schema, self.policies))
        return records if records.schema == schema else records.under(schema)


def _domains(schema: Schema) -> tuple[Any, ...]:
    """Return what codes depend on: the domains, but not the buckets."""
    return tuple((column.name, *_domain(column)) for column in schema.columns)


def _domain(column: Column) -> tuple[Any, ...]:
    return column.domain, column.missing, column.missing_values
