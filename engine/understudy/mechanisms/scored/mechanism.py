"""The scored method: candidates of any model that can propose and score, each tested.

Its default plan makes a hundred candidates for ε near 1. An attempt costs ε0 + ln(1 + γ/t), where t
below k is free to choose. So a total near 1 takes a small ε0 and a k in the thousands, whatever the
proposer; and thousands of records make a candidate about equally likely only where most of its
columns are drawn afresh.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final

import numpy as np

from understudy.core.arrays import BoolArray, CodeArray
from understudy.core.refusal import Refusal
from understudy.core.threads import count_cores, in_order
from understudy.evaluation.measure import StudyOf
from understudy.mechanisms.defaults import HELD_OUT, MechanismBase, synthetic_table
from understudy.mechanisms.fields import FieldTable
from understudy.mechanisms.mechanism import (
    Arrays,
    EvaluationRequest,
    Evidence,
    Look,
    PlannedRun,
    in_memory,
)
from understudy.mechanisms.outputs import Chunk, Output, ResumePoint, Workers
from understudy.mechanisms.scored.attempts import BATCH, Decision, GeneralSynthesizer, release
from understudy.mechanisms.scored.guarantee import Promise, guarantee
from understudy.mechanisms.scored.plan import ScoredPlan, fields
from understudy.mechanisms.scored.proposers import SHARE, LearnedProposer, learner_of
from understudy.mechanisms.scored.settings import settings_in_full
from understudy.mechanisms.statement import TABLE
from understudy.privacy.accounting.guarantee import Guarantee
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.plausibility.privacy_test import PlausibleDeniability
from understudy.privacy.randomness import RandomSource, Secret
from understudy.privacy.tape import Tape
from understudy.table.records import Records
from understudy.table.schema import Schema
from understudy.table.sources.streamed_table import StreamedTable

_SEEDS: Final = "seeds"
_MODEL: Final = "model."

_TEST: Final = PlausibleDeniability(k=2_000, gamma=4.0, epsilon0=0.015)
_ATTEMPTS: Final = 100
_SHARES: Final = tuple(each / 20 for each in range(10, 20))
"""What is tried of the chance that a column is drawn afresh: 0.5 to 0.95."""
_WITHIN: Final = 2 * math.log(_TEST.gamma)


@dataclass(frozen=True, eq=False)
class ScoredState:
    """A run up to its first attempt. Confidential.

    Attributes:
        seeds, apart: (n,) which records are seeds, and which are only compared with.
        proposer: what was learned from the others.
    """

    seeds: BoolArray
    apart: BoolArray
    proposer: LearnedProposer

    def arrays(self) -> Arrays:
        """Return the state as arrays, to be kept."""
        model = {f"{_MODEL}{name}": each for name, each in self.proposer.arrays().items()}
        return {_SEEDS: self.seeds, HELD_OUT: self.apart, **model}


class Scored(MechanismBase[ScoredPlan, ScoredState]):
    """Candidates of any model that can propose and score, each tested against every seed."""

    title: ClassVar[str] = "Scored candidates"
    purpose: ClassVar[str] = (
        "Records of any model that proposes them from real ones and says how likely each was, "
        "each tested against every seed: for models of your own. It takes a table of thousands of "
        "records, which has to fit in memory, and makes few: a hundred candidates cost about ε = 1 "
        "where 2,000 records could have made each."
    )
    keeps_rules: ClassVar[bool] = True
    plan = ScoredPlan
    memory_reason: ClassVar[str] = "A model that scores candidates has to see every record at once"

    @property
    def fields(self) -> FieldTable:
        """See `fields`."""
        return fields()

    def default_plan(self, schema: Schema) -> ScoredPlan:
        """Return few attempts under a strict test, each candidate drawn afresh as far as the
        columns need."""
        return ScoredPlan(
            domain=schema.fingerprint,
            numbers={SHARE: _share(schema)},
            test=_TEST,
            attempts=_ATTEMPTS,
            seeds_at_least=_TEST.k,
        )

    def guarantee(self, plan: ScoredPlan, schema: Schema) -> Guarantee:
        return guarantee(plan, schema)

    def check_public(self, decided: PlannedRun[ScoredPlan]) -> None:
        """Check that the number of records that is counted on was confirmed."""
        plan, found = decided.plan, decided.guarantee
        needed = found.records_at_least or 0
        known, such = plan.public_records or 0, f"records {found.records_among}".rstrip()
        if found.total.bounded and known < needed:
            raise Refusal(
                f"To have {plan.seeds_at_least:,} seeds for certain, the table must have at least "
                f"{needed:,} {such}, and nobody has confirmed that this is public knowledge.",
                f"Say how many {such} everybody may know the table to have at least; or count on "
                "fewer seeds.",
                field="public_records",
            )

    def count_eligible(
        self, decided: PlannedRun[ScoredPlan], records: Records | StreamedTable
    ) -> int:
        """Return the number of records that may be seeds."""
        plan = decided.plan
        if plan.seeds_among is None:
            return len(records)
        return int(_belong(decided, in_memory(records, self.memory_reason)).sum())

    def check_records(self, decided: PlannedRun[ScoredPlan], records: int) -> None:
        """Check that there are the records that are counted on."""
        plan = decided.plan
        if records < max(decided.guarantee.records_at_least or 0, plan.public_records or 0):
            raise Refusal(
                f"The table has fewer {_such(decided)} than the plan counts on, or says are "
                "publicly known.",
                "Count on fewer seeds, and state a number that is publicly known.",
                field="public_records",
            )

    def steps(self, plan: ScoredPlan) -> int:
        """Return attempts."""
        return plan.attempts

    def outputs(self, plan: ScoredPlan, schema: Schema) -> tuple[Output, ...]:
        """Return the synthetic table alone."""
        return synthetic_table(schema, plan.attempts * plan.copies)

    def uses_external_randomness(self, plan: ScoredPlan) -> bool:
        """Return whether the proposer is of another package, which may draw its own."""
        return bool(learner_of(plan.proposer).source)

    def begin(
        self,
        decided: PlannedRun[ScoredPlan],
        records: Records | StreamedTable,
        secret: Secret,
        tape: Tape | None,
    ) -> ScoredState:
        """Deal the records into parts by a coin each, and learn the proposer."""
        plan = decided.plan
        held = in_memory(records, self.memory_reason)
        coins = secret.source("split").uniforms(len(held))
        belong = _belong(decided, held)
        seeds, apart = belong & (coins < plan.seeds), belong & (coins >= 1 - plan.held_out)
        source = secret.source("model")
        budget = Budget(plan.epsilon, decided.guarantee.account_as(Promise).record_delta)
        learner = learner_of(plan.proposer)
        proposer = learner.learn(
            held.take(np.flatnonzero(~seeds & ~apart)),
            budget,
            settings_in_full(plan.proposer, learner.settings, plan.numbers),
            Noise(source, tape),
            source.child(),
        )
        return ScoredState(seeds, apart, proposer)

    def restore(self, decided: PlannedRun[ScoredPlan], arrays: Arrays) -> ScoredState:
        """Restore the state from its arrays."""
        plan = decided.plan
        model = {
            name.removeprefix(_MODEL): each
            for name, each in arrays.items()
            if name.startswith(_MODEL)
        }
        proposer = learner_of(plan.proposer).restore(decided.schema, model)
        return ScoredState(arrays[_SEEDS].astype(bool), arrays[HELD_OUT].astype(bool), proposer)

    def release(
        self,
        decided: PlannedRun[ScoredPlan],
        records: Records | StreamedTable,
        state: ScoredState,
        secret: Secret,
        workers: Workers,
        reached: ResumePoint,
    ) -> Generator[Chunk, None, None]:
        """Make every attempt, a batch at a time; what passes is the table."""
        plan = decided.plan
        seeds = in_memory(records, self.memory_reason).take(np.flatnonzero(state.seeds))
        if not len(seeds):
            return
        made = GeneralSynthesizer(state.proposer, seeds)
        made.prepare()
        decision = Decision(plan.test, decided.guarantee.account_as(Promise).seeds.pass_cap or 0.0)

        among = plan.subpopulation(decided.schema)

        def batch(first: int) -> CodeArray:
            source = secret.source("attempts", first // BATCH)
            passed = release(made, decision, min(BATCH, plan.attempts - first), source)
            rows = state.proposer.decode(np.repeat(passed, plan.copies, axis=0), source)
            return rows if among is None else among.put_in(rows)

        # What others bring may not bear being asked by two threads at once.
        threads = (
            1
            if self.uses_external_randomness(plan)
            else min(workers.cores or count_cores(), count_cores())
        )
        starts = range(reached.at, plan.attempts, BATCH)
        for first, rows in in_order(batch, starts, threads, "attempts"):
            done = min(first + BATCH, plan.attempts)
            yield Chunk(TABLE, rows, done, done)

    def quick_report(
        self,
        decided: PlannedRun[ScoredPlan],
        records: Records,
        state: ScoredState,
        released: Records | None,
        source: RandomSource,
    ) -> Look:
        """Compare as usual, beside real records that could have been seeds."""
        return super().quick_report(decided, *_of_seeds(decided, records, state), released, source)

    def study(
        self,
        evidence: Evidence[ScoredPlan, ScoredState],
        asked: EvaluationRequest,
        source: RandomSource,
        told: Callable[[str], None],
    ) -> StudyOf[Any, Any]:
        """Compare as usual, beside real records that could have been seeds.

        Raises:
            Refusal: as usual.
        """
        records, state = _of_seeds(evidence.decided, evidence.records, evidence.state)
        return super().study(replace(evidence, records=records, state=state), asked, source, told)


def _belong(decided: PlannedRun[ScoredPlan], records: Records) -> BoolArray:
    """Return (n,) which records may be seeds."""
    among = decided.plan.subpopulation(decided.schema)
    return np.ones(len(records), dtype=bool) if among is None else among.holds(records.codes)


def _such(decided: PlannedRun[ScoredPlan]) -> str:
    """Return records that may be seeds, in words."""
    return f"records {decided.guarantee.records_among}".rstrip()


def _of_seeds(
    decided: PlannedRun[ScoredPlan], records: Records, state: ScoredState
) -> tuple[Records, ScoredState]:
    """Return the records that may be seeds alone, with what the run did with them."""
    rows = np.flatnonzero(_belong(decided, records))
    return records.take(rows), replace(state, seeds=state.seeds[rows], apart=state.apart[rows])


def _share(schema: Schema) -> float:
    """Return the least chance tried at which a seed is not far likelier to make its candidate than
    others.

    Of a column of c values, all as likely, the seed kept its value with chance 1 − θ, and is then
    (1 − θ)·c/θ + 1 times as likely to make it as a seed of another value. The mean of the logarithm
    over all columns is held within two factors of γ.
    """
    counts = [int(each) for each in schema.cardinalities]

    def apart(share: float) -> float:
        kept = 1 - share
        return sum(kept * math.log1p(kept * count / share) for count in counts)

    return next((each for each in _SHARES if apart(each) <= _WITHIN), _SHARES[-1])


MECHANISM: Final = Scored()
