"""How far off the calibrated model will be by noise and chance alone, before anything is spent.

Which pairs are measured, and how often columns are by themselves, is decided by what is found. Here
every pair is taken to be off by as much as two columns usually are, and the learner's own rule says
how it would then divide its budget and which pairs it could afford, the marked ones first; the
others are left to the rest of the model.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np
import numpy.typing as npt

from understudy.models.calibrated.learner import AT_LAST, CalibratedLearner, standing
from understudy.models.calibrated.questions import ROUNDS, Way
from understudy.models.calibrated.residuals import most_cells, pairs_that_fit
from understudy.models.calibrated.usual import Usual, UsualDivision
from understudy.models.marks import Places
from understudy.models.predicted import (
    Predicted,
    distance_by_chance,
    distance_by_noise,
    prediction_of,
)

_BEGINNING, _EACH, _LOOKED, _DRAWN = 0.5, 1e-7, 1.3e-3, 5e-7
"""Seconds: to begin, for a record and table in the calibration, for a pair that is looked at, for
a value of a row."""


def expected_errors(learner: CalibratedLearner, records: float, rows: int) -> Predicted:
    """What noise and chance will set apart.

    Args:
        learner: with its budget.
        records: how many records it learns from.
        rows: how many records are drawn from the model.
    """
    schema, way = learner.schema, learner.way(records)
    usual = Usual(schema, learner.importance, records, way.views)
    sizes = schema.cardinalities
    division = _division(learner, usual, way)
    single = usual.by_noise(division.alone)
    made_up = distance_by_chance(sizes.astype(float), standing(records, len(sizes), times=AT_LAST))
    places = zip(division.tables.one.tolist(), division.tables.other.tolist(), strict=True)
    pairs = dict(zip(places, division.apart(records).tolist(), strict=True))
    found = prediction_of(
        sizes, np.hypot(single, made_up), pairs, rows, _possible(learner, records, way)
    )
    return replace(found, triples=_triples(learner, usual, division, rows), sure=True)


def _division(learner: CalibratedLearner, usual: Usual, way: Way) -> UsualDivision:
    """The division that leaves all pairs least off, were each off by `UNTOLD`."""
    if way.scope == "none":
        return usual.of_columns(learner.columns, learner.spend)
    marked_only = way.scope == "marked"
    return usual.divided(learner.allowance, learner.spend, marked_only=marked_only)


def _triples(
    learner: CalibratedLearner, usual: Usual, division: UsualDivision, rows: int
) -> dict[Places, float]:
    """Noise and sampling of each marked triple, through buckets or the finest levels above them
    that can be counted, if the last round shares what it spends on pairs among them all; NaN of
    one that cannot be counted."""
    most = most_cells(usual.records, learner.of_a_round)
    cells = {
        each: max(_counts_that_fit(usual, each, most), default=0)
        for each in learner.importance.triples
    }
    if division.rest is None:
        return dict.fromkeys(cells, math.nan)
    fits = [each for each, many in cells.items() if many]
    pairs = division.tables.prices
    prices = [cells[each] * learner.importance.of(each) for each in fits]
    parts = division.rest.part(1 / ROUNDS).divided([*pairs.tolist(), *prices])[len(pairs) :]
    found = dict.fromkeys(cells, math.nan)
    for each, part in zip(fits, parts, strict=True):
        many = np.array(float(cells[each]))
        noise = distance_by_noise(many, np.array(part.deviation), usual.records)
        found[each] = min(1.0, math.hypot(float(noise), float(distance_by_chance(many, rows))))
    return found


def _counts_that_fit(usual: Usual, places: Places, most: float) -> Iterator[int]:
    """The cells of the tables of some columns, at every level but in full, that are small
    enough."""
    found = map(math.prod, product(*(usual.seen[place].values() for place in places)))
    return (many for many in found if many <= most)


def _possible(learner: CalibratedLearner, records: float, way: Way) -> npt.NDArray[np.bool_]:
    """(m, m) which pairs could be measured, at some level; none where the learner
    looks at no pair."""
    size = len(learner.schema)
    found = np.zeros((size, size), dtype=bool)
    if way.scope != "none":
        fits = pairs_that_fit(learner.schema, records, learner.of_a_round, way.views)
        one, other = np.triu_indices(size, 1)
        found[one, other] = found[other, one] = np.any(fits, axis=0)
    return found & (learner.importance.of_pairs(size) > 1) if way.scope == "marked" else found


def seconds(learner: CalibratedLearner, found: Predicted, records: float, rows: int) -> float:
    """About how long it takes to learn and to draw so many rows, on one core of a usual machine."""
    many = len(learner.schema)
    return (
        _BEGINNING
        + _EACH * standing(records, many) * (2 * many + found.counted)
        + _LOOKED * many * (many - 1) / 2
        + _DRAWN * rows * many
    )
