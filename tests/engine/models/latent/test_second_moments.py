"""The sums against a record at a time, and the sensitivity against every record there may be."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.models.latent.second_moments import Moments, entries, measure, sums
from understudy.models.latent.standardised import S
from understudy.privacy.accounting.budget_shares import Allowance
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource

rows = st.integers(1, 4).flatmap(
    lambda columns: st.lists(
        st.lists(st.integers(-S, S), min_size=columns, max_size=columns), min_size=1, max_size=9
    )
)


@given(rows=rows)
def test_every_product_of_two_is_summed(rows: list[list[int]]) -> None:
    expected: dict[tuple[int, int], int] = {}
    for row in rows:
        vector = [S, *row]
        for i, one in enumerate(vector):
            for j in range(i, len(vector)):
                expected[i, j] = expected.get((i, j), 0) + one * vector[j]
    assert sums(np.array(rows)).tolist() == list(expected.values())


@pytest.mark.parametrize("columns", [1, 2, 3])
def test_one_record_moves_the_sums_by_what_is_paid_for(
    columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the noise is scaled by is the most that a record moves them by, and no more."""
    told = []

    class Told(Allowance):
        def vector(self, values: np.ndarray, l1: int, l2: float, noise: Noise) -> np.ndarray:
            told.append((l1, l2))
            return values

    measure(np.zeros((1, columns), np.int64), Told(1.0, "rho"), Noise(RandomSource.fixed(1)))
    ((l1, l2),) = told
    moved = [sums(np.array([each])) for each in product((-S, -7, 0, 300, S), repeat=columns)]
    assert max(int(np.abs(each).sum()) for each in moved) == l1
    assert max(float(np.linalg.norm(each)) for each in moved) == pytest.approx(l2, rel=1e-12)
    assert l2**2 == pytest.approx(S**4 * entries(columns))


@pytest.mark.parametrize(("currency", "amount"), [("epsilon", 0.5), ("rho", 0.02)])
def test_the_noise_is_of_the_scale_that_the_amount_buys(currency: str, amount: float) -> None:
    asked = []

    class Watched(Noise):
        def integers(self, values: np.ndarray, scale: float) -> np.ndarray:
            asked.append(("epsilon", scale))
            return values

        def gaussians(self, values: np.ndarray, scale: float) -> np.ndarray:
            asked.append(("rho", scale))
            return values

    allowance = Allowance(amount, currency)  # type: ignore[arg-type]
    measure(np.zeros((5, 2), np.int64), allowance, Watched(RandomSource.fixed(1)))
    expected = S**2 * 6 / amount if currency == "epsilon" else S**2 * np.sqrt(6 / (2 * amount))
    assert asked == [(currency, pytest.approx(expected))]


def test_without_noise_the_moments_are_those_of_the_numbers() -> None:
    rng = np.random.default_rng(2)
    numbers = np.clip(rng.normal(100, 200, (800, 3)) @ rng.normal(0, 0.6, (3, 3)), -S, S)
    whole = numbers.astype(np.int64)
    found = Moments.of(sums(whole), np.ones(3))
    np.testing.assert_allclose(found.mean, whole.mean(axis=0))
    np.testing.assert_allclose(found.covariance, np.cov(whole.T, bias=True), rtol=1e-9)


def test_numbers_that_are_missing_count_for_nothing() -> None:
    rng = np.random.default_rng(3)
    there = rng.normal(300, 100, (200_000, 2)) @ np.array([[1, 0.5], [0, 1]])
    whole = np.clip(there, -S, S).astype(np.int64)
    gone = rng.random(whole.shape) < [0.5, 0.2]
    found = Moments.of(sums(np.where(gone, 0, whole)), 1 - gone.mean(axis=0))
    np.testing.assert_allclose(found.mean, whole.mean(axis=0), rtol=0.02)
    np.testing.assert_allclose(found.covariance, np.cov(whole.T), rtol=0.1)


@given(noisy=st.lists(st.integers(-(10**12), 10**12), min_size=10, max_size=10))
def test_whatever_the_noise_made_of_them_they_are_possible(noisy: list[int]) -> None:
    found = Moments.of(np.array(noisy), np.array([1.0, 0.4, 0.9]))
    assert (np.abs(found.mean) <= S).all()
    variances = np.diagonal(found.covariance)
    assert (variances <= S**2 * (1 + 1e-9)).all()
    assert (variances >= 1 - 1e-9).all()
    assert np.linalg.eigvalsh(found.covariance).min() >= -1e-6 * S**2
