"""From a split table to a synthesizer: the model a plan asks for, and the baseline beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import overload

import numpy as np

from engine.core.refusal import Refusal
from engine.mechanisms.seedbased.attempts import Synthesizer
from engine.mechanisms.seedbased.plan import Plan
from engine.mechanisms.seedbased.prefixes import prefixes
from engine.mechanisms.seedbased.promise import Promise, promise
from engine.models.bayesnet.kept_attributes import KeptAttributes
from engine.models.bayesnet.marginals import learn_marginals
from engine.models.bayesnet.network import BayesianNetwork
from engine.models.bayesnet.parameters import ParameterLearner
from engine.models.bayesnet.structure import CellCap, LearnedStructure, StructureLearner
from engine.models.calibrated.learner import CalibratedLearner
from engine.models.sequential import Sequential
from engine.models.streamed import StreamedRows, StreamedSplit
from engine.models.third_party.learning import learn_third_party
from engine.privacy.budget import Budget
from engine.privacy.noise import Noise
from engine.privacy.randomness import RandomSource
from engine.privacy.tape import Tape
from engine.table.records import Records
from engine.table.schema import Schema
from engine.table.split import PARAMETERS, STRUCTURE, Shares, Split


@dataclass(frozen=True)
class Learned:
    """What learning made.

    Attributes:
        network: the model candidates come from.
        structure: what structure learning of the published network released; else None.
    """

    network: Sequential
    structure: LearnedStructure | None = None


def promised_budget(plan: Plan, made: Promise) -> Budget:
    """The (ε, δ) for one record that structure and parameters may each spend."""
    if plan.model.epsilon is None:
        return Budget.unbounded()
    return Budget(plan.model.epsilon, made.record_delta)


def cell_cap(parameters: ParameterLearner, shares: Shares) -> CellCap:
    """The cost cap that the budget and the public shares leave room for."""
    return CellCap(parameters.share.deviation, shares.parameters / shares.structure)


def learn(
    plan: Plan,
    schema: Schema,
    split: Split | StreamedSplit,
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
    noise = Noise(source, tape)
    budget = promised_budget(plan, made or promise(plan, schema))
    together = model_records(split) if plan.model.at_once else split.parameters
    if plan.model.outside is not None:
        return Learned(
            learn_third_party(plan.model.outside, _in_memory(together), budget, source.child())
        )
    if plan.model.kind == "calibrated":
        learner = CalibratedLearner.within(schema, budget)
        return Learned(learner.learn(together, noise, source.child()).network)
    parameters = ParameterLearner.within(schema, budget)
    if plan.model.kind == "marginals":
        return Learned(learn_marginals(split.parameters, parameters, noise))
    structure = StructureLearner.within(schema, budget).learn(
        split.structure, noise, cell_cap(parameters, plan.shares)
    )
    network = parameters.learn(
        split.parameters,
        structure.structure,
        noise,
        estimate=plan.model.estimate,
        source=source.child(),
    )
    return Learned(network, structure)


def learn_baseline(
    plan: Plan, split: Split, source: RandomSource, *, made: Promise | None = None
) -> BayesianNetwork:
    """The marginals under the budget of the plan's model. Internal: for comparison."""
    schema = split.parameters.schema
    parameters = ParameterLearner.within(
        schema, promised_budget(plan, made or promise(plan, schema))
    )
    records = model_records(split) if plan.model.at_once else split.parameters
    return learn_marginals(records, parameters, Noise(source))


@overload
def model_records(split: Split) -> Records: ...


@overload
def model_records(split: StreamedSplit) -> StreamedRows: ...


def model_records(split: Split | StreamedSplit) -> Records | StreamedRows:
    """The records of structure and parameters together."""
    if isinstance(split, StreamedSplit):
        return split.of(STRUCTURE, PARAMETERS)
    codes = np.concatenate([split.structure.codes, split.parameters.codes])
    return Records(split.parameters.schema, codes)


def _in_memory(records: Records | StreamedRows) -> Records:
    """Records for a model that looks at each of them."""
    if isinstance(records, StreamedRows):
        raise Refusal(
            "A third-party model has to see every record at once, and these are read piece by "
            "piece.",
            "Choose a model of this program's own, or a table that fits in memory.",
            field="model",
        )
    return records


def synthesizer(plan: Plan, network: Sequential, seeds: Records | StreamedRows) -> Synthesizer:
    """The plan's ω-model over the seeds.

    Raises:
        Refusal: they are read piece by piece, and cannot be read to their end.
    """
    model = KeptAttributes(network, plan.omega)
    if isinstance(seeds, StreamedRows):
        return Synthesizer(model, prefixes(seeds, network.order, model.last_kept))
    return Synthesizer(model, seeds)
