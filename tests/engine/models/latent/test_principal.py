"""Principal directions against the covariance that they are of, and rows against their law."""

from __future__ import annotations

import numpy as np

from tests.engine.models.latent.toy import toy, without_noise
from understudy.models.latent.features import S
from understudy.models.latent.principal import Principal
from understudy.privacy.randomness import RandomSource


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
