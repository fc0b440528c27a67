"""The networks whose accuracy as models is compared: the run's own, and what noise costs it.

Learned for comparison only, from the records that the run's own model was learned from. They are
covered by no guarantee and never propose a record.
"""

from __future__ import annotations

from collections.abc import Mapping

from understudy.core.refusal import Refusal
from understudy.evaluation.measure import MARGINALS, WITHOUT_NOISE
from understudy.mechanisms.seedbased.learning import learn
from understudy.mechanisms.seedbased.plan import ModelPlan, Plan
from understudy.models.sequential import Sequential
from understudy.privacy.randomness import RandomSource
from understudy.table.split import Split

_FRACTION = 10


def named(epsilon: float | None) -> str:
    """Return what a network learned with this ε is called; None for no noise."""
    return WITHOUT_NOISE if epsilon is None else f"ε = {epsilon:g}"


def models_of(
    plan: Plan,
    network: Sequential,
    baseline: Sequential,
    split: Split,
    source: RandomSource,
) -> Mapping[str, Sequential]:
    """Networks without noise, with the plan's ε and with a tenth of it, then the marginals.

    A plan without noise leaves the first and the last. A tenth that is less than a plan may
    spend is left out.

    Args:
        plan: of the run.
        network: the run's own model, which stands under the plan's ε unless it has no edges by
            plan.
        baseline: the private marginals, under the plan's ε.
        split: the parts of the confidential table.
        source: where the noise comes from.
    """
    epsilon = plan.model.epsilon
    wanted = (None,) if epsilon is None else (None, epsilon, epsilon / _FRACTION)
    found = {}
    for each in wanted:
        own = each == epsilon and plan.model.about.relates
        learned = network if own else _learned(plan, each, split, source)
        if learned is not None:
            found[named(each)] = learned
    return {**found, MARGINALS: baseline}


def _learned(
    plan: Plan, epsilon: float | None, split: Split, source: RandomSource
) -> Sequential | None:
    """Return a network like the plan's with another ε; None where no plan may have that."""
    schema = split.parameters.schema
    try:
        model = plan.model.at(epsilon)
        if not model.about.relates:
            model = ModelPlan(epsilon=epsilon)
        return learn(plan.changed(schema, model=model), schema, split, source).network
    except Refusal:
        return None
