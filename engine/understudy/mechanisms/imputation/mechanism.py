"""The imputation method: parameters, rows and imputed tables drawn from a posterior."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator, Mapping
from typing import Any, ClassVar, Final

import numpy as np

from understudy.core.arrays import AnyArray, BoolArray
from understudy.core.refusal import Refusal
from understudy.mechanisms.defaults import HELD_OUT, ArraysState, MechanismDefaults
from understudy.mechanisms.imputation.draws import Sampler, value_places
from understudy.mechanisms.imputation.guarantee import guarantee
from understudy.mechanisms.imputation.outputs import (
    INFERENCE,
    PARAMETERS,
    ROWS,
    ReleasedOutputs,
    table_names,
)
from understudy.mechanisms.imputation.parts import parts
from understudy.mechanisms.imputation.plan import ImputationPlan
from understudy.mechanisms.mechanism import PlannedRun, in_memory
from understudy.mechanisms.outputs import Chunk, Output, ResumePoint, Workers
from understudy.privacy.accounting.guarantee import Guarantee
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import Secret
from understudy.privacy.tape import Tape
from understudy.table.records import Records
from understudy.table.schema import Schema
from understudy.table.sources.streamed_table import StreamedTable

_BATCH: Final = 10_000
_FIGURES: Final = "figures"
_PLACES: Final = "table."


class Imputation(MechanismDefaults[ImputationPlan]):
    """Parameters, rows and imputations drawn from a Bayesian model (Zheng 2015)."""

    title: ClassVar[str] = "Bayesian imputation"
    purpose: ClassVar[str] = (
        "Shares and means drawn from their posterior, or rows and imputed tables drawn from those: "
        "for a few columns, where the prior alone makes the release private and intervals that "
        "cover can be stated."
    )
    accepted_columns: ClassVar[str] = (
        "Columns of categories with few values, alone or a few together, and columns of numbers "
        "with public bounds and a publicly known deviation. The number of records is public."
    )
    plan = ImputationPlan
    memory_reason: ClassVar[str] = "This method counts all records at once"

    def default_plan(self, schema: Schema) -> ImputationPlan:
        """Return the columns whose values are few enough to count."""
        few = [each.name for each in schema.columns if not each.measured]
        few = [name for name in few if 2 <= schema.column(name).cardinality <= _FEW]
        if not few:
            raise Refusal(
                f"No column has 2 to {_FEW} values, and no deviation is declared for any.",
                "Name columns of numbers with their publicly known σ, as “deviations”.",
                field="deviations",
            )
        return ImputationPlan(domain=schema.fingerprint, columns=tuple(few))

    def guarantee(self, plan: ImputationPlan, schema: Schema) -> Guarantee:
        return guarantee(plan, schema)

    def check_public(self, decided: PlannedRun[ImputationPlan]) -> None:
        """Check that the number of records was confirmed."""
        plan = decided.plan
        if plan.public_records != plan.records:
            raise Refusal(
                f"The plan counts on {plan.records:,} records, and nobody has confirmed that this "
                "very number is public knowledge.",
                "Confirm the number, or choose a method that hides it.",
                field="public_records",
            )

    def check_records(self, decided: PlannedRun[ImputationPlan], records: int) -> None:
        """Check that there are as many as the plan says."""
        if records != decided.plan.records:
            raise Refusal(
                "The table has another number of records than the plan says.",
                "State the number that is publicly known, or choose a method that hides it.",
                field="records",
            )

    def steps(self, plan: ImputationPlan) -> int:
        """Return rows; one for parameters."""
        return max(1, plan.rows * plan.copies)

    def outputs(self, plan: ImputationPlan, schema: Schema) -> tuple[Output, ...]:
        return ReleasedOutputs.of(plan, schema).outputs()

    def begin(
        self,
        decided: PlannedRun[ImputationPlan],
        records: Records | StreamedTable,
        secret: Secret,
        tape: Tape | None,
    ) -> ArraysState:
        """Draw all that will be released."""
        plan = decided.plan
        held = in_memory(records, self.memory_reason)
        apart = _left_out(len(held), plan.used_records, secret)
        places = value_places(held.take(np.flatnonzero(~apart)))
        source = secret.source("model")
        sampler = Sampler(plan, parts(plan, decided.schema), source, Noise(source.child(), tape))
        found: dict[str, AnyArray] = {HELD_OUT: apart}
        if plan.copies:
            shown = ReleasedOutputs.of(plan, decided.schema).columns
            for number, table in enumerate(sampler.tables(places)):
                found[f"{_PLACES}{number}"] = table[:, shown]
        else:
            said = {PARAMETERS: sampler.parameters(places, decided.schema)}
            found[_FIGURES] = np.frombuffer(json.dumps(said).encode(), dtype=np.uint8)
        return ArraysState(found)

    def release(
        self,
        decided: PlannedRun[ImputationPlan],
        records: Records | StreamedTable,
        state: ArraysState,
        secret: Secret,
        workers: Workers,
        reached: ResumePoint,
    ) -> Generator[Chunk, None, None]:
        """Write down what was drawn."""
        plan = decided.plan
        chunks = _chunks(ReleasedOutputs.of(plan, decided.schema), state.each, self.steps(plan))
        for number, (output, content, done) in enumerate(chunks, 1):
            if number > reached.at:
                yield Chunk(output, content, number, done)


def _chunks(
    released: ReleasedOutputs, drawn: Mapping[str, AnyArray], steps: int
) -> Iterator[tuple[str, Any, int]]:
    """Yield each part of an output, with how much is done by then."""
    if not released.plan.copies:
        yield PARAMETERS, json.loads(drawn[_FIGURES].tobytes()), steps
        return
    tables = [drawn[f"{_PLACES}{each}"].astype(np.int64) for each in range(released.plan.copies)]
    done = 0
    if released.schema is None:
        yield ROWS, released.texts(tables), steps
    else:
        for name, table in zip(table_names(released.plan), tables, strict=True):
            for first in range(0, len(table), _BATCH):
                part = table[first : first + _BATCH]
                done += len(part)
                yield name, released.content(part), done
    yield INFERENCE, released.inference(tables), steps


def _left_out(records: int, kept: int, secret: Secret) -> BoolArray:
    """Return (n,) which records are not used: every set of so many is as likely as any other."""
    apart = np.zeros(records, dtype=bool)
    if kept < records:
        source = secret.source("split")
        keys = source.words(records)
        while len(np.unique(keys)) < records:
            keys = source.words(records)
        apart[np.argsort(keys)[kept:]] = True
    return apart


_FEW: Final = 50
MECHANISM: Final = Imputation()
