"""Made traces, as the rest of the house knows them."""

from __future__ import annotations

from collections.abc import Generator
from typing import ClassVar, Final

import numpy as np
import numpy.typing as npt

from understudy.core.arrays import IntArray
from understudy.mechanisms.defaults import HELD_OUT, ArraysState
from understudy.mechanisms.evidence import Look
from understudy.mechanisms.fields import Table
from understudy.mechanisms.mechanism import in_memory
from understudy.mechanisms.of_days import OfDays
from understudy.mechanisms.on_a_map import label_places
from understudy.mechanisms.outputs import Chunk, Output, ResumePoint
from understudy.mechanisms.planned_run import PlannedRun
from understudy.mechanisms.statement import TABLE
from understudy.mechanisms.traces.fields import TABLE as FIELDS
from understudy.mechanisms.traces.guarantee import deviations, guarantee, rho_of
from understudy.mechanisms.traces.looking import figures
from understudy.mechanisms.traces.opening import opening
from understudy.mechanisms.traces.plan import TracesPlan
from understudy.mechanisms.workers import Workers
from understudy.models.mobility.law import Law, fit_law
from understudy.models.mobility.synthesis import made_people
from understudy.models.mobility.tables import noisy_tables
from understudy.models.mobility.trace_records import codes_of, schema_of
from understudy.privacy.accounting.guarantee import Guarantee
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource, Secret
from understudy.privacy.tape import Tape
from understudy.table.positions.slots import SLOTS
from understudy.table.records import Records
from understudy.table.schema import Schema
from understudy.table.sources.streamed import StreamedTable

BATCH: Final = 250
_WEEK: Final = 7
_WEEKDAYS: Final = 5
_LOOKED_AT: Final = 5_000


class Traces(OfDays):
    """Made people's days on a map, from counts of what real people do."""

    kind: ClassVar[str] = TracesPlan.kind
    title: ClassVar[str] = "Made traces"
    purpose: ClassVar[str] = (
        "Where people are through the day: made people whose days are like real ones, with a "
        "guarantee for each person and all of their days. It takes a thousand people or more."
    )
    plan: ClassVar[type[TracesPlan]] = TracesPlan

    @property
    def fields(self) -> Table:
        """See `fields`."""
        return FIELDS

    def opening(self, schema: Schema) -> TracesPlan:
        """See `opening`."""
        return opening(schema)

    def guarantee(self, plan: TracesPlan, schema: Schema) -> Guarantee:
        """See `guarantee`."""
        return guarantee(plan, schema)

    def steps(self, plan: TracesPlan) -> int:
        """People who are made."""
        return plan.traces

    def outputs(self, plan: TracesPlan, schema: Schema) -> tuple[Output, ...]:
        """Return the made days."""
        return (
            Output(
                TABLE,
                "table",
                "Made people's days: from which slot of 20 minutes on each is in which place.",
                schema_of(plan.traces, plan.days, label_places(plan, schema, plan.gathered)),
                plan.traces * plan.days * SLOTS,
            ),
        )

    def all_at_once(self, plan: TracesPlan) -> str:
        """Days are of all records of a person."""
        return "This method counts what each person does, and has to see every record at once"

    def begin(
        self,
        decided: PlannedRun,
        records: Records | StreamedTable,
        secret: Secret,
        tape: Tape | None,
    ) -> ArraysState:
        """Count what people do, with noise."""
        plan = decided.plan_as(TracesPlan)
        held = in_memory(records, self.all_at_once(plan))
        apart = _apart(held, plan.held_out, secret)
        days = plan.days_told(held.take(np.flatnonzero(~apart)))
        noise = Noise(secret.source("model"), tape)
        counted = noisy_tables(days, plan.where, rho_of(plan), noise)
        return ArraysState({HELD_OUT: apart, **counted})

    def release(
        self,
        decided: PlannedRun,
        records: Records | StreamedTable,
        state: ArraysState,
        secret: Secret,
        workers: Workers,
        reached: ResumePoint,
    ) -> Generator[Chunk, None, None]:
        """Make people, some at a time."""
        plan = decided.plan_as(TracesPlan)
        law = law_of(plan, state)
        weekend = tuple(day % _WEEK >= 5 for day in range(plan.days))
        for first in range(reached.at, plan.traces, BATCH):
            count = min(BATCH, plan.traces - first)
            source = secret.source("attempts", first // BATCH)
            done = first + count
            yield Chunk(
                TABLE, codes_of(made_people(law, count, weekend, source), first), done, done
            )

    def look(
        self,
        decided: PlannedRun,
        records: Records,
        state: ArraysState,
        released: Records | None,
        source: RandomSource,
    ) -> Look:
        """Return where real people are, and how far people made anew from the same noisy tables,
        and other real ones, are from those held out."""
        plan = decided.plan_as(TracesPlan)
        days = plan.days_told(records)
        assert records.whose is not None
        apart = np.zeros(days.people, dtype=bool)
        apart[records.whose] = state.each[HELD_OUT]
        week = (False,) * min(plan.days, _WEEKDAYS)
        some = made_people(law_of(plan, state), min(plan.traces, _LOOKED_AT), week, source)
        return Look(figures(days, apart, some, plan.where, source), {})


def law_of(plan: TracesPlan, state: ArraysState) -> Law:
    """Return how made people live, from the noisy tables that a run kept."""
    noisy: dict[str, IntArray] = {
        name: state.each[name].astype(np.int64) for name in deviations(plan)
    }
    return fit_law(noisy, deviations(plan), plan.where)


def _apart(records: Records, share: float, secret: Secret) -> npt.NDArray[np.bool_]:
    """(n,) the records of people who are held out: a coin for each person."""
    assert records.whose is not None
    people = int(records.whose.max(initial=-1)) + 1
    coins = secret.source("split").uniforms(people) < share
    return coins[records.whose]


MECHANISM: Final = Traces()
