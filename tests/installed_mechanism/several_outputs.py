"""A method of another package that releases any number of tables and figures, and draws numbers.

It counts one column as `NoisyHistogram` does, and everything released follows from these counts, so
its guarantee is the same. Tables of the columns of the confidential one draw the numbers of
continuous columns over their whole range; a table of other columns has one record a value.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from tests.installed_mechanism.noisy_histogram import HistogramPlan, NoisyHistogram
from understudy.mechanisms.defaults import ArraysState
from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.outputs import Chunk, Output, ResumePoint, Workers
from understudy.privacy.randomness import RandomSource, Secret
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.continuous import Continuous
from understudy.table.grid import Grid
from understudy.table.records import Records
from understudy.table.schema import Schema

_BATCH = 50
_MOST_COUNTED = 1_000


class SeveralPlan(HistogramPlan, what="the plan"):
    """What is released of one column."""

    kind: ClassVar[str] = "several-outputs"

    tables: int = Field(default=3, ge=0, le=20, description="How many tables are drawn.")
    totals: bool = Field(default=True, description="Whether a table of the counts is released.")
    figures: bool = Field(default=True, description="Whether the counts are released.")


class SeveralOutputs(NoisyHistogram):
    """The method."""

    kind: ClassVar[str] = SeveralPlan.kind
    title: ClassVar[str] = "Several outputs"
    plan: ClassVar[type[SeveralPlan]] = SeveralPlan

    def steps(self, plan: Any) -> int:
        return int(plan.tables * plan.rows + plan.totals + plan.figures)

    def outputs(self, plan: Any, schema: Schema) -> tuple[Output, ...]:
        drawn = [
            Output(f"drawn-{turn + 1}", "table", "Drawn from the counts.", schema, plan.rows, True)
            for turn in range(plan.tables)
        ]
        totals = Output("totals", "table", "The counts, as records.", _counted(plan, schema), 2**16)
        figures = Output("counts", "figures", "The counts.")
        return (*drawn, *[totals] * plan.totals, *[figures] * plan.figures)

    def release(
        self, decided: PlannedRun, records: Records, state: ArraysState, secret: Secret,
        workers: Workers, reached: ResumePoint,
    ) -> Generator[Chunk, None, None]:  # fmt: skip
        plan: Any = decided.plan
        exact = state.each["counts"].astype(np.int64)
        counts, done = np.clip(exact, 0, _MOST_COUNTED), 0
        for number, (name, rows) in enumerate(_parts(plan)):
            done += rows
            if number < reached.at:
                continue
            source = secret.source("attempts", number)
            content: Any
            if name == "counts":
                content = {"column": plan.column, "counts": counts.tolist()}
            elif name == "totals":
                content = np.column_stack([np.arange(len(counts)), counts]).astype(np.uint16)
            else:
                content = _drawn(decided.schema, plan.column, counts, rows, source)
            yield Chunk(name, content, number + 1, done)


def _parts(plan: Any) -> list[tuple[str, int]]:
    """Every chunk: of which output, and how many records."""
    batches = [min(_BATCH, plan.rows - first) for first in range(0, plan.rows, _BATCH)]
    found = [(f"drawn-{turn + 1}", rows) for turn in range(plan.tables) for rows in batches]
    return [*found, *[("totals", 1)] * plan.totals, *[("counts", 1)] * plan.figures]


def _counted(plan: Any, schema: Schema) -> Schema:
    """The columns of the table of counts."""
    column = schema.columns[schema.names.index(plan.column)]
    values = Column(name=column.name, domain=Categories(values=column.texts))
    return Schema(columns=(values, Column(name="n", domain=Grid(minimum=0, maximum=_MOST_COUNTED))))


def _drawn(
    schema: Schema, column: str, counts: np.ndarray, rows: int, source: RandomSource
) -> Records:
    """Records whose numbers are drawn over the whole range."""
    codes = np.column_stack([source.below(int(each), rows) for each in schema.cardinalities])
    up_to, numbers = np.cumsum(counts + (counts.sum() == 0)), []
    drawn = source.below(int(up_to[-1]), rows)
    codes[:, schema.names.index(column)] = np.searchsorted(up_to, drawn, side="right")
    for place in schema.measured_places:
        domain: Any = schema.columns[place].domain
        assert isinstance(domain, Continuous)
        places = source.below(domain.lattice.count, rows).astype(np.int64)
        codes[:, place] = domain.lattice.cells_of(places)
        numbers.append(domain.lattice.numbers(places))
    together = np.column_stack(numbers) if numbers else None
    return Records(schema, codes.astype(np.uint16), together)


MECHANISM = SeveralOutputs()
