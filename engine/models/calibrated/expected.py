"""How far off the calibrated model will be by noise and chance alone, before anything is spent.

Which pairs are measured, and how often columns are by themselves, is decided by what is found. Here
every pair is taken to be off by as much as two columns usually are, and the learner's own rule says
how it would then divide its budget and which pairs it could afford; the others are left to the rest
of the model.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.models.calibrated.dividing import DIVISIONS
from engine.models.calibrated.learner import AT_LAST, CalibratedLearner, standing
from engine.models.calibrated.residuals import most_cells
from engine.models.predicted import (
    UNTOLD,
    Predicted,
    Reals,
    Whole,
    distance_by_chance,
    distance_by_noise,
    predicted,
)
from engine.privacy.accounting.allowance import Allowance

_BEGINNING, _EACH, _LOOKED, _DRAWN = 0.5, 1e-7, 1.3e-3, 5e-7
"""Seconds: to begin, for a record and table in the calibration, for a pair that is looked at, for
a value of a row."""


def expected(learner: CalibratedLearner, records: float, rows: int) -> Predicted:
    """What noise and chance will set apart.

    Args:
        learner: with its budget.
        records: how many records it learns from.
        rows: how many records are drawn from the model.
    """
    sizes = learner.schema.cardinalities
    division = _division(learner, records)
    single = _by_noise_alone(learner, division.alone, records)
    counts = division.counts.astype(float)
    apart = distance_by_noise(counts, division.deviations, records)
    made_up = distance_by_chance(sizes.astype(float), standing(records, len(sizes), times=AT_LAST))
    places = zip(division.one.tolist(), division.other.tolist(), strict=True)
    pairs = dict(zip(places, apart.tolist(), strict=True))
    return predicted(sizes, np.hypot(single, made_up), pairs, rows, _possible(learner, records))


@dataclass(frozen=True, eq=False)
class _Division:
    """How the rounds are taken to be divided, all together.

    Attributes:
        alone: the part of the allowance that goes to attributes by themselves, in all.
        one, other: (K,) the attributes of the pairs that are measured.
        counts, deviations: (K,) the cells of each, and the noise on them.
    """

    alone: Allowance
    one: Whole
    other: Whole
    counts: Whole
    deviations: Reals


def _division(learner: CalibratedLearner, records: float) -> _Division:
    """The division that leaves all pairs least off, were each off by `UNTOLD`."""
    seen, spend = _seen(learner), learner.spend
    looked = _candidates(learner, records)
    none = np.zeros(0, dtype=np.int64)
    if not learner.looks(looked, records):
        whole = learner.columns.part(spend.alone + spend.misfit + spend.rounds)
        return _Division(whole, none, none, none, np.zeros(0))
    found, least = None, np.inf
    for share in (np.arange(DIVISIONS) / DIVISIONS).tolist():
        alone = learner.allowance.part(spend.alone + share * spend.rounds)
        rest = learner.allowance.part((1 - share) * spend.rounds)
        one, other = affordable(seen, rest, records)
        counts = seen[one] * seen[other]
        deviations = np.array([each.deviation for each in rest.divided(counts.tolist())])
        trial = _Division(alone, one, other, counts, deviations)
        left = _left(learner, trial, records)
        if left < least:
            found, least = trial, left
    assert found is not None
    return found


def _left(learner: CalibratedLearner, division: _Division, records: float) -> float:
    """The sum of the squares of what all pairs would be off by."""
    single = _by_noise_alone(learner, division.alone, records)
    pairs = np.full((len(single), len(single)), UNTOLD)
    apart = distance_by_noise(division.counts.astype(float), division.deviations, records)
    pairs[division.one, division.other] = apart
    together = pairs**2 + single[:, None] ** 2 + single[None, :] ** 2
    return float(together[np.triu_indices(len(single), 1)].sum())


def _by_noise_alone(learner: CalibratedLearner, alone: Allowance, records: float) -> Reals:
    """(m,) what noise sets apart of each attribute, if this is spent on all by themselves."""
    sizes = learner.schema.cardinalities
    deviations = np.array([part.deviation for part in alone.divided(sizes.tolist())])
    return distance_by_noise(sizes.astype(float), deviations, records)


def _candidates(learner: CalibratedLearner, records: float) -> int:
    """How many tables could be asked about, as of `residuals.candidates`."""
    return int(sum(each.sum() for each in _views_that_fit(learner, records)))


def _possible(learner: CalibratedLearner, records: float) -> npt.NDArray[np.bool_]:
    """(m, m) which pairs could be measured, in full or through buckets; none where the learner
    looks at no pair."""
    size = len(learner.schema)
    found = np.zeros((size, size), dtype=bool)
    if learner.looks(_candidates(learner, records), records):
        one, other = np.triu_indices(size, 1)
        fits = np.any(_views_that_fit(learner, records), axis=0)
        found[one, other] = found[other, one] = fits
    return found


def _views_that_fit(learner: CalibratedLearner, records: float) -> list[npt.NDArray[np.bool_]]:
    """For every pair, whether its table is small enough: in full, through the buckets of one, of
    the other, and of both; False where buckets are no coarser."""
    sizes, seen = learner.schema.cardinalities, _seen(learner)
    one, other = np.triu_indices(len(sizes), 1)
    coarse, most = seen < sizes, most_cells(records, learner.of_a_round)
    return [
        sizes[one] * sizes[other] <= most,
        coarse[one] & (seen[one] * sizes[other] <= most),
        coarse[other] & (sizes[one] * seen[other] <= most),
        coarse[one] & coarse[other] & (seen[one] * seen[other] <= most),
    ]


def affordable(seen: Whole, spend: Allowance, records: float) -> tuple[Whole, Whole]:
    """The pairs that the learner would measure if each were off by `UNTOLD`: what
    `misfit.worth_measuring` chooses then, which begins with the smallest tables.

    Args:
        seen: (m,) as how many values each attribute is seen.
        spend: what the pairs may spend.
        records: how many there are.

    Returns:
        The attributes of each, the smaller index first.
    """
    one, other = np.triu_indices(len(seen), 1)
    counts = seen[one] * seen[other]
    order = np.argsort(counts, kind="stable")
    by_size = {size: spend.weight(size) for size in np.unique(counts).tolist()}
    weights = np.cumsum([by_size[size] for size in counts[order].tolist()])
    chosen, left = 0, 0.0
    while chosen < len(order):
        # Each further table costs more than the one before, and is worth the same.
        then = (chosen + 1) * UNTOLD * records - spend.total_error(float(weights[chosen])) / 2
        if then <= left:
            break
        chosen, left = chosen + 1, then
    kept = np.sort(order[:chosen])
    return one[kept], other[kept]


def _seen(learner: CalibratedLearner) -> Whole:
    """(m,) as how many values each attribute is seen as a parent."""
    return np.array([column.bucket_count for column in learner.schema.columns])


def seconds(learner: CalibratedLearner, found: Predicted, records: float, rows: int) -> float:
    """About how long it takes to learn and to draw so many rows, on one core of a usual machine."""
    many = len(learner.schema)
    return (
        _BEGINNING
        + _EACH * standing(records, many) * (2 * many + found.counted)
        + _LOOKED * many * (many - 1) / 2
        + _DRAWN * rows * many
    )
