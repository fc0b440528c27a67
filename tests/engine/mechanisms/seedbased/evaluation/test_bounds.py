"""Bounds before release, against the exact distance on universes that can be written out. The
Triangle lemma, on laws that can be written out and on plans drawn at random.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import category_schema, random_network, random_structure
from understudy.assurance.attempt import pairs, shipped_scores
from understudy.assurance.random_inputs import RandomInputs
from understudy.assurance.seedbased.one_attempt import KINDS, small_test
from understudy.core.refusal import Refusal
from understudy.mechanisms.seedbased.attempts import Synthesizer
from understudy.mechanisms.seedbased.evaluation.bounds import (
    NOBODY,
    BoundPlace,
    alpha,
    at_one_t,
    bound_places,
    eta_at,
    every_t,
    lemma_5_2,
    lemma_epsilon,
    list_bounds,
    place,
)
from understudy.mechanisms.seedbased.evaluation.pass_rate import ScoreSample
from understudy.models.bayesnet.kept_attributes import KeptAttributes
from understudy.models.omega import Omega
from understudy.privacy.accounting.accountant import account
from understudy.privacy.plausibility.privacy_test import (
    LikelihoodClasses,
    PlausibleDeniability,
    PrivacyTest,
    RelativeSensitivity,
    privacy_test,
)
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records

Reals = npt.NDArray[np.float64]


def one(value: float) -> Reals:
    return np.array([value])


# What is published.


def test_example_5_3() -> None:
    assert lemma_5_2(one(0.01), one(0.9))[0] == pytest.approx(0.066, abs=0.0005)


PUBLISHED = [
    # k, t, β̂_t, α̂_t and the bound of Table 9.5: VAE-3, then PCA-5.
    (1_000, 5_000, 0.006, 1.015, 0.0103),
    (5_000, 10_000, 0.049, 1.055, 0.0509),
    (10_000, 15_000, 0.070, 1.079, 0.0713),
    (20_000, 25_000, 0.080, 1.091, 0.0819),
    (50_000, 55_000, 0.174, 1.214, 0.1754),
    (1_000, 5_000, 0.013, 1.022, 0.0171),
    (5_000, 10_000, 0.023, 1.027, 0.0246),
    (10_000, 15_000, 0.034, 1.039, 0.0359),
    (20_000, 25_000, 0.050, 1.057, 0.0522),
    (50_000, 55_000, 0.154, 1.186, 0.1558),
]


@pytest.mark.parametrize(("k", "t", "beta", "at_most", "bound"), PUBLISHED)
def test_table_9_5(k: int, t: int, beta: float, at_most: float, bound: float) -> None:
    coin = RelativeSensitivity(k=k, epsilon0=0.001).coin
    passing = coin.probability(np.array([t]))
    # β̂_t is printed to three places.
    assert alpha(one(beta), passing)[0] == pytest.approx(at_most, abs=0.0011)
    assert lemma_5_2(one(beta), passing)[0] == pytest.approx(bound, abs=0.00055)


def test_the_two_branches_of_the_lemma_by_hand() -> None:
    assert lemma_5_2(one(0.2), one(0.8))[0] == pytest.approx(0.2 + 0.2 / 1.6)
    # α = 1/(0.5·0.8) = 2.5, above 2.
    assert lemma_5_2(one(0.2), one(0.5))[0] == pytest.approx(0.75)
    assert lemma_5_2(np.array([1.0, 0.0]), np.array([0.5, 0.0])).tolist() == [1.0, 1.0]
    assert alpha(np.array([1.0, 0.0]), np.array([0.5, 0.0])).tolist() == [math.inf, math.inf]
    assert at_one_t(one(0.2), one(0.5))[0] == pytest.approx(0.2 + 0.8 * 0.5)


# What is true.


@dataclass(frozen=True)
class Truth:
    """One exact universe: what the bounds are about, by enumeration."""

    distance: float
    pass_rate: float
    made: Reals
    least: npt.NDArray[np.int64]

    def beta(self, t: int) -> float:
        return float(self.made[self.least < t].sum())


def truth(test: PrivacyTest, model: Reals, table: npt.NDArray[np.int64], rho: float) -> Truth:
    """P_G, P̃_F and κ(y) record by record, ρ included."""
    released = pairs(test, model, table).released[0] * (1 - rho)
    made = (table / table.sum()) @ model
    scored = shipped_scores(test, model, table[None])[0]
    least = np.full(model.shape[1], NOBODY)
    for seed, value in product(*map(range, model.shape)):
        if table[seed] and model[seed, value] > 0:
            least[value] = min(least[value], scored[seed, value])
    total = released.sum()
    return Truth(float(np.abs(made - released / total).sum() / 2), float(total), made, least)


def random_universe(
    draw: RandomInputs, kind: str
) -> tuple[PrivacyTest, Reals, npt.NDArray[np.int64]]:
    test, seeds = draw.test(kind), draw.whole(1, 4)
    table = draw.table(seeds, test.k) * draw.one_of((1, 1, 3))
    return test, draw.model(seeds, draw.whole(1, 5)), table


@pytest.mark.parametrize("kind", KINDS)
def test_the_exact_distance_is_never_above_a_bound(kind: str) -> None:
    draw, tightest = (
        RandomInputs(31),
        {"lemma": 0.0, "scores": 0.0, "rejections": 0.0, "layers": 0.0},
    )
    for turn in range(200):
        test, model, table = random_universe(draw, kind)
        rho = (0.0, 0.3)[turn % 2]
        exact = truth(test, model, table, rho)
        t = np.arange(1, int(table.sum()) + 2)
        beta = np.array([exact.beta(int(each)) for each in t])
        passing = test.coin.probability(t)
        rate = exact.pass_rate / (1 - rho)
        found = {
            "lemma": lemma_5_2(beta, passing),
            "scores": at_one_t(beta, passing),
            "rejections": np.array([1 - rate]),
            "layers": np.array([every_t(beta, passing, rate)]),
        }
        for name, values in found.items():
            assert (exact.distance <= values + 1e-12).all(), (name, str(test))
            if exact.distance > 0.02:
                tightest[name] = max(tightest[name], exact.distance / float(values.min()))
        # 1 − c is never the worse of the two that count rejections.
        assert (found["rejections"] <= found["scores"] + 1e-12).all()
    # A bound far from every truth would pass anything.
    assert min(tightest.values()) > 0.6


@pytest.mark.parametrize("kind", KINDS)
def test_every_ratio_lies_where_observation_5_2_says(kind: str) -> None:
    draw = RandomInputs(32)
    for _ in range(100):
        test, model, table = random_universe(draw, kind)
        exact = truth(test, model, table, 0.0)
        released = pairs(test, model, table).released[0]
        can = exact.made > 0
        ratio = released[can] / released.sum() / exact.made[can]
        for t in range(1, int(table.sum()) + 1):
            passing = test.coin.probability(np.array([t]))
            most = alpha(one(exact.beta(t)), passing)[0]
            above = exact.least[can] >= t
            assert (ratio <= most * (1 + 1e-9)).all()
            assert (ratio[above] >= passing * (1 - 1e-9)).all()


def test_with_equal_likelihoods_taking_every_t_at_once_loses_nothing() -> None:
    draw = RandomInputs(33)
    for _ in range(100):
        test = draw.test("relative-sensitivity")
        table = draw.table(4, test.k)
        exact = truth(test, np.eye(4), table, 0.0)
        t = np.arange(1, int(table.sum()) + 2)
        beta = np.array([exact.beta(int(each)) for each in t])
        found = every_t(beta, test.coin.probability(t), exact.pass_rate)
        # All that is left is a score of 0, whose own chance of passing is taken to be 0.
        nil = exact.beta(1) * float(test.coin.probability(np.array(0))) / exact.pass_rate
        assert exact.distance <= found + 1e-12 <= exact.distance + nil + 2e-12


def enumerated(model: Reals, table: npt.NDArray[np.int64], parts: int) -> ScoreSample:
    """Every seed and every candidate of it, as often as it is made: G itself, as a sample.

    `model` holds whole parts of 1/`parts`.
    """
    rows = [
        (seed, value)
        for seed, value in product(*map(range, model.shape))
        for _ in range(int(table[seed]) * round(model[seed, value] * parts))
    ]
    seeds, values = np.array(rows).T
    with np.errstate(divide="ignore"):
        logs = np.log(model).T[values]
    classes = LikelihoodClasses(np.tile(table, (len(rows), 1)), logs, seeds)
    omega = Omega(low=1, high=2)
    return ScoreSample(omega, classes, np.zeros(len(rows), dtype=bool))


@pytest.mark.parametrize("kind", KINDS)
def test_of_a_sample_that_is_the_law_itself_the_values_are_exact(kind: str) -> None:
    draw = RandomInputs(34)
    for turn in range(60):
        test, seeds, values = draw.test(kind), draw.whole(1, 4), draw.whole(1, 4)
        counts = np.array([draw.several(0, 3, values) for _ in range(seeds)])
        counts[:, 0] += 12 - counts.sum(axis=1)
        model, table = counts / 12, draw.table(seeds, test.k)
        rho = (0.0, 0.4)[turn % 2]
        exact, found = (
            truth(test, model, table, rho),
            list_bounds(enumerated(model, table, 12), test, rho),
        )
        assert found.distance == pytest.approx(exact.distance, abs=1e-9)
        # The pass cap cancels.
        assert found.pass_rate == pytest.approx(exact.pass_rate / (1 - rho))
        assert found.beta == pytest.approx([exact.beta(int(t)) for t in found.t])
        assert found.passing == pytest.approx(test.coin.probability(found.t))
        assert (found.beta_low <= found.beta).all()
        assert (found.beta <= found.beta_high).all()
        assert exact.distance <= found.best.value + 1e-12
        for name in ("rejections", "layers"):
            assert found.best.value <= getattr(found, name)
        for name in ("lemma", "scores"):
            assert found.best.value <= getattr(found, name).min()


# What is drawn.


@pytest.mark.parametrize("kind", KINDS)
def test_bounds_of_a_sample_hold_as_often_as_they_say(kind: str) -> None:
    """Each misses in fewer than one case of twenty; what only averages the sample misses often."""
    draw, missed, below = RandomInputs(35), 0, 0
    for _ in range(80):
        test, model, table = random_universe(draw, kind)
        exact = truth(test, model, table, 0.0)
        rng = np.random.default_rng(draw.whole(0, 2**31))
        seeds = rng.choice(len(table), 300, p=table / table.sum())
        values = np.array([rng.choice(model.shape[1], p=model[seed]) for seed in seeds])
        with np.errstate(divide="ignore"):
            logs = np.log(model).T[values]
        classes = LikelihoodClasses(np.tile(table, (300, 1)), logs, seeds)
        sample = ScoreSample(Omega(low=1, high=2), classes, np.zeros(300, dtype=bool))
        found = list_bounds(sample, test)
        truly = np.array([exact.beta(int(t)) for t in found.t])
        inside = (found.beta_low <= truly + 1e-12) & (truly <= found.beta_high + 1e-12)
        within = found.pass_rate_within
        missed += not (inside.all() and within.low <= exact.pass_rate <= within.high)
        assert exact.distance <= found.best.value + 1e-9
        below += found.distance < exact.distance - 1e-12
    assert missed <= 4
    assert below > 8


def test_more_candidates_narrow_the_bounds() -> None:
    rng = np.random.default_rng(3)
    counts = rng.integers(30, 90, 40_000)
    test = RelativeSensitivity(k=50, epsilon0=0.5)
    few, many = (
        list_bounds(ScoreSample(Omega(low=2, high=2), some, np.zeros(len(some), dtype=bool)), test)
        for some in (counts[:400], counts)
    )
    assert few.best.value > many.best.value > many.distance
    assert many.best.value < many.distance + 0.02
    assert few.distance == pytest.approx(many.distance, abs=0.05)


# ω announced, with candidates that pass untested.


def test_where_some_pass_untested_the_pass_cap_counts_and_the_bounds_hold() -> None:
    """The law over y of three attempts in turn, by enumeration; ρ falls on two of them."""
    rng, test, rho = np.random.default_rng(5), RelativeSensitivity(k=4, epsilon0=0.8), 0.4
    schema = category_schema(3, 2)
    omega = Omega(low=0, high=2, reading="announced")
    for turn in range(12):
        network = random_network(schema, random_structure(2, rng), rng)
        codes = np.column_stack([rng.integers(0, 3, 12), rng.integers(0, 2, 12)])
        records = Records(schema, codes.astype(np.uint16))
        sample = ScoreSample.draw(
            Synthesizer(KeptAttributes(network, omega), records), 3_000, RandomSource.fixed(turn)
        )
        found = list_bounds(sample, test, rho)
        made, kept = exact_laws(network, records, test, rho)
        distance = np.abs(made - kept / kept.sum()).sum() / 2
        assert found.pass_rate == pytest.approx(kept.sum(), abs=0.03)
        assert found.passing == pytest.approx(0.6 * test.coin.probability(found.t))
        assert distance <= found.best.value
        # What is measured is the distance of ω and y together, which is no smaller.
        assert distance <= found.distance + 0.03
        assert list_bounds(sample, test, 0.0).pass_rate > found.pass_rate + 0.05


def exact_laws(
    network: object, records: Records, test: PrivacyTest, rho: float
) -> tuple[Reals, Reals]:
    """(6,) the chance of making and of releasing each of the records there can be."""
    order = list(network.order)  # type: ignore[attr-defined]
    seeds = records.codes[:, order]
    sizes = [records.schema.columns[each].cardinality for each in order]
    every = np.array(list(product(*map(range, sizes))), dtype=np.uint16)
    made, kept = np.zeros(len(every)), np.zeros(len(every))
    for omega in range(3):
        model = KeptAttributes(network, Omega(low=omega, high=omega))  # type: ignore[arg-type]
        chances = np.exp(model.log_likelihood(seeds, every))
        alike = (seeds[:, None, : 2 - omega] == every[None, :, : 2 - omega]).all(axis=2).sum(axis=0)
        law = chances.mean(axis=0) / 3
        made += law
        tested = (1 - rho) * test.coin.probability(np.maximum(alike - 1, 0))
        kept += law * (1.0 if omega == 2 else tested)
    assert made.sum() == pytest.approx(1)
    return made, kept


def test_a_seedless_plan_is_not_changed_at_all() -> None:
    counts = np.full(500, 7)
    sample = ScoreSample(Omega(low=3, high=3), counts, np.ones(500, dtype=bool))
    found = list_bounds(sample, RelativeSensitivity(k=50, epsilon0=1.0), 0.3)
    assert (found.distance, found.pass_rate) == (0.0, 1.0)
    assert not found.beta.any()
    assert found.best.value < 0.02


def test_where_nothing_passes_nothing_is_promised() -> None:
    sample = ScoreSample(Omega(low=2, high=2), np.full(300, 1), np.zeros(300, dtype=bool))
    found = list_bounds(sample, PlausibleDeniability(k=500, gamma=4, epsilon0=1.0))
    assert found.best.value == 1.0
    assert 0 <= found.distance <= 1


def test_without_noise_only_scores_of_k_and_more_pass() -> None:
    counts = np.repeat([3, 40], [100, 300])
    sample = ScoreSample(Omega(low=2, high=2), counts, np.zeros(400, dtype=bool))
    found = list_bounds(sample, PlausibleDeniability(k=20, gamma=4, epsilon0=None))
    assert found.distance == pytest.approx(0.25)
    assert found.t.min() == 1
    assert 20 in found.t
    assert 0.25 < found.best.value < 0.35


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("k", "epsilon0"), [(1, 1.0), (50, 1.0), (20_000, 0.001), (9, None)])
def test_places_are_about_k_and_reach_down(kind: str, k: int, epsilon0: float | None) -> None:
    test = small_test(kind, k, epsilon0)  # type: ignore[arg-type]
    t = bound_places(test)
    assert (np.diff(t) > 0).all()
    assert t[0] == 1
    assert k in t
    assert len(t) < 260
    assert test.coin.probability(t[-1:])[0] > 0.99999


def at(eta: float, gamma: float) -> float:
    return float(lemma_epsilon(eta, np.array([gamma]))[0])


def test_example_3_7() -> None:
    alpha = math.sqrt(3 / 2)
    assert at(3, (alpha - 1) / (alpha + 1)) == pytest.approx(math.log(2))


def test_without_any_change_all_of_eta_is_paid_for() -> None:
    assert at(3, 0.0) == pytest.approx(math.log(3))
    assert at(1, 0.0) == 0.0
    assert at(3, 1.0) == 0.0


@given(st.floats(1, 50), st.floats(1.0001, 50))
def test_it_is_the_lemma_solved_for_epsilon(eta: float, alpha: float) -> None:
    least = at(eta, (alpha - 1) / (alpha + 1))
    assert alpha**2 * math.exp(least) >= eta * (1 - 1e-9)
    if least > 0:
        assert alpha**2 * math.exp(least) == pytest.approx(eta)


@pytest.mark.parametrize("kind", KINDS)
def test_no_exact_attempt_lies_outside(kind: str) -> None:
    """η, α and ε of every candidate of random models, over all neighbours: the lemma itself."""
    draw, close = RandomInputs(41), 0.0
    for _ in range(300):
        test, seeds = draw.test(kind), draw.whole(1, 4)
        model, table = draw.model(seeds, draw.whole(1, 4)), draw.table(seeds, test.k)
        tried = pairs(test, model, table)
        made = tried.tables / tried.tables.sum(axis=1, keepdims=True) @ model
        for at_pair, value in product(range(1, len(tried) + 1), range(model.shape[1])):
            g, f = made[[0, at_pair], value], tried.released[[0, at_pair], value]
            if (g > 0).all() and (f > 0).all():
                eta = max(g[0] / g[1], g[1] / g[0])
                alpha = float(np.maximum(g / f, f / g).max())
                epsilon = abs(math.log(f[0] / f[1]))
                least = at(eta, (alpha - 1) / (alpha + 1))
                assert epsilon >= least - 1e-9
                close = max(close, least)
    assert close > 0.1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("equal", [False, True])
def test_eta_of_candidates_that_score_t_is_bounded(kind: str, equal: bool) -> None:
    draw, close = RandomInputs(42), 0.0
    for _ in range(400):
        test, seeds = draw.test(kind), draw.whole(1, 4)
        model = np.eye(seeds) if equal else draw.model(seeds, draw.whole(1, 4))
        table = draw.table(seeds, test.k)
        scored, records = shipped_scores(test, model, table[None])[0], table.sum()
        for value in range(model.shape[1]):
            can = (table > 0) & (model[:, value] > 0)
            if not can.any() or records < 2:
                continue
            weights = table @ model[:, value]
            with np.errstate(divide="ignore"):
                ratio = (weights / records) / ((weights - model[can, value]) / (records - 1))
            eta = float(np.maximum(ratio, 1 / ratio).max())
            for t in range(1, int(scored[can, value].min()) + 1):
                most = eta_at(test, t, equal)
                assert eta <= most * (1 + 1e-9)
                if math.isfinite(most):
                    close = max(close, eta / most)
    assert close > 0.8


@given(
    st.sampled_from(KINDS),
    st.integers(2, 300),
    st.floats(0.01, 4),
    st.floats(1.01, 200),
    st.sampled_from(["attempts", "releases"]),
    st.booleans(),
    st.integers(0, 2**32 - 1),
)
def test_a_plans_own_place_is_feasible(
    kind: str, k: int, epsilon0: float, gamma: float, protocol: str, equal: bool, key: int
) -> None:
    rng = np.random.default_rng(key)
    test = privacy_test(kind, k, epsilon0, gamma if kind == "plausible-deniability" else None)  # type: ignore[arg-type]
    try:
        figures = account(
            test, 10, 1e-6, protocol=protocol, equal_likelihood=equal,  # type: ignore[arg-type]
            seeds_at_least=1_000, pass_floor=0.1 if protocol == "releases" else None,
        )  # fmt: skip
    except Refusal:
        return
    counts = rng.integers(1, rng.integers(2, 4 * k), 200)
    sample = ScoreSample(Omega(low=2, high=2), counts, np.zeros(200, dtype=bool))
    found = place(list_bounds(sample, test), test, equal, figures.attempt.epsilon)
    assert found.feasible
    assert found.t >= k
    assert 0 <= found.gamma <= 1
    assert found.share >= 0
    # In words of its own: η is within what α and ε allow.
    if math.isfinite(found.alpha):
        assert found.eta <= found.alpha**2 * math.exp(found.epsilon) * (1 + 1e-12)


def test_a_place_by_hand() -> None:
    counts = np.repeat([5, 200], [100, 900])
    sample = ScoreSample(Omega(low=2, high=2), counts, np.zeros(1000, dtype=bool))
    test = small_test("relative-sensitivity", 50, 1.0)
    found = list_bounds(sample, test)
    own = place(found, test, True, 1.06)
    assert own.t == found.t[-1]
    assert own.eta == 1 + 1 / own.t
    assert own.share == 1 - found.beta_high[-1]
    assert own.alpha == pytest.approx(1 / own.share, rel=1e-4)
    assert (1 + own.gamma) / (1 - own.gamma) == pytest.approx(own.alpha)


def test_where_nothing_passes_any_epsilon_is_feasible() -> None:
    sample = ScoreSample(Omega(low=2, high=2), np.full(50, 1), np.zeros(50, dtype=bool))
    test = small_test("plausible-deniability", 40, 1.0)
    own = place(list_bounds(sample, test), test, True, 0.5)
    assert (own.alpha, own.gamma, own.feasible) == (math.inf, 1.0, True)


def test_an_impossible_place_is_told() -> None:
    assert not BoundPlace(t=1, share=1.0, eta=3.0, alpha=1.0, gamma=0.0, epsilon=1.0).feasible


def test_one_plausible_seed_bounds_nothing() -> None:
    assert eta_at(small_test("plausible-deniability", 5, 1.0), 1, True) == math.inf
    assert eta_at(small_test("plausible-deniability", 5, 1.0), 5, True) == 1.25
    assert eta_at(small_test("plausible-deniability", 5, 1.0, 4.0), 5, False) == 2.0
