"""The worst case of what is drawn from categories: which record, which other value, which table.

What is drawn is M draws of the parameter, and s rows of each: one draw is M = 1, rows each from a
draw of its own are s = 1, the parameter itself is s = ∞. Rows from the mode are rows from draws of
their own under a prior that is weaker by one in every cell.

A *pair* (a, b | r) says that the two categories weigh a and b in one posterior, a − 1 and b + 1 in
the other, and all others r. Two lemmas, proved in docs/imputation.md, order the pairs:

    merging    (a + 1, b | r) and (a, b + 1 | r) tell no more than (a, b | r + 1)
    rest       (a, b | r + 1) tells no more than (a, b | r)

So with three categories or more the worst case is the record that says what nobody else says, and
might say another thing that nobody says: the pair (α + 1, α | n − 1 + (k − 2)α), for every kind of
draw, whatever n is. With two, r is 0 and neither lemma decides: every n₁ is looked at, or lies in a
range for which merging gives a bound that is below what was found elsewhere.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass
from functools import lru_cache

from understudy.mechanisms.imputation.curves.atoms import TooMany, one_draw, own_draws
from understudy.mechanisms.imputation.curves.composed import Composed
from understudy.mechanisms.imputation.curves.curve import Curve
from understudy.mechanisms.imputation.curves.moments import Figure, of_parameter, of_row
from understudy.mechanisms.imputation.curves.posterior import PosteriorCurve

MOST_LOOKED_AT = 2000
"""So many pairs are looked at; if that does not settle the worst one, the bound stands."""


@dataclass(frozen=True)
class Drawn:
    """How much is drawn.

    Attributes:
        times: M, draws of the parameter.
        rows: s, rows of each draw; None for the parameter itself.
    """

    times: int
    rows: int | None

    def between(self, a: float, b: float, rest: float) -> Curve:
        """Return the curve of a pair, or one above it where there are too many counts to look
        at."""
        if self.rows is None:
            one: Curve = PosteriorCurve(a, b)
        elif self.rows == 1:
            try:
                return own_draws(a, b, rest, self.times)
            except TooMany:
                one = own_draws(a, b, rest, 1)
        else:
            try:
                one = one_draw(a, b, rest, self.rows)
            except TooMany:
                one = PosteriorCurve(a, b)
        return one if self.times == 1 else Composed(((one, self.times),))

    def pure(self, alpha: float) -> float:
        """ε at δ = 0: M·ln(1 + s/α)."""
        return math.inf if self.rows is None else self.times * math.log1p(self.rows / alpha)


@dataclass(frozen=True)
class Cells:
    """Categories under a prior that gives each of them the same weight.

    Attributes:
        count: k, at least 2.
        alpha: of each.
        records: n.
    """

    count: int
    alpha: float
    records: int

    @property
    def total(self) -> float:
        """n + kα."""
        return self.records + self.count * self.alpha

    @property
    def mode(self) -> Cells:
        """The prior under which the mean of the posterior is the mode under this one."""
        return Cells(self.count, self.alpha - 1, self.records)

    @property
    def rarest(self) -> tuple[float, float, float]:
        """The pair that no other is worse than. With two categories it is not itself possible."""
        return self.alpha + 1, self.alpha, self.records - 1 + (self.count - 2) * self.alpha

    def pair(self, ones: int) -> tuple[float, float, float]:
        """Return the pair in which so many records, 1 … n, have the first of two categories."""
        return self.alpha + ones, self.alpha + self.records - ones, 0.0


def epsilon(cells: Cells, drawn: Drawn, delta: float) -> float:
    """Return the smallest ε with at most this δ, over all tables; infinite where there is none."""
    if delta <= 0:
        return drawn.pure(cells.alpha)
    figure = Figure(delta, epsilon=True)
    return figure.of(worst(cells, drawn, figure))


def delta(cells: Cells, drawn: Drawn, epsilon: float) -> float:
    """Return the δ at an ε, over all tables."""
    figure = Figure(epsilon, epsilon=False)
    return figure.of(worst(cells, drawn, figure))


@lru_cache(maxsize=64)
def worst(cells: Cells, drawn: Drawn, figure: Figure) -> Curve:
    """Return the curve of the two tables for which a figure is largest, or one that is above it."""
    if cells.count > 2:
        return drawn.between(*cells.rarest)
    return _searched(cells, drawn, figure)


def _searched(cells: Cells, drawn: Drawn, figure: Figure) -> Curve:
    """Return the worst of n₁ = 1 … n. n₁ and n + 1 − n₁ are one another in a mirror.

    A range u … v of n₁ is bounded by the pair of which all in it are made by merging,
    (α + u, α + n − v | v − u), and that by its parameter or by moments, which are found at once.
    """

    def pair(low: int, high: int) -> tuple[float, float, float]:
        return cells.alpha + low, cells.alpha + cells.records - high, float(high - low)

    def put(low: int, high: int, above: float) -> None:
        bound = min(above, _quick(drawn, figure, *pair(low, high)))
        heapq.heappush(heap, (-bound, low, high, False))

    heap: list[tuple[float, int, int, bool]] = []
    top, low = (cells.records + 1) // 2, 1
    while low <= top:
        put(low, min(2 * low - 1, top), math.inf)
        low *= 2
    looked_at = 0
    while True:
        bound, low, high, settled = heapq.heappop(heap)
        if settled and (low == high or looked_at > MOST_LOOKED_AT):
            return drawn.between(*pair(low, high))
        if settled:
            middle = (low + high) // 2
            put(low, middle, -bound)
            put(middle + 1, high, -bound)
            continue
        looked_at += 1
        found = min(-bound, figure.of(drawn.between(*pair(low, high))))
        heapq.heappush(heap, (-found, low, high, True))


def _quick(drawn: Drawn, figure: Figure, a: float, b: float, rest: float) -> float:
    """No less than the figure of a pair."""
    if drawn.rows == 1:
        return figure.bound(drawn.times * of_row(a, b, rest))
    if drawn.times == 1:
        return figure.of(PosteriorCurve(a, b))
    return figure.bound(drawn.times * of_parameter(a, b))
