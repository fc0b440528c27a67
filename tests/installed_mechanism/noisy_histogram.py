"""A method of another package: one column's noisy histogram, and records drawn from it.

The other columns of its records are uniform over their public domains. Between tables that differ
by a record that is replaced, two counts differ by one each, so noise of scale 2/ε makes the counts
ε-differentially private; the number of records is public between such tables.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from understudy.core.refusal import Refusal
from understudy.mechanisms.defaults import HELD_OUT, ArraysState, MechanismDefaults, held_out
from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.outputs import Chunk, Output, ResumePoint, Workers, read_of
from understudy.mechanisms.plan import ColumnName, MechanismPlan
from understudy.privacy import wording
from understudy.privacy.accounting.guarantee import Guarantee, Part, Scope
from understudy.privacy.budget import Budget, Neighbours
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import Secret
from understudy.privacy.tape import Tape
from understudy.table.records import Records
from understudy.table.schema import Schema

_BATCH = 50


class HistogramPlan(MechanismPlan, what="the plan"):
    """What is released of one column."""

    kind: ClassVar[str] = "noisy-histogram"

    column: ColumnName = Field(description="The column that is counted.")
    epsilon: float = Field(default=1.0, gt=0, le=100, description="What the counts may cost.")
    rows: int = Field(default=200, ge=1, le=10**6, description="How many records are drawn.")


class NoisyHistogram(MechanismDefaults):
    """The method."""

    kind: ClassVar[str] = HistogramPlan.kind
    title: ClassVar[str] = "Noisy histogram"
    purpose: ClassVar[str] = "The shares of one column, and records drawn from them."
    plan: ClassVar[type[HistogramPlan]] = HistogramPlan

    def guarantee(self, plan: HistogramPlan, schema: Schema) -> Guarantee:
        if plan.column not in schema.names:
            raise Refusal(
                f"“{plan.column}” is no column.", "Name a column of the schema.", field="column"
            )
        cost = Budget(plan.epsilon)
        return Guarantee(
            record=cost,
            scope=Scope(
                protects="Each record: it could say something else.",
                covers="All that is released, and the number of records in the table.",
                reader_sees=("The counts, with their noise.", "The records drawn from them."),
                assumes=("One person contributes one record.",),
                not_covered=("Other releases from the same records.",),
                formulas=({"of": "the counts", "text": f"2 / scale = {plan.epsilon:g}"},),
            ),
            statement=wording.guarantee_sentence(
                cost, 1, Neighbours.REPLACEMENTS, read_of(self.outputs(plan, schema))
            ),
            neighbours=Neighbours.REPLACEMENTS,
            count=plan.rows,
            parts=(Part("counts", cost, {"scale": 2 / plan.epsilon}),),
            particulars={"parts": {"counts": {"epsilon": plan.epsilon, "delta": 0.0}}},
        )

    def steps(self, plan: HistogramPlan) -> int:
        return plan.rows

    def outputs(self, plan: HistogramPlan, schema: Schema) -> tuple[Output, ...]:
        return (
            Output("synthetic", "table", "Records drawn from the counts.", schema, plan.rows),
            Output("histogram", "figures", "The counts."),
        )

    def begin(
        self, decided: PlannedRun, records: Records, secret: Secret, tape: Tape | None
    ) -> ArraysState:
        plan: Any = decided.plan
        apart, place = held_out(len(records), 0.2, secret), decided.schema.names.index(plan.column)
        size = int(decided.schema.cardinalities[place])
        exact = np.bincount(records.codes[~apart, place], minlength=size).astype(np.int64)
        noise = Noise(secret.source("model"), tape)
        return ArraysState({HELD_OUT: apart, "counts": noise.integers(exact, 2 / plan.epsilon)})

    def release(
        self, decided: PlannedRun, records: Records, state: ArraysState, secret: Secret,
        workers: Workers, reached: ResumePoint,
    ) -> Generator[Chunk, None, None]:  # fmt: skip
        plan: Any = decided.plan
        schema, counts = decided.schema, np.maximum(state.each["counts"].astype(np.int64), 0)
        names = schema.columns[schema.names.index(plan.column)].texts
        if reached.at == 0:
            found = dict(zip(names, counts.tolist(), strict=True))
            yield Chunk("histogram", {"column": plan.column, "counts": found}, 1, 0)
        up_to = np.cumsum(counts + (counts.sum() == 0))
        for batch in range(max(reached.at - 1, 0), -(-plan.rows // _BATCH)):
            source, rows = secret.source("attempts", batch), min(_BATCH, plan.rows - batch * _BATCH)
            codes = np.column_stack(
                [source.below(int(each), rows) for each in schema.cardinalities]
            )
            drawn = np.searchsorted(up_to, source.below(int(up_to[-1]), rows), side="right")
            codes[:, schema.names.index(plan.column)] = drawn
            yield Chunk("synthetic", codes.astype(np.uint16), batch + 2, batch * _BATCH + rows)


MECHANISM = NoisyHistogram()
