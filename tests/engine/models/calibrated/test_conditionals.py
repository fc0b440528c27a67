from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.models.calibrated.conditionals import conditional
from engine.models.calibrated.measured import Measured
from engine.models.views import View

SIZES = (2, 3, 4)
VIEWS = (View(0), View(1), View(2))


def table(counts: np.ndarray, deviation: float) -> Measured:
    return Measured(VIEWS[: counts.ndim], counts.ravel().astype(float), deviation)


def some_counts(seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).poisson(40, SIZES) + 1


def test_without_noise_it_is_the_counts() -> None:
    counts = some_counts()
    alone = counts.sum(axis=(0, 1)) / counts.sum()
    found = conditional(table(counts, 0.0), SIZES, alone)
    rows = counts.reshape(-1, SIZES[-1])
    assert found == pytest.approx(rows / rows.sum(axis=1, keepdims=True))


def test_with_nothing_but_noise_it_is_the_attribute_by_itself() -> None:
    alone = np.array([0.1, 0.2, 0.3, 0.4])
    found = conditional(table(some_counts(), 1e7), SIZES, alone)
    assert found == pytest.approx(np.tile(alone, (6, 1)))


def test_noise_draws_rows_towards_those_of_a_parent_fewer() -> None:
    """The first parent tells much of the child, the second little: with noise, nothing."""
    first = np.array([[0.7, 0.1, 0.1, 0.1], [0.1, 0.1, 0.1, 0.7]])
    counts = 300 * np.repeat(first[:, None], 3, axis=1) + some_counts(2) - 41
    alone = counts.sum(axis=(0, 1)) / counts.sum()
    close, far = (
        np.abs(conditional(table(counts, each), SIZES, alone).reshape(SIZES) - first[:, None]).max()
        for each in (20.0, 0.0)
    )
    assert close < far / 2


def test_each_level_is_drawn_by_the_noise_of_its_own_sums() -> None:
    """The estimate written out: sums over the second parent have the noise of three cells."""
    counts, deviation = some_counts(3) + 0.0, 12.0
    counts[0] *= [1.0, 3.0, 0.5, 1.0]
    counts[:, 1] *= [2.0, 1.0, 1.0, 0.2]
    alone = counts.sum(axis=(0, 1)) / counts.sum()
    first = drawn(counts.sum(axis=1), 3 * deviation**2, np.tile(alone, (2, 1)))
    prior = np.repeat(first[:, None], 3, axis=1).reshape(6, 4)
    expected = drawn(counts.reshape(6, 4), deviation**2, prior)
    assert conditional(table(counts, deviation), SIZES, alone) == pytest.approx(expected)


def drawn(counts: np.ndarray, variance: float, prior: np.ndarray) -> np.ndarray:
    """Rows drawn towards a prior, cell by cell."""
    sums = counts.sum(axis=1)
    cells = [(row, cell) for row in range(len(counts)) for cell in range(counts.shape[1])]
    expected = {at: sums[at[0]] * prior[at] for at in cells}
    beyond = sum((counts[at] - expected[at]) ** 2 - variance for at in cells)
    strays = max(0.0, beyond / sum(each**2 for each in expected.values()))
    found = np.empty(counts.shape)
    for at in cells:
        own = strays * expected[at] ** 2
        found[at] = max(0.0, expected[at] + own / (own + variance) * (counts[at] - expected[at]))
    return found / found.sum(axis=1, keepdims=True)


def test_an_attribute_without_parents_is_by_itself() -> None:
    alone = np.array([0.25, 0.75])
    measured = Measured((View(0),), np.array([3.0, 1.0]), 1.0)
    assert np.array_equal(conditional(measured, (2,), alone), alone[None, :])


def test_a_configuration_that_nobody_has_is_as_with_a_parent_fewer() -> None:
    counts = some_counts()
    counts[1, 2] = 0
    alone = counts.sum(axis=(0, 1)) / counts.sum()
    found = conditional(table(counts, 0.0), SIZES, alone).reshape(SIZES)
    fewer = counts[1].sum(axis=0) / counts[1].sum()
    assert found[1, 2] == pytest.approx(fewer)


def test_unshrunk_negative_counts_are_none() -> None:
    counts = np.array([[4.0, -2.0], [-1.0, -3.0]])
    alone = np.array([0.3, 0.7])
    found = conditional(table(counts, 1.0), (2, 2), alone, shrink=False)
    assert found.tolist() == [[1.0, 0.0], [0.3, 0.7]]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.floats(-1e4, 1e4), min_size=24, max_size=24),
    st.floats(0, 1e4),
    st.booleans(),
)
def test_rows_are_always_distributions(values: list[float], deviation: float, shrink: bool) -> None:
    alone = np.array([0.0, 0.2, 0.3, 0.5])
    counts = np.array(values).reshape(SIZES)
    found = conditional(table(counts, deviation), SIZES, alone, shrink=shrink)
    assert found.shape == (6, 4)
    assert (found >= 0).all()
    assert found.sum(axis=1) == pytest.approx(np.ones(6))
