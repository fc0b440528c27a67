"""The method of seedbased synthesis."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing
from typing import Any, ClassVar, Final

from understudy.core.arrays import ByteArray
from understudy.core.refusal import Refusal
from understudy.evaluation.measure import Measure, Study
from understudy.evaluation.registry import measures
from understudy.mechanisms.defaults import MechanismBase
from understudy.mechanisms.fields import FieldTable
from understudy.mechanisms.mechanism import (
    Arrays,
    CheaperPlan,
    EvaluationRequest,
    Evidence,
    Look,
    PlannedRun,
)
from understudy.mechanisms.outputs import Chunk, Output, ResumePoint, Workers
from understudy.mechanisms.seedbased import acceptance, inspection
from understudy.mechanisms.seedbased.attempts import Chunks, Decision, Goal, program
from understudy.mechanisms.seedbased.cheaper import cheaper
from understudy.mechanisms.seedbased.executors import Cluster, executor
from understudy.mechanisms.seedbased.fields.table import FIELDS
from understudy.mechanisms.seedbased.guarantee import guarantee
from understudy.mechanisms.seedbased.marks import check_marks
from understudy.mechanisms.seedbased.model_fit import allot_records, learn, synthesizer
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import Promise
from understudy.mechanisms.seedbased.scope import check_confirmed
from understudy.mechanisms.seedbased.state import SeedbasedState
from understudy.mechanisms.setting import complete_table
from understudy.models.noisy_tables import NAME, table_figures
from understudy.models.streamed_rows import StreamedSplit
from understudy.privacy.accounting.guarantee import Guarantee
from understudy.privacy.randomness import RandomSource, Secret
from understudy.privacy.tape import Tape
from understudy.table.records import Records
from understudy.table.schema import Schema
from understudy.table.sources.streamed_table import StreamedTable
from understudy.table.split import Split, assign_parts

TABLE: Final = "synthetic"
NOISY_TABLES: Final = Output(
    NAME, "figures", "The noisy tables of counts that the model was learned from."
)
_OTHERS_LEARN: Final = "A third-party model has to see every record at once"


class Seedbased(MechanismBase[Plan, SeedbasedState]):
    """Records made from seeds by a model, each of which has to pass a test of plausible
    deniability (Bindschaedler, Shokri and Gunter, VLDB 2017)."""

    title: ClassVar[str] = "Seedbased synthesis"
    purpose: ClassVar[str] = (
        "A synthetic table that stands in for the confidential one: drawn from a private model of "
        "the whole table, or made record by record from real ones, each tested for how many others "
        "it could have come from."
    )
    accepted_columns: ClassVar[str] = "Columns of every kind, two or more of them."
    keeps_rules: ClassVar[bool] = True
    keeps_totals: ClassVar[bool] = True
    plan = Plan
    fields: ClassVar[FieldTable] = complete_table(FIELDS, Plan)

    def default_plan(self, schema: Schema) -> Plan:
        return Plan.of(schema)

    def guarantee(self, plan: Plan, schema: Schema) -> Guarantee:
        """Return what the plan promises; see `promise`."""
        return guarantee(plan, schema)

    def check_public(self, decided: PlannedRun[Plan]) -> None:
        """Check that the number of records that is counted on was confirmed, and that what must
        survive can be measured."""
        plan, made = decided.plan, decided.guarantee.account_as(Promise)
        check_confirmed(plan, made)
        check_marks(plan, decided.schema, made)

    def check_records(self, decided: PlannedRun[Plan], records: int) -> None:
        """Check that there are the records that seeds are counted on from."""
        plan = decided.plan
        public, needed = plan.public_records, decided.guarantee.account_as(Promise).records_at_least
        if needed is None:
            return
        if records < (public or 0) and records >= needed:
            raise Refusal(
                f"The plan says that the table is publicly known to have {public:,} records, and "
                "it has fewer.",
                "State a number that is publicly known to be there.",
                field="public_records",
            )
        if records < needed:
            raise Refusal(
                f"The plan counts on at least {plan.seeds_at_least:,} seed records, for which the "
                f"table must have {needed:,} records, and it has fewer.",
                "Count on fewer seed records, as many as are publicly known to be there, or give "
                "the seeds a larger share.",
                field="seeds_at_least",
            )

    def check_workers(self, workers: Workers) -> None:
        """Check that the cluster is there, where one is named."""
        if workers.scheduler is not None:
            Cluster(workers.scheduler, workers.shared).check()

    def cheaper(
        self, plan: Plan, schema: Schema, holds: Callable[[Guarantee], bool]
    ) -> tuple[CheaperPlan, ...]:
        """Return fewer attempts, or no seeds; see `cheaper`."""
        return cheaper(plan, schema, holds)

    def steps(self, plan: Plan) -> int:
        """Return attempts or, where their number is hidden, records."""
        return plan.attempts

    def outputs(self, plan: Plan, schema: Schema) -> tuple[Output, ...]:
        """Return the synthetic table; what an acceptance test measured, and the noisy tables that
        the model was learned from, where the plan asks for them."""
        table = Output(TABLE, "table", "The synthetic table.", schema, plan.attempts)
        measured = [] if plan.acceptance is None else [acceptance.OUTPUT]
        return (table, *measured, *([NOISY_TABLES] if plan.noisy_tables else []))

    def uses_external_randomness(self, plan: Plan) -> bool:
        """Return whether the model of the plan draws random numbers of its own."""
        return plan.model.about.draws_alone

    def requires_memory_reason(self, plan: Plan) -> str | None:
        """Return that a model of another package has to see every record, if there is one."""
        return _OTHERS_LEARN if plan.model.about.claimed else None

    def program(self) -> str:
        """Return the version, the batch and the arithmetic; see `chunks.program`."""
        return program()

    def begin(
        self,
        decided: PlannedRun[Plan],
        records: Records | StreamedTable,
        secret: Secret,
        tape: Tape | None,
    ) -> SeedbasedState:
        """Deal the records into parts and learn the model."""
        plan = decided.plan
        parts = assign_parts(len(records), plan.shares, secret.source("split"))
        made, split = decided.guarantee.account_as(Promise), deal_records(records, parts)
        source = secret.source("model")
        learned = learn(plan, decided.schema, split, source, tape, made=made)
        noise = acceptance.noise(plan, decided.schema, secret, tape)
        told = learned.tables if plan.noisy_tables else ()
        return SeedbasedState(parts, learned.network, noise, told)

    def restore(self, decided: PlannedRun[Plan], arrays: Arrays) -> SeedbasedState:
        """Return the parts and the network as they were kept."""
        return SeedbasedState.of(arrays, decided.schema)

    def release(
        self,
        decided: PlannedRun[Plan],
        records: Records | StreamedTable,
        state: SeedbasedState,
        secret: Secret,
        workers: Workers,
        reached: ResumePoint,
    ) -> Generator[Chunk, None, None]:
        """Make attempts until the plan's goal is reached; what passes is the table. Then measure
        what the acceptance test asks, of the whole table, and tell the noisy tables."""
        plan, made = decided.plan, decided.guarantee.account_as(Promise)
        goal, split = Goal.of(plan, made), deal_records(records, state.parts)
        counting = acceptance.begin_tally(plan, decided.schema, reached.codes_of(TABLE))
        chunks = Chunks(
            synthesizer(plan, state.network, split.seeds),
            Decision(plan.test, made.pass_cap),
            secret,
            goal.attempts,
            allot_records(plan, decided.schema, state.network, secret),
        )
        tried, rows = min(reached.at, goal.attempts), reached.rows_of(TABLE)
        with closing(executor(workers).release(chunks, tried)) as released:
            while not goal.is_reached(tried, rows):
                span, codes = next(released)
                codes = goal.cut(codes, rows)
                tried, rows = span.first + span.count, rows + len(codes)
                if counting is not None:
                    counting.add(codes)
                yield Chunk(TABLE, codes, tried, goal.count_done(tried, rows))
        goal.check(rows)
        # No attempt has a number above these, however few the goal took.
        measured, told = goal.attempts + 1, goal.attempts + 2
        if counting is not None and reached.at < measured:
            figures = acceptance.acceptance_figures(counting, split.held_out, state)
            yield Chunk(acceptance.OUTPUT.name, figures, measured, goal.count_done(tried, rows))
        if plan.noisy_tables and reached.at < told:
            figures = table_figures(state.tables, decided.schema, plan.counted_share)
            yield Chunk(NOISY_TABLES.name, figures, told, goal.count_done(tried, rows))

    def quick_report(
        self,
        decided: PlannedRun[Plan],
        records: Records,
        state: SeedbasedState,
        released: Records | None,
        source: RandomSource,
    ) -> Look:
        """Return distances, pass rates and pools of candidates, and the marginals beside the
        model."""
        split = Split.of(records, state.parts)
        return inspection.look(decided, split, state.network, released, source)

    def study(
        self,
        evidence: Evidence[Plan, SeedbasedState],
        asked: EvaluationRequest,
        source: RandomSource,
        told: Callable[[str], None],
    ) -> Study:
        """Return the released table beside other real records, the marginals, and other ω."""
        return inspection.study(evidence, asked, source, told)

    def measures(self, decided: PlannedRun[Plan]) -> tuple[Measure[Any], ...]:
        """Return the measures of tables of records, those of what was marked first."""
        must_survive = decided.plan.marks.groups(decided.schema.names)
        return measures(
            epsilon=self.comparable_epsilon(decided),
            must_survive=must_survive,
            weights=decided.schema.weights,
        )

    def comparable_epsilon(self, decided: PlannedRun[Plan]) -> float:
        """Return what the whole release costs one person, or the model's where nothing is promised,
        or 1 where that has none either."""
        total = decided.guarantee.total
        if total.bounded and total.epsilon > 0:
            return total.epsilon
        return decided.plan.model.epsilon or 1.0


def deal_records(records: Records | StreamedTable, parts: ByteArray) -> Split | StreamedSplit:
    """Return the records in their parts."""
    if isinstance(records, StreamedTable):
        return StreamedSplit(records, parts)
    return Split.of(records, parts)


MECHANISM: Final = Seedbased()
