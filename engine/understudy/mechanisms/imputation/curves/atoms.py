"""Curves of counts: how many of the rows that were drawn fall into the two categories concerned.

A record that says i instead of j takes the posterior weights of the two from (a, b) to (a − 1,
b + 1), while all others together weigh r in both. Of rows from one draw of the parameter, and of
rows each from a draw of its own, the counts of the two say everything about it:

    one draw       Dirichlet-multinomial, loss ln(b/(a−1)) + ln((a−1+m_i)/(b+m_j))
    own draws      multinomial,           loss m_i·ln(a/(a−1)) − m_j·ln((b+1)/b)

(Zheng 2015, proofs of Theorems 6.9 to 6.13, with the indices of 6.13 put right.)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy.special import gammaln

from understudy.mechanisms.imputation.curves.curve import Floats

MOST_ATOMS = 1 << 22
"""The most pairs of counts that are looked at one by one."""

_LEFT_OUT = 1e-18
"""The chance of counts beyond either end that are left out; it is added to δ."""

_UNSEEN = math.exp(-38.0)
"""Pairs of counts are left out, too, whose chance is below this share of that."""

_Law = Callable[[float, Floats], Floats]


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

    loss: Floats = field(repr=False)
    log_chance: Floats = field(repr=False)
    left_out: float
    largest: float

    def forward(self, epsilons: Floats) -> Floats:
        """As `Curve`."""
        return _over(*self._up, epsilons) + self.left_out * (epsilons < self.largest)

    def backward(self, epsilons: Floats) -> Floats:
        """As `Curve`."""
        return _over(*self._down, epsilons) + self.left_out * (epsilons < self.largest)

    @cached_property
    def _up(self) -> tuple[Floats, Floats, Floats]:
        return _sorted(self.loss, self.log_chance)

    @cached_property
    def _down(self) -> tuple[Floats, Floats, Floats]:
        return _sorted(-self.loss, self.log_chance - self.loss)


def _sorted(loss: Floats, log_chance: Floats) -> tuple[Floats, Floats, Floats]:
    """Positive losses, falling; and of all losses from the largest to each, the chance under the
    one input and under the other."""
    up = np.flatnonzero(loss > 0)
    order = up[np.argsort(-loss[up])]
    falling = loss[order]
    mine = np.concatenate([[0.0], np.cumsum(np.exp(log_chance[order]))])
    theirs = np.concatenate([[0.0], np.cumsum(np.exp(log_chance[order] - falling))])
    return falling, mine, theirs


def _over(falling: Floats, mine: Floats, theirs: Floats, epsilons: Floats) -> Floats:
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


def _polya(weight: float, counts: Floats) -> Floats:
    return np.asarray(gammaln(weight + counts) - gammaln(weight) - gammaln(counts + 1))


def _multinomial(weight: float, counts: Floats) -> Floats:
    return np.asarray(counts * math.log(weight) - gammaln(counts + 1))


def _counts(
    law: _Law, a: float, b: float, rest: float, rows: int, left_out: float
) -> tuple[Floats, Floats, Floats, float]:
    """Counts of the two categories, ln of the chance of each pair, and the chance of all others."""
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
