"""The Triangle lemma, on laws that can be written out and on plans drawn at random."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.assurance.attempt import pairs, shipped_scores
from understudy.assurance.random_inputs import Drawing
from understudy.assurance.seedbased.universes import KINDS, small_test
from understudy.core.refusal import Refusal
from understudy.mechanisms.seedbased.evaluation.bounds import (
    Place,
    bounds,
    eta_at,
    least_epsilon,
    place,
)
from understudy.mechanisms.seedbased.evaluation.pass_rate import ScoreSample
from understudy.models.omega import Omega
from understudy.privacy.accounting.accountant import account
from understudy.privacy.plausibility.privacy_test import privacy_test


def at(eta: float, gamma: float) -> float:
    return float(least_epsilon(eta, np.array([gamma]))[0])


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
    draw, close = Drawing(41), 0.0
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
    draw, close = Drawing(42), 0.0
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
    found = place(bounds(sample, test), test, equal, figures.attempt.epsilon)
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
    found = bounds(sample, test)
    own = place(found, test, True, 1.06)
    assert own.t == found.t[-1]
    assert own.eta == 1 + 1 / own.t
    assert own.share == 1 - found.beta_high[-1]
    assert own.alpha == pytest.approx(1 / own.share, rel=1e-4)
    assert (1 + own.gamma) / (1 - own.gamma) == pytest.approx(own.alpha)


def test_where_nothing_passes_any_epsilon_is_feasible() -> None:
    sample = ScoreSample(Omega(low=2, high=2), np.full(50, 1), np.zeros(50, dtype=bool))
    test = small_test("plausible-deniability", 40, 1.0)
    own = place(bounds(sample, test), test, True, 0.5)
    assert (own.alpha, own.gamma, own.feasible) == (math.inf, 1.0, True)


def test_an_impossible_place_is_told() -> None:
    assert not Place(t=1, share=1.0, eta=3.0, alpha=1.0, gamma=0.0, epsilon=1.0).feasible


def test_one_plausible_seed_bounds_nothing() -> None:
    assert eta_at(small_test("plausible-deniability", 5, 1.0), 1, True) == math.inf
    assert eta_at(small_test("plausible-deniability", 5, 1.0), 5, True) == 1.25
    assert eta_at(small_test("plausible-deniability", 5, 1.0, 4.0), 5, False) == 2.0
