"""How far off the calibrated model will be by noise and chance alone, before anything is spent.

Which pairs are measured is decided by what is found. Here every pair is taken to be off by as much
as two columns usually are, and the learner's own rule says which of them it could then afford; the
others are left to the rest of the model.
"""

from __future__ import annotations

import numpy as np

from engine.models.calibrated.learner import AT_LAST, CalibratedLearner, standing
from engine.models.predicted import (
    UNTOLD,
    Predicted,
    Reals,
    Whole,
    by_chance,
    by_noise,
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
    sizes, seen = learner.schema.cardinalities, _seen(learner)
    spend = learner.allowance.part(learner.spend.pairs)
    one, other = affordable(seen, spend, records)
    counts = seen[one] * seen[other]
    deviations = np.array([each.deviation for each in spend.divided(counts.tolist())])
    known = _known(learner, sizes)
    told = _precision(deviations)
    for place, beside in ((one, other), (other, one)):
        # A table of both tells of each in full by itself, summed over the other's values.
        full = seen[place] == sizes[place]
        np.add.at(known, place[full], (told / seen[beside])[full])
    single = by_noise(sizes.astype(float), 1 / np.sqrt(known), records)
    apart = by_noise(counts.astype(float), deviations, records)
    made_up = by_chance(sizes.astype(float), standing(records, len(sizes), times=AT_LAST))
    pairs = dict(zip(zip(one.tolist(), other.tolist(), strict=True), apart.tolist(), strict=True))
    return predicted(sizes, np.hypot(single, made_up), pairs, rows)


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


def _known(learner: CalibratedLearner, sizes: Whole) -> Reals:
    """(m,) how precisely each attribute is known from its own table, and from that with a parent:
    taken to be the attribute of the fewest buckets."""
    least = int(_seen(learner).min())
    alone = learner.allowance.part(learner.spend.alone).divided(sizes.tolist())
    families = learner.allowance.part(learner.spend.families).divided((least * sizes).tolist())
    by_itself, in_family = (
        _precision(np.array([part.deviation for part in parts])) for parts in (alone, families)
    )
    return by_itself + in_family / least


def _precision(deviation: Reals) -> Reals:
    return np.asarray(1 / np.maximum(deviation, 1e-9) ** 2)
