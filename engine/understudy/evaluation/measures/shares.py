"""Measures that compare relative frequencies of a table with those of held-out records.

A formula gives the divergence of two distributions. A `Divergence` applies it to every column,
every pair, some larger sets of columns or whole records, and reports the typical value. The
interval is a delete-one-block jackknife over records of the table and held-out records alike: the
first block is left out of both, then the second, and so on.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb
from typing import Final, Literal

import numpy as np

from understudy.core.arrays import FloatArray, IntArray
from understudy.core.refusal import Refusal
from understudy.evaluation.cells import CellShares, Sides
from understudy.evaluation.intervals import (
    BLOCKS,
    block_jackknife,
    clopper_pearson,
    cut_to_range,
    deal,
    hull,
)
from understudy.evaluation.measure import About, BreakdownEntry, Interval, Study, SubjectResult
from understudy.table.records import Records
from understudy.table.weights import read_weights

Formula = Callable[[CellShares], FloatArray]
"""A divergence: from (1 + blocks, cells) relative frequencies to one value for each row."""

Columns = tuple[int, ...]


@dataclass(frozen=True)
class Divergence:
    """A measure of shares. What it costs grows with the sets of columns times the records.

    Attributes:
        about: its description. Without `parts` there is one set of columns only.
        formula: the divergence.
        order: how many columns a set has; None for all of them, whole records.
        most: up to so many sets are looked at, chosen at random where there are more.
        typical: how the values of all sets are summarised.
        share_of: of whose records the value for one set is a share, if it is one. Its interval
            then also holds Clopper and Pearson's, as leaving blocks out shows no spread where
            hardly any or hardly no record is counted.
    """

    about: About
    formula: Formula
    order: int | None
    most: int | None = None
    typical: Literal["median", "mean"] = "median"
    share_of: Literal["", "table", "held-out"] = ""

    def measure(self, study: Study) -> dict[str, SubjectResult]:
        """Return what it says of every table.

        Raises:
            Refusal: the table has too few columns for a set, or no record was held out.
        """
        if not len(study.held_out):
            raise Refusal("No records were held out.", "Hold some out, to compare tables with.")
        sets = self.sets(study)
        return study.each(lambda table: self._of(table.records, study, sets))

    def sets(self, study: Study) -> tuple[Columns, ...]:
        """Return the sets of columns, the same for every table."""
        columns = len(study.held_out.schema)
        order = columns if self.order is None else self.order
        if columns < order:
            raise Refusal(
                f"The table has fewer than {order} columns.",
                "Choose a measure of fewer columns at once.",
            )
        return sets_of(columns, order, self.most, study.random(f"sets of {order}"))

    def _of(self, table: Records, study: Study, sets: tuple[Columns, ...]) -> SubjectResult:
        sides = assign_sides(table, study)
        # Rounding may exceed the end of a range by 2⁻⁵².
        found = np.array([*self._compare(table, study, sides, sets)])
        values = np.clip(found, self.about.low, self.about.high)
        names = study.held_out.schema.names
        parts = tuple(
            BreakdownEntry(
                tuple(names[column] for column in each), float(row[0]), self._one(row, sides)
            )
            for each, row in zip(sets, values, strict=True)
        )
        if not self.about.parts:
            return SubjectResult(parts[0].value, parts[0].interval)
        typical = np.median(values, axis=0) if self.typical == "median" else values.mean(axis=0)
        return SubjectResult(float(typical[0]), self._interval(typical), parts)

    def _compare(
        self, table: Records, study: Study, sides: Sides, sets: tuple[Columns, ...]
    ) -> Iterator[FloatArray]:
        """Yield (1 + blocks,) the value of each set of columns, then with each block left out."""
        return map(self.formula, self._shares(table, study, sides, sets))

    def _shares(
        self, _table: Records, _study: Study, sides: Sides, sets: tuple[Columns, ...]
    ) -> Iterator[CellShares]:
        """Yield the shares that each set of columns is compared by."""
        return map(sides.shares, sets)

    def _one(self, row: FloatArray, sides: Sides) -> Interval | None:
        """Return the interval of one set of columns."""
        interval = self._interval(row)
        if interval is None or not self.share_of:
            return interval
        records = sides.ours if self.share_of == "table" else len(sides.block) - sides.ours
        return hull(interval, clopper_pearson(round(float(row[0]) * records), records))

    def _interval(self, row: FloatArray) -> Interval | None:
        if len(row) == 1:
            return None
        found = block_jackknife(float(row[0]), row[1:])
        return cut_to_range(found, self.about.low, self.about.high)


def assign_sides(table: Records, study: Study) -> Sides:
    """Return a table of the study and its held-out records, assigned to this study's blocks."""
    blocks = min(BLOCKS, len(table), len(study.held_out))
    if blocks < 2:
        return Sides.of(table, study.held_out)
    random = study.random("blocks")
    dealt = deal(len(table), random, blocks), deal(len(study.held_out), random, blocks)
    return Sides.of(table, study.held_out, dealt)


def sets_of(
    columns: int, order: int, most: int | None, random: np.random.Generator
) -> tuple[Columns, ...]:
    """Return every set of `order` of the columns in turn, or `most` of them at random."""
    if most is None or comb(columns, order) <= most:
        return tuple(combinations(range(columns), order))
    drawn = (
        tuple(int(each) for each in np.sort(random.choice(columns, order, replace=False)))
        for _ in iter(int, 1)
    )
    chosen: dict[Columns, None] = {}
    for each in drawn:
        chosen[each] = None
        if len(chosen) == most:
            break
    return tuple(sorted(chosen))


# Total variation: the largest difference in the probability of any event.


def total_variation(shares: CellShares) -> FloatArray:
    """Return (rows,) ½ Σ |p − q| (2.2), in [0, 1]."""
    found: FloatArray = np.abs(shares.table - shares.held_out).sum(axis=1) / 2
    return found


VARIATION_SINGLE = Divergence(
    About(
        key="total-variation",
        name="Total variation of columns",
        sentence=(
            "Choose any values of a column: the share of the table's records with one of them "
            "differs from the share of held-out records by at most this much. The median over "
            "the columns."
        ),
        low=0,
        high=1,
        better="lower",
        group="distances",
        parts="column",
        source="Dissertation (2.2), Figure 8.3",
        headline=True,
    ),
    total_variation,
    order=1,
)

VARIATION_PAIRS = Divergence(
    About(
        key="total-variation-pairs",
        name="Total variation of pairs of columns",
        sentence=(
            "Choose any combinations of values of two columns: the share of the table's records "
            "with one of them differs from the share of held-out records by at most this much. "
            "The median over the pairs."
        ),
        low=0,
        high=1,
        better="lower",
        group="distances",
        parts="pair of columns",
        source="Dissertation (2.2), Figure 8.4",
        headline=True,
    ),
    total_variation,
    order=2,
)


# Total variation of three and of four columns at once, where pairs do not see everything.

_SETS = 60
"""How many sets of columns are looked at."""


def _total_variation_of(order: int, words: str) -> Divergence:
    return Divergence(
        About(
            key=f"total-variation-of-{words}",
            name=f"Total variation of {words} columns at once",
            sentence=(
                f"Choose any combinations of values of {words} columns: the share of the table's "
                "records with one of them differs from the share of held-out records by at most "
                f"this much. The median over the sets of {words} columns, or over {_SETS} of them "
                "chosen at random. Much of it is chance: real records show how much."
            ),
            low=0,
            high=1,
            better="lower",
            group="distances",
            parts=f"{words} columns",
            source="Dissertation (2.2), for larger sets of columns",
            headline=order == 3,
        ),
        total_variation,
        order=order,
        most=_SETS,
    )


VARIATION_TRIPLES = _total_variation_of(3, "three")
VARIATION_QUADRUPLES = _total_variation_of(4, "four")


# Total variation of what a custodian marked: columns, pairs and triples that must survive.


@dataclass(frozen=True)
class MarkedVariation(Divergence):
    """Total variation of marked columns.

    Attributes:
        groups: the names of the columns that are marked together, or of one by itself.
    """

    groups: tuple[tuple[str, ...], ...] = ()

    def sets(self, study: Study) -> tuple[Columns, ...]:
        """As `Divergence`: what is marked.

        Raises:
            Refusal: nothing is, or a column is not there.
        """
        names = study.held_out.schema.names
        if not self.groups or not all(name in names for group in self.groups for name in group):
            raise Refusal("Nothing is marked to survive.", "Mark columns or pairs in the plan.")
        return tuple(tuple(names.index(name) for name in group) for group in self.groups)


VARIATION_MARKED: Final = MarkedVariation(
    About(
        key="total-variation-marked",
        name="Total variation of what must survive",
        sentence=(
            "Of the columns, pairs and triples that were marked to survive: choose any "
            "combinations of values; the share of the table's records with one of them differs "
            "from the share of held-out records by at most this much. The mean over what is marked."
        ),
        low=0,
        high=1,
        better="lower",
        group="distances",
        parts="marked columns",
        source="Dissertation (2.2)",
        headline=True,
    ),
    total_variation,
    order=1,
    typical="mean",
)
"""Of nothing yet; `replace` its groups."""


# Total variation of weighted shares, where some column holds survey weights.


@dataclass(frozen=True)
class WeightedVariation(Divergence):
    """Total variation of weighted shares. A set is a column of weights and one that is compared.

    Attributes:
        weights: the names of the columns of weights.
    """

    weights: tuple[str, ...] = ()

    def sets(self, study: Study) -> tuple[Columns, ...]:
        """As `Divergence`: each weight with each column that is none.

        Raises:
            Refusal: there are no weights, or nothing beside them.
        """
        names = study.held_out.schema.names
        weights = _find_weights(self.weights, study)
        others = [place for place in range(len(names)) if place not in weights]
        return tuple((weight, place) for weight in weights for place in others)

    def _shares(
        self, table: Records, study: Study, sides: Sides, sets: tuple[Columns, ...]
    ) -> Iterator[CellShares]:
        weighted: dict[int, Sides] = {}
        for weight, column in sets:
            if weight not in weighted:
                both = [read_weights(each, weight) for each in (table, study.held_out)]
                weighted[weight] = replace(sides, weight=np.concatenate(both))
            yield weighted[weight].shares((column,))


VARIATION_WEIGHTED: Final = WeightedVariation(
    About(
        key="total-variation-weighted",
        name="Total variation of weighted shares",
        sentence=(
            "Of each column, with every record weighted by the survey weight: choose any of its "
            "values; the table's weighted share with one of them differs from that of held-out "
            "records by at most this much. The mean over weights and columns."
        ),
        low=0,
        high=1,
        better="lower",
        group="distances",
        parts="weight and column",
        source="Dissertation (2.2), with weights",
        headline=True,
    ),
    total_variation,
    order=2,
    typical="mean",
)
"""By no weight yet; `replace` its weights."""


@dataclass(frozen=True)
class WeightLevel(Divergence):
    """The relative difference of what records weigh on average. A set is a column of weights.

    Attributes:
        weights: the names of the columns of weights.
    """

    weights: tuple[str, ...] = ()

    def sets(self, study: Study) -> tuple[Columns, ...]:
        """As `Divergence`: each weight.

        Raises:
            Refusal: there are no weights, or nothing beside them.
        """
        return tuple((weight,) for weight in _find_weights(self.weights, study))

    def _compare(
        self, table: Records, study: Study, sides: Sides, sets: tuple[Columns, ...]
    ) -> Iterator[FloatArray]:
        ours, theirs = sides.block[: sides.ours], sides.block[sides.ours :]
        for (weight,) in sets:
            made = _average_by_block(read_weights(table, weight), ours, sides.blocks)
            real = _average_by_block(read_weights(study.held_out, weight), theirs, sides.blocks)
            if not real.all():
                raise Refusal(
                    "Hardly any held-out record weighs anything.", "Hold more records out."
                )
            yield np.abs(made - real) / real


def _average_by_block(weights: FloatArray, block: IntArray, blocks: int) -> FloatArray:
    """Return (1 + blocks,) the average of all weights, then with each block left out."""
    sums, counts = (
        np.bincount(block, each, minlength=blocks) for each in (weights, np.ones(len(weights)))
    )
    left_out = np.arange(blocks)
    totals = np.concatenate([[sums.sum()], sums.sum() - sums[left_out]])
    return np.asarray(totals / np.concatenate([[counts.sum()], counts.sum() - counts[left_out]]))


def _find_weights(weights: Collection[str], study: Study) -> Columns:
    """Return the places of columns of weights.

    Raises:
        Refusal: there are none, or nothing beside them.
    """
    names = study.held_out.schema.names
    if not weights or not set(weights) < set(names):
        raise Refusal("No column is a survey weight.", "Say on Data which is one.")
    return tuple(names.index(name) for name in weights)


WEIGHT_LEVEL: Final = WeightLevel(
    About(
        key="weight-level",
        name="Level of the survey weight",
        sentence=(
            "By how much the average weight of the table's records is off, as a share of the "
            "average weight of held-out records: totals that are weighted are off by as much, if "
            "nothing scales them. The mean over weights."
        ),
        low=0,
        high=math.inf,
        better="lower",
        group="distances",
        parts="weight",
        headline=True,
    ),
    total_variation,
    order=1,
    typical="mean",
)
"""Of no weight yet; `replace` its weights."""


# Hellinger distance: like total variation, but rare values count for more.


def hellinger(shares: CellShares) -> FloatArray:
    """Return (rows,) (1/√2)·√Σ(√p − √q)² (2.3), in [0, 1]."""
    apart = np.sqrt(shares.table) - np.sqrt(shares.held_out)
    found: FloatArray = np.sqrt(np.square(apart).sum(axis=1) / 2)
    return found


HELLINGER_SINGLE = Divergence(
    About(
        key="hellinger",
        name="Hellinger distance of columns",
        sentence=(
            "How far the shares of a column's values are from those of held-out records, 0 for "
            "the same and 1 for no value in common. A difference in a rare value counts for "
            "more than the same difference in a common one. The median over the columns."
        ),
        low=0,
        high=1,
        better="lower",
        group="distances",
        unit="number",
        parts="column",
        source="Dissertation (2.3), Table 9.1",
    ),
    hellinger,
    order=1,
)

HELLINGER_PAIRS = Divergence(
    About(
        key="hellinger-pairs",
        name="Hellinger distance of pairs of columns",
        sentence=(
            "How far the shares of the combinations of two columns' values are from those of "
            "held-out records, 0 for the same and 1 for no combination in common. A difference "
            "in a rare combination counts for more than the same difference in a common one. "
            "The median over the pairs."
        ),
        low=0,
        high=1,
        better="lower",
        group="distances",
        unit="number",
        parts="pair of columns",
        source="Dissertation (2.3), Table 9.1",
    ),
    hellinger,
    order=2,
)


# Kullback–Leibler divergence of held-out records from the table, smoothed.
#
# It weighs each value by its share of the held-out records, so what the table lacks costs most,
# and a value that never occurs there would cost infinitely much. So a little is added to every
# cell that the schema allows, on both sides: 0.0001 of the records, as in Table 9.1, or so much
# less that all cells together get no more than one record in a hundred. Without that limit a
# pair of columns with many possible values would be all smoothing: 0.0001 in each of 10,000
# cells is as much as all the records. Adding to both sides keeps equal shares at 0, and makes
# cells that occur on neither side count for nothing, so they are never listed.

_SMOOTHING = 1e-4
"""What is added to the share of each cell (Table 9.1) …"""

_MOST_SMOOTHING = 0.01
"""… and at most to all cells together."""


def kullback_leibler(shares: CellShares, smoothing: float = _SMOOTHING) -> FloatArray:
    """Return (rows,) Σ q ln(q/p), of held-out shares q from shares p of the table, in nats."""
    added = min(smoothing, _MOST_SMOOTHING / shares.domain)
    whole = 1 + added * shares.domain
    p, q = (shares.table + added) / whole, (shares.held_out + added) / whole
    found: FloatArray = (q * np.log(q / p)).sum(axis=1)
    return found


KULLBACK_LEIBLER_SINGLE = Divergence(
    About(
        key="kullback-leibler",
        name="Kullback–Leibler divergence of columns",
        sentence=(
            "How surprising held-out records are to somebody who expects the shares of the "
            "table: 0 for the same shares, with no upper end. Values that the table lacks cost "
            "most; so that none costs infinitely much, 0.0001 of the records is first added to "
            "every possible value (less where there are more than a hundred). The median over "
            "the columns."
        ),
        low=0,
        high=math.inf,
        better="lower",
        group="distances",
        unit="number",
        parts="column",
        source="Dissertation (2.1), Table 9.1",
    ),
    kullback_leibler,
    order=1,
)

KULLBACK_LEIBLER_PAIRS = Divergence(
    About(
        key="kullback-leibler-pairs",
        name="Kullback–Leibler divergence of pairs of columns",
        sentence=(
            "How surprising the combinations of two columns' values in held-out records are to "
            "somebody who expects the shares of the table: 0 for the same shares, with no upper "
            "end. Combinations that the table lacks cost most; so that none costs infinitely "
            "much, 0.0001 of the records is first added to every possible combination (less "
            "where there are more than a hundred). The median over the pairs."
        ),
        low=0,
        high=math.inf,
        better="lower",
        group="distances",
        unit="number",
        parts="pair of columns",
        source="Dissertation (2.1), Table 9.1",
    ),
    kullback_leibler,
    order=2,
)


# Combinations of values in the table that do not occur in held-out records.


def share_invented(shares: CellShares) -> FloatArray:
    """Return (rows,) the share of the table's records in cells without a held-out record, in [0,
    1]."""
    found: FloatArray = np.where(shares.held_out == 0, shares.table, 0).sum(axis=1)
    return found


INVENTED_PAIRS = Divergence(
    About(
        key="invented-pairs",
        name="Invented combinations",
        sentence=(
            "Take a record of the table and two of its columns at random: how often no held-out "
            "record has that combination of values. Rare combinations are absent by chance "
            "too, as other real records show; what goes beyond them was made up. The mean over "
            "the pairs of columns."
        ),
        low=0,
        high=1,
        better="lower",
        group="distances",
        parts="pair of columns",
        headline=True,
    ),
    share_invented,
    order=2,
    typical="mean",
    share_of="table",
)

INVENTED_RECORDS = Divergence(
    About(
        key="invented-records",
        name="Records unlike any held-out record",
        sentence=(
            "Take a record of the table at random: how often no held-out record has the same "
            "value in every column. Where most real people are unique this is close to 100 % "
            "for other real records too, and as it should be: neither end of the range is best, "
            "but what other real records score."
        ),
        low=0,
        high=1,
        better="as real",
        group="distances",
    ),
    share_invented,
    order=None,
    share_of="table",
)


# Combinations of values in held-out records that do not occur in the table.


def missing(shares: CellShares) -> FloatArray:
    """Return (rows,) the share of held-out records in cells without one of the table, in [0, 1]."""
    found: FloatArray = np.where(shares.table == 0, shares.held_out, 0).sum(axis=1)
    return found


MISSING_PAIRS = Divergence(
    About(
        key="missing-pairs",
        name="Missing combinations",
        sentence=(
            "Take a held-out record and two of its columns at random: how often no record of the "
            "table has that combination of values. Rare combinations are absent by chance too, "
            "as other real records show; what goes beyond them was lost. The mean over the "
            "pairs of columns."
        ),
        low=0,
        high=1,
        better="lower",
        group="distances",
        parts="pair of columns",
        headline=True,
    ),
    missing,
    order=2,
    typical="mean",
    share_of="held-out",
)

MISSING_RECORDS = Divergence(
    About(
        key="missing-records",
        name="Held-out records unlike any of the table",
        sentence=(
            "Take a held-out record at random: how often no record of the table has the same "
            "value in every column. Where most real people are unique this is close to 100 % "
            "for other real records too, and as it should be: neither end of the range is best, "
            "but what other real records score."
        ),
        low=0,
        high=1,
        better="as real",
        group="distances",
    ),
    missing,
    order=None,
    share_of="held-out",
)
