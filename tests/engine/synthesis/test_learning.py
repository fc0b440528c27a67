"""What the whole of learning reaches on the shipped sample."""

from __future__ import annotations

import numpy as np
import pytest

from engine.evaluation.distances import distances
from engine.models.bayesnet.kept import KeptAttributes
from engine.models.bayesnet.network import BayesianNetwork
from engine.models.bayesnet.parameters import ParameterLearner
from engine.models.bayesnet.structure import StructureLearner
from engine.models.omega import Omega
from engine.privacy.plausibility.privacy_test import privacy_test
from engine.privacy.randomness import RandomSource
from engine.synthesis.attempts import Decision, Synthesizer, release
from engine.synthesis.learning import learn, learn_baseline, model_budget
from engine.synthesis.plan import ModelPlan, Plan
from engine.synthesis.promise import promise
from engine.table.records import Records
from engine.table.split import split
from sample_data import census

SCHEMA = census.schema()
SEEDLESS = Omega(low=11, high=11)


@pytest.fixture(scope="module")
def sample() -> Records:
    return Records(SCHEMA, census.simulate(census.SHIPPED_ROWS, census.SHIPPED_SEED))


def pairs(network: BayesianNetwork, seeds: Records, held_out: Records, seed: int) -> float:
    made = Synthesizer(KeptAttributes(network, SEEDLESS), seeds)
    decision = Decision(privacy_test("plausible-deniability", 50, 1.0), 0.0)
    codes = release(made, decision, 0, 10_000, RandomSource.fixed(seed))
    return float(np.median(distances(Records(SCHEMA, codes), held_out).each_pair))


@pytest.mark.parametrize(("epsilon", "margin"), [(None, 0.015), (10.0, 0.015), (1.0, 0.0)])
def test_the_model_is_closer_on_pairs_than_the_marginals(
    sample: Records, epsilon: float | None, margin: float
) -> None:
    plan = Plan.of(SCHEMA, model=ModelPlan(epsilon=epsilon))
    ours, baseline = [], []
    for seed in range(5):
        source = RandomSource.fixed(seed)
        parts = split(sample, plan.shares, source)
        network = learn(plan, SCHEMA, parts, source).network
        marginals = learn_baseline(plan, parts, source)
        ours.append(pairs(network, parts.seeds, parts.held_out, seed))
        baseline.append(pairs(marginals, parts.seeds, parts.held_out, seed))
    assert np.mean(ours) + margin <= np.mean(baseline)
    assert sum(one <= other for one, other in zip(ours, baseline, strict=True)) >= 4


def test_more_noise_makes_a_simpler_model(sample: Records) -> None:
    cells = []
    for epsilon in (None, 10.0, 1.0, 0.1):
        plan = Plan.of(SCHEMA, model=ModelPlan(epsilon=epsilon))
        source = RandomSource.fixed(3)
        parts = split(sample, plan.shares, source)
        cells.append(learn(plan, SCHEMA, parts, source).network.cells)
    assert cells == sorted(cells, reverse=True)
    assert cells[-1] < cells[0]


def test_a_sampled_posterior_learns_another_model(sample: Records) -> None:
    tables = []
    for estimate in ("mean", "sampled"):
        plan = Plan.of(SCHEMA, model=ModelPlan(estimate=estimate))
        source = RandomSource.fixed(4)
        parts = split(sample, plan.shares, source)
        tables.append(learn(plan, SCHEMA, parts, source).network.tables[0].weights)
    assert (tables[0] != tables[1]).any()


@pytest.mark.parametrize("records_per_person", [1, 4])
def test_learning_spends_what_the_promise_says(records_per_person: int) -> None:
    plan = Plan.of(SCHEMA, records_per_person=records_per_person, omega=SEEDLESS)
    made, budget = promise(plan, SCHEMA), model_budget(plan, SCHEMA)
    assert StructureLearner.within(SCHEMA, budget).cost == made.structure
    assert ParameterLearner.within(SCHEMA, budget).cost == made.parameters
    assert (made.structure.delta < plan.delta / 4) == (records_per_person == 4)
