"""Which pairs of attributes to measure: where the model is further off than the noise would be.

How far off the model is on a pair is half the L1 distance between the records' counts and the
model's, which one record moves by ½; every candidate is asked about at once, with noise. Then
those are chosen that together leave the smallest error: each takes its share of what may be
spent, and makes the noise of the others larger.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from understudy.core.arrays import BoolArray, FloatArray, IntArray
from understudy.models.calibrated.particles import Particles
from understudy.models.counted import Counted
from understudy.models.joint_tables import cells_worthwhile, joint_tables, marginalised
from understudy.models.marks import EVEN, Importance, Places
from understudy.models.views import Marginal, View, cells, views_of
from understudy.privacy.accounting.allowance import HALF_NORMAL, Allowance
from understudy.privacy.noise import Noise
from understudy.table.schema import Schema

FINE = 16
"""The model's counts are rounded to multiples of 1/16 record."""
HALF = 0.5
"""By how many records one record moves how far off a pair is."""
EXPECTED = 0.1
"""Records that a cell must be expected to hold to count in what its table is priced by."""
_MOST_CELLS = 1 << 22

Views = tuple[tuple[View, ...], ...]
"""Of each attribute some of its views, the finest first."""


def every_view(schema: Schema) -> Views:
    """Return all views of each attribute."""
    return tuple(views_of(schema, place) for place in range(len(schema)))


@dataclass(frozen=True, eq=False)
class Misfit:
    """How far off a model is on each candidate, as far as noise lets one tell.

    Attributes:
        candidates: marginals of two attributes, or of a marked triple, each in full, through its
            buckets or through a level above them.
        records: (K,) how many records would have to change, with noise and less what chance
            alone sets apart.
        deviation: the standard deviation of the noise on each.
        occupied: (K,) in how many cells the model expects `EXPECTED` records at least; 1 where in
            none. What tables are priced by: noise in the others is hardly followed, though they
            have it as well.
    """

    candidates: tuple[Marginal, ...]
    records: FloatArray
    deviation: float
    occupied: IntArray

    def sizes(self, chosen: Sequence[Marginal]) -> list[int]:
        """Of some of the candidates, the cells that they are priced by."""
        found = dict(zip(self.candidates, self.occupied.tolist(), strict=True))
        return [found[each] for each in chosen]

    def weighs(self, importance: Importance) -> FloatArray:
        """(K,) what an error of each candidate weighs."""
        if not importance:
            return np.ones(len(self.candidates))
        return np.array([importance.of(attributes(each)) for each in self.candidates], dtype=float)


def attributes(marginal: Marginal) -> Places:
    """Return what a marginal is of."""
    return tuple(view.attribute for view in marginal)


def candidates(
    schema: Schema, records: float, spend: Allowance, views: Views | None = None
) -> tuple[Marginal, ...]:
    """Return every pair that could be worth measuring, in each of these views of its columns; in
    all of them, if left out."""
    pairs = combinations(range(len(schema)), 2)
    return tuple(_that_fit(schema, pairs, most_cells(records, spend), views or every_view(schema)))


def pairs_that_fit(
    schema: Schema, records: float, spend: Allowance, views: Views
) -> list[BoolArray]:
    """Return which pairs are `candidates`: for each two levels, of every pair whether its table is
    small enough; False where one has no such view."""
    most = most_cells(records, spend)
    sizes = np.full((len(views), 1 + max(each[-1].level for each in views)), np.nan)
    for place, each in enumerate(views):
        for view in each:
            sizes[place, view.level] = view.size(schema)
    one, other = np.triu_indices(len(sizes), 1)
    levels = range(sizes.shape[1])
    return [sizes[one, low] * sizes[other, high] <= most for low, high in product(levels, levels)]


def marked_triples(
    schema: Schema, importance: Importance, records: float, spend: Allowance
) -> tuple[Marginal, ...]:
    """Return the marked triples, at every level of their columns, that could be worth measuring."""
    every = every_view(schema)
    return tuple(_that_fit(schema, importance.triples, most_cells(records, spend), every))


def _that_fit(
    schema: Schema, groups: Iterable[Places], most: float, views: Views
) -> Iterator[Marginal]:
    for group in groups:
        for marginal in product(*(views[each] for each in group)):
            if cells(schema, marginal) <= most:
                yield marginal


def most_cells(records: float, spend: Allowance) -> float:
    """Return the most cells a table may have: those whose noise would not exceed all of the records
    if it had all that may be spent to itself, and what fits in memory."""
    # The error of one table grows in proportion to its cells.
    each = spend.total_error(1.0) / 2
    return min(_MOST_CELLS, math.ceil(records / each) - 1 if each else math.inf)


def misfit(
    rows: Counted, model: Particles, asked: Sequence[Marginal], spend: Allowance, noise: Noise
) -> Misfit:
    """Ask about all candidates at once.

    The score is Σ |FINE·T − c| over the cells, T the records' counts and c the model's, rounded
    to whole multiples of 1/FINE: an integer that one record moves by `FINE`.
    """
    exact = np.zeros(len(asked), dtype=np.int64)
    chance = np.zeros(len(asked))
    occupied = np.ones(len(asked), dtype=np.int64)
    share = 1 + float(model.weights.sum()) / len(model.rows)
    for place, counts, expected in compared(rows, model, asked):
        exact[place] = score(counts, expected)
        occupied[place] = max(1, int((expected >= EXPECTED).sum()))
        chance[place] = HALF_NORMAL * np.sqrt(share * np.maximum(expected, 0.0)).sum() / 2
    noisy = spend.scores(exact, FINE, noise) / (2 * FINE)
    return Misfit(tuple(asked), noisy - chance, spend.scores_deviation(len(asked), HALF), occupied)


def compared(
    rows: Counted, model: Particles, asked: Sequence[Marginal]
) -> Iterator[tuple[int, IntArray, FloatArray]]:
    """Yield the place of each candidate, the records' counts and the model's.

    What is read off together hangs on the model alone: the model's counts are sums of floats, whose
    last digits must not tell how many records there are.
    """
    schema = rows.schema
    found = joint_tables(schema, asked, cells_worthwhile(len(model.rows)))
    tables = rows.tables([cover.views for cover in found])
    for cover, counts in zip(found, tables, strict=True):
        expected = model.counts(cover.views)
        for place in cover.places:
            marginal = asked[place]
            yield (
                place,
                marginalised(schema, counts, cover.views, marginal),
                marginalised(schema, expected, cover.views, marginal),
            )


def score(counts: IntArray, expected: FloatArray) -> int:
    """As of `misfit`, for one candidate."""
    return int(np.abs(FINE * counts - np.rint(FINE * expected).astype(np.int64)).sum())


def worth_measuring(
    found: Misfit, misfits: FloatArray, spend: Allowance, importance: Importance = EVEN
) -> tuple[Marginal, ...]:
    """Return the candidates that leave the smallest error together, greedily, the most misfit for
    its price first; one of a pair of attributes. Post-processing of noisy numbers.

    An error counts for what it weighs, and a table that weighs w is priced as one of w times as
    many cells: so divided, the weighted errors of all tables have the smallest sum.

    Args:
        found: the candidates.
        misfits: (K,) by how many records each is taken to be off.
        spend: what those that are chosen share.
        importance: what an error of each weighs.
    """
    weighs = found.weighs(importance)
    misfits = misfits * weighs
    weights = [spend.weight(each) for each in (found.occupied * weighs).tolist()]
    order = np.argsort(-misfits / np.array(weights), kind="stable")
    chosen: dict[Places, int] = {}
    gain = weight = 0.0
    for place in order.tolist():
        group = attributes(found.candidates[place])
        instead = chosen.get(group)
        more = misfits[place] - (0.0 if instead is None else misfits[instead])
        heavier = weights[place] - (0.0 if instead is None else weights[instead])
        left = _value(spend, gain + more, weight + heavier)
        if left > _value(spend, gain, weight):
            chosen[group] = place
            gain, weight = gain + more, weight + heavier
    return tuple(found.candidates[place] for place in sorted(chosen.values()))


def _value(spend: Allowance, gain: float, weight: float) -> float:
    return gain - (spend.total_error(weight) / 2 if weight else 0.0)
