"""The probability against a library's, and correlations against those that made the shares. What
noise does to factors, foreseen and tried out.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from scipy.special import ndtr
from scipy.stats import multivariate_normal

from tests.engine.models.latent.toy import toy, without_noise
from tests.support import category_schema
from understudy.models.latent.factors import (
    MOST,
    Encoder,
    Factors,
    column_means,
    covariance,
    flag_shares,
    joint_probability,
    normals,
    one_of,
    principal_factors,
    share_both,
    tetrachoric_correlations,
)
from understudy.models.latent.features import Features, S, thin_bits
from understudy.models.latent.foreseen import foresee_rows, records_for_relations
from understudy.models.latent.moments import NoisyMoments, entries, measure_sums
from understudy.privacy.accounting.budget_shares import Allowance
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.schema import Schema


@pytest.mark.parametrize("rho", [-0.95, -0.4, 0.0, 0.3, 0.9])
def test_both_below_as_often_as_a_library_says(rho: float) -> None:
    for a, b in ((-2.0, -1.5), (0.0, 0.4), (-1.0, 1.2)):
        found = joint_probability(np.array([a]), np.array([b]), np.array([np.arcsin(rho)]))
        law = multivariate_normal(cov=[[1, rho], [rho, 1]])
        assert found[0] == pytest.approx(law.cdf([a, b]), abs=2e-6)


def test_the_correlation_behind_shares_is_found() -> None:
    rho = np.linspace(-0.9, 0.9, 19)
    a, b = np.full(19, -1.2), np.full(19, -0.3)
    from_shares = joint_probability(a, b, np.arcsin(rho))
    law = (
        joint_probability(a, np.full(19, 9.0), np.zeros(19)),
        joint_probability(np.full(19, 9.0), b, np.zeros(19)),
    )
    np.testing.assert_allclose(tetrachoric_correlations(*law, from_shares), rho, atol=1e-6)


def test_what_no_correlation_explains_is_as_near_as_can_be() -> None:
    half = np.array([0.5, 0.5])
    np.testing.assert_allclose(
        tetrachoric_correlations(half, half, np.array([-1.0, 2.0])), [-MOST, MOST]
    )


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
    np.testing.assert_allclose(both, share_both(model), atol=0.008)


def test_a_source_in_the_same_state_draws_the_same_rows_of_a_restored_model() -> None:
    model = toy(4, 1, 2)
    again = Factors.restore(dict(model.arrays()))
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
    kept = thin_bits(bits, most, RandomSource.fixed(7)).astype(np.int16) * S
    allowance = Allowance.of(Budget(1.0, 1e-9), entries(most))
    assert allowance.currency == "rho"
    noisy = measure_sums(kept, allowance, Noise(RandomSource.fixed(8)), most)
    deviation = allowance.scale(S**2 * entries(most), S**2 * float(np.sqrt(entries(most))))
    found = Factors.fit(NoisyMoments.of(noisy, 42, deviation), 4)
    truth = share_both(model)
    alone = np.outer(np.diag(truth), np.diag(truth))
    np.fill_diagonal(alone, np.diag(truth))
    assert difference(share_both(found), truth) < difference(alone, truth) / 3


def test_records_with_more_ones_than_are_counted_make_flags_too_rare() -> None:
    """Nothing puts back what thinning takes, as the module says; a most of all flags takes none."""
    bits, numbers = toy(8, 0, 1).draw(20_000, RandomSource.fixed(9))
    found = [
        Factors.fit(without_noise(thin_bits(bits, most, RandomSource.fixed(1)), numbers), 1)
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


MODEL = toy(6, 2, 2)


@pytest.fixture(scope="module")
def known() -> tuple[np.ndarray, np.ndarray]:
    """200,000 rows of the model with their hidden numbers, by its definition."""
    rng = np.random.default_rng(4)
    hidden = rng.normal(size=(200_000, 2))
    behind = hidden @ MODEL.loadings.T + rng.normal(size=(200_000, 8)) * MODEL.own
    bits = behind[:, :6] > -MODEL.thresholds
    return np.hstack([bits, MODEL.middle + MODEL.spread * behind[:, 6:]]), hidden


def test_moments_are_those_of_the_rows(known: tuple[np.ndarray, np.ndarray]) -> None:
    rows = known[0] / np.r_[np.ones(6), np.full(2, S)]
    scale = np.r_[np.ones(6), np.full(2, float(S))]
    np.testing.assert_allclose(column_means(MODEL) / scale, rows.mean(axis=0), atol=0.004)
    found = covariance(MODEL) / np.outer(scale, scale)
    np.testing.assert_allclose(found, np.cov(rows.T), atol=0.003)


def test_shares_of_pairs_are_those_of_the_rows(known: tuple[np.ndarray, np.ndarray]) -> None:
    bits = known[0][:, :6]
    np.testing.assert_allclose(share_both(MODEL), bits.T @ bits / len(bits), atol=0.004)
    np.testing.assert_array_equal(np.diag(share_both(MODEL)), flag_shares(MODEL))


def test_the_correlations_behind_shares_of_pairs_are_the_products_of_loadings() -> None:
    one, other = np.triu_indices(6, 1)
    alone, together = flag_shares(MODEL), share_both(MODEL)
    found = tetrachoric_correlations(alone[one], alone[other], together[one, other])
    behind = MODEL.loadings @ MODEL.loadings.T
    np.testing.assert_allclose(found, behind[one, other], atol=1e-6)


def test_the_encoder_is_the_regression_of_hidden_numbers_on_rows(
    known: tuple[np.ndarray, np.ndarray],
) -> None:
    rows, hidden = known
    encoder = Encoder.of(MODEL)
    best = np.linalg.lstsq(rows - rows.mean(axis=0), hidden, rcond=None)[0]
    scale = np.r_[np.ones(6), np.full(2, float(S))][:, None]
    np.testing.assert_allclose(encoder.weights * scale, best * scale, atol=0.05)
    left = hidden - encoder.encode(rows)
    np.testing.assert_allclose(np.cov(left.T), encoder.left, atol=0.01)


def test_columns_that_share_nothing_tell_nothing() -> None:
    model = Factors(np.zeros(3), np.zeros(0), np.zeros(0), np.zeros((3, 2)))
    encoder = Encoder.of(model)
    np.testing.assert_array_equal(encoder.left, np.eye(2))
    rows = normals((5, 3), RandomSource.fixed(1)) > 0
    np.testing.assert_array_equal(encoder.encode(rows), np.zeros((5, 2)))


Real = npt.NDArray[np.float64]
_RECORDS, _MANY = 20_000, 10**9
"""How many are learned from, and drawn: so many that chance adds nothing."""


def flags(many: int) -> Features:
    return Features.of(category_schema(*[2] * many))


@pytest.mark.parametrize("noise", [0.004, 0.008])
def test_noise_does_what_was_foreseen(noise: float) -> None:
    many, width = 24, 4
    random = np.random.default_rng(5)
    loadings = np.zeros((many, width))
    loadings[:, 0] = 0.6 * random.choice([-1, 1], many)
    true = share_both(Factors(np.zeros(many), np.zeros(0), np.zeros(0), loadings))
    found = foresee_rows(flags(many), (2,) * many, noise * _RECORDS * S**2, _RECORDS, _MANY)
    tried = [_learned(true, noise, width, random) for _ in range(3)]
    single = np.mean([np.abs(np.diag(each - true)).mean() for each in tried])
    pair = np.mean([_apart(each, true).mean() for each in tried])
    assert found.column_by_noise == pytest.approx(single, rel=0.2)
    assert found.pair_by_noise == pytest.approx(pair, rel=0.35)
    assert found.counted == many * (many - 1) // 2


def _learned(true: Real, noise: float, width: int, random: np.random.Generator) -> Real:
    """The pairs of a model of exact sums with so much noise on each."""
    exact = np.ones((len(true) + 1, len(true) + 1))
    exact[1:, 1:] = true
    exact[0, 1:] = exact[1:, 0] = np.diag(true)
    sums = exact[np.triu_indices(len(exact))] * _RECORDS
    sums = sums + random.normal(0, noise * _RECORDS, len(sums))
    moments = NoisyMoments.of(np.rint(sums * S**2), len(true), noise * _RECORDS * S**2)
    return share_both(Factors.fit(moments, width))


def _apart(one: Real, other: Real) -> Real:
    return np.asarray(np.abs(_cells(one) - _cells(other)).sum(axis=0) / 2)


def _cells(shares: Real) -> Real:
    left, right = np.triu_indices(len(shares), 1)
    both, alone = shares[left, right], np.diag(shares)
    return np.stack(
        [both, alone[left] - both, alone[right] - both, 1 - alone[left] - alone[right] + both]
    )


def test_no_pair_is_told_where_noise_covers_what_is_usual() -> None:
    found = foresee_rows(flags(6), (2,) * 6, 0.05 * _RECORDS * S**2, _RECORDS, _MANY)
    assert not found.counted
    assert found.unrelated == ()
    assert found.hardly_related == tuple(range(6))


def test_numbers_stand_in_the_order_of_the_schema() -> None:
    columns = [Column(name="n", domain=Grid(minimum=0, maximum=9))]
    columns += [Column(name=f"f{at}", domain=Grid(minimum=0, maximum=1)) for at in range(2)]
    features = Features.of(Schema(columns=tuple(columns)))
    sizes = (10, 2, 2)
    found = foresee_rows(features, sizes, 0.001 * _RECORDS * S**2, _RECORDS, 1_000)
    more = foresee_rows(features, sizes, 0.002 * _RECORDS * S**2, _RECORDS, 1_000)
    assert (more.single > found.single).all()
    assert np.isfinite(found.pairs).all()
    assert (np.argmax(found.drawn.diagonal())) == 0


def test_more_noise_takes_more_records() -> None:
    assert records_for_relations(4.0 * S**2) == pytest.approx(40.0)
