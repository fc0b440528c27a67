"""Exact distributions of the selection mechanisms, on neighbouring scores.

One record moves every score by up to Δ. The exponential mechanism draws an index in proportion to
e^{score/s}; permute-and-flip goes through the indices in random order and stops at one with
probability e^{(score − best)/s}. Both laws are written out here.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from understudy.assurance.drawing import Drawing
from understudy.assurance.finding import NOTHING, Check, Effort, Measured
from understudy.core.arrays import FloatArray, IntArray
from understudy.privacy.noise import selection

_PART = "Choices among scores"
_ALPHAS = (1.0001, 1.5, 2.0, 4.0, 16.0, 64.0)
_SCALES = (0.5, 3.0, 20.0)
_STARTS = 4
_LOST = 1e-7
"""What the logarithm of a sum that is nearly 1 may lose, over α − 1 ≥ 10⁻⁴ and a small ρ."""


def checks() -> tuple[Check, ...]:
    """Return the two laws, and what the library says of them."""
    return (
        Check(
            _PART,
            "the exponential mechanism",
            "ρ = Δ²/(2s²): Rényi divergences of order α are at most αρ",
            "Cesar and Rogers 2021",
            exponential_moved,
        ),
        Check(
            _PART,
            "permute and flip",
            "ε = 2Δ/s",
            "McKenna and Sheldon 2020",
            flipped_moved,
        ),
        Check(
            _PART,
            "what OpenDP says of its choices",
            "its own privacy map: Δ²/(2s²) in zCDP, 2Δ/s in pure ε",
            "OpenDP's privacy maps",
            _maps,
        ),
    )


def exponential(scores: IntArray, scale: float) -> FloatArray:
    """Return the law of the exponential mechanism, shape (K,)."""
    likely = np.exp((scores - scores.max()) / scale)
    return np.asarray(likely / likely.sum())


def flipped(scores: IntArray, scale: float) -> FloatArray:
    """Return the law of permute-and-flip, shape (K,): of the index with the largest score plus
    exponential noise (Ding, Kifer, Saeed, Steinke, Wang, Xiao and Zhang 2021).

    The order of the indices is that of K uniform times; index i stops at time u, unless another
    did before: p_i·∫ Π_j (1 − u·p_j) du over the others, a polynomial.
    """
    stops = np.exp((scores - scores.max()) / scale)
    law = np.empty(len(stops))
    for index, stop in enumerate(stops.tolist()):
        polynomial = np.ones(1)
        for other in np.delete(stops, index).tolist():
            polynomial = np.convolve(polynomial, (1.0, -other))
        law[index] = stop * (polynomial / np.arange(1, len(polynomial) + 1)).sum()
    return law


def renyi(first: FloatArray, second: FloatArray, alpha: float) -> float:
    """Return the larger of D_α(F‖G) and D_α(G‖F); both are positive everywhere."""
    logs = np.log(first), np.log(second)
    return max(
        float(np.logaddexp.reduce(alpha * one - (alpha - 1) * other)) / (alpha - 1)
        for one, other in (logs, logs[::-1])
    )


def _scores(effort: Effort) -> Iterator[tuple[IntArray, IntArray]]:
    """Scores, and scores that are apart by 3 at most."""
    draw = Drawing(effort.seed + 16)
    starts = [np.zeros(size, dtype=np.int64) for size in (2, 3)]
    starts += [draw.several(-6, 6, draw.whole(2, 4)) for _ in range(effort.of(_STARTS))]
    for start in starts:
        for moves in product((-3, 0, 3), repeat=len(start)):
            yield start, start + np.array(moves)


def exponential_moved(effort: Effort, drawn: float = 1.0) -> Measured:
    """Rényi divergences over αρ.

    Args:
        effort: how many scores.
        drawn: how much of the scale is used, for a mutant.
    """
    total = NOTHING
    for scale in _SCALES:
        rho = (3 / scale) ** 2 / 2
        for one, other in _scores(effort):
            laws = [exponential(each, drawn * scale) for each in (one, other)]
            found = _over(laws[0], laws[1], rho)
            total |= Measured(1, found, f"scale {scale:g}, {one} and {other}")
    return total


def _over(first: FloatArray, second: FloatArray, rho: float) -> float:
    """Return the largest Rényi divergence, over αρ."""
    found = max(renyi(first, second, alpha) / (alpha * rho) for alpha in _ALPHAS)
    return max(0.0, found) / (1 + _LOST)


def flipped_moved(effort: Effort, drawn: float = 1.0) -> Measured:
    """Return the largest ratio of probabilities, in logs, over 2Δ/s."""
    total = NOTHING
    for scale in _SCALES:
        for one, other in _scores(effort):
            laws = [flipped(each, drawn * scale) for each in (one, other)]
            apart = float(np.abs(np.log(laws[0]) - np.log(laws[1])).max())
            found = apart * scale / 6 / (1 + _LOST)
            total |= Measured(1, found, f"scale {scale:g}, {one} and {other}")
    return total


def _maps(_: Effort) -> Measured:
    total = NOTHING
    for scale in _SCALES:
        concentrated = selection(scale, concentrated=True).map(3) * 2 * scale**2 / 9
        pure = selection(scale, concentrated=False).map(3) * scale / 6
        total |= Measured(2, max(concentrated, pure) / (1 + _LOST), f"scale {scale:g}")
    return total
