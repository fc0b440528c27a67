"""The noise on counts has the law it is said to have, whoever draws it."""

import math
import subprocess
import sys
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from scipy import stats

from understudy.assurance.scores import exponential, permute_and_flip_law
from understudy.assurance.transcript import RealDraws
from understudy.core.refusal import Refusal
from understudy.privacy import noise as noise_module
from understudy.privacy.noise import Noise, laplace_tail, measurement, selection
from understudy.privacy.randomness import RandomSource


def _p_value(drawn: np.ndarray, scale: float) -> float:
    """Chi-square of integers against the two-sided geometric law, tails pooled."""
    reach = 1
    while drawn.size * laplace_tail(reach + 1, scale) > 10:
        reach += 1
    values = np.arange(-reach, reach + 1)
    a = math.exp(-1 / scale)
    expected = (1 - a) / (1 + a) * a ** np.abs(values)
    expected[[0, -1]] = laplace_tail(reach, scale)
    observed = np.bincount(np.clip(drawn, -reach, reach) + reach, minlength=values.size)
    return float(stats.chisquare(observed, expected * drawn.size).pvalue)


@pytest.mark.parametrize("scale", [0.2, 1.0, 3.7, 20.0])
def test_law_of_the_seeded_sampler(scale: float) -> None:
    drawn = Noise(RandomSource.fixed(11)).integers(np.zeros(100_000, dtype=np.int64), scale)
    assert _p_value(drawn, scale) > 1e-3
    assert _p_value(drawn, scale * 1.1) < 1e-3


@pytest.mark.parametrize("scale", [0.8, 4.0])
def test_law_of_the_noise_in_a_release(scale: float) -> None:
    drawn = Noise(RandomSource.secure()).integers(np.zeros(30_000, dtype=np.int64), scale)
    assert _p_value(drawn, scale) > 1e-9
    assert _p_value(drawn, scale * 1.3) < 1e-9


@pytest.mark.parametrize("scale", [0.5, 2.0, 333.0])
def test_opendp_agrees_on_what_the_noise_is_worth(scale: float) -> None:
    assert measurement(scale).map(1) == pytest.approx(1 / scale, rel=1e-12)


@pytest.mark.parametrize("begin", [partial(RandomSource.fixed, 1), RandomSource.secure])
def test_values_keep_their_shape_and_place(
    begin: Callable[[], RandomSource], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(noise_module, "_BLOCK", 1000)
    values = np.arange(-2_500, 2_500, dtype=np.int64).reshape(50, 100) * 10**6
    noisy = Noise(begin()).integers(values, 2.0)
    assert noisy.shape == values.shape
    assert noisy.dtype == np.int64
    assert 0 < np.abs(noisy - values).max() < 200


def test_nothing_to_noise() -> None:
    for source in (RandomSource.fixed(1), RandomSource.secure()):
        assert Noise(source).integers(np.empty(0, dtype=np.int64), 1.0).size == 0


def test_only_the_seeded_noise_repeats() -> None:
    zeros = np.zeros(200, dtype=np.int64)
    first, again = (Noise(RandomSource.fixed(9)).integers(zeros, 5.0) for _ in range(2))
    np.testing.assert_array_equal(first, again)
    first, again = (Noise(RandomSource.secure()).integers(zeros, 5.0) for _ in range(2))
    assert not np.array_equal(first, again)


@pytest.mark.parametrize("scale", [0.1, 1.0, 12.5])
def test_tail_is_the_sum_of_the_law(scale: float) -> None:
    a = math.exp(-1 / scale)
    for j in (-7, -1, 0, 1, 2, 15):
        law = ((1 - a) / (1 + a) * a ** abs(i) for i in range(j, j + 2_000))
        assert laplace_tail(j, scale) == pytest.approx(math.fsum(law), rel=1e-9)
        assert laplace_tail(j, scale) + laplace_tail(1 - j, scale) == pytest.approx(1)


@pytest.mark.parametrize("scale", [0.0, -1.0, math.inf, math.nan])
def test_a_scale_that_is_none_is_refused(scale: float) -> None:
    for call in (
        lambda: laplace_tail(1, scale),
        lambda: Noise(RandomSource.secure()).integers(np.zeros(1, dtype=np.int64), scale),
    ):
        with pytest.raises(Refusal) as refusal:
            call()
        assert refusal.value.field == "scale"


def test_a_run_that_draws_noise_loads_no_classifiers() -> None:
    code = (
        "import sys, understudy.runs.worker; from understudy.privacy import noise; "
        "noise.measurement(1.0)([0]); noise.gaussian_measurement(1.0)([0]); "
        "print('sklearn' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


SCORES = np.array([0, 3, 4, 1])


@pytest.mark.parametrize("concentrated", [True, False])
def test_law_of_a_choice_in_a_release(concentrated: bool) -> None:
    law = (exponential if concentrated else permute_and_flip_law)(SCORES, 1.7)
    noise = Noise(RandomSource.secure())
    chosen = [noise.best(SCORES, 1.7, concentrated=concentrated) for _ in range(1_000)]
    counts = np.bincount(chosen, minlength=4)
    assert stats.chisquare(counts, 1_000 * law).pvalue > 1e-9
    other = exponential(SCORES, 1.7 / 2)
    assert stats.chisquare(counts, 1_000 * other).pvalue < 1e-9


def test_law_of_a_seeded_choice() -> None:
    noise = Noise(RandomSource.fixed(12))
    chosen = [noise.best(SCORES, 1.7, concentrated=True) for _ in range(20_000)]
    law = exponential(SCORES, 1.7)
    assert stats.chisquare(np.bincount(chosen, minlength=4), 20_000 * law).pvalue > 1e-3


@pytest.mark.parametrize("begin", [partial(RandomSource.fixed, 1), RandomSource.secure])
def test_a_choice_that_chance_cannot_miss(begin: Callable[[], RandomSource]) -> None:
    for concentrated in (True, False):
        noise = Noise(begin())
        assert noise.best(np.array([7]), 3.0, concentrated=concentrated) == 0
        large = np.array([0, 2**50, -(2**50)])
        assert noise.best(large, 2.0**20, concentrated=concentrated) == 1
        with pytest.raises(Refusal, match="positive"):
            noise.best(SCORES, 0.0, concentrated=concentrated)


@pytest.mark.parametrize("scale", [0.5, 2.0, 333.0])
def test_opendp_agrees_on_what_a_choice_is_worth(scale: float) -> None:
    assert selection(scale, concentrated=True).map(3) == pytest.approx(9 / (2 * scale**2))
    assert selection(scale, concentrated=False).map(3) == pytest.approx(6 / scale)


@pytest.mark.parametrize("scale", [0.8, 3.7, 250.0])
def test_opendp_is_asked_for_what_the_tape_is_told_and_for_nothing_else(scale: float) -> None:
    values = np.array([3, -70_000, 0], dtype=np.int64)
    draws = RealDraws.from_answers()
    with draws.listen():
        noise = Noise(RandomSource.secure(), draws)
        noise.integers(values, scale)
        noise.gaussians(values, scale)
        noise.best(values, scale, concentrated=True)
        noise.best(values, scale, concentrated=False)
    assert draws.amiss == []
    laws = ["geometric", "Gaussian", "exponential", "permute and flip"]
    assert [each.law for each in draws.asked] == laws
    for each in draws.asked:
        assert each.scale == pytest.approx(scale, rel=1e-12)
        assert each.values.tolist() == values.tolist()
