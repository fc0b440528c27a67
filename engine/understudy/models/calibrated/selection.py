"""Which pairs a round measures, and what share of its allowance the one-way tables get again.

**Where the model is off.** The error of the model on a pair is half the L1 distance between the
records' counts and the model's, which one record moves by ½; a round asks about all candidates at
once, with noise, or about a few that it chooses by the same scores: see `Shortlist`.

**How the round is divided.** Whatever is off in a column is off in all of its pairs, so that a
table of weak pairs gains most from certain columns, and a table of strong pairs from those. For
several divisions the pairs that are worth their noise are chosen greedily, and the expected errors
of all pairs are added up; the division with the least sum of squares is taken. Squares, because a
table that has lost its strongest pairs is recognised at once; marked pairs count for more. All of
this follows from noisy numbers: for the guarantee a round is one mechanism that spends its whole
allowance however it is divided.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product

import numpy as np

from understudy.core.arrays import BoolArray, FloatArray, IntArray
from understudy.models.calibrated.fit import Particles
from understudy.models.calibrated.measurement import MeasuredMarginal, pooled_deviation
from understudy.models.count_tables import CountSource, cells_worthwhile, joint_tables, sum_table
from understudy.models.marks import EVEN, Importance, Places
from understudy.models.possible import find_implied
from understudy.models.triple_tables import WIDEST, round_counts, triple_tables
from understudy.models.views import Marginal, View, cells, views_of
from understudy.privacy.accounting.budget_shares import HALF_NORMAL, Allowance
from understudy.privacy.noise import Noise
from understudy.table.schema import Schema

FINE = 16
"""The model's counts are rounded to multiples of 1/16 record."""
HALF = 0.5
"""By how many records one record moves how far off a pair is."""
EXPECTED = 0.1
"""Records that a cell must be expected to hold to count in what its table is priced by."""
DEARER = 4
"""How many times as many values a column may have at most for its pairs to be asked about instead
of those of a column that it tells."""
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
        candidates: marginals of two or three attributes, each in full, through its buckets or
            through a level above them.
        records: (K,) how many records would have to change, with noise and less what chance
            alone sets apart.
        deviation: the standard deviation of the noise on each; of pairs, where both are asked.
        occupied: (K,) in how many cells the model expects `EXPECTED` records at least; 1 where in
            none. What tables are priced by: noise in the others is hardly followed, though they
            have it as well.
    """

    candidates: tuple[Marginal, ...]
    records: FloatArray
    deviation: float
    occupied: IntArray

    def beside(self, triples: Misfit) -> Misfit:
        """Return the same with triples that were asked about by themselves."""
        return replace(
            self,
            candidates=(*self.candidates, *triples.candidates),
            records=np.concatenate([self.records, triples.records]),
            occupied=np.concatenate([self.occupied, triples.occupied]),
        )

    def sizes(self, chosen: Sequence[Marginal]) -> list[int]:
        """Return the cells that some of the candidates are priced by."""
        found = dict(zip(self.candidates, self.occupied.tolist(), strict=True))
        return [found[each] for each in chosen]

    def weighs(self, importance: Importance) -> FloatArray:
        """Return (K,) what an error of each candidate weighs."""
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
    return tuple(
        _list_fitting(schema, pairs, most_cells(records, spend), views or every_view(schema))
    )


def leave_out_implied(schema: Schema, found: Sequence[Marginal]) -> tuple[Marginal, ...]:
    """Return candidates without those whose tables rules tell: of pairs that follow from their
    columns by themselves, and of columns whose value another tells, if the table of that one is a
    candidate too and it has `DEARER` times as many values at most. By public facts only."""
    if not schema.relations:
        return tuple(found)
    implied, known = find_implied(schema.relations), frozenset(found)
    sizes = schema.cardinalities.tolist()

    def is_told(marginal: Marginal) -> bool:
        if attributes(marginal) in implied.pairs:
            return True
        return any(
            sizes[teller] <= DEARER * sizes[view.attribute]
            and tuple(sorted((View(teller), beside))) in known
            for view, beside in (marginal, marginal[::-1])
            for teller in implied.tellers.get(view.attribute, ())
        )

    return tuple(each for each in found if not is_told(each))


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
    return tuple(_list_fitting(schema, importance.triples, most_cells(records, spend), every))


def _list_fitting(
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


@dataclass(frozen=True)
class Shortlist:
    """Some of the candidates, which alone are asked about: those with `kept`, and as many others as
    are chosen one after another by the exponential mechanism.

    What choices cost grows with their number, and hardly with that of the candidates. A candidate
    scores what it is off by, less chance and the noise that its table would have.

    Attributes:
        choices: how many are chosen, no two of the same attributes.
        spend: what all choices may spend together.
        counts: what a round may spend on counts.
        importance: what an error of each weighs; those of more than 1 are kept without a choice.
    """

    choices: int
    spend: Allowance
    counts: Allowance
    importance: Importance = EVEN

    def choose(
        self, asked: Sequence[Marginal], off: IntArray, chance: FloatArray, noise: Noise
    ) -> list[int]:
        """Return the places of the candidates of the list, in ascending order.

        Args:
            asked: all candidates.
            off: (K,) how far off the model is on each, a score as of `misfit`; confidential.
            chance: (K,) how many records chance and noise set apart; from noisy numbers.
            noise: where the noise comes from.
        """
        groups = [attributes(each) for each in asked]
        worth = off - np.rint(2 * FINE * chance).astype(np.int64)
        kept = [place for place, each in enumerate(groups) if self.importance.of(each) > 1]
        left = np.setdiff1d(np.arange(len(asked)), kept)
        spend, chosen = self.spend.part(1 / self.choices), kept
        while len(left) and len(chosen) < len(kept) + self.choices:
            best = int(left[spend.choose_best(worth[left], FINE, noise)])
            chosen = [*chosen, best]
            left = np.array([each for each in left.tolist() if groups[each] != groups[best]], int)
        return sorted(chosen)

    def expected_noise(self, cells: FloatArray) -> FloatArray:
        """Return by how many records noise sets tables of so many cells apart, if as many share a
        round as are chosen."""
        weights = np.array([self.counts.weight(each) for each in cells.tolist()])
        return self.counts.total_errors(self.choices * weights) / (2 * self.choices)


def misfit(
    rows: CountSource,
    model: Particles,
    asked: Sequence[Marginal],
    spend: Allowance,
    noise: Noise,
    shortlist: Shortlist | None = None,
) -> Misfit:
    """Ask about all candidates at once, or about those of a shortlist.

    The score is Σ |FINE·T − c| over the cells, T the records' counts and c the model's, rounded
    to whole multiples of 1/FINE: an integer that one record moves by `FINE`.
    """
    exact = np.zeros(len(asked), dtype=np.int64)
    chance = np.zeros(len(asked))
    occupied = np.ones(len(asked), dtype=np.int64)
    share = 1 + float(model.weights.sum()) / len(model.rows)
    for place, counts, expected in compare_candidates(rows, model, asked):
        exact[place] = score(counts, expected)
        occupied[place] = max(1, int((expected >= EXPECTED).sum()))
        chance[place] = HALF_NORMAL * np.sqrt(share * np.maximum(expected, 0.0)).sum() / 2
    if shortlist is not None:
        priced = chance + shortlist.expected_noise(occupied.astype(float))
        few = shortlist.choose(asked, exact, priced, noise)
        asked, exact = [asked[place] for place in few], exact[few]
        chance, occupied = chance[few], occupied[few]
    noisy = spend.scores(exact, FINE, noise) / (2 * FINE)
    return Misfit(tuple(asked), noisy - chance, spend.scores_deviation(len(asked), HALF), occupied)


def compare_candidates(
    rows: CountSource, model: Particles, asked: Sequence[Marginal]
) -> Iterator[tuple[int, IntArray, FloatArray]]:
    """Yield the place of each candidate, the records' counts and the model's.

    What is read off together depends on the model alone: the model's counts are sums of floats,
    whose last digits must not tell how many records there are.
    """
    schema = rows.schema
    triples, others = _split_triples(schema, asked)
    covers = joint_tables(schema, list(others), cells_worthwhile(len(model.rows)))
    places = list(others.values())
    tables = rows.tables([cover.views for cover in covers])
    for cover, counts in zip(covers, tables, strict=True):
        expected = model.counts(cover.views)
        for place in (places[each] for each in cover.places):
            yield (
                place,
                sum_table(schema, counts, cover.views, asked[place]),
                sum_table(schema, expected, cover.views, asked[place]),
            )
    found = tuple(triple_tables(schema, triples))
    for table, counts in zip(found, rows.tables([each.views for each in found]), strict=True):
        expected = round_counts(model.counts(table.views))
        both = zip(table.tables(counts), table.tables(expected), strict=True)
        for (place, exact), (_, made_up) in both:
            yield place, exact, made_up


def _split_triples(
    schema: Schema, asked: Sequence[Marginal]
) -> tuple[dict[Marginal, int], dict[Marginal, int]]:
    """Return the places of triples that are small enough for `triple_tables`, and of the others."""
    triples: dict[Marginal, int] = {}
    others: dict[Marginal, int] = {}
    for place, each in enumerate(asked):
        small = len(each) > 2 and max(view.size(schema) for view in each) <= WIDEST
        (triples if small else others)[each] = place
    return triples, others


def score(counts: IntArray, expected: FloatArray) -> int:
    """Return the score of `misfit`, for one candidate."""
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
    order = order[misfits[order] > 0]
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


DIVISIONS = 10
"""Shares are multiples of its inverse."""


@dataclass(frozen=True)
class Division:
    """What a round asks.

    Attributes:
        alone: the share of its allowance that goes to every column by itself, 0 to 1; 1 where no
            pair is chosen.
        pairs: the pairs, and marked triples, that share the rest.
    """

    alone: float
    pairs: tuple[Marginal, ...]


def best_division(
    found: Misfit,
    columns: Sequence[MeasuredMarginal],
    spend: Allowance,
    *,
    again: bool = True,
    importance: Importance = EVEN,
    triples: int = 0,
) -> Division:
    """Return how to divide a round between columns and pairs: the division after which the expected
    squared errors of all pairs, in records, each times what it weighs, have the smallest sum.

    Args:
        found: how far off the model is on the candidates.
        columns: every column by itself, as measured until now.
        spend: what the round may spend.
        again: whether columns may be measured again; without, they are where no pair is chosen.
        importance: what an error of each pair and triple weighs.
        triples: how many triples that are not marked are measured at most.
    """
    misfits = _keep_triples(found, dependence(found, columns), spend, importance, triples)
    asked = _RoundInputs(found, misfits, columns, spend, importance)
    shares = np.arange(DIVISIONS) / DIVISIONS if again else np.zeros(1)
    trials = [_Trial.of(asked, float(share)) for share in shares]
    best = min(trials, key=lambda each: each.left)
    if not best.pairs or (again and _Trial.of(asked, 1.0).left < best.left):
        return Division(1.0, ())
    return Division(best.share, best.pairs)


def _keep_triples(
    found: Misfit, misfits: FloatArray, spend: Allowance, importance: Importance, many: int
) -> FloatArray:
    """Return the misfits without those of triples that are not marked, except for so many that
    gain most for their price."""
    weighs = found.weighs(importance)
    lighter = np.flatnonzero(weighs < 1)
    sizes = (found.occupied * weighs)[lighter].tolist()
    worth = (misfits * weighs)[lighter] / [spend.weight(each) for each in sizes]
    kept = misfits.copy()
    kept[lighter[np.argsort(-worth, kind="stable")[many:]]] = 0.0
    return kept


def dependence(found: Misfit, columns: Sequence[MeasuredMarginal]) -> FloatArray:
    """Return (K,) how many records of each candidate's misfit are not its columns' by themselves,
    nor noise's; at least 0.

    Among many candidates those that are largest are so by their noise too: each is drawn towards
    their mean as far as what they differ by is noise (an empirical Bayes estimate). The errors of
    two columns and of how they hang together add up by their squares; of a triple those of its
    columns, of its pairs, and of what only the three together show.
    """
    squares = column_errors(columns) ** 2
    groups = [attributes(each) for each in found.candidates]
    paired = np.array([len(each) == 2 for each in groups], dtype=bool)
    drawn = found.records.copy()
    drawn[paired] = shrunken(found.records[paired], found.deviation)
    drawn = np.maximum(drawn, 0.0) ** 2
    alone = np.array([math.fsum(squares[[*each]]) for each in groups])
    pairs = np.maximum(drawn - alone, 0.0)
    whole: dict[Places, float] = {}
    for each, square in zip(groups, pairs.tolist(), strict=True):
        whole[each] = max(whole.get(each, 0.0), square)
    for place in np.flatnonzero(~paired).tolist():
        within = (whole.get(pair, 0.0) for pair in combinations(groups[place], 2))
        pairs[place] = max(0.0, pairs[place] - math.fsum(within))
    return np.asarray(np.sqrt(pairs))


def shrunken(values: FloatArray, deviation: float) -> FloatArray:
    """Move values with noise to their mean as far as the noise demands (empirical Bayes)."""
    mean, kept = shrinking(values, deviation)
    return np.asarray(mean + kept * (values - mean))


def shrinking(values: FloatArray, deviation: float) -> tuple[float, float]:
    """Return what `shrunken` moves values to, and the share of their difference from it that it
    keeps."""
    if not len(values) or not deviation:
        return 0.0, 1.0
    own = max(0.0, float(values.var()) - deviation**2)
    return float(values.mean()), own / (own + deviation**2)


def column_errors(columns: Sequence[MeasuredMarginal]) -> FloatArray:
    """Return (m,) by how many records the noise of each column's table is expected to set it apart:
    no cell by more than it holds."""
    return np.array(
        [
            float(np.minimum(HALF_NORMAL * each.deviation, np.maximum(each.counts, 0.0)).sum()) / 2
            for each in columns
        ]
    )


@dataclass(frozen=True, eq=False)
class _RoundInputs:
    """What a round is divided by.

    Attributes:
        found: how far off the model is on the candidates.
        misfits: (K,) as of `dependence`.
        columns: every column by itself, as measured until now.
        spend: what the round may spend.
        importance: what an error of each pair and triple weighs.
    """

    found: Misfit
    misfits: FloatArray
    columns: Sequence[MeasuredMarginal]
    spend: Allowance
    importance: Importance


@dataclass(frozen=True, eq=False)
class _Trial:
    """One division, and the weighted sum of the squares of what it would leave each pair off by."""

    share: float
    pairs: tuple[Marginal, ...]
    left: float

    @classmethod
    def of(cls, asked: _RoundInputs, share: float) -> _Trial:
        rest = asked.spend.part(1 - share)
        pairs = (
            worth_measuring(asked.found, asked.misfits, rest, asked.importance) if share < 1 else ()
        )
        squares = column_errors(_remeasured_columns(asked, asked.spend.part(share))) ** 2
        # Triples that weigh less than pairs are of what only the three show; the weight is that of
        # an error, and its square that of the square.
        errors = {
            group: (each, asked.importance.of(group))
            for group, each in _expected_errors(asked, pairs, rest).items()
        }
        together = (weight * min(weight, 1.0) * each**2 for each, weight in errors.values())
        triples = (
            weight * squares[[*group]].sum()
            for group, (_, weight) in errors.items()
            if len(group) > 2 and weight >= 1
        )
        weighs = asked.importance.of_pairs(len(squares))
        in_pairs = float((weighs.sum(axis=1) - np.diagonal(weighs)) @ squares)
        return cls(share, pairs, math.fsum((*together, *triples, in_pairs)))


def _remeasured_columns(asked: _RoundInputs, spend: Allowance) -> list[MeasuredMarginal]:
    """Return the columns as certain as they would be, measured again with this."""
    columns = asked.columns
    if not spend.amount:
        return list(columns)
    parts = spend.divide(column_prices([len(each.counts) for each in columns], asked.importance))
    return [
        replace(each, deviation=pooled_deviation(each.deviation, part.deviation))
        if each.deviation
        else each
        for each, part in zip(columns, parts, strict=True)
    ]


def column_prices(sizes: Sequence[int], importance: Importance) -> list[float]:
    """Return (m,) the price of each column's table: its cells, each times what its errors weigh."""
    weighs = importance.of_columns(len(sizes))
    return [size * each for size, each in zip(sizes, weighs, strict=True)]


def prices(found: Misfit, pairs: Sequence[Marginal], importance: Importance) -> list[float]:
    """Return what some of the candidates are priced by: their cells, each times what its errors
    weigh."""
    sizes = zip(found.sizes(pairs), map(attributes, pairs), strict=True)
    return [size * importance.of(group) for size, group in sizes]


def _expected_errors(
    asked: _RoundInputs, pairs: Sequence[Marginal], spend: Allowance
) -> Mapping[Places, float]:
    """Return by how many records each pair of columns, and each triple that is asked about, would
    be off: of one that is not measured all that it is found to be, of one that is, its noise and
    what the buckets it is seen through hide."""
    whole: dict[Places, float] = {}
    own = dict(zip(asked.found.candidates, asked.misfits.tolist(), strict=True))
    for each, misfit in own.items():
        group = attributes(each)
        whole[group] = max(whole.get(group, 0.0), misfit)
    left = dict(whole)
    weights = [spend.weight(each) for each in prices(asked.found, pairs, asked.importance)]
    for each, weight in zip(pairs, weights, strict=True):
        # In the currency of the noise weighted errors of tables are in proportion to their weights.
        noise = spend.total_error(math.fsum(weights)) * weight / math.fsum(weights) / 2
        group = attributes(each)
        left[group] = noise / asked.importance.of(group) + whole[group] - own[each]
    return left
