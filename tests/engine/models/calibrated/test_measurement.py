from __future__ import annotations

from dataclasses import astuple, replace
from functools import cache
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from tests.support import category_schema
from understudy.models.calibrated.measurement import (
    EVERY_STEP,
    USUAL_SPEND,
    MeasuredMarginal,
    QuestionShares,
    Steps,
    beyond_noise,
    count_tables,
    less,
    measure,
    of_columns,
    on_simplex,
    pool_measurements,
    total_records,
)
from understudy.models.views import Rows, View, cells
from understudy.privacy.accounting.budget_shares import Allowance
from understudy.privacy.accounting.composition import largest_rho
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource

SMALL = Budget(0.02, 1e-9)


def test_shares_that_overspend_are_no_spend() -> None:
    with pytest.raises(ValueError, match="sum to 1"):
        QuestionShares(rounds=0.81)
    with pytest.raises(ValueError, match="never negative"):
        QuestionShares(rounds=-0.1)
    assert QuestionShares(rounds=0.1) == replace(QuestionShares(), rounds=0.1)


def test_what_pairs_would_have_had_goes_to_columns_where_none_are_asked_for() -> None:
    assert USUAL_SPEND.among(EVERY_STEP) == USUAL_SPEND
    alone = QuestionShares(0.25, 0.125, 0.5).among(Steps(pairs=False))
    assert astuple(alone) == (0.875, 0, 0)
    assert sum(astuple(USUAL_SPEND.among(Steps(pairs=False)))) == pytest.approx(1)


@given(st.integers(1, 40))
def test_tables_are_every_pair_and_every_column_twice(columns: int) -> None:
    assert count_tables(columns) == 2 * columns + len(list(combinations(range(columns), 2)))


@pytest.mark.parametrize("columns", [1, 8, 60])
def test_columns_are_paid_in_the_currency_with_less_noise(columns: int) -> None:
    sizes = [4] * columns
    found = of_columns(SMALL, sizes)
    either = (Allowance(0.02, "epsilon"), Allowance(largest_rho(SMALL), "rho"))
    deviations = [each.divide(sizes)[0].deviation for each in either]
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


@cache
def noise() -> Noise:
    """Of the process that asks for it first, as a source belongs to one."""
    return Noise(RandomSource.fixed(1))


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.floats(-50, 100), min_size=1, max_size=6),
    st.floats(0.5, 300),
)
def test_the_nearest_counts_that_are_none_negative(values: list[float], whole: float) -> None:
    counts = np.array(values)
    found = on_simplex(counts, whole)
    assert (found >= 0).all()
    assert found.sum() == pytest.approx(whole)
    # The conditions of Karush, Kuhn and Tucker: one shift for all above 0, no less for the rest.
    shift = (counts - found)[found > 0]
    assert shift == pytest.approx(np.full(len(shift), shift[0]), abs=1e-9)
    assert (counts[found == 0] <= shift[0] + 1e-9).all()


def test_the_nearest_counts_are_those_of_a_plain_search() -> None:
    counts = np.array([-4.0, 7.0, 2.0, 0.5, -1.0])
    searched = minimize(
        lambda each: ((each - counts) ** 2).sum(),
        np.full(5, 2.0),
        bounds=[(0, None)] * 5,
        constraints={"type": "eq", "fun": lambda each: each.sum() - 6.0},
        options={"ftol": 1e-12},
    )
    assert on_simplex(counts, 6.0) == pytest.approx(searched.x, abs=1e-4)


def rows() -> Rows:
    rng = np.random.default_rng(1)
    columns = [rng.integers(0, size, 90).astype(np.uint16) for size in (2, 5)]
    return Rows(category_schema(2, 5), columns)


def test_without_noise_tables_are_counted() -> None:
    marginals = [(View(0),), (View(0), View(1))]
    found = measure(rows(), marginals, [2, 10], Allowance(0.0, "none"), noise())
    for each in found:
        assert np.array_equal(each.counts, rows().counts(each.marginal))
        assert each.deviation == 0
    assert total_records(found) == 90


@pytest.mark.parametrize("currency", ["epsilon", "rho"])
def test_the_noise_is_of_the_deviation_that_is_told(currency: str) -> None:
    """On 4,000 cells, by a fixed source; the larger table gets less noise."""
    schema = category_schema(40, 100)
    empty = Rows(schema, [np.empty(0, np.uint16)] * 2)
    marginals = [(View(0), View(1)), (View(0),)]
    spend = Allowance(0.02, "epsilon" if currency == "epsilon" else "rho")
    large, small = measure(
        empty, marginals, [cells(schema, each) for each in marginals], spend, noise()
    )
    assert large.counts.std() == pytest.approx(large.deviation, rel=0.1)
    assert large.deviation < small.deviation
    law = "geometric" if currency == "epsilon" else "gaussian"
    assert [answer.law for each in (large, small) for answer in each.answers] == [law, law]
    for each in (large, small):
        scale = each.answers[0].scale
        decay = np.exp(-1 / scale)
        deviation = np.sqrt(2 * decay) / (1 - decay) if currency == "epsilon" else scale
        assert deviation == pytest.approx(each.deviation)


def test_no_tables_are_none() -> None:
    assert measure(rows(), [], [], Allowance(1.0, "rho"), noise()) == ()


def test_the_number_of_records_counts_each_sum_for_its_precision() -> None:
    sharp = MeasuredMarginal((View(0),), np.array([40.0, 60.0]), 1.0)
    blunt = MeasuredMarginal((View(1),), np.array([100.0, 100.0, 100.0, 100.0]), 10.0)
    weights = np.array([1 / 2, 1 / 400])
    expected = float(weights @ [100.0, 400.0] / weights.sum())
    assert total_records((sharp, blunt)) == pytest.approx(expected)
    assert total_records((blunt, MeasuredMarginal((View(0),), np.array([7.0]), 0.0))) == 7
    assert total_records((MeasuredMarginal((View(0),), np.array([-30.0, 2.0]), 3.0),)) == 1


@pytest.mark.parametrize(("one", "other"), [(3.0, 3.0), (1.0, 9.0), (20.0, 4.0)])
def test_two_measurements_are_one_of_less_noise(one: float, other: float) -> None:
    """On 20,000 cells: what is left is the deviation that is told, and less than with any other
    weights."""
    rng = np.random.default_rng(5)
    truth = rng.uniform(0, 100, 20_000)
    both = [
        MeasuredMarginal((View(0),), truth + rng.normal(0, each, 20_000), each)
        for each in (one, other)
    ]
    (found,) = pool_measurements(both[:1], both[1:])
    assert (found.counts - truth).std() == pytest.approx(found.deviation, rel=0.03)
    for share in np.linspace(0, 1, 21):
        mixed = share * both[0].counts + (1 - share) * both[1].counts
        assert (mixed - truth).std() > 0.999 * (found.counts - truth).std()


def test_of_two_measurements_one_without_noise_is_taken() -> None:
    noisy, exact = (
        MeasuredMarginal((View(0),), np.array([4.0]), 2.0),
        MeasuredMarginal((View(0),), np.ones(1), 0),
    )
    for each in (pool_measurements((noisy,), (exact,)), pool_measurements((exact,), (noisy,))):
        assert each == (exact,)


@pytest.mark.parametrize("strays", [0.0, 0.5, 30.0])
def test_how_far_counts_stray_beyond_their_noise(strays: float) -> None:
    rng = np.random.default_rng(6)
    expected = rng.uniform(50, 500, 4_000)
    truth = expected + rng.normal(0, np.sqrt(strays * expected))
    table = MeasuredMarginal((View(0),), truth + rng.normal(0, 9, 4_000), 9.0)
    assert beyond_noise(table, expected) == pytest.approx(strays, rel=0.1, abs=0.03)
    trust = table.beside(expected).trust
    assert trust == pytest.approx(1 / strays, rel=0.1) if strays else trust > 20
