"""What asking about pairs would leave of a usual table, beside what columns only would leave.

A usual table has pairs of every strength: a few are far from independent, and most are not. To ask
how far off every pair is gains where noise lets the strong ones be told from the weak ones, and
costs what it takes from the columns. So pairs of a usual table are answered about with the noise
that the answers would have, the learner's own rule chooses by these answers which are measured, and
what would be left of all pairs is added up. Public numbers only: strengths and noise are dealt
evenly from their laws, and none is drawn.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from understudy.models.calibrated.dividing import DIVISIONS, column_prices, shrunken
from understudy.models.calibrated.spending import Spend
from understudy.models.calibrated.usual import Usual, UsualTables
from understudy.models.predicted import Reals, distance_by_noise
from understudy.privacy.accounting.allowance import HALF_NORMAL, Allowance

TYPICAL: Final = 0.047
"""How far the typical pair of a usual table is from independent …"""
_UNEQUAL: Final = 1.25
"""… and to which power of an exponential the others are: one in ten is 4.5 times as far. About so
it is in the simulated census, in Adult, in the American Community Survey and in
`understudy.samples.shapes`."""
_DEALT: Final = 300
"""How many pairs are dealt at least: to a table of fewer, several times …"""
_MOST_DEALS: Final = 12
"""… but no more often."""
_GOLDEN, _SILVER = (math.sqrt(5) - 1) / 2, math.sqrt(2) - 1
"""Multiples of these are spread evenly over 0 to 1, by twos as well."""

_CLOSE: Final = 1e-9
_SHARES: Final = tuple((np.arange(DIVISIONS + 1) / DIVISIONS).tolist())
"""What columns may get of the rounds."""

Places = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Asking:
    """Asking about pairs of a usual table.

    Attributes:
        usual: what is publicly known.
        allowance: what pairs and columns are asked for together.
        columns: what columns are asked for where no pair is.
        spend: how either is divided.
        deviation: of the noise on how far off each pair is answered to be, as a share of the
            records.
        marked_only: whether only pairs that weigh more are asked about.
    """

    usual: Usual
    allowance: Allowance
    columns: Allowance
    spend: Spend
    deviation: float
    marked_only: bool = False

    @property
    def left(self) -> float:
        """The weighted sum of the squares of what all pairs are expected to be off by, as a share
        of what it is where columns get everything and no pair is asked about."""
        spend = self.spend
        whole = self.columns.part(spend.alone + spend.misfit + spend.rounds)
        columns = self._of_columns(whole)
        asking = otherwise = 0.0
        for deal in range(min(_MOST_DEALS, math.ceil(_DEALT / len(np.unique(self._pair))))):
            strengths = usual_strengths(len(self._one), deal)
            asking += self._left_after(strengths, deal)
            otherwise += columns + float((self._weighs * strengths**2).sum())
        return asking / otherwise

    def _left_after(self, strengths: Reals, deal: int) -> float:
        """After the division that seems to leave least."""
        tables = self._tables
        noise = ndtri(_spread_evenly(len(tables.counts), deal, _SILVER)) * self.deviation
        answers = shrunken(tables.shown * strengths[self._pair] + noise, self.deviation)
        answers = np.maximum(answers, 0.0)
        seeming = np.zeros(len(strengths))
        np.maximum.at(seeming, self._pair, answers)
        trials = (
            tuple(columns + self._of_pairs(each, chosen, apart) for each in (seeming, strengths))
            for columns, chosen, apart in self._trials(answers)
        )
        return min(trials)[1]

    def _trials(self, answers: Reals) -> Iterator[tuple[float, Places, Reals]]:
        """For each way to divide the rounds, what columns add to what is left, the tables that are
        measured, and by how much noise sets each apart."""
        gains = answers * self._tables.weighs * self.usual.records
        for order in self._orders(gains):
            gained, weight = np.cumsum(gains[order]), np.cumsum(self._weights[order])
            for share, columns in zip(_SHARES, self._columns, strict=True):
                rest = self.allowance.part((1 - share) * self.spend.rounds)
                many = 0
                if share < 1 and len(order):
                    value = gained - rest.total_errors(weight) / 2
                    many = int(np.argmax(value)) + 1 if value.max() > 0 else 0
                chosen = order[:many]
                yield columns, chosen, self._noise(chosen, rest)

    def _orders(self, gains: Reals) -> Iterator[Places]:
        """The tables in the order in which they are worth measuring, one of each pair of
        attributes: that which gains most for its price, or that which shows most."""
        worth = gains / self._weights
        for best in (worth, self._tables.shown) if self._several else (worth,):
            places = np.lexsort((-worth, -best))
            places = places[gains[places] > 0]
            _, first = np.unique(self._pair[places], return_index=True)
            places = places[first]
            yield places[np.argsort(-worth[places], kind="stable")]

    def _noise(self, chosen: Places, rest: Allowance) -> Reals:
        """By how much noise sets these tables apart, if this is divided among them."""
        if not len(chosen):
            return np.zeros(0)
        kinds, kind = self._kinds
        used, of = np.unique(kind[chosen], return_inverse=True)
        whole = math.fsum(self._weights[chosen].tolist())
        deviations = [
            _deviation(rest.part(rest.weight(counts * weighs) / whole))
            for counts, weighs in kinds[used]
        ]
        return distance_by_noise(kinds[used, 0], np.array(deviations), self.usual.records)[of]

    def _of_pairs(self, strengths: Reals, chosen: Places, apart: Reals) -> float:
        """The weighted squares of what pairs are off by: of one that is not measured all that it
        is, of one that is, its noise and what its levels hide."""
        left, pair = strengths.copy(), self._pair[chosen]
        left[pair] = apart + (1 - self._tables.shown[chosen]) * strengths[pair]
        return float((self._weighs * left**2).sum())

    @cached_property
    def _columns(self) -> list[float]:
        """What columns add to what is left, for each of `_SHARES`."""
        spend = self.spend
        return [
            self._of_columns(self.allowance.part(spend.alone + share * spend.rounds))
            for share in _SHARES
        ]

    def _of_columns(self, alone: Allowance) -> float:
        """What the noise of columns adds to the weighted squares of all pairs."""
        sizes = self.usual.schema.cardinalities
        parts = alone.divided(column_prices(sizes.tolist(), self.usual.importance))
        deviations = np.array([_deviation(part) for part in parts])
        squares = distance_by_noise(sizes.astype(float), deviations, self.usual.records) ** 2
        return float((self._weighs * (squares[self._one] + squares[self._other])).sum())

    @cached_property
    def _tables(self) -> UsualTables:
        """What is asked about."""
        tables = self.usual.tables
        return tables.taken(tables.weighs > 1) if self.marked_only else tables

    @cached_property
    def _ends(self) -> tuple[Places, Places]:
        one, other = np.triu_indices(len(self.usual.schema), 1)
        return one, other

    @property
    def _one(self) -> Places:
        return self._ends[0]

    @property
    def _other(self) -> Places:
        return self._ends[1]

    @cached_property
    def _pair(self) -> Places:
        """(K,) of which pair of attributes each table is, as of `_ends`."""
        many = len(self.usual.schema)
        number = np.zeros((many, many), dtype=np.int64)
        number[self._ends] = np.arange(len(self._one))
        return np.asarray(number[self._tables.one, self._tables.other])

    @cached_property
    def _several(self) -> bool:
        """Whether a pair of attributes has several tables."""
        return len(np.unique(self._pair)) < len(self._pair)

    @cached_property
    def _weighs(self) -> Reals:
        """(pairs,) what the errors of each pair weigh."""
        every = self.usual.importance.of_pairs(len(self.usual.schema))
        return np.asarray(every[self._ends])

    @cached_property
    def _kinds(self) -> tuple[Reals, Places]:
        """(kinds, 2) the cells and the weights that tables have, and of which kind each is."""
        both = self._tables.counts + 1j * self._tables.weighs
        kinds, kind = np.unique(both, return_inverse=True)
        return np.column_stack([kinds.real, kinds.imag]), kind

    @cached_property
    def _weights(self) -> Reals:
        """(K,) each table's weight in a division of what is spent."""
        kinds, kind = self._kinds
        found = np.array([self.allowance.weight(counts * each) for counts, each in kinds])
        return np.asarray(found[kind])


def usual_strengths(pairs: int, deal: int) -> Reals:
    """(pairs,) how far those of a usual table are from independent, as of this deal."""
    halvings = -np.log2(1 - _spread_evenly(pairs, deal, _GOLDEN))
    return np.asarray(np.minimum(1.0, TYPICAL * halvings**_UNEQUAL))


def _deviation(part: Allowance) -> float:
    """Of the Gaussian noise that sets apart by as much as a cell's, which may be of another law."""
    return part.total_error(1.0) / HALF_NORMAL


def _spread_evenly(many: int, deal: int, step: float) -> Reals:
    """(many,) numbers between 0 and 1, spread evenly; others for each deal."""
    places = np.arange(deal * many, (deal + 1) * many) + 0.5
    return np.asarray(np.clip(np.modf(places * step)[0], _CLOSE, 1 - _CLOSE))
