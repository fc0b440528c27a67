"""What a run releases, as tables of records or as figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from understudy.mechanisms.imputation.inference import intervals
from understudy.mechanisms.imputation.parts import Histogram, Mean, Part, parts
from understudy.mechanisms.imputation.plan import ImputationPlan
from understudy.mechanisms.outputs import Codes, Output
from understudy.mechanisms.statement import TABLE
from understudy.table.domain import range_of
from understudy.table.records import Records
from understudy.table.schema import Schema

PARAMETERS: Final = "parameters"
ROWS: Final = "rows"
INFERENCE: Final = "inference"

Whole = npt.NDArray[np.int64]


def table_names(plan: ImputationPlan) -> tuple[str, ...]:
    """Return the names of the tables."""
    return (TABLE, *(f"{TABLE}-{number}" for number in range(2, plan.copies + 1)))


@dataclass(frozen=True)
class Released:
    """The outputs of a plan.

    Attributes:
        plan: what was decided.
        whole: the schema of the confidential table.
        parts: of the plan.
    """

    plan: ImputationPlan
    whole: Schema
    parts: tuple[Part, ...]

    @classmethod
    def of(cls, plan: ImputationPlan, schema: Schema) -> Released:
        """Return the outputs of a plan.

        Raises:
            Refusal: the plan does not fit the schema.
        """
        return cls(plan, schema, parts(plan, schema))

    @cached_property
    def columns(self) -> list[int]:
        """The places of the released columns in the schema, rising."""
        names = self.plan.columns or self.whole.names
        return [place for place, name in enumerate(self.whole.names) if name in names]

    @cached_property
    def schema(self) -> Schema | None:
        """Of the tables; None where one column is released, which makes no table."""
        if len(self.columns) < 2:
            return None
        if len(self.columns) == len(self.whole):
            return self.whole
        return self.whole.with_columns([self.whole.columns[place] for place in self.columns])

    def outputs(self) -> tuple[Output, ...]:
        """Return each of them."""
        if not self.plan.copies:
            return (Output(PARAMETERS, "figures", "Shares and means."),)
        inference = Output(INFERENCE, "figures", "What the rows say of people in general.")
        if self.schema is None:
            return (Output(ROWS, "figures", "The rows, of one column."), inference)
        tables = (
            Output(
                name,
                "table",
                "Rows drawn from the model.",
                self.schema,
                self.plan.rows,
                own_numbers=True,
            )
            for name in table_names(self.plan)
        )
        return (*tables, inference)

    def content(self, places: Whole) -> Codes | Records:
        """Rows as a table takes them."""
        assert self.schema is not None
        codes, numbers = places.copy(), []
        for column in self.schema.continuous:
            domain = range_of(self.schema.columns[column].domain)
            codes[:, column] = domain.lattice.cells_of(places[:, column])
            numbers.append(domain.lattice.numbers(places[:, column]))
        if not numbers:
            return codes.astype(np.uint16)
        return Records(self.schema, codes.astype(np.uint16), np.column_stack(numbers))

    def texts(self, tables: Sequence[Whole]) -> dict[str, Any]:
        """Return the rows of the only column."""
        column = self.whole.columns[self.columns[0]]
        if column.continuous:
            lattice = range_of(column.domain).lattice
            said = [lattice.texts(table[:, 0].tolist()) for table in tables]
        else:
            texts = column.texts
            said = [[texts[each] for each in table[:, 0].tolist()] for table in tables]
        return {"column": column.name, "tables": said}

    def inference(self, tables: Sequence[Whole]) -> dict[str, Any]:
        """Intervals for the shares and means of the population, from the released rows alone."""
        together = np.concatenate(tables)
        where = {place: number for number, place in enumerate(self.columns)}
        found = []
        for part in self.parts:
            if isinstance(part, Mean):
                found.append(intervals.of_mean(self.plan, part, together[:, where[part.column]],
                                               self.whole.names[part.column]))  # fmt: skip
            elif not part.given:
                found.append(
                    self._shares(part, together[:, [where[each] for each in part.columns]])
                )
        return {"confidence": intervals.CONFIDENCE, "note": intervals.NOTE, "of": found}

    def _shares(self, part: Histogram, rows: Whole) -> dict[str, Any]:
        cells = np.zeros(len(rows), dtype=np.int64)
        for digit, size in zip(rows.T, part.sizes, strict=True):
            cells = cells * size + digit
        counted = np.bincount(cells, minlength=part.count)
        columns = [self.whole.columns[place] for place in part.columns]
        return intervals.of_shares(self.plan, part, counted, columns)
