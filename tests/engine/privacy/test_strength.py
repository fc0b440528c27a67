"""Grades against the odds they are derived from, and words against grades."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.privacy.budget import Budget
from understudy.privacy.strength import AMOUNTS_TO, DEPENDS, MOST, PRIOR, Strength, belief, strength

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
