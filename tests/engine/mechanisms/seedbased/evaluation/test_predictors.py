"""The networks whose accuracy is compared: the run's own among them, the others learned anew."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.support import category_schema
from understudy.evaluation.measure import MARGINALS
from understudy.mechanisms.seedbased.evaluation.tables import models_of, name_network
from understudy.mechanisms.seedbased.learning import learn, learn_baseline
from understudy.mechanisms.seedbased.plan import ModelPlan, Plan
from understudy.models.bayesnet.network import BayesianNetwork
from understudy.models.bayesnet.structure import StructureLearner
from understudy.models.calibrated.learner import CalibratedLearner
from understudy.models.learner import together
from understudy.models.omega import Omega
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records
from understudy.table.split import Split, split

SCHEMA = category_schema(3, 3)


@pytest.fixture(scope="module")
def parts() -> Split:
    """Two columns that are nearly the same."""
    rng = np.random.default_rng(3)
    first = rng.integers(0, 3, 6_000)
    second = np.where(rng.random(6_000) < 0.9, first, rng.integers(0, 3, 6_000))
    records = Records(SCHEMA, np.column_stack([first, second]).astype(np.uint16))
    return split(records, plan().shares, RandomSource.fixed(1))


def plan(**model: object) -> Plan:
    return Plan.of(SCHEMA, omega=Omega(low=2, high=2), model=ModelPlan(**model))  # type: ignore[arg-type]


def models(chosen: Plan, parts: Split) -> tuple[object, object, dict[str, object]]:
    source = RandomSource.fixed(2)
    network = learn(chosen, SCHEMA, parts, source).network
    baseline = learn_baseline(chosen, parts, source)
    return network, baseline, dict(models_of(chosen, network, baseline, parts, source))


def test_four_kinds_the_runs_own_at_its_epsilon(parts: Split) -> None:
    network, baseline, found = models(plan(), parts)
    assert list(found) == ["without noise", "ε = 1", "ε = 0.1", MARGINALS]
    assert found["ε = 1"] is network
    assert found[MARGINALS] is baseline


def test_without_noise_is_the_count_of_the_records(parts: Split) -> None:
    _, _, found = models(plan(kind="network", epsilon=0.5), parts)
    unnoised = plan(kind="network", epsilon=None)
    exact = learn(unnoised, SCHEMA, parts, RandomSource.fixed(9)).network
    without = found["without noise"]
    assert without.structure.edges  # type: ignore[attr-defined]
    for ours, theirs in zip(without.tables, exact.tables, strict=True):  # type: ignore[attr-defined]
        assert np.array_equal(ours.weights, theirs.weights)
    assert list(found) == ["without noise", "ε = 0.5", "ε = 0.05", MARGINALS]


def test_the_calibrated_model_without_noise_is_near_the_records(parts: Split) -> None:
    """Its tables are those of drawn records, so they differ by a few thousandths."""
    _, _, found = models(plan(epsilon=0.05), parts)
    assert list(found) == ["without noise", "ε = 0.05", "ε = 0.005", MARGINALS]
    without = found["without noise"]
    assert isinstance(without, BayesianNetwork)
    first, second = without.records(100_000, RandomSource.fixed(9))
    real = together(parts).codes
    assert (first == second).mean() == pytest.approx((real[:, 0] == real[:, 1]).mean(), abs=0.01)


def test_a_plan_without_noise_has_no_other(parts: Split) -> None:
    network, _, found = models(plan(epsilon=None), parts)
    assert list(found) == ["without noise", MARGINALS]
    assert found["without noise"] is network


def test_a_plan_of_marginals_is_shown_what_a_network_would_do(parts: Split) -> None:
    network, baseline, found = models(plan(kind="marginals", epsilon=50.0), parts)
    assert list(found) == ["without noise", "ε = 50", "ε = 5", MARGINALS]
    assert found["ε = 50"] is not network
    assert found["ε = 50"].structure.edges  # type: ignore[attr-defined]
    assert found[MARGINALS] is baseline


def test_a_tenth_that_no_plan_may_have_is_left_out(parts: Split) -> None:
    _, _, found = models(plan(epsilon=2e-4), parts)
    assert list(found) == ["without noise", "ε = 0.0002", MARGINALS]


@pytest.mark.parametrize(
    ("kind", "learner"), [("calibrated", CalibratedLearner), ("network", StructureLearner)]
)
def test_a_tenth_is_learned_with_its_own_noise(
    parts: Split, monkeypatch: pytest.MonkeyPatch, kind: str, learner: Any
) -> None:
    spent = []
    within = learner.within

    def noted(schema: object, budget: object, **more: object) -> object:
        spent.append(budget.epsilon)  # type: ignore[attr-defined]
        return within(schema, budget, **more)

    source = RandomSource.fixed(2)
    network = learn(plan(kind=kind), SCHEMA, parts, source).network
    monkeypatch.setattr(learner, "within", noted)
    models_of(plan(kind=kind), network, network, parts, source)
    assert set(spent) == {float("inf"), 0.1}


def test_names_follow_the_published_figure() -> None:
    assert (name_network(None), name_network(1.0), name_network(0.1)) == (
        "without noise",
        "ε = 1",
        "ε = 0.1",
    )
