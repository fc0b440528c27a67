"""Grades against the odds they are derived from, and words against grades. What somebody may come
to believe about one person, held against laws written out in full. An (ε, δ) adds, multiplies and
joins as the composition theorems say.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.core.arrays import FloatArray
from understudy.core.refusal import Refusal
from understudy.privacy.budget import Budget
from understudy.privacy.strength import (
    AMOUNTS_TO,
    DEPENDS,
    MOST,
    PRIOR,
    About,
    Strength,
    belief,
    strength,
)

# 10 % is odds of 1/9; a belief about what stands in a record may gain a factor of e^2ε.
EDGES = {
    Strength.VERY_STRONG: math.log(9 / 7) / 2,
    Strength.STRONG: math.log(3) / 2,
    Strength.MODERATE: math.log(9) / 2,
    Strength.WEAK: math.log(81) / 2,
}


@pytest.mark.parametrize(("grade", "edge"), EDGES.items())
def test_a_grade_ends_where_the_belief_passes_its_figure(grade: Strength, edge: float) -> None:
    grades = list(Strength)
    assert strength(Budget(edge * (1 - 1e-9))) is grade
    assert strength(Budget(edge * (1 + 1e-9))) is grades[grades.index(grade) + 1]
    assert belief(PRIOR, Budget(edge), "value").at_most == pytest.approx(MOST[grade])


@given(st.floats(0, 1e4), st.floats(0, 1e4), st.sampled_from([0.0, 1e-12, 1e-9, 1e-6, 1e-3]))
def test_a_larger_epsilon_is_never_graded_better(one: float, other: float, delta: float) -> None:
    grades = list(Strength)
    small, large = (strength(Budget(each, delta)) for each in sorted((one, other)))
    assert grades.index(small) <= grades.index(large)


@given(st.floats(0, 1e4), st.floats(0, 0.9), st.floats(0, 0.9))
def test_neither_is_a_larger_delta(epsilon: float, one: float, other: float) -> None:
    grades = list(Strength)
    small, large = (strength(Budget(epsilon, each)) for each in sorted((one, other)))
    assert grades.index(small) <= grades.index(large)


def test_no_bound_is_gone_by_that_is_passed_more_than_once_in_a_thousand() -> None:
    assert strength(Budget(0.1, 1e-7)) is Strength.VERY_STRONG
    assert strength(Budget(0.1, 1e-5)) is Strength.VERY_WEAK


def test_nothing_promised_is_a_grade_of_its_own() -> None:
    assert strength(Budget.unbounded()) is Strength.NONE
    assert set(AMOUNTS_TO) == set(DEPENDS) == set(Strength)


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


@pytest.mark.parametrize("epsilon", [-1e-9, math.nan])
def test_epsilon_that_is_none_is_refused(epsilon: float) -> None:
    with pytest.raises(Refusal) as refusal:
        Budget(epsilon)
    assert refusal.value.field == "epsilon"


@pytest.mark.parametrize("delta", [-1e-30, 1.5, math.nan])
def test_delta_that_is_none_is_refused(delta: float) -> None:
    with pytest.raises(Refusal) as refusal:
        Budget(1.0, delta)
    assert refusal.value.field == "delta"


def test_sums_and_multiples_and_joins() -> None:
    small, large = Budget(0.5, 1e-6), Budget(2.0, 1e-9)
    assert small + large == Budget(2.5, 1e-6 + 1e-9)
    assert small * 4 == Budget(2.0, 4e-6)
    assert small | large == Budget(2.0, 1e-6)


def test_delta_never_exceeds_one() -> None:
    assert (Budget(1.0, 0.6) + Budget(1.0, 0.6)).delta == 1
    assert (Budget(1.0, 0.1) * 100).delta == 1


def test_nothing_promised() -> None:
    assert not Budget.unbounded().bounded
    assert Budget.unbounded() == Budget(math.inf, 1.0)
    assert Budget.unbounded().as_dict() == {"epsilon": None, "delta": None}
    assert Budget(1.0, 0.5).as_dict() == {"epsilon": 1.0, "delta": 0.5}
    assert not Budget(1.0, 1.0).bounded
    assert Budget(1.0, 0.5).bounded
    assert not (Budget.unbounded() * 3).bounded


def test_no_use_of_anything_costs_nothing() -> None:
    assert Budget(3.0, 1e-3) * 0 == Budget(0.0)
    assert Budget.unbounded() * 0 == Budget(0.0)
