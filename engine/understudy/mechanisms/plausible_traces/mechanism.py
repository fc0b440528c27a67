"""The method of plausible traces: single days like those of given people, each tested."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, ClassVar, Final

import numpy as np

from understudy.core.arrays import CodeArray
from understudy.core.refusal import Refusal
from understudy.evaluation.comparison import QuickFigures
from understudy.mechanisms.defaults import HELD_OUT, ArraysState, release_batches
from understudy.mechanisms.mechanism import Look, PlannedRun, in_memory
from understudy.mechanisms.mobility_evaluation import OfDays, flip_coins
from understudy.mechanisms.mobility_plan import declared_map, label_places, shape_of_map
from understudy.mechanisms.outputs import Chunk, Output, ResumePoint, Workers
from understudy.mechanisms.plausible_traces.attempts import KeptSchedules, Seeds, make_attempts
from understudy.mechanisms.plausible_traces.conditionals import Drafts
from understudy.mechanisms.plausible_traces.forecast import from_the_law, from_the_seeds
from understudy.mechanisms.plausible_traces.guarantee import Promise, guarantee
from understudy.mechanisms.plausible_traces.keys import keys_of, one_weekday
from understudy.mechanisms.plausible_traces.plan import PlausiblePlan
from understudy.mechanisms.statement import TABLE
from understudy.models.mobility.law import Law, fit_law
from understudy.models.mobility.stays import Days
from understudy.models.mobility.synthesis import drawn_out, ways
from understudy.models.mobility.tables import noisy_tables, table_deviations
from understudy.models.mobility.trace_records import codes_of, days_of, schema_of
from understudy.privacy.accounting.guarantee import Guarantee
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource, Secret
from understudy.privacy.tape import Tape
from understudy.table.positions.slots import SLOTS
from understudy.table.records import Records
from understudy.table.schema import Schema
from understudy.table.sources.streamed_table import StreamedTable

BATCH: Final = 500
"""Attempts handled at once."""
_SEEDS: Final = "seeds"
_KEYS: Final = "keys"


class PlausibleTraces(OfDays[PlausiblePlan]):
    """Made days that keep the schedule of a real one, each of which has to pass a test of how many
    other people's days have it too."""

    title: ClassVar[str] = "Days like given people’s"
    purpose: ClassVar[str] = (
        "Single days on a map that keep what a real person's day was made of, each released only "
        "where hundreds of other people's days are made of the same: few, and of the common "
        "patterns only. For a whole data set of traces, choose made traces. It takes five thousand "
        "people or more."
    )
    plan = PlausiblePlan
    memory_reason: ClassVar[str] = (
        "This method compares each day with everybody's, and has to see every record at once"
    )

    def default_plan(self, schema: Schema) -> PlausiblePlan:
        """Return the columns by their usual names, on the map of the positions; on a square one
        where nothing is declared of it."""
        self.check_schema(schema)
        rows, columns = shape_of_map(schema)
        settings = {"rows": rows, "columns": columns, **declared_map(schema)}
        return PlausiblePlan(domain=schema.fingerprint, **settings)

    def guarantee(self, plan: PlausiblePlan, schema: Schema) -> Guarantee:
        return guarantee(plan, schema)

    def check_public(self, decided: PlannedRun[PlausiblePlan]) -> None:
        """Check that the number of people that is counted on was confirmed."""
        plan, made = decided.plan, decided.guarantee.account_as(Promise)
        if (plan.public_people or 0) < made.people_needed:
            raise Refusal(
                f"To have {plan.certain_seeds:,} seeds for certain, the table must have at least "
                f"{made.people_needed:,} people, and nobody has confirmed that this is public "
                "knowledge.",
                "Say how many people everybody may know the table to have at least; or count on "
                "fewer seeds.",
                field="public_people",
            )

    def check_records(self, decided: PlannedRun[PlausiblePlan], records: int) -> None:
        """Check that there are the people that are counted on."""
        plan, made = decided.plan, decided.guarantee.account_as(Promise)
        if records < max(made.people_needed, plan.public_people or 0):
            raise Refusal(
                "The table has fewer people than the plan counts on, or says are publicly known.",
                "Count on fewer seeds, and state a number that is publicly known.",
                field="public_people",
            )

    def steps(self, plan: PlausiblePlan) -> int:
        """Return attempts."""
        return plan.attempts

    def outputs(self, plan: PlausiblePlan, schema: Schema) -> tuple[Output, ...]:
        """Return the made days."""
        return (
            Output(
                TABLE,
                "table",
                "Made weekdays, each numbered by the attempt it came from: from which slot of 20 "
                "minutes on somebody is in which place.",
                schema_of(
                    plan.attempts, 1, label_places(plan, schema), day="One weekday, as day 0"
                ),
                plan.attempts * SLOTS,
            ),
        )

    def begin(
        self,
        decided: PlannedRun[PlausiblePlan],
        records: Records | StreamedTable,
        secret: Secret,
        tape: Tape | None,
    ) -> ArraysState:
        """Deal people into parts by a coin each, learn the model, and draw a day of each seed."""
        plan, made = decided.plan, decided.guarantee.account_as(Promise)
        held = in_memory(records, self.memory_reason)
        split = secret.source("split")
        # Before the coins, so that how many people there are moves nobody's day.
        weekdays = split.child()
        coins = flip_coins(held, split)
        seeds, apart = coins < plan.seeds, coins >= 1 - plan.held_out
        learned = days_of(held.take(np.flatnonzero(~seeds & ~apart)), plan.told_by)
        noise = Noise(secret.source("model"), tape)
        noisy = noisy_tables(learned, plan.where, made.rho, noise)
        given = days_of(held.take(np.flatnonzero(seeds)), plan.told_by)
        keys = keys_of(one_weekday(given, plan.where, weekdays), plan.keeps)
        return ArraysState({HELD_OUT: apart, _SEEDS: seeds, _KEYS: keys, **noisy})

    def release(
        self,
        decided: PlannedRun[PlausiblePlan],
        records: Records | StreamedTable,
        state: ArraysState,
        secret: Secret,
        workers: Workers,
        reached: ResumePoint,
    ) -> Generator[Chunk, None, None]:
        """Make every attempt, a batch at a time; what passes is the table."""
        plan, made = decided.plan, decided.guarantee.account_as(Promise)
        seeds = seeds_of(state)
        if not len(seeds):
            return
        model = KeptSchedules(_law_of(plan, made, state), plan.keeps)

        def draw(first: int, count: int, source: RandomSource) -> CodeArray:
            passed, drafts = make_attempts(model, seeds, made.decision, count, source)
            codes = codes_of(render_days(model.law, drafts), 0)
            codes[:, 0] = first + passed[codes[:, 0]]
            return codes

        yield from release_batches(plan.attempts, BATCH, reached, secret, draw)

    def quick_report(
        self,
        decided: PlannedRun[PlausiblePlan],
        records: Records,
        state: ArraysState,
        released: Records | None,
        source: RandomSource,
    ) -> Look:
        """Return how many days were to come out: by the seeds themselves, by the noisy model, and
        by public numbers. The first is internal."""
        plan, made = decided.plan, decided.guarantee.account_as(Promise)
        law = _law_of(plan, made, state)
        told = (
            from_the_seeds(plan, made, seeds_of(state)),
            from_the_law(plan, made, law),
        )
        return Look(QuickFigures((), told), {})


def seeds_of(state: ArraysState) -> Seeds:
    """Return the seeds of a run. Confidential."""
    return Seeds(state.each[_KEYS].astype(np.uint16))


def _law_of(plan: PlausiblePlan, made: Promise, state: Any) -> Law:
    """Return how made people live, from the noisy tables that a run kept."""
    sigma = table_deviations(plan.where, made.rho)
    noisy = {name: state.each[name].astype(np.int64) for name in sigma}
    return fit_law(noisy, sigma, plan.where)


def render_days(law: Law, drafts: Drafts) -> Days:
    """Return days with a place in every slot, of candidates that passed: weekdays, one of each."""
    way = ways(law.where, drafts.sort, drafts.cells)
    cells = drawn_out(law.where, drafts.start, drafts.cells, way)
    return Days(cells, np.zeros(len(cells), dtype=bool), np.arange(len(cells)))


MECHANISM: Final = PlausibleTraces()
