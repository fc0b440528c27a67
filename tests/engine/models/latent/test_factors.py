"""A factor model against rows that one made, and against columns that are independent."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr

from tests.engine.models.latent.toy import toy, without_noise
from understudy.models.latent.factors import Factors, one_of, principal_factors
from understudy.models.latent.features import thinned
from understudy.models.latent.implied import pair_shares
from understudy.models.latent.noisy_moments import NoisyMoments
from understudy.models.latent.second_moments import entries, measure
from understudy.models.latent.standardised import S
from understudy.privacy.accounting.budget_shares import Allowance
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource


def difference(found: np.ndarray, truth: np.ndarray) -> float:
    """The mean total variation of pairs of flags, from how often two are ones together."""
    one, other = np.triu_indices(len(truth), 1)

    def cells(square: np.ndarray) -> np.ndarray:
        both, first, second = square[one, other], np.diag(square)[one], np.diag(square)[other]
        return np.array([both, first - both, second - both, 1 - first - second + both])

    return float(np.abs(cells(found) - cells(truth)).sum(axis=0).mean() / 2)


def test_loadings_are_found_from_correlations_that_have_them() -> None:
    loadings = toy(30, 0, 3).loadings
    correlations = loadings @ loadings.T
    np.fill_diagonal(correlations, 1.0)
    found = principal_factors(correlations, 3)
    np.testing.assert_allclose(found @ found.T, loadings @ loadings.T, atol=2e-3)


def test_no_column_has_all_of_it_in_common() -> None:
    """Two columns that are equal would leave their own part no deviation to be divided by."""
    found = principal_factors(np.ones((3, 3)), 1)
    np.testing.assert_allclose((found**2).sum(axis=1), 0.95, atol=1e-9)


def test_rows_of_a_model_give_it_back() -> None:
    model = toy(8, 2, 1)
    found = Factors.fit(without_noise(*model.draw(100_000, RandomSource.fixed(2))), 1)
    np.testing.assert_allclose(found.thresholds, model.thresholds, atol=0.02)
    products = found.loadings @ found.loadings.T
    np.testing.assert_allclose(products, model.loadings @ model.loadings.T, atol=0.05)
    np.testing.assert_allclose(found.middle / S, model.middle / S, atol=0.005)
    np.testing.assert_allclose(found.spread, model.spread, rtol=0.02)


def test_rows_are_drawn_by_the_law_across_batches() -> None:
    model = toy(8, 2, 2)
    bits, numbers = model.draw(60_001, RandomSource.fixed(3))
    assert (bits.shape, numbers.shape) == ((60_001, 8), (60_001, 2))
    assert set(np.unique(bits)) == {0, 1}
    assert np.abs(numbers).max() <= S
    both = bits.astype(float).T @ bits / len(bits)
    np.testing.assert_allclose(both, pair_shares(model), atol=0.008)


def test_a_source_in_the_same_state_draws_the_same_rows_of_a_restored_model() -> None:
    model = toy(4, 1, 2)
    again = Factors.restored(dict(model.arrays()))
    one, other = (each.draw(50, RandomSource.fixed(5)) for each in (model, again))
    for found, expected in zip(one, other, strict=True):
        np.testing.assert_array_equal(found, expected)


def test_what_noise_or_chance_may_explain_is_no_loading() -> None:
    bits = np.random.default_rng(1).integers(0, 2, (4000, 5))
    found = Factors.fit(without_noise(bits, np.zeros((4000, 0))), 2)
    np.testing.assert_array_equal(found.loadings, 0)


def test_within_one_of_epsilon_pairs_are_far_nearer_than_those_of_independent_columns() -> None:
    model = toy(42, 0, 4)
    bits, _ = model.draw(50_000, RandomSource.fixed(6))
    most = 18
    kept = thinned(bits, most, RandomSource.fixed(7)).astype(np.int16) * S
    allowance = Allowance.of(Budget(1.0, 1e-9), entries(most))
    assert allowance.currency == "rho"
    noisy = measure(kept, allowance, Noise(RandomSource.fixed(8)), most)
    deviation = allowance.scale(S**2 * entries(most), S**2 * float(np.sqrt(entries(most))))
    found = Factors.fit(NoisyMoments.of(noisy, 42, deviation), 4)
    truth = pair_shares(model)
    alone = np.outer(np.diag(truth), np.diag(truth))
    np.fill_diagonal(alone, np.diag(truth))
    assert difference(pair_shares(found), truth) < difference(alone, truth) / 3


def test_records_with_more_ones_than_are_counted_make_flags_too_rare() -> None:
    """Nothing puts back what thinning takes, as the module says; a most of all flags takes none."""
    bits, numbers = toy(8, 0, 1).draw(20_000, RandomSource.fixed(9))
    found = [
        Factors.fit(without_noise(thinned(bits, most, RandomSource.fixed(1)), numbers), 1)
        for most in (2, 8)
    ]
    rare, whole = (ndtr(each.thresholds) for each in found)
    assert (rare < bits.mean(axis=0) - 0.005).all()
    np.testing.assert_allclose(whole, bits.mean(axis=0), atol=1e-9)


def test_of_flags_that_exclude_each_other_one_is_drawn_by_its_chance() -> None:
    chances = np.tile([0.2, 0.0, 0.6], (30_000, 1))
    uniforms = RandomSource.fixed(6).uniforms(30_000)
    found = one_of(chances, uniforms)
    assert (found.sum(axis=1) == 1).all()
    assert found.mean(axis=0) == pytest.approx([0.25, 0.0, 0.75], abs=0.01)
    assert one_of(np.zeros((2, 3)), np.array([0.0, 0.999])).tolist() == [[1, 0, 0], [0, 0, 1]]


def test_every_record_has_one_of_flags_that_exclude_each_other() -> None:
    loadings = np.array([[0.5], [0.5], [-0.5], [0.6]])
    model = Factors(np.array([-1.0, -0.2, 0.1]), np.zeros(1), np.array([100.0]), loadings)
    bits, _ = model.draw(500, RandomSource.fixed(1), slice(0, 3))
    assert (bits.sum(axis=1) == 1).all()
    other, _ = model.draw(500, RandomSource.fixed(1))
    assert set(other.sum(axis=1)) == {0, 1, 2, 3}
