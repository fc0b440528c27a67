"""pMSE of a logistic regression on indicators of values, without interactions.

Each value of each column has its own coefficient; combinations have none, so it sees differences
between columns' shares and nothing of how columns go together. There is no penalty beyond what
keeps the coefficient of a value that only one side has finite.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import sparse, special
from scipy.sparse.linalg import LinearOperator, cg

from understudy.core.arrays import BoolArray, FloatArray, IntArray
from understudy.core.refusal import Refusal
from understudy.evaluation.cells import renumbered
from understudy.evaluation.finding import Part
from understudy.evaluation.intervals import block_jackknife
from understudy.evaluation.propensity import LARGEST, Pooled, PropensityFit, pmse, three_forms
from understudy.evaluation.study import Study
from understudy.table.records import Records

MOST_COEFFICIENTS = 2_000
"""Where the columns have more values than this, values are taken together, the rare ones first."""

_RIDGE = 1e-6
_ENOUGH = 1e-6
_STEPS = 60

FEWEST_EACH = 5
"""The null is that of many records: with fewer of them to a coefficient it is too narrow, and a
regression with as many coefficients as records separates any two tables."""

Matrix = Any
"""A sparse matrix; scipy's types do not say which arithmetic it has."""


def propensity_fit(pooled: Pooled, study: Study) -> PropensityFit:
    """Fit it to the pooled records; without each block by one Newton step from the full fit.

    The null is that of N·pMSE/(c(1 − c)), which is χ² of k − 1 degrees of freedom for k
    estimable coefficients: a column of c values counts for c − 1, and what follows from other
    columns for nothing.

    Raises:
        Refusal: there are too few records for so many coefficients.
    """
    x = design(pooled.records)
    degrees = estimable(x) - 1
    if degrees * FEWEST_EACH > len(pooled):
        raise Refusal(
            f"The columns have {degrees + 1:,} values to tell records by, too many for "
            f"{len(pooled):,} records: a regression would fit whatever it is shown.",
            "Look at more records, or leave columns of many values out.",
        )
    coefficients = fit(x, pooled.made)
    spread = LARGEST / len(pooled)
    value = pmse(special.expit(x @ coefficients), pooled.made)
    without = [_without(x, pooled, coefficients, block) for block in range(pooled.blocks)]
    return PropensityFit(
        value,
        block_jackknife(value, np.array(without)),
        degrees * spread,
        math.sqrt(2 * degrees) * spread,
        _by_column(pooled),
    )


def design(records: Records) -> Matrix:
    """(N, k) of 0 and 1: the intercept, then for each column its values but the commonest."""
    count, columns = records.codes.shape
    most = max(2, MOST_COEFFICIENTS // columns)
    rows, places, width = [np.arange(count)], [np.zeros(count, dtype=np.int64)], 1
    for column in range(columns):
        value = _values(records, column, most)
        commonest = int(np.bincount(value).argmax())
        other = np.flatnonzero(value != commonest)
        rows.append(other)
        places.append(width + value[other] - (value[other] > commonest))
        width += int(value.max())
    where = (np.concatenate(rows), np.concatenate(places))
    return sparse.csr_array((np.ones(len(where[0])), where), shape=(count, width))


def _values(records: Records, column: int, most: int) -> IntArray:
    """(N,) the value of each record, numbered without gaps, at most `most` of them.

    Where there are more, neighbours are taken together until each number stands for about as
    many records: neighbours on the grid, or, where there is no order, neighbours in commonness.
    """
    described = records.schema.columns[column]
    value, values = renumbered(records.codes[:, column].astype(np.int64), described.cardinality)
    if values <= most:
        return value
    counts = np.bincount(value)
    order = np.arange(values) if described.ordered else np.argsort(-counts, kind="stable")
    before = np.empty(values, dtype=np.int64)
    before[order] = np.cumsum(counts[order]) - counts[order]
    return renumbered(before[value] * most // len(value), most)[0]


def estimable(x: Matrix) -> int:
    """Return how many coefficients the design can tell from each other: its rank."""
    return int(np.linalg.matrix_rank((x.T @ x).toarray(), hermitian=True))


def fit(x: Matrix, made: BoolArray) -> FloatArray:
    """(k,) the coefficients of largest likelihood, to less than 10⁻⁶ of its logarithm."""
    coefficients = np.zeros(x.shape[1])
    for _ in range(_STEPS):
        step, gain = _newton(x, made, coefficients)
        if gain < _ENOUGH:
            break
        length = 1.0
        before = _loss(x, made, coefficients)
        while _loss(x, made, coefficients + length * step) > before and length > _ENOUGH:
            length /= 2
        coefficients = coefficients + length * step
    return coefficients


def _newton(x: Matrix, made: BoolArray, coefficients: FloatArray) -> tuple[FloatArray, float]:
    """Return a step towards the largest likelihood, and what it promises to gain of its
    logarithm."""
    probability = special.expit(x @ coefficients)
    weight = probability * (1 - probability)
    slope = x.T @ (made - probability) - _RIDGE * coefficients
    shape = (len(slope), len(slope))
    curvature = LinearOperator(
        shape, matvec=lambda v: x.T @ (weight * (x @ v)) + _RIDGE * v, dtype=np.float64
    )
    scale = x.T @ weight + _RIDGE
    by_scale = LinearOperator(shape, matvec=lambda v: v / scale, dtype=np.float64)
    step, _ = cg(curvature, slope, rtol=1e-5, maxiter=500, M=by_scale)
    return step, float(slope @ step) / 2


def _loss(x: Matrix, made: BoolArray, coefficients: FloatArray) -> float:
    score = x @ coefficients
    fitted = float(np.logaddexp(0, np.where(made, -score, score)).sum())
    return fitted + _RIDGE / 2 * float(coefficients @ coefficients)


def _without(x: Matrix, pooled: Pooled, coefficients: FloatArray, block: int) -> float:
    rest = np.flatnonzero(pooled.block != block)
    left, made = x[rest], pooled.made[rest]
    step, _ = _newton(left, made, coefficients)
    return pmse(special.expit(left @ (coefficients + step)), made)


def _by_column(pooled: Pooled) -> tuple[Part, ...]:
    """pMSE of each column by itself: p̂ is then the share of `made` among those of its value."""
    parts = []
    for column, name in enumerate(pooled.records.schema.names):
        value = pooled.records.codes[:, column]
        share = np.bincount(value, pooled.made) / np.maximum(1, np.bincount(value))
        parts.append(Part((name,), pmse(share[value], pooled.made)))
    return tuple(parts)


MEASURE, RATIO, STANDARDISED = three_forms(
    propensity_fit,
    key="propensity-logistic",
    classifier="a logistic regression",
    seen="the values of single columns",
    breakdown="what each column gives away by itself",
    by="single columns",
)
