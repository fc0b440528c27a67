"""The method of made traces: people's days drawn from noisy counts of real people's."""

from __future__ import annotations

from collections.abc import Generator
from typing import ClassVar, Final

import numpy as np

from understudy.core.arrays import CodeArray, IntArray
from understudy.mechanisms.defaults import HELD_OUT, ArraysState, release_batches
from understudy.mechanisms.mechanism import Look, PlannedRun, in_memory
from understudy.mechanisms.mobility_evaluation import OfDays, flip_coins
from understudy.mechanisms.mobility_plan import (
    check_traces,
    declared_map,
    label_places,
    shape_of_map,
)
from understudy.mechanisms.outputs import Chunk, Output, ResumePoint, Workers
from understudy.mechanisms.statement import TABLE
from understudy.mechanisms.traces.guarantee import deviations, guarantee, rho_of
from understudy.mechanisms.traces.inspection import figures
from understudy.mechanisms.traces.plan import TracesPlan
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
from understudy.table.sources.streamed_table import StreamedTable

BATCH: Final = 250
_WEEK: Final = 7
_WEEKDAYS: Final = 5
_LOOKED_AT: Final = 5_000
_CELLS_A_ZONE: Final = 4
"""So many cells each way are one zone, as near as may be."""
_FEWEST_ZONES, _MOST_ZONES = 2, 8


class Traces(OfDays[TracesPlan]):
    """Made people's days on a map, from counts of what real people do."""

    title: ClassVar[str] = "Made traces"
    purpose: ClassVar[str] = (
        "Where people are through the day: made people whose days are like real ones, with a "
        "guarantee for each person and all of their days. It takes a thousand people or more."
    )
    plan = TracesPlan
    memory_reason: ClassVar[str] = (
        "This method counts what each person does, and has to see every record at once"
    )

    def default_plan(self, schema: Schema) -> TracesPlan:
        """Return the columns by their usual names, on the map of `shape_of_map`; its cells as wide
        as those of the map that positions are read on, if the schema says so.

        Raises:
            Refusal: the schema is of no table of traces.
        """
        check_traces(schema)
        rows, columns = shape_of_map(schema)
        zones = min(_MOST_ZONES, max(_FEWEST_ZONES, round(max(rows, columns) / _CELLS_A_ZONE)))
        settings = {"rows": rows, "columns": columns, "zones": zones, **declared_map(schema)}
        return TracesPlan(domain=schema.fingerprint, **settings)

    def guarantee(self, plan: TracesPlan, schema: Schema) -> Guarantee:
        return guarantee(plan, schema)

    def steps(self, plan: TracesPlan) -> int:
        """Return people who are made."""
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

    def begin(
        self,
        decided: PlannedRun[TracesPlan],
        records: Records | StreamedTable,
        secret: Secret,
        tape: Tape | None,
    ) -> ArraysState:
        """Count what people do, with noise."""
        plan = decided.plan
        held = in_memory(records, self.memory_reason)
        apart = flip_coins(held, secret.source("split")) < plan.held_out
        days = plan.days_told(held.take(np.flatnonzero(~apart)))
        noise = Noise(secret.source("model"), tape)
        counted = noisy_tables(days, plan.where, rho_of(plan), noise)
        return ArraysState({HELD_OUT: apart, **counted})

    def release(
        self,
        decided: PlannedRun[TracesPlan],
        records: Records | StreamedTable,
        state: ArraysState,
        secret: Secret,
        workers: Workers,
        reached: ResumePoint,
    ) -> Generator[Chunk, None, None]:
        """Make people, some at a time."""
        plan = decided.plan
        law = _law_of(plan, state)
        weekend = tuple(day % _WEEK >= 5 for day in range(plan.days))

        def draw(first: int, count: int, source: RandomSource) -> CodeArray:
            return codes_of(made_people(law, count, weekend, source), first)

        yield from release_batches(plan.traces, BATCH, reached, secret, draw)

    def quick_report(
        self,
        decided: PlannedRun[TracesPlan],
        records: Records,
        state: ArraysState,
        released: Records | None,
        source: RandomSource,
    ) -> Look:
        """Return where real people are, and how far people made anew from the same noisy tables,
        and other real ones, are from those held out."""
        plan = decided.plan
        days = plan.days_told(records)
        assert records.whose is not None
        apart = np.zeros(days.people, dtype=bool)
        apart[records.whose] = state.each[HELD_OUT]
        week = (False,) * min(plan.days, _WEEKDAYS)
        some = made_people(_law_of(plan, state), min(plan.traces, _LOOKED_AT), week, source)
        return Look(figures(days, apart, some, plan.where, source), {})


def _law_of(plan: TracesPlan, state: ArraysState) -> Law:
    """Return how made people live, from the noisy tables that a run kept."""
    noisy: dict[str, IntArray] = {
        name: state.each[name].astype(np.int64) for name in deviations(plan)
    }
    return fit_law(noisy, deviations(plan), plan.where)


MECHANISM: Final = Traces()
