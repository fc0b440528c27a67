"""Hidden numbers are read off records as they were when the records were drawn."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtri

from engine.mechanisms.latent.looking import Observed
from engine.models.latent.factors import Factors
from engine.models.latent.principal import Principal


def factors(columns: int) -> Factors:
    loadings = np.zeros((columns, 2))
    loadings[: columns // 2, 0] = loadings[columns // 2 :, 1] = 0.8
    flags = columns - 2
    middle, spread = np.array([100.0, -300.0]), np.array([200.0, 250.0])
    return Factors(ndtri(np.full(flags, 0.3)), middle, spread, loadings)


def test_hidden_numbers_are_found_again_from_records_that_they_made() -> None:
    model, random = factors(40), np.random.default_rng(4)
    z = random.normal(size=(3000, 2))
    behind = z @ model.loadings.T + random.normal(size=(3000, 40)) * model.own
    flags = behind[:, :38] + model.thresholds > 0
    numbers = (model.middle + model.spread * behind[:, 38:]) / 1024
    found = Observed.of(model).places(np.hstack([flags, numbers]))
    for place in (0, 1):
        assert np.corrcoef(found[:, place], z[:, place])[0, 1] > 0.85
        assert abs(np.corrcoef(found[:, place], z[:, 1 - place])[0, 1]) < 0.1


def test_what_is_carried_of_a_column_is_its_squared_loadings() -> None:
    model = factors(10)
    found = Observed.of(model)
    assert found.carried == pytest.approx(np.full(10, 0.64))
    assert found.mean[:8] == pytest.approx(np.full(8, 0.3))
    assert found.mean[8:] == pytest.approx([100 / 1024, -300 / 1024])
    # A flag shows less of what stands behind it than there is.
    assert ((found.loadings[:8] ** 2).sum(axis=1) < 0.64).all()


def test_the_regression_is_the_one_of_the_whole_covariance() -> None:
    model = factors(10)
    found, x = Observed.of(model), np.random.default_rng(1).random((5, 10))
    own = 1 - (found.loadings**2).sum(axis=1)
    covariance = found.loadings @ found.loadings.T + np.diag(own)
    standard = (x - found.mean) / found.deviation
    assert found.places(x) == pytest.approx(standard @ np.linalg.solve(covariance, found.loadings))


def test_of_directions_it_is_the_share_of_the_variance_along_them() -> None:
    along = np.array([[0.4], [0.1], [0.3]])
    found = Observed.of(Principal(np.array([0.5, 0.2, 0.1]), along, np.array([0.4])))
    assert found.carried == pytest.approx([0.16 / 0.25, 0.01 / 0.16, 0.09 / 0.25])
    assert found.deviation == pytest.approx([0.5, 0.4, 0.5])
