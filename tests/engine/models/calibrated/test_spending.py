from __future__ import annotations

from dataclasses import astuple, replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.models.calibrated.spending import (
    EVERY_STEP,
    USUAL_SPEND,
    Spend,
    Steps,
    less,
    of_columns,
    tables,
)
from understudy.privacy.accounting.allowance import Allowance
from understudy.privacy.accounting.concentrated import largest_rho
from understudy.privacy.budget import Budget

SMALL = Budget(0.02, 1e-9)


def test_shares_that_overspend_are_no_spend() -> None:
    with pytest.raises(ValueError, match="sum to 1"):
        Spend(rounds=0.81)
    with pytest.raises(ValueError, match="never negative"):
        Spend(rounds=-0.1)
    assert Spend(rounds=0.1) == replace(Spend(), rounds=0.1)


def test_what_pairs_would_have_had_goes_to_columns_where_none_are_asked_for() -> None:
    assert USUAL_SPEND.among(EVERY_STEP) == USUAL_SPEND
    alone = Spend(0.25, 0.125, 0.5).among(Steps(pairs=False))
    assert astuple(alone) == (0.875, 0, 0)
    assert sum(astuple(USUAL_SPEND.among(Steps(pairs=False)))) == pytest.approx(1)


@given(st.integers(1, 40))
def test_tables_are_every_pair_and_every_column_twice(columns: int) -> None:
    assert tables(columns) == 2 * columns + len(list(combinations(range(columns), 2)))


@pytest.mark.parametrize("columns", [1, 8, 60])
def test_columns_are_paid_in_the_currency_with_less_noise(columns: int) -> None:
    sizes = [4] * columns
    found = of_columns(SMALL, sizes)
    either = (Allowance(0.02, "epsilon"), Allowance(largest_rho(SMALL), "rho"))
    deviations = [each.divided(sizes)[0].deviation for each in either]
    assert found == either[deviations.index(min(deviations))]


def test_a_share_of_epsilon_is_put_aside_for_the_number() -> None:
    assert of_columns(SMALL, [4] * 8, 0.25) == Allowance(0.75 * 0.02, "epsilon")
    assert of_columns(SMALL, [4] * 60, 0.25) == of_columns(SMALL, [4] * 60)


@pytest.mark.parametrize("budget", [Budget(1.0), Budget.unbounded()])
def test_without_delta_there_is_one_currency(budget: Budget) -> None:
    assert of_columns(budget, [4] * 60) == Allowance.of(budget, 60)


def test_a_question_in_epsilon_costs_half_its_square_in_rho() -> None:
    asked = Allowance(0.1, "epsilon")
    assert less(Allowance(1.0, "epsilon"), asked) == Allowance(0.9, "epsilon")
    assert less(Allowance(1.0, "rho"), asked) == Allowance(1 - 0.005, "rho")
