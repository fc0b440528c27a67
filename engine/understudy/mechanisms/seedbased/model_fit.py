"""From a split table to a synthesizer: the model a plan asks for, and the baseline beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from understudy.core.arrays import CodeArray
from understudy.mechanisms.seedbased.attempts import Synthesizer
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import Promise, promise
from understudy.models.bayesnet.allotted_records import AllottedRecords
from understudy.models.bayesnet.kept_attributes import KeptAttributes
from understudy.models.bayesnet.network import BayesianNetwork
from understudy.models.bayesnet.parameters import ParameterLearner, learn_marginals
from understudy.models.learner import Parts, Terms, together
from understudy.models.noisy_tables import NoisyTable
from understudy.models.prefix_index import Prefixes
from understudy.models.sequential import Sequential
from understudy.models.streamed_rows import MergeBuffer, StreamedRows
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource, Secret
from understudy.privacy.tape import Tape
from understudy.table.records import Records
from understudy.table.schema import Schema
from understudy.table.split import Split


@dataclass(frozen=True)
class Learned:
    """What learning made.

    Attributes:
        network: the model candidates come from.
        tables: the noisy tables that it was learned from, where these can be told.
    """

    network: Sequential
    tables: tuple[NoisyTable, ...] = ()


def promised_budget(plan: Plan, made: Promise) -> Budget:
    """Return the (ε, δ) for one record that structure and parameters may each spend."""
    if plan.model.epsilon is None:
        return Budget.unbounded()
    return Budget(plan.model.epsilon, made.record_delta)


def promised_terms(plan: Plan, schema: Schema, made: Promise) -> Terms:
    """Return what the model of a plan is learned under."""
    return Terms(schema, promised_budget(plan, made), plan.shares, plan.marks)


def learn(
    plan: Plan,
    schema: Schema,
    split: Parts,
    source: RandomSource,
    tape: Tape | None = None,
    *,
    made: Promise | None = None,
) -> Learned:
    """Learn the model of a plan, spending what `promise` says it costs.

    Args:
        plan: what to learn.
        schema: of the records.
        split: the records in their parts.
        source: randomness.
        tape: where noise goes before it is used; a third-party model draws without it.
        made: what the plan promises; worked out if left out.

    Raises:
        Refusal: the plan's model has to see its records, and they are read piece by piece; or
            they cannot be read to their end.
    """
    terms = promised_terms(plan, schema, made or promise(plan, schema))
    return Learned(*plan.model.learner.learn_and_tell(split, terms, Noise(source, tape), source))


def learn_baseline(
    plan: Plan, split: Split, source: RandomSource, *, made: Promise | None = None
) -> BayesianNetwork:
    """Return the marginals under the budget of the plan's model. Internal: for comparison."""
    schema = split.parameters.schema
    parameters = ParameterLearner.within(
        schema, promised_budget(plan, made or promise(plan, schema))
    )
    records = together(split) if plan.model.at_once else split.parameters
    return learn_marginals(records, parameters, Noise(source))


def synthesizer(plan: Plan, network: Sequential, seeds: Records | StreamedRows) -> Synthesizer:
    """Return the plan's ω-model over the seeds.

    Raises:
        Refusal: they are read piece by piece, and cannot be read to their end.
    """
    model = KeptAttributes(network, plan.omega)
    if isinstance(seeds, StreamedRows):
        return Synthesizer(model, collect_prefixes(seeds, network.order, model.last_kept))
    return Synthesizer(model, seeds)


def allot_records(
    plan: Plan, schema: Schema, network: Sequential, secret: Secret
) -> AllottedRecords | None:
    """Return the records of a seedless plan by cell of the known totals; None where there are
    none."""
    totals = schema.joint_totals
    if totals is None:
        return None
    assert isinstance(network, BayesianNetwork), "third-party models refuse known totals"
    return AllottedRecords.of(network, totals, plan.attempts, secret.source("totals"))


_AT_ONCE = 1 << 21
"""Records whose prefixes are sorted at once."""


def collect_prefixes(seeds: StreamedRows, order: Sequence[int], longest: int) -> Prefixes:
    """Return the different prefixes among some seeds, in one reading, in memory by their number.

    Args:
        seeds: the seeds.
        order: the dependency order.
        longest: how many attributes a prefix has.

    Raises:
        Refusal: as of `StreamedTable.pieces`.
    """
    kept = list(order[:longest])
    sizes = seeds.schema.cardinalities[kept]
    if not kept:
        some = min(1, len(seeds))
        return Prefixes(np.zeros((some, 0), np.uint16), np.full(some, len(seeds), np.int64))
    pile: MergeBuffer[Prefixes] = MergeBuffer(
        lambda one, other: one.merge(other, sizes), lambda each: len(each.codes)
    )
    waiting: list[CodeArray] = []
    for rows in seeds.rows(kept):
        waiting.append(np.column_stack([rows.columns[place] for place in kept]))
        if sum(map(len, waiting)) >= _AT_ONCE:
            pile.add(Prefixes.of(np.concatenate(waiting), sizes))
            waiting = []
    if waiting:
        pile.add(Prefixes.of(np.concatenate(waiting), sizes))
    return pile.merge_all()
