"""The networks whose accuracy is compared: the run's own among them, the others learned anew."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support import category_schema, random_network, random_structure, uniform_records
from understudy.core.refusal import Refusal
from understudy.evaluation.comparison import compare, distances
from understudy.evaluation.measure import FEWEST, MARGINALS, Table
from understudy.mechanisms.seedbased.evaluation import sweep as sweeping
from understudy.mechanisms.seedbased.evaluation.figures import (
    RunFigures,
    draw_pools,
    omegas_to_show,
)
from understudy.mechanisms.seedbased.evaluation.pass_rate import ScoreSample
from understudy.mechanisms.seedbased.evaluation.pool import HeldOutPairs, Pool, Pools
from understudy.mechanisms.seedbased.evaluation.sweep import (
    MOST,
    NO_PROMISE,
    NO_SCORES,
    UNDER_FLOOR,
    SweepPoint,
    combine_settings,
    sweep,
)
from understudy.mechanisms.seedbased.evaluation.tables import models_of, name_network
from understudy.mechanisms.seedbased.model_fit import learn, learn_baseline
from understudy.mechanisms.seedbased.plan import ModelPlan, Plan
from understudy.mechanisms.seedbased.promise import Promise, promise
from understudy.models.bayesnet.network import BayesianNetwork
from understudy.models.bayesnet.structure import StructureLearner
from understudy.models.calibrated.learner import CalibratedLearner
from understudy.models.learner import together
from understudy.models.omega import Omega
from understudy.privacy.plausibility.privacy_test import RelativeSensitivity, privacy_test
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records
from understudy.table.split import Shares, Split, split

SCHEMA = category_schema(4, 3, 5, 2)
HIDDEN, TWO = Omega(low=2, high=4), Omega(low=2, high=2)
ANNOUNCED, SEEDLESS = Omega(low=3, high=4, reading="announced"), Omega(low=4, high=4)
OMEGAS = (HIDDEN, TWO, ANNOUNCED, SEEDLESS)


def plan(**settings: Any) -> Plan:
    usual = {
        "test": privacy_test("relative-sensitivity", 60, 0.3),
        "omega": TWO,
        "attempts": 100,
        "delta": 1e-5,
        "seeds_at_least": 600,
    }
    return Plan.of(SCHEMA, **{**usual, **settings})


@pytest.fixture(scope="module")
def records() -> Records:
    return uniform_records(SCHEMA, 3_000, 8)


@pytest.fixture(scope="module")
def pools(records: Records) -> Pools:
    """Candidates of two models, at ε = 1 and 0.1, for every ω."""
    source, rng = RandomSource.fixed(3), np.random.default_rng(9)
    parts = split(records, Shares(), source)
    models = [random_network(SCHEMA, random_structure(4, rng), rng) for _ in range(3)]
    drawn = [
        pool
        for model, epsilon in zip(models, (1.0, 0.1), strict=False)
        for pool in draw_pools(model, parts.seeds, epsilon, OMEGAS, source)
    ]
    return Pools.around(drawn, parts, models[2], source)


def slowly(plan: Plan, pool: Pool, held_out: HeldOutPairs) -> tuple[float, float]:
    """Typical distance and effective number, of one plan by itself."""
    weights = pool.sample.chances(plan.test, promise(plan, SCHEMA).pass_cap)
    found = held_out.distances(pool.codes, weights[:, None])[:, 0]
    return float(np.median(found)), float(weights.sum() ** 2 / (weights @ weights))


def promised(plan: Plan) -> Promise | Refusal:
    try:
        return promise(plan, SCHEMA)
    except Refusal as refusal:
        return refusal


def test_a_grid_is_every_combination() -> None:
    found = combine_settings(
        plan(), SCHEMA, {"k": (40, 80), "epsilon0": (0.2, 0.4, 0.8), "attempts": (10, 20)}
    )
    assert found.refused == 0
    assert found.refusal is None
    settings = [(each.test.k, each.test.epsilon0, each.attempts) for each in found.plans]
    assert settings == list(product((40, 80), (0.2, 0.4, 0.8), (10, 20)))
    assert all(each.delta == 1e-5 and each.omega == TWO for each in found.plans)


def test_every_parameter_can_be_varied() -> None:
    base = plan(omega=HIDDEN)
    one = {
        "k": 33,
        "epsilon0": 0.77,
        "gamma": 3.5,
        "omega": ANNOUNCED,
        "test": "plausible-deniability",
        "attempts": 17,
        "model_epsilon": 0.25,
    }
    (found,) = combine_settings(
        base, SCHEMA, {**{name: (each,) for name, each in one.items()}}
    ).plans
    assert found == base.change(
        SCHEMA,
        test=privacy_test("plausible-deniability", 33, 0.77, 4.0),
        omega=ANNOUNCED,
        attempts=17,
        model=ModelPlan(epsilon=0.25),
    )
    hidden = combine_settings(
        base, SCHEMA, {"test": ("plausible-deniability",), "gamma": (2.0, 3.5)}
    ).plans
    assert [getattr(each.test, "gamma", None) for each in hidden] == [2.0, 3.5]


def test_what_a_plan_has_no_use_for_makes_no_second_one() -> None:
    seedless = combine_settings(
        plan(), SCHEMA, {"omega": (SEEDLESS,), "k": (10, 20), "epsilon0": (0.1, 0.2)}
    )
    assert [(each.omega, each.test) for each in seedless.plans] == [(SEEDLESS, plan().test)]
    relative = combine_settings(plan(omega=HIDDEN), SCHEMA, {"gamma": (2.0, 3.0)})
    assert relative.plans == (plan(omega=HIDDEN),)
    fixed = combine_settings(
        plan(), SCHEMA, {"test": ("plausible-deniability",), "gamma": (2.0, 3.0)}
    )
    assert len(fixed.plans) == 1


def test_combinations_that_make_no_plan_are_left_out_and_counted() -> None:
    found = combine_settings(plan(), SCHEMA, {"k": (0, 40, 80), "attempts": (10, 0)})
    assert [(each.test.k, each.attempts) for each in found.plans] == [(40, 10), (80, 10)]
    assert found.refused == 4
    assert found.refusal is not None
    assert "k" in str(found.refusal)


def test_a_grid_has_its_bounds() -> None:
    ks = tuple(range(2, 2 + MOST))
    assert len(combine_settings(plan(), SCHEMA, {"k": ks}).plans) == MOST
    with pytest.raises(Refusal, match="2,001 combinations") as refused:
        combine_settings(plan(), SCHEMA, {"k": (*ks, 1 << 20), "epsilon0": (0.1,)})
    assert refused.value.field == "k"
    with pytest.raises(Refusal, match="no value") as refused:
        combine_settings(plan(), SCHEMA, {"k": (1,), "epsilon0": ()})
    assert refused.value.field == "epsilon0"


VARIED = {
    "test": ("relative-sensitivity", "plausible-deniability"),
    "omega": OMEGAS,
    "k": (5, 60, 120),
    "gamma": (1.5, 8.0),
    "model_epsilon": (1.0, 0.1),
    "attempts": (50, 5_000),
}


def test_every_point_is_what_its_plan_gives_alone(pools: Pools) -> None:
    plans = combine_settings(plan(), SCHEMA, VARIED).plans  # type: ignore[arg-type]
    found = sweep(plans, SCHEMA, pools)
    assert tuple(point.plan for point in found.points) == plans
    capped = refused = 0
    for each, point in zip(plans, found.points, strict=True):
        pool = pools.of(each.model.epsilon, each.omega)
        assert pool is not None
        made = promised(each)
        if isinstance(made, Refusal):
            assert (point.total, point.trouble) == (None, str(made))
            refused += 1
            continue
        capped += made.pass_cap > 0
        assert (point.total, point.trouble) == (made.total, "")
        rate = pool.sample.pass_rate(each.test, made.pass_cap)
        assert point.pass_rate == pytest.approx(rate, rel=1e-12)
        assert point.records == pytest.approx(point.pass_rate * each.attempts)
        distance, effective = slowly(each, pool, pools.held_out)
        assert point.distance == pytest.approx(distance)
        assert point.effective == pytest.approx(effective)
        real = pools.references.real_at(np.array([effective]))[0]
        assert point.real == pytest.approx(real)
    assert capped
    assert refused


def test_where_every_candidate_passes_it_is_the_distance_of_the_candidates(
    pools: Pools, records: Records
) -> None:
    held_out = records.take(np.arange(200))
    known = replace(pools, held_out=HeldOutPairs.of(held_out))
    seedless, ones = plan(omega=SEEDLESS), plan(test=privacy_test("relative-sensitivity", 1, None))
    for each in (seedless, ones):
        (point,) = sweep([each], SCHEMA, known).points
        pool = pools.of(1.0, each.omega)
        assert pool is not None
        passing = pool.sample.chances(each.test) == 1
        assert passing.mean() > 0.99
        table = Records(SCHEMA, pool.codes[passing])
        assert point.distance == pytest.approx(distances(table, held_out).typical_pair)
        assert point.effective == pytest.approx(passing.sum())


def test_the_references_are_those_of_the_pools(pools: Pools) -> None:
    found = sweep([plan()], SCHEMA, pools)
    assert found.candidates == len(pools.each[0].sample)
    assert found.marginals == pools.references.marginals
    assert found.real == pools.references.real_at(np.array([found.candidates]))[0]


def handmade(pools: Pools, counts: list[int]) -> Pools:
    """Candidates with so many plausible seeds each."""
    sample = ScoreSample(TWO, np.array(counts), np.zeros(len(counts), dtype=bool))
    codes = pools.each[0].codes[: len(counts)]
    return replace(pools, each=(Pool(1.0, sample, codes),))


def test_few_passing_candidates_are_said_to_be_few(pools: Pools) -> None:
    for passing, enough in ((199, False), (200, True)):
        found = handmade(pools, [10_000] * passing + [0] * 500)
        (point,) = sweep([plan()], SCHEMA, found).points
        assert point.effective == pytest.approx(passing, abs=0.01)
        assert point.enough == enough


def test_chances_that_all_but_vanish_are_still_weighed(pools: Pools) -> None:
    found = handmade(pools, [100] * 300 + [90] * 200)
    never = plan(test=privacy_test("relative-sensitivity", 1_100, 0.46))
    (point,) = sweep([never], SCHEMA, found).points
    assert 0 < point.pass_rate < 1e-190
    small = np.exp(-4.6)
    assert point.effective == pytest.approx((300 + 200 * small) ** 2 / (300 + 200 * small**2))
    gone = plan(test=privacy_test("relative-sensitivity", 10**6, 1.0))
    (point,) = sweep([gone], SCHEMA, found).points
    assert (point.pass_rate, point.records, point.effective) == (0, 0, 0)
    assert np.isnan(point.distance)
    assert not point.enough


def test_without_noise_nothing_is_promised(pools: Pools) -> None:
    for test in (None, 0.3):
        model = ModelPlan(epsilon=None if test else 1.0)
        each = plan(test=privacy_test("relative-sensitivity", 60, test), model=model)
        (point,) = sweep([each], SCHEMA, pools).points
        assert (point.total, point.trouble) == (None, NO_PROMISE)
        assert np.isnan(point.epsilon)


def test_a_plan_without_a_pool_has_a_price_and_no_utility(pools: Pools) -> None:
    (point,) = sweep([plan(model=ModelPlan(epsilon=3.0))], SCHEMA, pools).points
    assert point.total is not None
    assert point.trouble == NO_SCORES
    assert np.isnan([point.pass_rate, point.records, point.distance]).all()


def test_a_run_of_so_many_records_releases_them_or_nothing(pools: Pools) -> None:
    usual: dict[str, Any] = {"protocol": "releases", "attempts": 30}
    hard = privacy_test("relative-sensitivity", 120, 0.3)
    passing, failing = plan(pass_floor=0.1, **usual), plan(pass_floor=0.99, test=hard, **usual)
    points = sweep([passing, failing], SCHEMA, pools).points
    assert [point.records for point in points] == [30, 0]
    assert [point.trouble for point in points] == ["", UNDER_FLOOR]


def test_equal_weights_are_worked_out_once(pools: Pools, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    typical: Callable[..., Any] = HeldOutPairs.typical

    def counted(self: HeldOutPairs, codes: Any, weights: Any) -> Any:
        asked.append(weights.shape[1])
        return typical(self, codes, weights)

    monkeypatch.setattr(HeldOutPairs, "typical", counted)
    plans = combine_settings(
        plan(), SCHEMA, {"attempts": tuple(range(10, 60)), "k": (60, 80)}
    ).plans
    assert len(sweep(plans, SCHEMA, pools).points) == 100
    assert asked == [2]
    assert sweeping.ENOUGH == 200


def test_no_plans_make_no_points(pools: Pools) -> None:
    points: tuple[SweepPoint, ...] = sweep([], SCHEMA, pools).points
    assert points == ()


PREDICTORS_SCHEMA = category_schema(3, 3)


@pytest.fixture(scope="module")
def parts() -> Split:
    """Two columns that are nearly the same."""
    rng = np.random.default_rng(3)
    first = rng.integers(0, 3, 6_000)
    second = np.where(rng.random(6_000) < 0.9, first, rng.integers(0, 3, 6_000))
    records = Records(PREDICTORS_SCHEMA, np.column_stack([first, second]).astype(np.uint16))
    return split(records, predictors_plan().shares, RandomSource.fixed(1))


def predictors_plan(**model: object) -> Plan:
    return Plan.of(PREDICTORS_SCHEMA, omega=Omega(low=2, high=2), model=ModelPlan(**model))  # type: ignore[arg-type]


def models(chosen: Plan, parts: Split) -> tuple[object, object, dict[str, object]]:
    source = RandomSource.fixed(2)
    network = learn(chosen, PREDICTORS_SCHEMA, parts, source).network
    baseline = learn_baseline(chosen, parts, source)
    return network, baseline, dict(models_of(chosen, network, baseline, parts, source))


def test_four_kinds_the_runs_own_at_its_epsilon(parts: Split) -> None:
    network, baseline, found = models(predictors_plan(), parts)
    assert list(found) == ["without noise", "ε = 1", "ε = 0.1", MARGINALS]
    assert found["ε = 1"] is network
    assert found[MARGINALS] is baseline


def test_without_noise_is_the_count_of_the_records(parts: Split) -> None:
    _, _, found = models(predictors_plan(kind="network", epsilon=0.5), parts)
    unnoised = predictors_plan(kind="network", epsilon=None)
    exact = learn(unnoised, PREDICTORS_SCHEMA, parts, RandomSource.fixed(9)).network
    without = found["without noise"]
    assert without.structure.edges  # type: ignore[attr-defined]
    for ours, theirs in zip(without.tables, exact.tables, strict=True):  # type: ignore[attr-defined]
        assert np.array_equal(ours.weights, theirs.weights)
    assert list(found) == ["without noise", "ε = 0.5", "ε = 0.05", MARGINALS]


def test_the_calibrated_model_without_noise_is_near_the_records(parts: Split) -> None:
    """Its tables are those of drawn records, so they differ by a few thousandths."""
    _, _, found = models(predictors_plan(epsilon=0.05), parts)
    assert list(found) == ["without noise", "ε = 0.05", "ε = 0.005", MARGINALS]
    without = found["without noise"]
    assert isinstance(without, BayesianNetwork)
    first, second = without.records(100_000, RandomSource.fixed(9))
    real = together(parts).codes
    assert (first == second).mean() == pytest.approx((real[:, 0] == real[:, 1]).mean(), abs=0.01)


def test_a_plan_without_noise_has_no_other(parts: Split) -> None:
    network, _, found = models(predictors_plan(epsilon=None), parts)
    assert list(found) == ["without noise", MARGINALS]
    assert found["without noise"] is network


def test_a_plan_of_marginals_is_shown_what_a_network_would_do(parts: Split) -> None:
    network, baseline, found = models(predictors_plan(kind="marginals", epsilon=50.0), parts)
    assert list(found) == ["without noise", "ε = 50", "ε = 5", MARGINALS]
    assert found["ε = 50"] is not network
    assert found["ε = 50"].structure.edges  # type: ignore[attr-defined]
    assert found[MARGINALS] is baseline


def test_a_tenth_that_no_plan_may_have_is_left_out(parts: Split) -> None:
    _, _, found = models(predictors_plan(epsilon=2e-4), parts)
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
    network = learn(predictors_plan(kind=kind), PREDICTORS_SCHEMA, parts, source).network
    monkeypatch.setattr(learner, "within", noted)
    models_of(predictors_plan(kind=kind), network, network, parts, source)
    assert set(spent) == {float("inf"), 0.1}


def test_names_follow_the_published_figure() -> None:
    assert (name_network(None), name_network(1.0), name_network(0.1)) == (
        "without noise",
        "ε = 1",
        "ε = 0.1",
    )


FIGURES_SCHEMA = category_schema(4, 3, 5)
FIGURES_OMEGAS = (Omega(low=1, high=3), Omega(low=2, high=2))


def some(seed: int, count: int, skew: float = 1.0) -> Records:
    rng = np.random.default_rng(seed)
    codes = np.column_stack([np.floor(size * rng.random(count) ** skew) for size in (4, 3, 5)])
    return Records(FIGURES_SCHEMA, codes.astype(np.uint16))


def test_every_table_but_candidates_is_compared() -> None:
    tables = (
        Table("like", "reals", some(1, 400)),
        Table("unlike", "released", some(2, 400, 3.0)),
        Table("untested", "candidates", some(3, 400)),
    )
    like, unlike = compare(tables, some(4, 500))
    assert (like.name, unlike.name) == ("like", "unlike")
    assert like.records == unlike.records == 400
    assert np.median(like.distances.each_pair) < np.median(unlike.distances.each_pair)


def test_without_held_out_records_nothing_is_compared() -> None:
    assert compare([Table("one", "reals", some(1, 300))], some(2, FEWEST - 1)) == ()


@pytest.mark.parametrize(
    ("planned", "expected"),
    [
        (Omega(low=5, high=11), ["5-11", "11", "10", "9"]),
        (Omega(low=10, high=10), ["10", "11", "9"]),
    ],
)
def test_the_planned_omega_comes_first(planned: Omega, expected: list[str]) -> None:
    assert [str(each) for each in omegas_to_show(planned, 11)] == expected
    assert [str(each) for each in omegas_to_show(Omega(low=1, high=2), 2)] == ["1-2", "2", "1"]


def figures(*, kept: bool) -> RunFigures:
    rng = np.random.default_rng(1)
    network = random_network(FIGURES_SCHEMA, random_structure(3, rng), rng)
    source = RandomSource.fixed(2)
    parts = split(some(3, 2_000), Shares(), source)
    drawn = draw_pools(network, parts.seeds, 0.7, FIGURES_OMEGAS, source)
    return RunFigures(
        network.structure.parents,
        network.order,
        compare([Table("one", "reals", some(1, 100))], some(2, 300)),
        tuple(each.sample for each in drawn),
        Pools.around(drawn, parts, network, source) if kept else None,
        0.75 if kept else None,
    )


def test_figures_survive_their_files(tmp_path: Path) -> None:
    made = figures(kept=True)
    assert RunFigures.load(tmp_path) is None
    made.save(tmp_path)
    again = RunFigures.load(tmp_path)
    assert again is not None
    assert (again.parents, again.order) == (made.parents, made.order)
    assert again.effective == 0.75
    assert again.compared[0].distances.pairs.tolist() == made.compared[0].distances.pairs.tolist()
    assert [sample.omega for sample in again.samples] == list(FIGURES_OMEGAS)
    assert again.pools is not None
    assert made.pools is not None
    for one, other in zip(made.pools.each, again.pools.each, strict=True):
        assert (one.epsilon, one.sample.omega) == (other.epsilon, other.sample.omega)
        assert one.codes.tolist() == other.codes.tolist()
    assert "internal" in (tmp_path / "figures.json").read_text(encoding="utf-8")


def test_figures_from_before_candidates_were_kept_are_still_read(tmp_path: Path) -> None:
    made = figures(kept=False)
    made.save(tmp_path)
    again = RunFigures.load(tmp_path)
    assert again is not None
    assert again.pools is None
    assert again.effective is None
    test = RelativeSensitivity(k=9, epsilon0=0.5)
    rates = [[each.pass_rate(test) for each in one.samples] for one in (made, again)]
    assert rates[0] == rates[1]
