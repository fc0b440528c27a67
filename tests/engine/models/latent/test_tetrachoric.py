"""The probability against a library's, and correlations against those that made the shares."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from understudy.models.latent.factors import MOST, joint_probability, tetrachoric_correlations


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
