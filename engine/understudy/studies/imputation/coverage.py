"""How often intervals hold the truth, by simulation: people, records, posterior, rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from understudy.core.arrays import FloatArray
from understudy.mechanisms.imputation.outputs import (
    ReleasedInterval,
    RowOrigin,
    fully_synthetic,
    naive,
    partly_synthetic,
    people_share,
)

RULES = (
    "this program's",
    "as if the rows were records",
    "for partly synthetic tables",
    "for fully synthetic tables",
)
"""The rules that are compared."""


@dataclass(frozen=True)
class Coverage:
    """What a simulation found of a rule.

    Attributes:
        held: the share of intervals that held the truth.
        width: their mean width.
    """

    held: float
    width: float


def simulate_coverage(
    truth: float,
    cells: int,
    alpha: float,
    rows: RowOrigin,
    *,
    times: int,
    seed: int,
    confidence: float = 0.95,
) -> Mapping[str, Coverage]:
    """Return how often each rule's interval holds the share of a cell among people.

    Args:
        truth: that share.
        cells, alpha: of the prior.
        rows: how rows come about.
        times: how many releases are simulated.
        seed: of the simulation, which reads no confidential table.
        confidence: of the intervals.
    """
    random = np.random.default_rng(seed)
    held, width = dict.fromkeys(RULES, 0), dict.fromkeys(RULES, 0.0)
    for _ in range(times):
        for rule, made in _intervals(_shares(random, truth, cells, alpha, rows), cells, alpha, rows,
                                     confidence).items():  # fmt: skip
            held[rule] += made.holds(truth)
            width[rule] += made.high - made.low
    return {rule: Coverage(held[rule] / times, width[rule] / times) for rule in RULES}


def _shares(
    random: np.random.Generator, truth: float, cells: int, alpha: float, rows: RowOrigin
) -> FloatArray:
    """Return (M,) the share of the cell in the rows of each draw."""
    counted = random.binomial(rows.records, truth)
    a, b = counted + alpha, rows.records - counted + (cells - 1) * alpha
    if rows.draws is None:
        return np.array([random.binomial(rows.rows, a / (a + b)) / rows.rows])
    return np.asarray(random.binomial(rows.rows, random.beta(a, b, rows.draws)) / rows.rows)


def _intervals(
    shares: FloatArray, cells: int, alpha: float, rows: RowOrigin, confidence: float
) -> Mapping[str, ReleasedInterval]:
    found = float(shares.mean())
    return dict(
        zip(
            RULES,
            (
                people_share(found, cells, alpha, rows, confidence),
                naive(found, rows.total, confidence),
                partly_synthetic(shares, rows.rows, confidence),
                fully_synthetic(shares, rows.rows, confidence),
            ),
            strict=True,
        )
    )
