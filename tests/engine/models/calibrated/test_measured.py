from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from tests.support import category_schema
from understudy.models.calibrated.measured import (
    Measured,
    beyond_noise,
    measure,
    on_simplex,
    pooled,
    total,
)
from understudy.models.views import Rows, View, cells
from understudy.privacy.accounting.allowance import Allowance
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource


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
    assert total(found) == 90


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


def test_no_tables_are_none() -> None:
    assert measure(rows(), [], [], Allowance(1.0, "rho"), noise()) == ()


def test_the_number_of_records_counts_each_sum_for_its_precision() -> None:
    sharp = Measured((View(0),), np.array([40.0, 60.0]), 1.0)
    blunt = Measured((View(1),), np.array([100.0, 100.0, 100.0, 100.0]), 10.0)
    weights = np.array([1 / 2, 1 / 400])
    expected = float(weights @ [100.0, 400.0] / weights.sum())
    assert total((sharp, blunt)) == pytest.approx(expected)
    assert total((blunt, Measured((View(0),), np.array([7.0]), 0.0))) == 7
    assert total((Measured((View(0),), np.array([-30.0, 2.0]), 3.0),)) == 1


@pytest.mark.parametrize(("one", "other"), [(3.0, 3.0), (1.0, 9.0), (20.0, 4.0)])
def test_two_measurements_are_one_of_less_noise(one: float, other: float) -> None:
    """On 20,000 cells: what is left is the deviation that is told, and less than with any other
    weights."""
    rng = np.random.default_rng(5)
    truth = rng.uniform(0, 100, 20_000)
    both = [
        Measured((View(0),), truth + rng.normal(0, each, 20_000), each) for each in (one, other)
    ]
    (found,) = pooled(both[:1], both[1:])
    assert (found.counts - truth).std() == pytest.approx(found.deviation, rel=0.03)
    for share in np.linspace(0, 1, 21):
        mixed = share * both[0].counts + (1 - share) * both[1].counts
        assert (mixed - truth).std() > 0.999 * (found.counts - truth).std()


def test_of_two_measurements_one_without_noise_is_taken() -> None:
    noisy, exact = Measured((View(0),), np.array([4.0]), 2.0), Measured((View(0),), np.ones(1), 0)
    for each in (pooled((noisy,), (exact,)), pooled((exact,), (noisy,))):
        assert each == (exact,)


@pytest.mark.parametrize("strays", [0.0, 0.5, 30.0])
def test_how_far_counts_stray_beyond_their_noise(strays: float) -> None:
    rng = np.random.default_rng(6)
    expected = rng.uniform(50, 500, 4_000)
    truth = expected + rng.normal(0, np.sqrt(strays * expected))
    table = Measured((View(0),), truth + rng.normal(0, 9, 4_000), 9.0)
    assert beyond_noise(table, expected) == pytest.approx(strays, rel=0.1, abs=0.03)
    trust = table.beside(expected).trust
    assert trust == pytest.approx(1 / strays, rel=0.1) if strays else trust > 20
