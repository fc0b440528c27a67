"""The law of sums of noise, against sums that are worked out term by term."""

from __future__ import annotations

import math

import numpy as np
import pytest

from understudy.core.arrays import FloatArray
from understudy.inference import noise_sums
from understudy.inference.noise_sums import NoiseOnCells, NoiseSum, NoiseTerms, tail_of_normal
from understudy.models.noisy_tables import LAWS, Law


def law_of(noise: NoiseOnCells) -> tuple[FloatArray, FloatArray]:
    far = math.ceil(30 * noise.scale + 6)
    numbers = np.arange(-far, far + 1.0)
    power = np.abs(numbers) / noise.scale
    weights = np.exp(-power if noise.law == "geometric" else -(power**2) / 2)
    return numbers, weights / weights.sum()


def slow_tail(noise: NoiseOnCells, weights: list[float], away: float) -> float:
    """Every combination of the noise of one or two cells."""
    numbers, law = law_of(noise)
    one, other = (*weights, 0.0)[:2]
    sums = one * numbers[:, None] + other * numbers[None, :]
    return float(np.outer(law, law)[np.abs(sums) >= away - 1e-9].sum())


def sum_of(noise: NoiseOnCells, weights: list[float]) -> NoiseSum:
    size = len(weights)
    terms = NoiseTerms((noise,), np.zeros(size, dtype=np.int64), np.ones(size))
    return NoiseSum(terms, np.array(weights))


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("scale", [0.4, 1.1, 3.5])
def test_cumulants_are_those_of_the_law(law: Law, scale: float) -> None:
    noise = NoiseOnCells(law, scale)
    numbers, chances = law_of(noise)
    second = float(numbers**2 @ chances)
    fourth = float(numbers**4 @ chances) - 3 * second**2
    assert noise.variance == pytest.approx(second, rel=1e-6)
    assert noise.fourth == pytest.approx(fourth, rel=1e-4, abs=1e-3 * second**2)
    frequencies = np.array([0.0, 0.3, 1.7, 3.1])
    slow = np.cos(np.outer(frequencies, numbers)) @ chances
    np.testing.assert_allclose(noise.transform(frequencies), slow, atol=1e-9)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("weights", [[1.0], [0.5, -0.5], [2.0, 2.0]])
@pytest.mark.parametrize("scale", [0.6, 2.0])
def test_on_a_lattice_the_law_is_exact(law: Law, weights: list[float], scale: float) -> None:
    noise = NoiseOnCells(law, scale)
    for steps in (1, 2, 5):
        away = steps * abs(weights[0])
        found = sum_of(noise, weights).tail_probability(away)
        # Where the law is as good as normal, so is what is found: to a two-hundredth.
        assert found == pytest.approx(slow_tail(noise, weights, away), abs=2e-3)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("weights", [[0.7, -0.3], [1.0, 0.45]])
@pytest.mark.parametrize("scale", [0.6, 2.5])
def test_between_lattices_no_sum_is_called_less_likely_than_it_is(
    law: Law, weights: list[float], scale: float
) -> None:
    noise = NoiseOnCells(law, scale)
    found = sum_of(noise, weights)
    deviation = math.sqrt(found.variance)
    for many in (0.5, 1.0, 1.6, 2.2, 3.0):
        slow = slow_tail(noise, weights, many * deviation)
        assert found.tail_probability(many * deviation) >= 0.995 * slow - 1e-3
        nearer = slow_tail(noise, weights, (many - 0.1) * deviation)
        assert found.tail_probability(many * deviation) <= nearer + 2e-3


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("sampling", [0.0, 900.0])
def test_small_terms_taken_as_normal_change_no_probability(
    law: Law, sampling: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A few large terms tell the law, a hundred small ones are not inverted."""
    found = sum_of(NoiseOnCells(law, 20.0), [1.0, -0.7, 0.3, *np.linspace(0.001, 0.03, 100)])
    deviation = math.sqrt(found.variance + sampling)
    assert len(found._split_normal(deviation)[0].weights) < 20
    places = [many * deviation for many in (0.3, 1.0, 2.0, 4.0)]
    quick = [found._invert(deviation, each, sampling) for each in places]
    monkeypatch.setattr(noise_sums, "_NEGLIGIBLE", 0.0)
    whole = [found._invert(deviation, each, sampling) for each in places]
    np.testing.assert_allclose(quick, whole, atol=1e-5)


def test_sampling_adds_its_variance() -> None:
    found = sum_of(NoiseOnCells("geometric", 30.0), [1.0, -0.4])
    drawn = np.random.default_rng(1)
    size = 400_000
    noise = [drawn.geometric(1 - math.exp(-1 / 30), size) for _ in range(4)]
    sums = (noise[0] - noise[1]) - 0.4 * (noise[2] - noise[3]) + drawn.normal(0, 25.0, size)
    for away in (40.0, 80.0, 130.0):
        slow = float((np.abs(sums) >= away).mean())
        assert found.tail_probability(away, 25.0**2) == pytest.approx(slow, abs=3e-3)


def test_far_away_and_nowhere() -> None:
    found = sum_of(NoiseOnCells("gaussian", 2.0), [1.0])
    assert found.tail_probability(0.0) == 1.0
    assert found.tail_probability(1e6) == 0.0
    assert sum_of(NoiseOnCells("gaussian", 2.0), [0.0]).tail_probability(1.0) == 0.0
    np.testing.assert_allclose(tail_of_normal(np.array([1.959964]), np.zeros(1)), 0.05, atol=1e-6)
