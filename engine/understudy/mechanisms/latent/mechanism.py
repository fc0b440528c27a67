"""The latent method: rows drawn from a few hidden numbers, learned with noise."""

from __future__ import annotations

from collections.abc import Generator
from typing import ClassVar, Final

import numpy as np

from understudy.core.arrays import CodeArray
from understudy.mechanisms.defaults import (
    HELD_OUT,
    ArraysState,
    MechanismDefaults,
    held_out,
    release_batches,
    synthetic_table,
)
from understudy.mechanisms.latent.guarantee import Promise, guarantee
from understudy.mechanisms.latent.models import LEARNERS
from understudy.mechanisms.latent.plan import LatentPlan
from understudy.mechanisms.mechanism import PlannedRun, in_memory
from understudy.mechanisms.outputs import Chunk, Output, ResumePoint, Workers
from understudy.models.latent.features import Features
from understudy.privacy.accounting.guarantee import Guarantee
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource, Secret
from understudy.privacy.tape import Tape
from understudy.table.pictures.picture_schema import are_pictures
from understudy.table.records import Records
from understudy.table.schema import Schema
from understudy.table.sources.streamed_table import StreamedTable

BATCH: Final = 10_000
_WIDTHS: Final = ((100, 20), (60, 10), (10, 4))
"""From so many columns on, so many hidden numbers (docs/models.md)."""
_ONES: Final = 18
"""Flags counted of a record: where most records had more, all shares would come out too small."""
_PICTURES: Final = 16
"""So many directions of pictures."""


class Latent(MechanismDefaults[LatentPlan]):
    """Rows of flags from a few hidden numbers, learned with noise."""

    title: ClassVar[str] = "Latent model"
    purpose: ClassVar[str] = (
        "Tables of a hundred flags or more, of which most records have few: the whole table is "
        "explained by a few hidden numbers, and all pairs are measured at once. Up to some fifty "
        "columns the calibrated model of seedbased synthesis is closer."
    )
    accepted_columns: ClassVar[str] = (
        "Columns of two values, such as yes and no, and numbers between public bounds, up to 255 "
        "of them, none missing; and pictures with their labels."
    )
    plan = LatentPlan
    memory_reason: ClassVar[str] = "This method adds up over all records at once"

    def check_schema(self, schema: Schema) -> None:
        """Check that all columns are flags or numbers."""
        Features.of(schema)

    def default_plan(self, schema: Schema) -> LatentPlan:
        """Return factors, as many as tables of so many columns were measured to do best with; for
        pictures, principal directions, whose pixels go together as light and shapes do.

        Raises:
            Refusal: a column is neither a flag nor a number.
        """
        flags, columns = len(Features.of(schema).flags), len(schema)
        pictures = are_pictures(schema)
        width = next((many for least, many in _WIDTHS if columns >= least), 2)
        people = schema.people
        return LatentPlan(
            domain=schema.fingerprint,
            model="principal" if pictures else "factors",
            width=min(_PICTURES if pictures else width, columns - 1),
            most_ones=max(1, min(_ONES, flags)),
            records_per_person=1 if people is None else people.records_at_most,
        )

    def guarantee(self, plan: LatentPlan, schema: Schema) -> Guarantee:
        return guarantee(plan, schema)

    def steps(self, plan: LatentPlan) -> int:
        """Return rows."""
        return plan.rows

    def outputs(self, plan: LatentPlan, schema: Schema) -> tuple[Output, ...]:
        """Return the synthetic table alone."""
        return synthetic_table(schema, plan.rows)

    def begin(
        self,
        decided: PlannedRun[LatentPlan],
        records: Records | StreamedTable,
        secret: Secret,
        tape: Tape | None,
    ) -> ArraysState:
        """Learn the model from the records that are not held out."""
        plan = decided.plan
        held = in_memory(records, self.memory_reason)
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
        decided: PlannedRun[LatentPlan],
        records: Records | StreamedTable,
        state: ArraysState,
        secret: Secret,
        workers: Workers,
        reached: ResumePoint,
    ) -> Generator[Chunk, None, None]:
        """Draw rows, a batch at a time."""
        plan = decided.plan
        learned = {name: each for name, each in state.each.items() if name != HELD_OUT}
        model = LEARNERS[plan.model].restore(decided.schema, learned)

        def draw(first: int, count: int, source: RandomSource) -> CodeArray:
            return model.draw(count, source)

        yield from release_batches(plan.rows, BATCH, reached, secret, draw)


MECHANISM: Final = Latent()
