"""Where the practised score breaks its bound: pairs made for it, and by chance (Table 1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from understudy.core.arrays import FloatArray
from understudy.studies.pmse.practised.greedy import greedy_pmse
from understudy.studies.pmse.practised.published_model import (
    RECORDS,
    by_chance,
    made,
    simulated,
)

PUBLISHED_BOUND: Final = 1 / RECORDS
"""1/n, what one record was said to move the score by at most."""
DEPTHS: Final = (1, 2, 5, None)
CPS: Final = (0.01, 0.001)
SETTINGS: Final = tuple((depth, cp) for cp in CPS for depth in DEPTHS)
"""Of the trees of Table 1."""
_DEVIATION: Final = 5.0
"""Of what is added to each variable of the record that is changed: N(0, 25)."""
_PRIOR: Final = 10.0**0.5
"""Of each parameter: N(0, 10), a variance as everywhere here."""
_JUMP_AT: Final = 2997
_FEWEST: Final = 50


@dataclass(frozen=True)
class Pair:
    """A made table, and two real ones of which one record differs.

    Attributes:
        made, real, other: (records, columns).
        depth, cp, leaf: of the greedy tree that tells them apart, see `greedy_pmse`.
    """

    made: FloatArray
    real: FloatArray
    other: FloatArray
    depth: int | None
    cp: float
    leaf: int = 1

    def scores(self) -> tuple[float, float]:
        """pMSE of either real table."""
        first, second = (
            greedy_pmse(each, self.made, self.depth, self.cp, self.leaf)
            for each in (self.real, self.other)
        )
        return first, second


def exclusive_or(records: int = RECORDS) -> Pair:
    """Return a greedy tree of depth two, without any threshold.

    Real records have unlike values in the first two columns and made ones like values, which no
    single test sees. The third column says next to nothing, and the first exactly nothing, so the
    root tests the third, and nothing is found below. One record makes the third say nothing, and
    the first next to nothing: the root tests that, and every leaf below is pure.

    Args:
        records: of each table; even.
    """
    half = records // 2
    side = np.repeat([0.0, 1.0], half)
    fair = np.tile([0.0, 1.0], half)
    real = np.column_stack([side, 1 - side, fair])
    real[0, 2] = 1.0
    other = real.copy()
    other[0, [0, 2]] = 1.0, 0.0
    return Pair(np.column_stack([side, side, fair]), real, other, 2, 0.0)


def threshold(records: int = RECORDS, zeros: int = _JUMP_AT) -> Pair:
    """Return a single split that has to reach cp: one record takes it over the threshold.

    Args:
        records: of each table; even.
        zeros: how many real records are 0 before; half of the made ones are.
    """

    def column(count: int) -> FloatArray:
        return (np.arange(records) >= count).astype(np.float64)[:, None]

    return Pair(column(records // 2), column(zeros), column(zeros + 1), 1, 0.01)


def fewest(records: int = RECORDS, leaf: int = _FEWEST) -> Pair:
    """Return a single split whose sides need so many records: one record makes up the number.

    Args:
        records: of each table.
        leaf: the fewest; one less of the made records are 1, and no real one is before.
    """
    made_ = (np.arange(records) < leaf - 1).astype(np.float64)[:, None]
    real = np.zeros((records, 1))
    other = real.copy()
    other[0] = 1.0
    return Pair(made_, real, other, 1, 0.0, leaf)


PAIRS: Final[Mapping[str, Callable[[], Pair]]] = {
    "two columns in unlike values": exclusive_or,
    "cp jump": threshold,
    "fewest records of a leaf": fewest,
}
"""Made to break the published bound, by name."""


@dataclass(frozen=True)
class Rate:
    """How often one record moved the score beyond the bound.

    Attributes:
        depth, cp: of the trees.
        share: of the simulations.
        error: its standard error.
        largest: how far a record moved it at most.
        differences: (simulations,) how far each moved it, with its sign.
    """

    depth: int | None
    cp: float
    share: float
    error: float
    largest: float
    differences: FloatArray = field(compare=False, repr=False)


def rates(
    times: int,
    random: np.random.Generator,
    told: Callable[[int], None] = lambda _: None,
    settings: Sequence[tuple[int | None, float]] = SETTINGS,
) -> tuple[Rate, ...]:
    """Table 1: how often noise on one record moves the score by more than 1/n.

    Args:
        times: how many simulations, each for all settings.
        random: where chance comes from.
        told: called with how many are done.
        settings: the depth and the cp of trees.
    """
    moved = np.empty((times, len(settings)))
    for turn in range(times):
        real = simulated(random).values
        other = real.copy()
        other[random.integers(len(real))] += random.normal(0, _DEVIATION, 2)
        synthetic = made(random.normal(0, _PRIOR, 5), by_chance(len(real), random))
        for at, (depth, cp) in enumerate(settings):
            one, two = (greedy_pmse(each, synthetic, depth, cp) for each in (real, other))
            moved[turn, at] = one - two
        told(turn + 1)
    # A difference at the bound is not one above it, whatever doubles make of it.
    beyond = (np.abs(moved) > PUBLISHED_BOUND * (1 + 1e-9)).mean(axis=0)
    return tuple(
        Rate(
            depth,
            cp,
            float(beyond[at]),
            float(np.sqrt(beyond[at] * (1 - beyond[at]) / times)),
            float(np.abs(moved[:, at]).max()),
            moved[:, at],
        )
        for at, (depth, cp) in enumerate(settings)
    )
