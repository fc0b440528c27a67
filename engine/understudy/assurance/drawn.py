"""Statistical checks of the noise and selection of a real run, by counts on neighbours."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from understudy.assurance.counting import bound
from understudy.assurance.finding import Check, Effort, Measured
from understudy.core.arrays import IntArray
from understudy.privacy.accounting.composition import approximate_dp
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource

REAL = "Real runs, counted"
BROKEN = "Real runs of mutants, which must be caught"

DRAWS = 30_000
"""How many noisy counts are usually drawn, for each half."""

CHOICES = 4_000
"""How many choices are usually made, for each half."""


def checks(source: RandomSource, miss: float) -> tuple[Check, ...]:
    """Return the laws of noise and of choices, and mutants of theirs.

    Args:
        source: where they draw from.
        miss: the chance that one bound is wrong.
    """
    return (*_noises(source, miss), *_choices(source, miss))


def _noises(source: RandomSource, miss: float) -> Iterator[Check]:
    """Yield the noise that learning draws, on a count and on the next larger one."""
    laws: tuple[tuple[str, Budget, Callable[[Noise, IntArray, float], IntArray]], ...] = (
        ("geometric noise on a count", Budget(1.0), Noise.integers),
        ("Gaussian noise on a count", approximate_dp(0.5, 1e-2), Noise.gaussians),
    )
    for name, claimed, draw in laws:
        measure = partial(_noise_bound, source, miss, claimed, draw)
        yield from _with_mutant(name, claimed, "scale 1", measure, 1 / 2, "half the noise")


def _with_mutant(
    name: str,
    claimed: Budget,
    scale: str,
    measure: Callable[[float], Callable[[Effort], Measured]],
    less: float,
    said: str,
) -> Iterator[Check]:
    """Yield a law at a scale of 1, and with less of it than is claimed.

    Args:
        name: of what is drawn.
        claimed: what a scale of 1 comes to.
        scale: in words.
        measure: from a scale to what puts it to the test.
        less: the mutant's scale.
        said: what the mutant draws, in words.
    """
    for mutant in (False, True):
        yield Check(
            BROKEN if mutant else REAL,
            f"{name}, {said}" if mutant else name,
            f"ε = {claimed.epsilon:.4g} at δ = {claimed.delta:g}, {scale}",
            "Clopper and Pearson 1934, on the half that the event was not chosen on",
            measure(less if mutant else 1.0),
            "mutant" if mutant else "claim",
        )


def _noise_bound(
    source: RandomSource,
    miss: float,
    claimed: Budget,
    draw: Callable[[Noise, IntArray, float], IntArray],
    scale: float,
) -> Callable[[Effort], Measured]:
    def measure(effort: Effort) -> Measured:
        draws = effort.of(DRAWS)
        noise = Noise(source)
        one, other = (
            np.stack([_counts(draw(noise, np.full(draws, exact), scale)) for _ in range(2)])
            for exact in (0, 1)
        )
        found = bound(one, other, claimed.delta, miss)
        return Measured(4 * draws, found / claimed.epsilon)

    return measure


def _choices(source: RandomSource, miss: float) -> Iterator[Check]:
    """Choices among two scores, and among two that are each as far from them as may be."""
    for concentrated, claimed in ((True, approximate_dp(0.5, 0.1)), (False, Budget(2.0))):
        name = "the exponential mechanism" if concentrated else "permute and flip"
        measure = partial(_choice_bound, source, miss, claimed, concentrated)
        yield from _with_mutant(name, claimed, "scale Δ", measure, 1 / 3, "a third of the scale")


def _choice_bound(
    source: RandomSource, miss: float, claimed: Budget, concentrated: bool, scale: float
) -> Callable[[Effort], Measured]:
    def measure(effort: Effort) -> Measured:
        made = effort.of(CHOICES)
        noise = Noise(source)

        def chosen(scores: list[int]) -> IntArray:
            exact = np.array(scores, dtype=np.int64)
            each = (noise.best(exact, scale, concentrated=concentrated) for _ in range(made))
            return np.bincount(np.fromiter(each, np.int64), minlength=2)

        one, other = (np.stack([chosen(each) for _ in range(2)]) for each in ([0, 0], [1, -1]))
        found = bound(one, other, claimed.delta, miss)
        return Measured(4 * made, found / claimed.epsilon)

    return measure


def _counts(noisy: IntArray) -> IntArray:
    """Return how often each noisy count came up, those far off together."""
    return np.bincount(np.clip(noisy, -5, 6) + 5, minlength=12)
