"""How far off noise will leave factors or directions, from public numbers alone.

Where records would matter they are assumed to be spread evenly: a flag is a one in half of the
records, a number lies anywhere between its bounds. So shares are off by noise of σ·√(1/2 + p²)/n,
as each is measured twice and the number of records is noisy too; means by σ·√(1 + μ²)/n; and
covariances by σ·√(1 + 2p²)/n. Correlations are taken as they were measured: fitting a few hidden
numbers evens out little of their noise. What a few hidden numbers cannot express, and records that
had more ones than are counted, come on top.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import Final

import numpy as np

from understudy.models.latent.factors import STRAYS
from understudy.models.latent.features import Features, S
from understudy.models.prediction import USUAL, Predicted, prediction_of
from understudy.privacy.accounting.budget_shares import HALF_NORMAL

_EVEN: Final = 0.5
"""The share of ones of a flag that is spread evenly; its variance is the square of this."""
_OF_TWO: Final = 2 / math.sqrt(math.pi)
"""The mean of the larger of two standard Gaussians' absolute values."""
_VARIANCE: Final = 1 / 3
"""Of a number that lies anywhere from −1 to 1."""
_MEAN_MOVES: Final = 1 / math.sqrt(2 * math.pi)
"""The distance between normal laws whose means are a small share of a deviation apart, by it."""
_SPREAD_MOVES: Final = math.sqrt(2 / (math.pi * math.e))
"""The same of laws whose deviations are a small share apart."""
_LARGEST: Final = 0.25
"""No covariance of two flags is larger."""


def records_for_relations(deviation: float) -> float:
    """Return how many records have to be learned from so that any relation of two flags could stand
    out of noise of this deviation on each sum, in units of S²."""
    return STRAYS * deviation / S**2 / _LARGEST


def foresee_rows(features: Features, sizes: tuple[int, ...], deviation: float, records: float,
             rows: int) -> Predicted:  # fmt: skip
    """Return what noise and chance will set apart in rows that are drawn of the model.

    Args:
        features: what the columns are.
        sizes: how many values each column has, in the order of the schema.
        deviation: of the noise on each sum, in units of S².
        records: how many are learned from, above 0.
        rows: how many are drawn.
    """
    noise = deviation / S**2 / records
    columns = len(sizes)
    flag = HALF_NORMAL * noise * math.sqrt(0.5 + _EVEN**2)
    number = HALF_NORMAL * math.hypot(
        _MEAN_MOVES * noise / math.sqrt(_VARIANCE),
        _SPREAD_MOVES * noise / (2 * _VARIANCE),
    )
    single = np.full(columns, number)
    single[list(features.flags)] = flag
    if features.label is not None:
        single[features.label] = flag * features.values / 2
    single = np.minimum(single, 1 - 1 / np.asarray(sizes, dtype=float))
    # A correlation of r sets two flags, or two numbers, apart by half of r at most.
    together = {2: _correlation(noise, _EVEN**2, _EVEN), 1: 0.0, 0: 0.0}
    together[0] = _correlation(noise, _VARIANCE, 0.0)
    together[1] = math.sqrt(together[0] * together[2])
    told = {
        kind: STRAYS * math.hypot(each, 1 / math.sqrt(records)) / 2 <= USUAL
        for kind, each in together.items()
    }
    flags = {*features.flags, features.label}
    pairs = {}
    for one, other in combinations(range(columns), 2):
        kind = (one in flags) + (other in flags)
        if told[kind]:
            alone = _OF_TWO / HALF_NORMAL * max(single[one], single[other])
            pairs[one, other] = min(1.0, math.hypot(alone, HALF_NORMAL * together[kind] / 2))
    able = np.full((columns, columns), STRAYS * min(together.values()) < 1)
    return prediction_of(np.asarray(sizes, dtype=np.int64), single, pairs, rows, able)


def _correlation(noise: float, variance: float, share: float) -> float:
    """Return the deviation by noise of the correlation of two columns of this variance."""
    return noise * math.sqrt(1 + 2 * share**2) / variance
