"""Curves of draws from a posterior: losses with their chances, their moments, and
the highest of them over all tables.

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

A record that says i instead of j takes the posterior weights of the two from (a, b) to (a − 1,
b + 1), while all others together weigh r in both. Of rows from one draw of the parameter, and of
rows each from a draw of its own, the counts of the two say everything about it:

    one draw       Dirichlet-multinomial, loss ln(b/(a−1)) + ln((a−1+m_i)/(b+m_j))
    own draws      multinomial,           loss m_i·ln(a/(a−1)) − m_j·ln((b+1)/b)

(Zheng 2015, proofs of Theorems 6.9 to 6.13, with the indices of 6.13 put right.)

For any λ > 1, δ(ε) ≤ e^{K(λ) − (λ−1)ε}·(1 − 1/λ)^{λ−1}/λ with K(λ) = ln E e^{(λ−1)L}, and the K of
independent draws add up (Canonne, Kamath and Steinke 2020, Proposition 12). Of a draw of the
parameter, of a row and of a Gaussian both K have closed forms; of counts they are sums.

A record that says i instead of j takes the posterior weights of the two from (a, b) to (a − 1,
b + 1). Whatever else there is, a Dirichlet draw tells no more about it than θ_i/(θ_i + θ_j), which
is Beta(a, b) or Beta(a − 1, b + 1): the loss is ln(b/(a − 1)) + ln(θ_i/θ_j) (Zheng 2015, Lemma 6.5,
whose threshold this is).

The highest curve of two categories over all tables, at every ε, is for use beside other parts.

By itself a column of two values costs what its worst table costs. Beside others, which table is the
worst depends on them. So its parts compose by the curve that is the highest of all n₁ and both ways
at every ε. The highest of such curves is one again, and what each pair of tables lets somebody find
out in each part, its curve lets them find out too, so that together they do (Zhu, Dong and Wang
2022, “Optimal accounting of differential privacy via characteristic function”, Theorem 10).

Not every n₁ is looked at. All of a range u … v come by merging from (α + u, α + n − v | v − u),
and so tell no more than (α + u, α + n − v | 0) by the lemma on the rest; a range that sticks out is
divided. A curve lies below the highest of others between two points of a grid where its value at
the lower is below theirs at the upper, as all of them fall.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Final

import numpy as np
from scipy.special import betaincc, gammaln

from understudy.core.arrays import FloatArray
from understudy.mechanisms.imputation.curves.curve import Composed, Curve, delta_at, epsilon_at

MOST_ATOMS = 1 << 22
"""The most pairs of counts that are looked at one by one."""

_LEFT_OUT = 1e-18
"""The chance of counts beyond either end that are left out; it is added to δ."""

_UNSEEN = math.exp(-38.0)
"""Pairs of counts are left out, too, whose chance is below this share of that."""

_Law = Callable[[float, FloatArray], FloatArray]


class TooMany(Exception):
    """There are more counts than can be looked at."""


@dataclass(frozen=True, eq=False)
class AtomsCurve:
    """The curve of a law of finitely many outcomes.

    Attributes:
        loss: (atoms,) the privacy loss of each.
        log_chance: (atoms,) ln of the chance of each, under the first input.
        left_out: the chance of those that are not listed, under either input at most.
        largest: the largest loss either way.
    """

    loss: FloatArray = field(repr=False)
    log_chance: FloatArray = field(repr=False)
    left_out: float
    largest: float

    def forward(self, epsilons: FloatArray) -> FloatArray:
        return _over(*self._up, epsilons) + self.left_out * (epsilons < self.largest)

    def backward(self, epsilons: FloatArray) -> FloatArray:
        return _over(*self._down, epsilons) + self.left_out * (epsilons < self.largest)

    @cached_property
    def _up(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        return _sort_losses(self.loss, self.log_chance)

    @cached_property
    def _down(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        return _sort_losses(-self.loss, self.log_chance - self.loss)


def _sort_losses(
    loss: FloatArray, log_chance: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return positive losses, falling; and of all losses from the largest to each, the chance under
    the one input and under the other."""
    up = np.flatnonzero(loss > 0)
    order = up[np.argsort(-loss[up])]
    falling = loss[order]
    mine = np.concatenate([[0.0], np.cumsum(np.exp(log_chance[order]))])
    theirs = np.concatenate([[0.0], np.cumsum(np.exp(log_chance[order] - falling))])
    return falling, mine, theirs


def _over(
    falling: FloatArray, mine: FloatArray, theirs: FloatArray, epsilons: FloatArray
) -> FloatArray:
    places = np.searchsorted(-falling, -epsilons, side="left")
    return np.maximum(mine[places] - np.exp(epsilons) * theirs[places], 0.0)


def one_draw(a: float, b: float, rest: float, rows: int, left_out: float = _LEFT_OUT) -> AtomsCurve:
    """Return the curve of rows from one draw of the parameter.

    Args:
        a, b: posterior weights of the two categories under the first input.
        rest: that of all others together; 0 where there are none.
        rows: how many are drawn.
        left_out: the chance of counts beyond either end that may be left out.

    Raises:
        TooMany: there are too many counts.
    """
    largest = max(math.log1p(rows / (a - 1)), math.log1p(rows / b))
    first, second, log_chance, out = _counts(_polya, a, b, rest, rows, left_out)
    # Of a − 1 + m over a − 1 and b + m over b, so that small counts lose nothing.
    loss = np.log1p(first / (a - 1)) - np.log1p(second / b)
    return AtomsCurve(loss, log_chance, out, largest)


def own_draws(a: float, b: float, rest: float, rows: int) -> AtomsCurve:
    """Return the curve of rows, each from a draw of its own; arguments as of `one_draw`.

    Raises:
        TooMany: there are too many counts.
    """
    up, down = math.log1p(1 / (a - 1)), math.log1p(1 / b)
    first, second, log_chance, left_out = _counts(_multinomial, a, b, rest, rows, _LEFT_OUT)
    loss = first * up - second * down
    return AtomsCurve(loss, log_chance, left_out, rows * max(up, down))


def _polya(weight: float, counts: FloatArray) -> FloatArray:
    return np.asarray(gammaln(weight + counts) - gammaln(weight) - gammaln(counts + 1))


def _multinomial(weight: float, counts: FloatArray) -> FloatArray:
    return np.asarray(counts * math.log(weight) - gammaln(counts + 1))


def _counts(
    law: _Law, a: float, b: float, rest: float, rows: int, left_out: float
) -> tuple[FloatArray, FloatArray, FloatArray, float]:
    """Return counts of the two categories, ln of the chance of each pair, and the chance of all
    others."""
    total = a + b + rest
    whole = float(law(total, np.array([float(rows)]))[0])
    if rest == 0:
        first = np.arange(rows + 1, dtype=np.float64)
        second = rows - first
        return first, second, law(a, first) + law(b, second) - whole, 0.0
    low_i, high_i, out_i = _window(law, (a, a - 1), total, rows, whole, left_out)
    low_j, high_j, out_j = _window(law, (b, b + 1), total, rows, whole, left_out)
    if (high_i - low_i + 1) * (high_j - low_j + 1) > MOST_ATOMS:
        raise TooMany
    i = np.arange(low_i, high_i + 1, dtype=np.float64)
    j = np.arange(low_j, high_j + 1, dtype=np.float64)
    others = rows - np.arange(low_i + low_j, high_i + high_j + 1, dtype=np.float64)
    fits = others >= 0
    third = np.full(len(others), -np.inf)
    third[fits] = law(rest, others[fits])
    both = np.add.outer(np.arange(len(i)), np.arange(len(j)))
    log_chance = law(a, i)[:, None] + law(b, j)[None, :] + third[both] - whole
    seen = left_out * _UNSEEN
    kept = log_chance > math.log(seen)
    first = np.broadcast_to(i[:, None], kept.shape)[kept]
    second = np.broadcast_to(j[None, :], kept.shape)[kept]
    return first, second, log_chance[kept], out_i + out_j + kept.size * seen


def _window(
    law: _Law,
    weights: tuple[float, float],
    total: float,
    rows: int,
    whole: float,
    left_out: float,
) -> tuple[int, int, float]:
    """Return the counts of one category that are looked at, and the chance of those that are not,
    under whichever weight makes it larger."""
    counts = np.arange(rows + 1, dtype=np.float64)
    laws = [np.exp(law(w, counts) + law(total - w, rows - counts) - whole) for w in weights]
    low = min(int(np.searchsorted(np.cumsum(each), left_out)) for each in laws)
    high = rows - min(int(np.searchsorted(np.cumsum(each[::-1]), left_out)) for each in laws)
    low, high = min(low, rows), max(high, 0)
    return low, high, max(float(each[:low].sum() + each[high + 1 :].sum()) for each in laws)


_LAMBDAS: FloatArray = 1 + np.geomspace(0.05, 2000, 60)
_LEFT: FloatArray = (_LAMBDAS - 1) * np.log1p(-1 / _LAMBDAS) - np.log(_LAMBDAS)


@dataclass(frozen=True)
class Figure:
    """What is asked of a curve: ε at a δ, or δ at an ε.

    Attributes:
        at: the δ, or the ε.
        epsilon: whether ε is asked for.
    """

    at: float
    epsilon: bool

    def of(self, curve: Curve) -> float:
        """Return the figure of a curve."""
        return epsilon_at(curve, self.at) if self.epsilon else delta_at(curve, self.at)

    def bound_by_moments(self, logs: FloatArray) -> float:
        """Return no less than the figure of a curve with these K at `_LAMBDAS`."""
        rising = _LAMBDAS - 1
        if self.epsilon:
            found = (logs + _LEFT - math.log(self.at)) / rising
            return max(0.0, float(np.min(found)))
        return min(1.0, float(np.exp(np.min(logs + _LEFT - rising * self.at))))


def parameter_moments(a: float, b: float) -> FloatArray:
    """Return K of a draw of the parameter for the pair (a, b), the larger of both ways; infinite
    where there is none."""
    return np.maximum(_beta(a, b), _beta(b + 1, a - 1))


def _beta(a: float, b: float) -> FloatArray:
    rising = _LAMBDAS - 1
    fits = rising < b
    down = np.where(fits, b - rising, 1.0)
    logs = gammaln(a + rising) - gammaln(a) + gammaln(down) - gammaln(b)
    logs = logs + rising * (math.log(b) - math.log(a - 1))
    return np.asarray(np.where(fits, logs, np.inf))


def row_moments(a: float, b: float, rest: float) -> FloatArray:
    """Return K of one row with a draw of its own for the pair (a, b | r), the larger of both
    ways."""
    total = a + b + rest
    return np.maximum(_row(a, a - 1, b, b + 1, total), _row(a - 1, a, b + 1, b, total))


def _row(a: float, other_a: float, b: float, other_b: float, total: float) -> FloatArray:
    # ln(1 + Σ (p·(p/q)^{λ−1} − p)), which is next to 0 for a single row.
    rising = _LAMBDAS - 1
    with np.errstate(over="ignore"):
        more = a * np.expm1(rising * math.log(a / other_a))
        less = b * np.expm1(rising * math.log(b / other_b))
    return np.asarray(np.log1p((more + less) / total))


def count_moments(curve: AtomsCurve) -> FloatArray:
    """Return K of counts, the larger of both ways; what is not listed counts as the largest
    loss."""
    ways = ((curve.log_chance, curve.loss), (curve.log_chance - curve.loss, -curve.loss))
    found = np.maximum(*(_sum_moments(*way) for way in ways))
    if curve.left_out > 0:
        rest = math.log(curve.left_out) + (_LAMBDAS - 1) * curve.largest
        found = np.logaddexp(found, rest)
    return np.asarray(found)


def _sum_moments(log_chance: FloatArray, loss: FloatArray) -> FloatArray:
    """Return ln Σ chance·e^{(λ−1)·loss} at each λ, one after the other: all at once fill the
    memory."""
    found = np.empty(len(_LAMBDAS))
    logs = np.empty(len(loss))
    for place, rising in enumerate(_LAMBDAS - 1):
        np.multiply(loss, rising, out=logs)
        logs += log_chance
        most = logs.max()
        logs -= most
        found[place] = most + math.log(np.exp(logs, out=logs).sum())
    return found


def gaussian_moments(ratio: float) -> FloatArray:
    """Return K of a Gaussian mechanism, and of a discrete Gaussian one whose shift is a whole
    number of steps (Canonne, Kamath and Steinke 2020, Proposition 5)."""
    return np.asarray(_LAMBDAS * (_LAMBDAS - 1) * ratio**2 / 2)


def pure_moments(epsilon: float) -> FloatArray:
    """Return K of randomised response, than which nothing of this ε without a δ tells more."""
    more = _LAMBDAS * epsilon
    return np.asarray(np.logaddexp(more, (1 - _LAMBDAS) * epsilon) - np.logaddexp(epsilon, 0.0))


@dataclass(frozen=True)
class PosteriorCurve:
    """The curve of a draw of the parameter.

    Attributes:
        a, b: posterior weights of the two categories under the first input; a is above 1 by less
            than it has records.
    """

    a: float
    b: float

    def forward(self, epsilons: FloatArray) -> FloatArray:
        """Return δ of Beta(a, b) against Beta(a − 1, b + 1)."""
        grown, back = np.exp(epsilons), np.exp(-epsilons)
        # t/(1 − t) = e^ε·(a − 1)/b, with the larger of both ends kept exact.
        end = 1 / (1 + self.b / (self.a - 1) * back)
        mine = betaincc(self.a, self.b, end)
        theirs = betaincc(self.a - 1, self.b + 1, end)
        return np.asarray(np.maximum(mine - grown * theirs, 0.0))

    def backward(self, epsilons: FloatArray) -> FloatArray:
        """Return δ of Beta(a − 1, b + 1) against Beta(a, b), which is the other seen in a
        mirror."""
        return PosteriorCurve(self.b + 1, self.a - 1).forward(epsilons)

    @property
    def largest(self) -> float:
        """Never."""
        return math.inf


MOST_LOOKED_AT = 2000
"""So many pairs are looked at; if that does not settle the worst one, the bound stands."""


@dataclass(frozen=True)
class DrawAmounts:
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
        """Return ε at δ = 0: M·ln(1 + s/α)."""
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


def drawn_epsilon(cells: Cells, drawn: DrawAmounts, delta: float) -> float:
    """Return the smallest ε with at most this δ, over all tables; infinite where there is none."""
    if delta <= 0:
        return drawn.pure(cells.alpha)
    figure = Figure(delta, epsilon=True)
    return figure.of(worst_curve(cells, drawn, figure))


def drawn_delta(cells: Cells, drawn: DrawAmounts, epsilon: float) -> float:
    """Return the δ at an ε, over all tables."""
    figure = Figure(epsilon, epsilon=False)
    return figure.of(worst_curve(cells, drawn, figure))


@lru_cache(maxsize=64)
def worst_curve(cells: Cells, drawn: DrawAmounts, figure: Figure) -> Curve:
    """Return the curve of the two tables for which a figure is largest, or one that is above it."""
    if cells.count > 2:
        return drawn.between(*cells.rarest)
    return _search_worst(cells, drawn, figure)


def _search_worst(cells: Cells, drawn: DrawAmounts, figure: Figure) -> Curve:
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


def _quick(drawn: DrawAmounts, figure: Figure, a: float, b: float, rest: float) -> float:
    """Return no less than the figure of a pair."""
    if drawn.rows == 1:
        return figure.bound_by_moments(drawn.times * row_moments(a, b, rest))
    if drawn.times == 1:
        return figure.of(PosteriorCurve(a, b))
    return figure.bound_by_moments(drawn.times * parameter_moments(a, b))


_UNTOLD: Final = 1e-18
"""Beyond the grid every curve is below this, which is added."""
_POINTS: Final = 1500
_FARTHEST: Final = 60.0
_STICKS_OUT: Final = 1.001
"""A range is divided whose curve is above those of single n₁ by more than this factor."""
_ATOMS: Final = 2_000_000
_LEAST, _MOST = 12, 96
"""So many curves are looked at, more where there are few counts in each."""
_SMALL: Final = 400
"""Ranges of a table of so many records are divided until none sticks out, at little cost."""


@dataclass(frozen=True, eq=False)
class Envelope:
    """The highest of several curves and of both their ways, at every ε.

    Attributes:
        curves: at least one.
        largest: from which ε on all of them are 0, those that lie below them too.
    """

    curves: tuple[Curve, ...]
    largest: float

    def forward(self, epsilons: FloatArray) -> FloatArray:
        highest = np.maximum.reduce([_both(each, epsilons) for each in self.curves])
        return np.asarray(highest + _UNTOLD * (epsilons < self.largest))

    def backward(self, epsilons: FloatArray) -> FloatArray:
        """Return the same."""
        return self.forward(epsilons)


@dataclass(frozen=True, eq=False)
class _Looked:
    """A range of n₁ that was looked at, with its curve and its values on the grid."""

    low: int
    high: int
    curve: Curve
    values: FloatArray


@lru_cache(maxsize=64)
def envelope(cells: Cells, drawn: DrawAmounts) -> Envelope:
    """Return the highest curve of all tables of two categories, or one above it.

    Args:
        cells: two of them.
        drawn: what is drawn.
    """
    singles, ranges = _looked_at(cells, drawn)
    table = np.array([each.values for each in singles])
    attained = set(table.argmax(axis=0).tolist())
    kept = [each for place, each in enumerate(singles) if place in attained]
    highest = table.max(axis=0)
    others = (each for each in (*singles, *ranges) if each not in kept)
    kept += [each for each in others if not _below(each.values, highest)]
    return Envelope(tuple(each.curve for each in kept), drawn.pure(cells.alpha))


def _below(values: FloatArray, highest: FloatArray) -> bool:
    """Return whether a curve is below others at every ε, and not above what is added beyond the
    grid."""
    return bool((values[:-1] <= highest[1:]).all() and values[-1] <= _UNTOLD)


def covering(cells: Cells) -> Iterator[tuple[float, float, float]]:
    """Yield a few pairs, of which one is above the pair of each n₁ or of its mirror image."""
    for low, high in _doubling((cells.records + 1) // 2):
        yield _pair(cells, low, high)


def _pair(cells: Cells, low: int, high: int) -> tuple[float, float, float]:
    """Return that which all of a range of n₁ tell no more than."""
    return cells.alpha + low, cells.alpha + cells.records - high, 0.0


def _looked_at(cells: Cells, drawn: DrawAmounts) -> tuple[list[_Looked], list[_Looked]]:
    """Return single n₁, and ranges of which none sticks out while there is time: all n₁ up to the
    middle, of which the others are the mirror image."""

    def curve(low: int, high: int) -> Curve:
        return drawn.between(*_pair(cells, low, high))

    def look(low: int, high: int, found: Curve) -> _Looked:
        return _Looked(low, high, found, np.minimum.accumulate(_both(found, grid)))

    first = [(*each, curve(*each)) for each in _doubling((cells.records + 1) // 2)]
    reach = max(epsilon_at(each, _UNTOLD) for _, _, each in first)
    grid = np.linspace(0.0, min(reach, _FARTHEST), _POINTS)
    looked = [look(*each) for each in first]
    atoms = max(drawn.rows or 1, drawn.times)
    left = min(_MOST, max(_LEAST, _ATOMS // atoms))
    if cells.records <= min(_SMALL, _ATOMS // atoms):
        left = 2 * cells.records
    while left > 0:
        singles, ranges = _split_singles(looked)
        highest = np.maximum.reduce([each.values for each in singles]) * _STICKS_OUT + _UNTOLD
        over = [float((each.values / highest).max()) for each in ranges]
        if not over or max(over) <= 1:
            break
        worst = ranges[int(np.argmax(over))]
        middle = (worst.low + worst.high) // 2
        looked.remove(worst)
        halves = ((worst.low, middle), (middle + 1, worst.high))
        looked += [look(*each, curve(*each)) for each in halves]
        left -= 2
    return _split_singles(looked)


def _doubling(top: int) -> Iterator[tuple[int, int]]:
    low = 1
    while low <= top:
        yield low, min(2 * low - 1, top)
        low *= 2


def _split_singles(looked: list[_Looked]) -> tuple[list[_Looked], list[_Looked]]:
    """Return single n₁, and ranges."""
    singles = [each for each in looked if each.low == each.high]
    return singles, [each for each in looked if each.low < each.high]


def _both(curve: Curve, epsilons: FloatArray) -> FloatArray:
    return np.maximum(curve.forward(epsilons), curve.backward(epsilons))
