"""What the whole of learning reaches on the shipped sample."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support import category_schema
from understudy.evaluation.comparison import distances
from understudy.mechanisms.seedbased.attempts import Decision, Synthesizer, release
from understudy.mechanisms.seedbased.learning import learn, learn_baseline, promised_budget
from understudy.mechanisms.seedbased.plan import ModelKind, ModelPlan, Plan
from understudy.mechanisms.seedbased.promise import promise
from understudy.models.bayesnet.kept_attributes import KeptAttributes
from understudy.models.bayesnet.network import BayesianNetwork
from understudy.models.bayesnet.parameters import ParameterLearner
from understudy.models.bayesnet.structure import StructureLearner
from understudy.models.calibrated.learner import CalibratedLearner
from understudy.models.omega import Omega
from understudy.models.sequential import Sequential
from understudy.privacy.plausibility.privacy_test import privacy_test
from understudy.privacy.randomness import RandomSource
from understudy.samples import census
from understudy.table.records import Records
from understudy.table.split import Split, split

SCHEMA = census.schema()
SEEDLESS = Omega(low=11, high=11)
_WITH_NOISE = pytest.mark.thorough("test_the_model_is_closer_on_pairs_than_the_marginals")


@pytest.fixture(scope="module")
def sample() -> Records:
    return Records(SCHEMA, census.simulate(census.SHIPPED_ROWS, census.SHIPPED_SEED))


def network_of(plan: Plan, parts: Split, source: RandomSource) -> BayesianNetwork:
    network = learn(plan, parts.seeds.schema, parts, source).network
    assert isinstance(network, BayesianNetwork)
    return network


def pairs(network: Sequential, seeds: Records, held_out: Records, seed: int) -> float:
    made = Synthesizer(KeptAttributes(network, SEEDLESS), seeds)
    decision = Decision(privacy_test("plausible-deniability", 50, 1.0), 0.0)
    codes = release(made, decision, 0, 10_000, RandomSource.fixed(seed))
    return float(np.median(distances(Records(SCHEMA, codes), held_out).each_pair))


@pytest.mark.parametrize(
    ("model", "margin", "seeds"),
    [
        (ModelPlan(kind="network", epsilon=None), 0.015, 5),
        (ModelPlan(kind="network", epsilon=10.0), 0.015, 5),
        (ModelPlan(kind="network", epsilon=1.0), 0.0, 5),
        pytest.param(ModelPlan(epsilon=None), 0.025, 1, marks=_WITH_NOISE),
        (ModelPlan(epsilon=1.0), 0.015, 1),
    ],
)
def test_the_model_is_closer_on_pairs_than_the_marginals(
    sample: Records, model: ModelPlan, margin: float, seeds: int
) -> None:
    plan = Plan.of(SCHEMA, model=model)
    ours, baseline = [], []
    for seed in range(seeds):
        source = RandomSource.fixed(seed)
        parts = split(sample, plan.shares, source)
        network = learn(plan, SCHEMA, parts, source).network
        marginals = learn_baseline(plan, parts, source)
        ours.append(pairs(network, parts.seeds, parts.held_out, seed))
        baseline.append(pairs(marginals, parts.seeds, parts.held_out, seed))
    assert np.mean(ours) + margin <= np.mean(baseline)
    closer = [one <= other for one, other in zip(ours, baseline, strict=True)]
    assert sum(closer) >= min(seeds, 4)


def test_the_published_network_is_simpler_the_more_noise_there_is(sample: Records) -> None:
    cells = []
    for epsilon in (None, 10.0, 1.0, 0.1):
        plan = Plan.of(SCHEMA, model=ModelPlan(kind="network", epsilon=epsilon))
        source = RandomSource.fixed(3)
        parts = split(sample, plan.shares, source)
        cells.append(network_of(plan, parts, source).cells)
    assert cells == sorted(cells, reverse=True)
    assert cells[-1] < cells[0]


def test_a_sampled_posterior_learns_another_published_network(sample: Records) -> None:
    tables = []
    for estimate in ("mean", "sampled"):
        plan = Plan.of(SCHEMA, model=ModelPlan(kind="network", estimate=estimate))
        source = RandomSource.fixed(4)
        parts = split(sample, plan.shares, source)
        tables.append(network_of(plan, parts, source).tables[0].weights)
    assert (tables[0] != tables[1]).any()


@pytest.mark.parametrize("records_per_person", [1, 4])
@pytest.mark.parametrize("kind", ["calibrated", "network", "marginals"])
def test_learning_spends_what_the_promise_says(kind: ModelKind, records_per_person: int) -> None:
    plan = Plan.of(
        SCHEMA,
        model=ModelPlan(kind=kind),
        records_per_person=records_per_person,
        omega=SEEDLESS,
    )
    made, budget = promise(plan, SCHEMA), promised_budget(plan, promise(plan, SCHEMA))
    learners: dict[str, CalibratedLearner | StructureLearner | ParameterLearner] = {
        "model": CalibratedLearner.within(SCHEMA, budget),
        "structure": StructureLearner.within(SCHEMA, budget),
        "parameters": ParameterLearner.within(SCHEMA, budget),
    }
    assert dict(made.learning) == {part: learners[part].cost for part in made.learning}
    for part in made.learning.values():
        assert part.epsilon <= 1.0 * (1 + 1e-9)
        if part.delta:
            assert (part.delta < plan.delta / 4) == (records_per_person == 4)
    assert (made.total.delta > 0) == (kind != "marginals")


@pytest.mark.parametrize("empty", ["structure", "parameters"])
def test_the_calibrated_model_learns_from_the_records_of_both_shares(empty: str) -> None:
    """It measures the same records, however they are dealt between the two."""
    schema = category_schema(3, 4, 2)
    rng = np.random.default_rng(6)
    codes = np.column_stack([rng.integers(0, size, 2_000) for size in (3, 4, 2)])
    every = Records(schema, codes.astype(np.uint16))
    none, first, rest = (every.take(np.arange(*each)) for each in ((0,), (700,), (700, 2_000)))
    plan = Plan.of(schema)
    found = []
    for parts in (
        {"structure": first, "parameters": rest},
        {"structure": every, "parameters": every, empty: none},
    ):
        dealt = Split(seeds=none, held_out=none, **parts)
        network = network_of(plan, dealt, RandomSource.fixed(5))
        found.append([table.weights.tolist() for table in network.tables])
    assert found[0] == found[1]
