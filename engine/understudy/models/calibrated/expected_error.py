"""The error to be expected of the calibrated model from noise and chance, before anything is spent.

The learner decides by noisy answers which pairs are measured and how often columns are. So the
forecast is the expected error of a usual table (`usual_tables`), by which the learner also decides
whether it asks about pairs. A named pair is expected to be measured if it would be at the usual
strength; every other pair is left to the rest of the model. What looks at triples take of the last
round is not there for pairs; what is then measured of triples tells their pairs as well.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, product

import numpy as np

from understudy.core.arrays import BoolArray
from understudy.models.calibrated.column_levels import column_views
from understudy.models.calibrated.learner import AT_LAST, CalibratedLearner, count_drawn
from understudy.models.calibrated.questions import ROUNDS, Way
from understudy.models.calibrated.selection import most_cells, pairs_that_fit
from understudy.models.calibrated.usual_tables import Asking, Usual
from understudy.models.marks import Places
from understudy.models.prediction import (
    Predicted,
    distance_by_chance,
    distance_by_noise,
    prediction_of,
)

_BEGINNING, _EACH, _LOOKED, _DRAWN, _TRIPLE = 0.5, 1e-7, 1.3e-3, 5e-7, 2e-4
"""Seconds: to begin, for a record and table in the calibration, for a pair that is looked at, for
a value of a row, for a triple that is looked at."""


def expected_errors(learner: CalibratedLearner, records: float, rows: int) -> Predicted:
    """Return what noise and chance will set apart.

    Args:
        learner: with its budget.
        records: how many records it learns from.
        rows: how many records are drawn from the model.
    """
    way = learner.way(records)
    levels = _finest_levels(learner, records)
    sizes = learner.schema.cardinalities
    able = _possible(learner, records, way)
    made_up = distance_by_chance(
        sizes.astype(float), count_drawn(records, len(sizes), times=AT_LAST)
    )
    if way.scope == "none":
        usual = learner.usual(way, records)
        single = usual.by_noise(usual.of_columns(learner.columns, learner.spend))
        found = prediction_of(sizes, np.hypot(single, made_up), {}, rows, able)
        triples = dict.fromkeys(learner.importance.triples, math.nan)
        return replace(found, triples=triples, sure=True, levels=levels)
    spend = learner.spend_beside(learner.look_at_triples(records))
    asking = replace(learner.asking(way, records), spend=spend)
    counted = zip(combinations(range(len(sizes)), 2), asking.counted.tolist(), strict=True)
    pairs = {pair: min(1.0, apart) for pair, apart in counted if math.isfinite(apart)}
    single = np.hypot(asking.by_noise, made_up)
    found = prediction_of(sizes, single, pairs, rows, able, asking.off)
    return replace(found, triples=_triples(learner, asking, rows), sure=True, levels=levels)


def _finest_levels(learner: CalibratedLearner, records: float) -> dict[int, int]:
    """Return of each attribute that may be counted at several levels the finest at which it
    is."""
    pairs = zip(column_views(learner.schema), learner.column_views(records), strict=True)
    return {place: found[0].level for place, (every, found) in enumerate(pairs) if len(every) > 1}


def _triples(learner: CalibratedLearner, asking: Asking, rows: int) -> dict[Places, float]:
    """Return noise and sampling of each marked triple, through buckets or the finest levels above
    them that can be counted, if the last round shares what it spends on pairs among them all; NaN
    of one that cannot be counted."""
    usual, rest = asking.usual, asking.rest.part(1 / ROUNDS)
    most = most_cells(usual.records, learner.of_a_round)
    cells = {
        each: max(_counts_that_fit(usual, each, most), default=0)
        for each in learner.importance.triples
    }
    weights = {
        each: rest.weight(many * learner.importance.of(each))
        for each, many in cells.items()
        if many and (rest.amount or not rest.private)
    }
    whole = asking.weight + math.fsum(weights.values())
    found = dict.fromkeys(cells, math.nan)
    for each, weight in weights.items():
        many = np.array(float(cells[each]))
        deviation = np.array(rest.part(weight / whole).deviation)
        noise = distance_by_noise(many, deviation, usual.records)
        found[each] = min(1.0, math.hypot(float(noise), float(distance_by_chance(many, rows))))
    return found


def _counts_that_fit(usual: Usual, places: Places, most: float) -> Iterator[int]:
    """Return the cells of the tables of some columns, at every level but in full, that are small
    enough."""
    found = map(math.prod, product(*(usual.seen[place].values() for place in places)))
    return (many for many in found if many <= most)


def _possible(learner: CalibratedLearner, records: float, way: Way) -> BoolArray:
    """Return (m, m) which pairs could be measured, at some level; none where the learner
    looks at no pair."""
    size = len(learner.schema)
    found = np.zeros((size, size), dtype=bool)
    if way.scope != "none":
        fits = pairs_that_fit(learner.schema, records, learner.of_a_round, way.views)
        one, other = np.triu_indices(size, 1)
        found[one, other] = found[other, one] = np.any(fits, axis=0)
    return found & (learner.importance.of_pairs(size) > 1) if way.scope == "marked" else found


def learning_seconds(
    learner: CalibratedLearner, found: Predicted, records: float, rows: int
) -> float:
    """Return about how long learning and drawing take, on one core of a usual machine."""
    many = len(learner.schema)
    return (
        _BEGINNING
        + _EACH * count_drawn(records, many) * (2 * many + found.counted)
        + _LOOKED * many * (many - 1) / 2
        + _DRAWN * rows * many
        + _TRIPLE * learner.look_at_triples(records).many
    )
