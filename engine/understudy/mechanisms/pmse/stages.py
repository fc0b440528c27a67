"""In which order parameters are chosen, and what each choice may cost: from the plan alone.

Parameters are chosen all at once; or each unit is located first, given those before it, and then
all are refined together. Either is done in rounds: the first looks over the whole prior, every
other about what the last one found, more narrowly, and has that among its candidates.

A choice among K candidates by the exponential mechanism that costs ε tells a candidate whose pMSE
is higher by u from the best one by ε·u/(2Δu) nats, at most by the *signal*

    ε·c(1 − c)/(2Δu) = ε·n·(n_s + 1)/(2·(n + n_s)).

A prior that is V nats wider than what would do swamps it unless the signal is above V: all the
candidates that are nowhere near the records are e^V times as many as those that are. And none at
all may be near them unless ln K is above V.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

import numpy as np

from understudy.mechanisms.pmse.units import Prior, Unit

Search = Literal["whole", "columns"]

CERTAIN: Final = 3.0
"""How many nats a signal has to be above the volume: e³ is 20 to one."""
COVERED: Final = 1.0
"""How many nats ln K has to be above the volume: three candidates near the records, about."""
_GROWS: Final = 2.0
"""How many times as much each round costs as the one before."""
_NARROWEST, _WIDEST = 0.2, 0.5
LOCATING_ROUNDS: Final = 2
_FEWER: Final = 4
_LOCATED: Final = 0.09
"""How wide all parameters are looked at together for the first time, once they are located."""
_TOGETHER: Final = 0.4


@dataclass(frozen=True)
class Stage:
    """One choice.

    Attributes:
        units: the places of the units whose parameters are chosen, one or all.
        round: how often they were chosen before.
        prior: of those parameters.
        share: of what the whole search may cost.
        width: of the candidates, as of `candidates.around`; 1 over the whole prior.
        candidates: how many.
        shrinks: how much narrower it looks than the round before.
    """

    units: tuple[int, ...]
    round: int
    prior: Prior
    share: float
    width: float
    candidates: int
    shrinks: float

    @cached_property
    def volume(self) -> float:
        """V, in nats: of the prior, or of what an earlier round left of it."""
        if self.round == 0:
            return self.prior.nats
        return len(self.prior.low) * math.log(1 / self.shrinks)


def shrinking(size: int) -> float:
    """Return how much narrower each round looks, for so many parameters."""
    return min(_WIDEST, max(_NARROWEST, 0.1 * size))


def stages_of(
    units: tuple[Unit, ...], search: Search, rounds: int, candidates: int, locating: float
) -> tuple[Stage, ...]:
    """Return all choices of one search, in their order.

    Args:
        units: the regressions.
        search: whether all parameters are chosen at once from the first round on.
        rounds: in which all are chosen together.
        candidates: of each of those rounds; where a unit is located there are a quarter as many.
        locating: the share of the cost that goes to locating units one by one, where they are.
    """
    every = tuple(range(len(units)))
    whole = units[0].prior
    for unit in units[1:]:
        whole = whole + unit.prior
    if search == "whole":
        before, width, shrinks, found = 0, 1.0, shrinking(len(whole.low)), []
        locating = 0.0
    else:
        before, shrinks = LOCATING_ROUNDS, _TOGETHER
        width = _LOCATED
        found = list(_located(units, candidates // _FEWER, locating))
    for turn, weight in enumerate(_weights(rounds)):
        share = (1 - locating) * weight
        found.append(
            Stage(every, before + turn, whole, share, width * shrinks**turn, candidates, shrinks)
        )
    return tuple(found)


def _located(units: tuple[Unit, ...], candidates: int, locating: float) -> Iterator[Stage]:
    size = sum(each.size for each in units)
    for place, unit in enumerate(units):
        shrinks = shrinking(unit.size)
        for turn, weight in enumerate(_weights(LOCATING_ROUNDS)):
            share = locating * unit.size / size * weight
            yield Stage((place,), turn, unit.prior, share, shrinks**turn, candidates, shrinks)


def _weights(rounds: int) -> list[float]:
    found = _GROWS ** np.arange(rounds)
    return list((found / found.sum()).tolist())


def signal(epsilon: float, real: int, made: int) -> float:
    """ε·c(1 − c)/(2Δu), in nats.

    Args:
        epsilon: of one choice.
        real: n.
        made: n_s.
    """
    return epsilon * real * (made + 1) / (2 * (real + made))


def published_signal(epsilon: float, real: int) -> float:
    """Return the same by the bound Δu ≤ 1/n of the paper, where n_s = n."""
    return epsilon * real / 2 * 0.25


def published_volume(parameters: int, deviation: float, reach: float) -> float:
    """Return how much wider than what would do a normal prior of this standard deviation is, in
    nats."""
    return parameters * math.log(deviation / reach)
