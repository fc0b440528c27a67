"""Moments that a factor model implies against its own rows, and its encoder against regression."""

from __future__ import annotations

import numpy as np
import pytest

from tests.engine.models.latent.toy import toy
from understudy.models.latent.factors import (
    Encoder,
    Factors,
    covariance,
    mean,
    normals,
    pair_shares,
    shares,
    tetrachoric_correlations,
)
from understudy.models.latent.features import S
from understudy.privacy.randomness import RandomSource

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
    np.testing.assert_allclose(mean(MODEL) / scale, rows.mean(axis=0), atol=0.004)
    found = covariance(MODEL) / np.outer(scale, scale)
    np.testing.assert_allclose(found, np.cov(rows.T), atol=0.003)


def test_shares_of_pairs_are_those_of_the_rows(known: tuple[np.ndarray, np.ndarray]) -> None:
    bits = known[0][:, :6]
    np.testing.assert_allclose(pair_shares(MODEL), bits.T @ bits / len(bits), atol=0.004)
    np.testing.assert_array_equal(np.diag(pair_shares(MODEL)), shares(MODEL))


def test_the_correlations_behind_shares_of_pairs_are_the_products_of_loadings() -> None:
    one, other = np.triu_indices(6, 1)
    alone, together = shares(MODEL), pair_shares(MODEL)
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
