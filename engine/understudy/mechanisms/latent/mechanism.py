"""Rows drawn from a latent model, as the rest of the house knows them."""

from __future__ import annotations

from collections.abc import Generator
from typing import ClassVar, Final

import numpy as np

from understudy.mechanisms.defaults import HELD_OUT, ArraysState, MechanismDefaults, held_out
from understudy.mechanisms.fields import Table
from understudy.mechanisms.latent.fields import TABLE as FIELDS
from understudy.mechanisms.latent.guarantee import Promise, guarantee
from understudy.mechanisms.latent.models import LEARNERS
from understudy.mechanisms.latent.opening import opening
from understudy.mechanisms.latent.plan import LatentPlan
from understudy.mechanisms.mechanism import in_memory
from understudy.mechanisms.outputs import Chunk, Output, ResumePoint
from understudy.mechanisms.planned_run import PlannedRun
from understudy.mechanisms.statement import TABLE
from understudy.mechanisms.workers import Workers
from understudy.models.latent.features import Features
from understudy.privacy.accounting.guarantee import Guarantee
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import Secret
from understudy.privacy.tape import Tape
from understudy.table.records import Records
from understudy.table.schema import Schema
from understudy.table.sources.streamed import StreamedTable

BATCH: Final = 10_000


class Latent(MechanismDefaults):
    """Rows of flags from a few hidden numbers, learned with noise."""

    kind: ClassVar[str] = LatentPlan.kind
    title: ClassVar[str] = "Latent model"
    purpose: ClassVar[str] = (
        "Tables of a hundred flags or more, of which most records have few: the whole table is "
        "explained by a few hidden numbers, and all pairs are measured at once. Up to some fifty "
        "columns the calibrated model of seedbased synthesis is closer."
    )
    takes: ClassVar[str] = (
        "Columns of two values, such as yes and no, and numbers between public bounds, up to 255 "
        "of them, none missing; and pictures with their labels."
    )
    plan: ClassVar[type[LatentPlan]] = LatentPlan

    @property
    def fields(self) -> Table:
        """See `fields`."""
        return FIELDS

    def check_schema(self, schema: Schema) -> None:
        """Check that all columns are flags or numbers."""
        Features.of(schema)

    def opening(self, schema: Schema) -> LatentPlan:
        """See `opening`."""
        return opening(schema)

    def guarantee(self, plan: LatentPlan, schema: Schema) -> Guarantee:
        """See `guarantee`."""
        return guarantee(plan, schema)

    def steps(self, plan: LatentPlan) -> int:
        """Rows."""
        return plan.rows

    def outputs(self, plan: LatentPlan, schema: Schema) -> tuple[Output, ...]:
        """Return the synthetic table alone."""
        return (Output(TABLE, "table", "The synthetic table.", schema, plan.rows),)

    def all_at_once(self, plan: LatentPlan) -> str:
        """Sums and steps are over all records."""
        return "This method adds up over all records at once"

    def begin(
        self,
        decided: PlannedRun,
        records: Records | StreamedTable,
        secret: Secret,
        tape: Tape | None,
    ) -> ArraysState:
        """Learn the model from the records that are not held out."""
        plan = decided.plan_as(LatentPlan)
        held = in_memory(records, self.all_at_once(plan))
        apart = held_out(len(held), plan.held_out, secret)
        source = secret.source("model")
        model = LEARNERS[plan.model].learn(
            plan,
            held.take(np.flatnonzero(~apart)),
            decided.guarantee.account_as(Promise).budget,
            Noise(source, tape),
            source.child(),
        )
        return ArraysState({HELD_OUT: apart, **model.arrays()})

    def release(
        self,
        decided: PlannedRun,
        records: Records | StreamedTable,
        state: ArraysState,
        secret: Secret,
        workers: Workers,
        reached: ResumePoint,
    ) -> Generator[Chunk, None, None]:
        """Draw rows, a batch at a time."""
        plan = decided.plan_as(LatentPlan)
        learned = {name: each for name, each in state.each.items() if name != HELD_OUT}
        model = LEARNERS[plan.model].restore(decided.schema, learned)
        for first in range(reached.at, plan.rows, BATCH):
            count = min(BATCH, plan.rows - first)
            rows = model.draw(count, secret.source("attempts", first // BATCH))
            yield Chunk(TABLE, rows, first + count, first + count)


MECHANISM: Final = Latent()
