"""The sums against a record at a time, and the sensitivity against every record there may be.
Principal directions against the covariance that they are of, and rows against their law.
"""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.models.latent.toy import toy, without_noise
from understudy.models.latent.factors import Factors
from understudy.models.latent.features import S
from understudy.models.latent.moments import (
    NoisyMoments,
    OnesBudget,
    SecondMoments,
    choose_most_ones,
    count_by_ones,
    entries,
    measure_sums,
    sufficient_ones,
    sums,
)
from understudy.models.latent.principal import Principal
from understudy.privacy.accounting.budget_shares import Allowance
from understudy.privacy.budget import Budget
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

    measure_sums(np.zeros((1, columns), np.int64), Told(1.0, "rho"), Noise(RandomSource.fixed(1)))
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
    measure_sums(np.zeros((5, 2), np.int64), allowance, Watched(RandomSource.fixed(1)))
    expected = S**2 * 6 / amount if currency == "epsilon" else S**2 * np.sqrt(6 / (2 * amount))
    assert asked == [(currency, pytest.approx(expected))]


def test_without_noise_the_moments_are_those_of_the_numbers() -> None:
    rng = np.random.default_rng(2)
    numbers = np.clip(rng.normal(100, 200, (800, 3)) @ rng.normal(0, 0.6, (3, 3)), -S, S)
    whole = numbers.astype(np.int64)
    found = SecondMoments.of(sums(whole), np.ones(3))
    np.testing.assert_allclose(found.mean, whole.mean(axis=0))
    np.testing.assert_allclose(found.covariance, np.cov(whole.T, bias=True), rtol=1e-9)


def test_numbers_that_are_missing_count_for_nothing() -> None:
    rng = np.random.default_rng(3)
    there = rng.normal(300, 100, (200_000, 2)) @ np.array([[1, 0.5], [0, 1]])
    whole = np.clip(there, -S, S).astype(np.int64)
    gone = rng.random(whole.shape) < [0.5, 0.2]
    found = SecondMoments.of(sums(np.where(gone, 0, whole)), 1 - gone.mean(axis=0))
    np.testing.assert_allclose(found.mean, whole.mean(axis=0), rtol=0.02)
    np.testing.assert_allclose(found.covariance, np.cov(whole.T), rtol=0.1)


@given(noisy=st.lists(st.integers(-(10**12), 10**12), min_size=10, max_size=10))
def test_whatever_the_noise_made_of_them_they_are_possible(noisy: list[int]) -> None:
    found = SecondMoments.of(np.array(noisy), np.array([1.0, 0.4, 0.9]))
    assert (np.abs(found.mean) <= S).all()
    variances = np.diagonal(found.covariance)
    assert (variances <= S**2 * (1 + 1e-9)).all()
    assert (variances >= 1 - 1e-9).all()
    assert np.linalg.eigvalsh(found.covariance).min() >= -1e-6 * S**2


def test_without_noise_they_are_those_of_the_rows() -> None:
    bits, numbers = toy(4, 2, 2).draw(3_000, RandomSource.fixed(1))
    whole = np.rint(numbers) / S
    rows = np.hstack([bits, whole])
    found = without_noise(bits, numbers)
    assert found.records == 3_000
    np.testing.assert_allclose(found.mean, rows.mean(axis=0))
    np.testing.assert_allclose(found.covariance, np.cov(rows.T, bias=True), atol=1e-12)
    np.testing.assert_allclose(found.variances, rows.var(axis=0))


def test_deviations_are_those_of_covariances_of_independent_columns() -> None:
    """Measured over 400 tables of two flags, each with noise of its own."""
    rng = np.random.default_rng(2)
    found = []
    for _ in range(400):
        rows = (rng.random((900, 2)) < [0.3, 0.6]).astype(np.int64) * S
        noisy = sums(rows) + np.rint(rng.normal(0, 12 * S**2, 6)).astype(np.int64)
        found.append(NoisyMoments.of(noisy, 2, 12 * S**2))
    apart = np.std([each.covariance[0, 1] for each in found])
    told = np.mean([each.deviations[0, 1] for each in found])
    assert 0.85 * apart < told < 1.25 * apart


@given(
    noisy=st.lists(st.integers(-(10**12), 10**12), min_size=15, max_size=15),
    deviation=st.sampled_from([0.0, 1e6, 1e12]),
)
def test_whatever_the_noise_made_of_them_models_draw_rows(
    noisy: list[int], deviation: float
) -> None:
    found = NoisyMoments.of(np.array(noisy), 3, deviation)
    assert ((found.shares > 0) & (found.shares < 1)).all()
    assert (found.variances > 0).all()
    for kind in (Factors, Principal):
        bits, numbers = kind.fit(found, 2).draw(3, RandomSource.fixed(1))
        assert set(np.unique(bits)) <= {0, 1}
        assert np.isfinite(numbers).all()
        assert np.abs(numbers).max() <= S


@given(
    rows=st.lists(st.lists(st.integers(0, 1), min_size=4, max_size=4), min_size=0, max_size=20),
    more=st.lists(st.integers(0, 1), min_size=4, max_size=4),
)
def test_one_record_moves_one_count_by_one(rows: list[list[int]], more: list[int]) -> None:
    one = count_by_ones(np.array(rows, dtype=np.uint16).reshape(-1, 4))
    assert one.tolist() == [sum(sum(row) == many for row in rows) for many in range(5)]
    two = count_by_ones(np.array([*rows, more], dtype=np.uint16).reshape(-1, 4))
    assert np.abs(two - one).sum() == 1


@given(
    counts=st.lists(st.integers(-50, 3_000), min_size=2, max_size=12),
    deviation=st.floats(0, 100),
    most=st.integers(1, 11),
)
def test_it_is_the_least_that_keeps_nearly_all_ones(
    counts: list[int], deviation: float, most: int
) -> None:
    most = min(most, len(counts) - 1)
    found = sufficient_ones(np.array(counts), deviation, most)
    held = [(each, many) for each, many in enumerate(counts) if many > 2.5 * deviation]
    every = sum(each * many for each, many in held)

    def lost(cap: int) -> int:
        return sum(max(0, each - cap) * many for each, many in held)

    assert 1 <= found <= most
    if every:
        assert found == most or lost(found) <= 0.01 * every
        assert found == 1 or lost(found - 1) > 0.01 * every
    else:
        assert found == most


@given(epsilon=st.floats(1e-4, 1000))
def test_the_parts_are_no_more_than_the_whole(epsilon: float) -> None:
    made = OnesBudget.of(Budget(epsilon, 1e-9))
    assert math.fsum([made.count.epsilon, made.rest.epsilon]) <= epsilon
    assert made.rest.epsilon > 0.93 * epsilon
    assert (made.count.delta, made.rest.delta) == (0.0, 1e-9)


def test_noise_comes_from_the_run_and_its_choice_is_near_the_true_one() -> None:
    rng = np.random.default_rng(3)
    bits = (rng.random((20_000, 40)) < 0.1).astype(np.uint16)
    source = RandomSource.fixed(4)
    found = [choose_most_ones(bits, 40, Budget(1 / 16), Noise(source)) for _ in range(5)]
    true = sufficient_ones(count_by_ones(bits), 0.0, 40)
    assert all(abs(each - true) <= 1 for each in found)


def test_all_directions_together_make_up_the_covariance() -> None:
    moments = without_noise(*toy(5, 2, 2).draw(20_000, RandomSource.fixed(1)))
    found = Principal.fit(moments, 7)
    np.testing.assert_allclose(found.directions @ found.directions.T, moments.covariance, atol=1e-9)
    np.testing.assert_allclose(found.open, 0, atol=1e-6)


def test_the_first_direction_is_that_of_most_variance() -> None:
    moments = without_noise(*toy(6, 1, 2).draw(20_000, RandomSource.fixed(1)))
    along = Principal.fit(moments, 1).directions[:, 0]
    largest = np.linalg.eigvalsh(moments.covariance)[-1]
    assert np.isclose(along @ along, largest)
    np.testing.assert_allclose(moments.covariance @ along, largest * along, atol=1e-9)


def test_numbers_keep_their_mean_and_variance_whatever_the_width() -> None:
    moments = without_noise(*toy(5, 2, 2).draw(20_000, RandomSource.fixed(1)))
    _, numbers = Principal.fit(moments, 1).draw(60_000, RandomSource.fixed(2))
    np.testing.assert_allclose(numbers.mean(axis=0) / S, moments.mean[5:], atol=0.005)
    np.testing.assert_allclose((numbers / S).var(axis=0), moments.variances[5:], rtol=0.03)


def test_flags_are_drawn_by_chances_cut_to_what_is_possible() -> None:
    """A flag of share ½ and a direction along it of deviation 1 is 1 with chance E[clip(½ + z)]."""
    model = Principal(np.array([0.5, 0.0]), np.array([[1.0], [-1.0]]), np.zeros(0))
    bits, _ = model.draw(40_001, RandomSource.fixed(3))
    z = np.random.default_rng(1).normal(size=400_000)
    chances = np.clip(np.array([0.5 + z, -z]), 0, 1)
    np.testing.assert_allclose(bits.mean(axis=0), chances.mean(axis=1), atol=0.01)
    both = (bits[:, 0] & bits[:, 1]).mean()
    assert abs(both - (chances[0] * chances[1]).mean()) < 0.01


def test_a_source_in_the_same_state_draws_the_same_rows_of_a_restored_model() -> None:
    moments = without_noise(*toy(5, 2, 2).draw(2_000, RandomSource.fixed(1)))
    model = Principal.fit(moments, 2)
    again = Principal.restore(dict(model.arrays()))
    one, other = (each.draw(50, RandomSource.fixed(5)) for each in (model, again))
    for found, expected in zip(one, other, strict=True):
        np.testing.assert_array_equal(found, expected)
