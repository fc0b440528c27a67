"""From a split table to a synthesizer: the model a plan asks for, and the baseline beside it."""

from __future__ import annotations

from dataclasses import dataclass

from understudy.mechanisms.seedbased.attempts import Synthesizer
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.prefixes import prefixes
from understudy.mechanisms.seedbased.promise import Promise, promise
from understudy.models.bayesnet.kept_attributes import KeptAttributes
from understudy.models.bayesnet.network import BayesianNetwork
from understudy.models.bayesnet.parameters import ParameterLearner, learn_marginals
from understudy.models.learner import Parts, Terms, together
from understudy.models.noisy_tables import NoisyTable
from understudy.models.sequential import Sequential
from understudy.models.streamed_rows import StreamedRows
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
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
        return Synthesizer(model, prefixes(seeds, network.order, model.last_kept))
    return Synthesizer(model, seeds)
