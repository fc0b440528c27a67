"""What somebody may come to believe about one person, held against laws written out in full."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.core.arrays import FloatArray
from understudy.core.refusal import Refusal
from understudy.privacy.budget import Budget
from understudy.privacy.strength import About, belief

priors = st.floats(0.001, 0.999)
epsilons = st.floats(0.01, 3.0)
laws = st.lists(st.floats(0.0, 1.0), min_size=4, max_size=4).filter(lambda found: sum(found) > 0.1)


def law(weights: list[float]) -> FloatArray:
    return np.array(weights) / sum(weights)


def delta_of(one: FloatArray, other: FloatArray, epsilon: float) -> float:
    """The smallest δ with which ε tells the two apart, in both directions."""
    return max(
        float(np.maximum(p - math.exp(epsilon) * q, 0).sum())
        for p, q in ((one, other), (other, one))
    )


def outside(
    one: FloatArray, other: FloatArray, prior: float, total: Budget, about: About
) -> tuple[float, float]:
    """The chance, in either case, of an outcome after which the belief lies beyond its bounds."""
    found = belief(prior, total, about)
    seen = prior * one + (1 - prior) * other
    after = np.divide(prior * one, seen, out=np.full_like(seen, prior), where=seen > 0)
    beyond = (after > found.at_most + 1e-9) | (after < found.at_least - 1e-9)
    return float(one[beyond].sum()), float(other[beyond].sum())


@given(laws, laws, priors, epsilons)
def test_beliefs_about_presence_stay_within_bounds_but_for_the_chance_stated(
    one: list[float], other: list[float], prior: float, epsilon: float
) -> None:
    p, q = law(one), law(other)
    total = Budget(epsilon, min(1.0, delta_of(p, q, epsilon)))
    failing = belief(prior, total).failing
    assert max(outside(p, q, prior, total, "presence")) <= failing + 1e-9


@given(laws, laws, laws, priors, epsilons)
def test_beliefs_about_what_stands_in_a_record_do_too(
    absent: list[float], one: list[float], other: list[float], prior: float, epsilon: float
) -> None:
    nobody, p, q = law(absent), law(one), law(other)
    delta = max(delta_of(p, nobody, epsilon), delta_of(q, nobody, epsilon))
    total = Budget(epsilon, min(1.0, delta))
    failing = belief(prior, total, "value").failing
    assert max(outside(p, q, prior, total, "value")) <= failing + 1e-9


@given(priors, epsilons)
def test_without_delta_a_randomised_answer_reaches_the_bound(prior: float, epsilon: float) -> None:
    """Randomised response says “yes” e^ε times as often where it is true."""
    yes = math.exp(epsilon) / (1 + math.exp(epsilon))
    believed = prior * yes / (prior * yes + (1 - prior) * (1 - yes))
    assert belief(prior, Budget(epsilon, 0.0)).at_most == pytest.approx(believed)


@given(priors, epsilons, st.sampled_from(["presence", "value"]))
def test_bounds_lie_around_the_prior_and_widen_with_epsilon(
    prior: float, epsilon: float, about: About
) -> None:
    narrow, wide = (belief(prior, Budget(each, 1e-9), about) for each in (epsilon, epsilon + 0.5))
    assert 0 <= wide.at_least <= narrow.at_least <= prior <= narrow.at_most <= wide.at_most <= 1


def test_the_usual_figures() -> None:
    assert belief(0.1, Budget(1.0)).at_most == pytest.approx(0.2320, abs=1e-4)
    assert belief(0.1, Budget(1.0, 1e-9)).at_most == pytest.approx(0.2337, abs=1e-4)
    assert belief(0.1, Budget(1.0), "value").at_most == pytest.approx(0.4509, abs=1e-4)
    assert belief(0.1, Budget(1.0, 1e-9), "value").at_most == pytest.approx(0.4534, abs=1e-4)
    assert belief(0.1, Budget(1.0, 1e-9)).failing == pytest.approx(1.378e-7, rel=1e-3)


def test_certainty_stays_and_no_promise_bounds_nothing() -> None:
    assert belief(0.0, Budget(3.0, 0.0)).at_most == 0.0
    assert belief(1.0, Budget(3.0, 0.0)).at_most == 1.0
    assert belief(0.1, Budget.unbounded()).at_most == 1.0
    assert belief(0.1, Budget.unbounded()).at_least == 0.0


@pytest.mark.parametrize("prior", [-0.1, 1.1, math.nan])
def test_what_is_no_probability_is_refused(prior: float) -> None:
    with pytest.raises(Refusal, match="probability"):
        belief(prior, Budget(1.0, 0.0))


@given(priors, st.floats(0.0, 12.0), st.floats(0.0, 0.2), st.booleans())
def test_the_worst_pair_of_laws_stays_within_bounds(
    prior: float, epsilon: float, delta: float, turned: bool
) -> None:
    """Every (ε, δ)-private pair is made from this one (Kairouz, Oh and Viswanath 2015): with
    chance δ the truth is told, and otherwise a coin of odds e^ε."""
    up = (1 - delta) / (1 + math.exp(-epsilon))
    down = 1 - delta - up
    one, other = np.array([delta, up, down, 0.0]), np.array([0.0, down, up, delta])
    total = Budget(epsilon, delta)
    failing = belief(prior, total).failing
    p, q = (other, one) if turned else (one, other)
    assert max(outside(p, q, prior, total, "presence")) <= failing + 1e-12


def test_no_epsilon_is_too_large_to_be_told() -> None:
    for epsilon in (30.0, 800.0, 1e6):
        found = belief(0.1, Budget(epsilon, 1e-9))
        assert 0 <= found.at_least < 1e-10
        assert 1 - 1e-10 < found.at_most <= 1
        assert found.failing == pytest.approx(1.01e-7)
    assert belief(0.3, Budget(40.0, 1e-9), "value").at_most == 1.0
