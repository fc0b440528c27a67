"""Factors and directions from moments: what is known to lie behind a table is found again."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from engine.models.latent.factors import Factors, correlations, principal_factors
from engine.models.latent.features import Features
from engine.models.latent.noisy_moments import NoisyMoments
from engine.models.latent.principal import Principal
from engine.models.latent.second_moments import sums
from engine.models.latent.standardised import S
from engine.privacy.randomness import RandomSource
from engine.table.domain import Categories, Grid
from engine.table.schema import Column, Schema

FLAGS, MANY = 8, 60_000
LOADINGS = np.array([[0.7, 0], [0.6, 0.3], [0.5, -0.5], [0, 0.8], [0.4, 0.4], [0, 0], [0.6, 0]])
LOADINGS = np.vstack([LOADINGS, [[0.2, 0.6], [0.5, 0.5]]])
SHARES = np.array([0.5, 0.2, 0.1, 0.3, 0.05, 0.4, 0.02, 0.6])


def simulated(seed: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """Flags, and one number from −S to S, with these shares and loadings."""
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=(MANY, 2)) @ LOADINGS.T
    own = np.sqrt(1 - (LOADINGS**2).sum(axis=1))
    behind = shared + own * rng.normal(size=shared.shape)
    number = np.clip(0.1 + 0.2 * behind[:, FLAGS:], -1, 1) * S
    return behind[:, :FLAGS] < ndtri(SHARES), number


def moments(bits: np.ndarray, number: np.ndarray, noise: float = 0.0) -> NoisyMoments:
    whole = np.hstack([bits * S, np.rint(number)]).astype(np.int16)
    exact = sums(whole)
    spoilt = np.rint(np.random.default_rng(1).normal(0, noise * S**2, len(exact))).astype(int)
    return NoisyMoments.of(exact + spoilt, FLAGS, noise * S**2)


@pytest.fixture(scope="module")
def table() -> tuple[np.ndarray, np.ndarray]:
    return simulated()


def test_shares_loadings_and_the_number_are_found_again(
    table: tuple[np.ndarray, np.ndarray],
) -> None:
    found = Factors.fit(moments(*table), 2)
    assert ndtr(found.thresholds) == pytest.approx(SHARES, abs=0.01)
    products = LOADINGS @ LOADINGS.T
    # A flag is set below its threshold here, so a number goes the other way.
    products[FLAGS:, :FLAGS] *= -1
    products[:FLAGS, FLAGS:] *= -1
    apart = found.loadings @ found.loadings.T - products
    np.fill_diagonal(apart, 0)
    assert np.abs(apart).max() < 0.06
    assert found.middle == pytest.approx([0.1 * S], abs=0.01 * S)
    assert found.spread == pytest.approx([0.2 * S], rel=0.03)


def test_rows_drawn_have_the_pairs_of_the_table(table: tuple[np.ndarray, np.ndarray]) -> None:
    bits, number = table
    made, numbers = Factors.fit(moments(bits, number, noise=30.0), 2).draw(
        MANY, RandomSource.fixed(2)
    )
    real = np.hstack([bits, number / S])
    ours = np.hstack([made, numbers / S])
    assert np.cov(ours.T) == pytest.approx(np.cov(real.T), abs=0.012)
    independent = np.cov(real.T) * np.eye(FLAGS + 1)
    assert (
        np.abs(np.cov(ours.T) - np.cov(real.T)).max()
        < np.abs(independent - np.cov(real.T)).max() / 5
    )
    assert set(np.unique(made)) == {0, 1}
    assert np.abs(numbers).max() <= S


def test_what_noise_and_chance_may_explain_is_seldom_a_relation() -> None:
    rng = np.random.default_rng(3)
    bits = rng.random((2_000, FLAGS)) < 0.3
    number = rng.uniform(-S, S, (2_000, 1))
    found = correlations(moments(bits, number, noise=20.0))
    above = found[np.triu_indices(FLAGS + 1, 1)]
    # One in eighty is expected beyond 2.5 deviations; more than three in 36, once in a thousand.
    assert np.count_nonzero(above) <= 3


def test_factors_never_explain_all_of_a_column() -> None:
    alike = np.full((5, 5), 0.999)
    np.fill_diagonal(alike, 1.0)
    loadings = principal_factors(alike, 2)
    assert (loadings**2).sum(axis=1).max() <= 0.95 + 1e-12


def test_principal_rows_keep_shares_and_what_the_directions_carry(
    table: tuple[np.ndarray, np.ndarray],
) -> None:
    found = Principal.fit(moments(*table), 4)
    bits, numbers = found.draw(MANY, RandomSource.fixed(5))
    # Chances are cut to 0 and 1, which moves the shares of rare flags.
    assert bits.mean(axis=0) == pytest.approx(table[0].mean(axis=0), abs=0.07)
    assert numbers.std() == pytest.approx(table[1].std(), rel=0.05)
    real, ours = np.cov(table[0].T.astype(float)), np.cov(bits.T.astype(float))
    assert ours[0, 1] == pytest.approx(real[0, 1], abs=0.02)


@pytest.mark.parametrize("model", [Factors, Principal])
def test_a_model_comes_back_as_it_was_kept(
    model: type[Factors] | type[Principal], table: tuple[np.ndarray, np.ndarray]
) -> None:
    found = model.fit(moments(*table), 2)
    again = model.restored(found.arrays())
    for one, other in zip(
        found.draw(50, RandomSource.fixed(1)), again.draw(50, RandomSource.fixed(1)), strict=True
    ):
        assert np.array_equal(one, other)


def test_codes_of_a_schema_go_to_vectors_and_back() -> None:
    schema = Schema(
        columns=(
            Column(name="n", domain=Grid(minimum=Decimal(0), maximum=Decimal(7))),
            Column(name="f", domain=Categories(values=("no", "yes"))),
        )
    )
    features = Features.of(schema)
    codes = np.array([[n, f] for n in range(8) for f in range(2)], dtype=np.uint16)
    vectors = features.vectors(codes, 1, RandomSource.fixed(1))
    back = features.codes((vectors[:, :1] > 0).astype(np.uint16), vectors[:, 1:].astype(float))
    assert np.array_equal(back, codes)
