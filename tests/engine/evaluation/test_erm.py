from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse, stats
from sklearn.linear_model import LogisticRegression

from understudy.core.arrays import FloatArray
from understudy.evaluation.measures.linear_accuracy import (
    HUBER,
    LOGISTIC,
    Loss,
    Risk,
    noise,
    objective_noise,
    objective_perturbation,
    output_perturbation,
    predict,
    sensitivity,
    signs_of,
)

BOTH = pytest.mark.parametrize("loss", [LOGISTIC, HUBER], ids=lambda each: each.name)


def rows(count: int, width: int, random: np.random.Generator) -> FloatArray:
    """Rows of norm at most 1."""
    made = random.standard_normal((count, width))
    return np.asarray(
        made / np.linalg.norm(made, axis=1, keepdims=True) * random.random((count, 1))
    )


def risk(count: int, width: int, seed: int, loss: Loss, penalty: float, values: int = 2) -> Risk:
    random = np.random.default_rng(seed)
    signs = signs_of(random.integers(0, values, count), values)
    return Risk(sparse.csr_array(rows(count, width, random)), signs, loss, penalty)


@pytest.mark.parametrize("values", [2, 4])
@pytest.mark.parametrize("penalty", [1e-1, 1e-2, 1e-3])
def test_logistic_regression_is_that_of_scikit_learn(penalty: float, values: int) -> None:
    ours = risk(400, 6, 1, LOGISTIC, penalty, values)
    found = ours.least()
    for place in range(ours.signs.shape[1]):
        theirs = LogisticRegression(C=1 / (400 * penalty), fit_intercept=False, tol=1e-10)
        theirs.fit(ours.features, ours.signs[:, place])
        assert found[:, place] == pytest.approx(theirs.coef_[0], abs=2e-3, rel=2e-3)


@BOTH
@pytest.mark.parametrize("start", [0.0, 5.0])
def test_nothing_near_the_minimum_is_lower(loss: Loss, start: float) -> None:
    ours = risk(200, 4, 2, loss, 1e-2)
    least = ours.least(start=np.full((4, 1), start))

    def objective(f: FloatArray) -> float:
        margin = ours.signs * (ours.features @ f)
        return float(loss.value(margin).mean() + 1e-2 / 2 * (f**2).sum())

    steps = np.random.default_rng(3).standard_normal((200, 4, 1)) * 0.05
    assert all(objective(least) <= objective(least + step) for step in steps)


@BOTH
def test_a_loss_has_the_slope_and_the_curvature_it_says(loss: Loss) -> None:
    z = np.linspace(-6, 6, 4001)
    step = 1e-5
    slope = (loss.value(z + step) - loss.value(z - step)) / (2 * step)
    assert loss.slope(z) == pytest.approx(slope, abs=1e-4)
    assert (loss.slope(z) >= -1).all()
    assert (loss.slope(z) <= 0).all()
    bend = np.diff(loss.slope(z)) / np.diff(z)
    assert bend.max() <= loss.curvature + 1e-6
    assert bend.max() == pytest.approx(loss.curvature, rel=1e-2)


def test_the_huber_loss_is_the_published_one() -> None:
    z = np.array([2.0, 1.5, 1.25, 1.0, 0.5, -1.0])
    assert HUBER.value(z).tolist() == [0, 0, 0.25**2 / 2, 0.5**2 / 2, 0.5, 2.0]
    assert HUBER.curvature == 1.0
    assert LOGISTIC.curvature == 0.25


@BOTH
@given(
    count=st.integers(2, 12),
    width=st.integers(1, 3),
    penalty=st.sampled_from([0.02, 0.1, 1.0]),
    seed=st.integers(0, 10**6),
)
def test_one_record_moves_the_minimum_no_further_than_its_sensitivity(
    loss: Loss, count: int, width: int, penalty: float, seed: int
) -> None:
    random = np.random.default_rng(seed)
    features, signs = rows(count, width, random), random.choice([-1.0, 1.0], (count, 1))
    one = Risk(sparse.csr_array(features), signs, loss, penalty).least()
    other_features, other_signs = features.copy(), signs.copy()
    other_features[0] = -features[0] / np.linalg.norm(features[0])
    other_signs[0] = random.choice([-1.0, 1.0])
    other = Risk(sparse.csr_array(other_features), other_signs, loss, penalty).least()
    assert np.linalg.norm(one - other) <= sensitivity(count, penalty) + 1e-3


def test_the_sensitivity_is_reached() -> None:
    """One record, and so steep a penalty that the slope is 1 at either minimum."""
    both = [
        Risk(sparse.csr_array([[1.0]]), np.array([[sign]]), HUBER, 4.0).least()[0, 0]
        for sign in (1.0, -1.0)
    ]
    assert abs(both[0] - both[1]) == pytest.approx(sensitivity(1, 4.0), rel=1e-5)


@pytest.mark.parametrize(("width", "rate"), [(1, 0.5), (3, 2.0), (40, 0.1)])
def test_noise_has_the_published_law(width: int, rate: float) -> None:
    drawn = noise((width, 4_000), rate, np.random.default_rng(5))
    lengths = np.linalg.norm(drawn, axis=0)
    assert stats.kstest(lengths, stats.gamma(width, scale=1 / rate).cdf).pvalue > 1e-3
    # Of a random direction any one coordinate, squared, is Beta(½, (d − 1)/2).
    if width > 1:
        squared = (drawn[0] / lengths) ** 2
        assert stats.kstest(squared, stats.beta(0.5, (width - 1) / 2).cdf).pvalue > 1e-3
    assert abs((drawn[0] > 0).mean() - 0.5) < 0.04


def test_noise_of_one_dimension_is_laplace() -> None:
    drawn = noise((1, 4_000), 0.7, np.random.default_rng(6))[0]
    assert stats.kstest(drawn, stats.laplace(scale=1 / 0.7).cdf).pvalue > 1e-3


def test_tilting_spends_what_the_loss_leaves() -> None:
    n, penalty, c, epsilon = 1_000, 1e-2, 0.25, 0.5
    left = epsilon - np.log(1 + 2 * c / (n * penalty) + c**2 / (n * penalty) ** 2)
    assert left > 0
    assert objective_noise(n, penalty, c, epsilon) == pytest.approx((left / 2, 0.0))


def test_tilting_adds_a_penalty_where_the_loss_leaves_nothing() -> None:
    n, penalty, c, epsilon = 100, 1e-6, 1.0, 0.5
    rate, extra = objective_noise(n, penalty, c, epsilon)
    assert rate == epsilon / 4
    assert extra == pytest.approx(c / (n * (np.exp(epsilon / 4) - 1)) - penalty)
    # With it, what the curvature costs is half of ε: the paper's reason for the choice.
    assert 2 * np.log1p(c / (n * (penalty + extra))) == pytest.approx(epsilon / 2)


@BOTH
def test_output_perturbation_is_the_minimum_and_noise(loss: Loss) -> None:
    ours = risk(300, 5, 7, loss, 1e-2, values=3)
    least = ours.least()
    found = output_perturbation(ours, least, 0.9, np.random.default_rng(8))
    expected = noise((5, 3), 300 * 1e-2 * (0.9 / 3) / 2, np.random.default_rng(8))
    assert found - least == pytest.approx(expected)


@BOTH
@pytest.mark.parametrize("penalty", [1e-1, 1e-5])
def test_objective_perturbation_minimises_what_was_tilted(loss: Loss, penalty: float) -> None:
    """At the minimum the slopes of loss, penalties and tilt cancel."""
    ours = risk(300, 5, 9, loss, penalty, values=3)
    found = objective_perturbation(ours, ours.least(), 0.9, np.random.default_rng(10))
    rate, extra = objective_noise(300, penalty, loss.curvature, 0.9 / 3)
    tilt = noise((5, 3), rate, np.random.default_rng(10))
    pull = ours.features.T @ (ours.signs * loss.slope(ours.signs * (ours.features @ found)))
    assert pull / 300 + (penalty + extra) * found + tilt / 300 == pytest.approx(0, abs=1e-5)


def test_rows_longer_than_one_are_not_taken() -> None:
    with pytest.raises(ValueError, match="norm"):
        Risk(sparse.csr_array([[0.8, 0.8]]), np.ones((1, 1)), LOGISTIC, 1e-3)


def test_two_values_need_one_classifier_and_more_need_one_each() -> None:
    assert signs_of(np.array([0, 1]), 2).tolist() == [[-1], [1]]
    assert signs_of(np.array([0, 2]), 3).tolist() == [[1, -1, -1], [-1, -1, 1]]


def test_the_largest_score_is_the_answer() -> None:
    features = sparse.csr_array([[1.0, 0.0], [0.0, 1.0]])
    assert predict(features, np.array([[0.3], [-0.3]])).tolist() == [1, 0]
    assert predict(features, np.array([[0.1, 0.5, 0.5], [0.9, 0.0, 0.2]])).tolist() == [1, 0]
