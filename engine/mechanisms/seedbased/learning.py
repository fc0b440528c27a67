"""From a split table to a synthesizer: the model a plan asks for, and the baseline beside it."""

from __future__ import annotations

from dataclasses import dataclass

from engine.mechanisms.seedbased.attempts import Synthesizer
from engine.mechanisms.seedbased.plan import Plan
from engine.mechanisms.seedbased.prefixes import prefixes
from engine.mechanisms.seedbased.promise import Promise, promise
from engine.models.bayesnet.kept_attributes import KeptAttributes
from engine.models.bayesnet.marginals import learn_marginals
from engine.models.bayesnet.network import BayesianNetwork
from engine.models.bayesnet.parameters import ParameterLearner
from engine.models.learner import Parts, Terms, together
from engine.models.sequential import Sequential
from engine.models.streamed import StreamedRows
from engine.privacy.budget import Budget
from engine.privacy.noise import Noise
from engine.privacy.randomness import RandomSource
from engine.privacy.tape import Tape
from engine.table.records import Records
from engine.table.schema import Schema
from engine.table.split import Split


@dataclass(frozen=True)
class Learned:
    """What learning made.

    Attributes:
        network: the model candidates come from.
    """

    network: Sequential


def promised_budget(plan: Plan, made: Promise) -> Budget:
    """The (ε, δ) for one record that structure and parameters may each spend."""
    if plan.model.epsilon is None:
        return Budget.unbounded()
    return Budget(plan.model.epsilon, made.record_delta)


def promised_terms(plan: Plan, schema: Schema, made: Promise) -> Terms:
    """What the model of a plan is learned under."""
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
    return Learned(plan.model.learner.learn(split, terms, Noise(source, tape), source))


def learn_baseline(
    plan: Plan, split: Split, source: RandomSource, *, made: Promise | None = None
) -> BayesianNetwork:
    """The marginals under the budget of the plan's model. Internal: for comparison."""
    schema = split.parameters.schema
    parameters = ParameterLearner.within(
        schema, promised_budget(plan, made or promise(plan, schema))
    )
    records = together(split) if plan.model.at_once else split.parameters
    return learn_marginals(records, parameters, Noise(source))


def synthesizer(plan: Plan, network: Sequential, seeds: Records | StreamedRows) -> Synthesizer:
    """The plan's ω-model over the seeds.

    Raises:
        Refusal: they are read piece by piece, and cannot be read to their end.
    """
    model = KeptAttributes(network, plan.omega)
    if isinstance(seeds, StreamedRows):
        return Synthesizer(model, prefixes(seeds, network.order, model.last_kept))
    return Synthesizer(model, seeds)
