"""Models are chosen: candidates are made, stage after stage, and scored against the records.

Point i has the fractional parts of start + i·α_j, where α_j = φ^{−j} and φ is the positive root of
x^{d+1} = x + 1 (M. Roberts, “The unreasonable effectiveness of quasirandom sequences”, 2018): a
lattice of low discrepancy for any number of points and dimensions, the same for everybody.

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
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Final, Literal

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from understudy.core.arrays import CodeArray, FloatArray, IntArray
from understudy.core.progress import report_count
from understudy.mechanisms.pmse.gini import Gini
from understudy.mechanisms.pmse.partitions import (
    Axis,
    Crossed,
    DepthTwo,
    Forest,
    Guillotine,
    Partitions,
    Stump,
)
from understudy.mechanisms.pmse.regressions import Made, simulate_units
from understudy.mechanisms.pmse.units import Line, Prior, RegressionUnit
from understudy.table.schema import Schema

_ROOT_STEPS = 64


def evenly(count: int, dimensions: int, start: float = 0.5) -> FloatArray:
    """Return (count, dimensions) points in (0, 1)."""
    root = 2.0
    for _ in range(_ROOT_STEPS):
        root = (1 + root) ** (1 / (dimensions + 1))
    steps = root ** -np.arange(1.0, dimensions + 1)
    found = np.mod(start + np.arange(1, count + 1)[:, None] * steps, 1.0)
    edge = 2.0**-52
    return np.clip(found, edge, 1 - edge)


def over_prior(prior: Prior, count: int) -> FloatArray:
    """Return (count, d) candidates spread over a whole prior."""
    even = evenly(count, len(prior.low))
    return prior.low + even * (prior.high - prior.low)


def around_point(prior: Prior, centre: FloatArray, width: float, count: int) -> FloatArray:
    """Return (count, d) candidates about a point, which is the first of them.

    They are normal about it, with a standard deviation that is a share of half the prior's width,
    and none lies outside the prior.

    Args:
        prior: the bounds.
        centre: (d,) the point.
        width: the share.
        count: how many, at least 1.
    """
    half = (prior.high - prior.low) / 2
    normal = ndtri(evenly(count - 1, len(half)))
    found = np.clip(centre + width * half * normal, prior.low, prior.high)
    return np.concatenate([centre[None], found])


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


def _shrinking(size: int) -> float:
    """Return how much narrower each round looks, for so many parameters."""
    return min(_WIDEST, max(_NARROWEST, 0.1 * size))


def stages_of(
    units: tuple[RegressionUnit, ...], search: Search, rounds: int, candidates: int, locating: float
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
        before, width, shrinks, found = 0, 1.0, _shrinking(len(whole.low)), []
        locating = 0.0
    else:
        before, shrinks = LOCATING_ROUNDS, _TOGETHER
        width = _LOCATED
        found = list(_locate_units(units, candidates // _FEWER, locating))
    for turn, weight in enumerate(_weights(rounds)):
        share = (1 - locating) * weight
        found.append(
            Stage(every, before + turn, whole, share, width * shrinks**turn, candidates, shrinks)
        )
    return tuple(found)


def _locate_units(
    units: tuple[RegressionUnit, ...], candidates: int, locating: float
) -> Iterator[Stage]:
    size = sum(each.size for each in units)
    for place, unit in enumerate(units):
        shrinks = _shrinking(unit.size)
        for turn, weight in enumerate(_weights(LOCATING_ROUNDS)):
            share = locating * unit.size / size * weight
            yield Stage((place,), turn, unit.prior, share, shrinks**turn, candidates, shrinks)


def _weights(rounds: int) -> list[float]:
    found = _GROWS ** np.arange(rounds)
    return list((found / found.sum()).tolist())


def signal(epsilon: float, real: int, made: int) -> float:
    """Return ε·c(1 − c)/(2Δu), in nats.

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


Class = Literal["crossed", "stump", "depth-two", "forest", "guillotine"]
Select = Callable[[IntArray, float], int]
"""Chooses among scores of which larger is better, at the cost of a share of the budget."""

_AT_ONCE = 1 << 18
_ENTRIES = 1 << 20
_MOST = 256
_BOXES: Mapping[int, int] = {1: 32, 2: 12, 3: 6}
"""How many bins an axis has at most where every box is looked at, by how many axes there are."""


@dataclass(frozen=True)
class PublicSearch:
    """What is public about a search.

    Attributes:
        schema: the columns.
        units: the regressions, in their order.
        lines: of the columns of numbers.
        chance: (units, n_s) the numbers that every candidate's records are made by.
        partitions: the class of partitions.
        bins: of a column of numbers.
        price: of a leaf, for guillotine partitions.
        seed: of random trees.
    """

    schema: Schema
    units: tuple[RegressionUnit, ...]
    lines: Mapping[int, Line]
    chance: FloatArray = field(repr=False)
    partitions: Class
    bins: int
    price: int
    seed: int


@dataclass(frozen=True)
class Binning:
    """How codes of a column fall into bins.

    Attributes:
        column: its place.
        table: (codes,) the bin of each.
        axis: the bins.
    """

    column: int
    table: IntArray
    axis: Axis


@dataclass(frozen=True, eq=False)
class ChosenModel:
    """What a search found. It may be released.

    Attributes:
        parameters: (sum of sizes,) of all units.
        moments: (units, 2) mean and standard deviation that enter later units.
    """

    parameters: FloatArray
    moments: FloatArray


_STEP: Final = "Scoring candidates"


def search(
    setting: PublicSearch,
    stages: Sequence[Stage],
    codes: CodeArray,
    select: Select,
    known: dict[int, IntArray] | None = None,
) -> ChosenModel:
    """Choose all parameters, stage after stage.

    Args:
        setting: what is public.
        stages: the choices.
        codes: (n, columns) the real records.
        select: makes each choice.
        known: scores of the first stage, kept for another search; filled where it is empty.
    """
    known = {} if known is None else known
    found: dict[int, FloatArray] = {}
    done, every_one = 0, sum(stage.candidates for stage in stages)
    for turn, stage in enumerate(stages):
        report_count(_STEP, done, every_one)
        centre = _join_points(found, stage.units) if stage.round else None
        points = (
            over_prior(stage.prior, stage.candidates)
            if centre is None
            else around_point(stage.prior, centre, stage.width, stage.candidates)
        )
        before = _so_far(setting, found, stage.units[0])
        scores = known.get(turn) if turn == 0 else None
        if scores is None:
            told = partial(_tell_scored, done, every_one)
            scores = score_candidates(setting, stage, points, before, codes, centre, told)
        done += stage.candidates
        if turn == 0:
            known[0] = scores
        best = points[select(-scores, stage.share)]
        start = 0
        for place in stage.units:
            found[place] = best[start : start + setting.units[place].size]
            start += setting.units[place].size
    moments = _so_far(setting, found, len(setting.units)).moments
    every = _join_points(found, range(len(setting.units)))
    return ChosenModel(every, np.concatenate([each.reshape(1, 2) for each in moments]))


def _tell_scored(before: int, every_one: int, within: int) -> None:
    """Say how many candidates have a score, those of earlier stages included."""
    report_count(_STEP, before + within, every_one)


def _join_points(found: Mapping[int, FloatArray], units: Sequence[int]) -> FloatArray:
    return np.concatenate([found[place] for place in units])


def _so_far(setting: PublicSearch, found: Mapping[int, FloatArray], units: int) -> Made:
    """Return the first units, as they were chosen."""
    if not units:
        return Made()
    chosen = _join_points(found, range(units))[None]
    return simulate_units(
        setting.units[:units], setting.lines, chosen, Made(), setting.chance[:units]
    )


def score_candidates(
    setting: PublicSearch,
    stage: Stage,
    points: FloatArray,
    before: Made,
    codes: CodeArray,
    centre: FloatArray | None,
    told: Callable[[int], None] = lambda _: None,
) -> IntArray:
    """Return (candidates,) the score of each: pMSE in whole numbers, less is better.

    Args:
        setting: what is public.
        stage: what is chosen.
        points: (candidates, d) its candidates.
        before: the units before it, as they were chosen.
        codes: (n, columns) the real records.
        centre: (d,) what the last round chose, about whose records bins are laid; None for bins of
            equal width.
        told: is told how many candidates have a score, some at a time.
    """
    usual = None if centre is None else _simulate_stage(setting, stage, centre[None], before)
    binnings = tuple(_binnings(setting, stage, before, usual))
    partitions = _partitions(setting, stage, binnings)
    gini = Gini(setting.chance.shape[1])
    real = partitions.counts([_bin_codes(each, codes[:, each.column][None]) for each in binnings])
    found = np.empty(len(points), dtype=np.int64)
    for part in _parts(len(points), setting, partitions):
        made = _simulate_stage(setting, stage, points[part], before)
        bins = [_bin_codes(each, made.codes[each.column]) for each in binnings]
        found[part] = partitions.best(gini, real, partitions.counts(bins)).astype(np.int64)
        told(part.stop)
    return found


def _parts(count: int, setting: PublicSearch, partitions: Partitions) -> Iterator[slice]:
    together = min(_MOST, _AT_ONCE // setting.chance.shape[1], _ENTRIES // partitions.entries())
    for start in range(0, count, max(1, together)):
        yield slice(start, min(count, start + max(1, together)))


def _simulate_stage(setting: PublicSearch, stage: Stage, points: FloatArray, before: Made) -> Made:
    units = [setting.units[place] for place in stage.units]
    return simulate_units(units, setting.lines, points, before, setting.chance[list(stage.units)])


def _bin_codes(binning: Binning, codes: npt.NDArray[np.integer]) -> IntArray:
    return np.asarray(binning.table[codes])


def columns_of(units: Sequence[RegressionUnit], stage: Stage) -> tuple[list[int], list[int]]:
    """Return the places of the columns that a stage chooses for, and of those before them that they
    follow."""
    its_own = [units[place] for place in stage.units]
    chosen = list(dict.fromkeys(each.column for each in its_own))
    around_ = {units[place].column for each in its_own for place in each.after}
    return chosen, sorted(around_ - set(chosen))


def _partitions(setting: PublicSearch, stage: Stage, binnings: Sequence[Binning]) -> Partitions:
    axes = tuple(each.axis for each in binnings)
    focus = tuple(range(len(columns_of(setting.units, stage)[0])))
    if setting.partitions == "stump":
        return Stump(axes, focus)
    if setting.partitions == "depth-two":
        return DepthTwo(axes, focus)
    if setting.partitions == "crossed":
        return Crossed(axes, focus)
    if setting.partitions == "forest":
        return Forest(axes, focus, seed=setting.seed)
    return Guillotine(axes, setting.price)


def _binnings(
    setting: PublicSearch, stage: Stage, before: Made, usual: Made | None
) -> Iterator[Binning]:
    """Return the binnings of the columns chosen for, then of those they follow."""
    chosen, others = columns_of(setting.units, stage)
    most = setting.bins
    if setting.partitions == "guillotine":
        most = min(most, _BOXES[min(3, len(chosen) + len(others))])
    for column in chosen:
        if setting.schema.columns[column].ordered:
            laid = None if usual is None else usual.codes[column]
            yield _bin_ordered(column, setting.lines[column], laid, most)
        else:
            units = (setting.units[place] for place in stage.units)
            values = [each.value for each in units if each.column == column]
            yield _category(column, setting, max(v for v in values if v is not None) + 2, most)
    for column in others:
        if setting.schema.columns[column].ordered:
            yield _bin_ordered(column, setting.lines[column], before.codes[column], most)
        else:
            yield _category(column, setting, setting.schema.columns[column].cardinality, most)


def _category(column: int, setting: PublicSearch, bins: int, most: int) -> Binning:
    """Return each code for itself, those from the last on together."""
    size = min(bins, most) if setting.partitions == "guillotine" else bins
    codes = np.arange(setting.schema.columns[column].cardinality)
    return Binning(column, np.minimum(codes, size - 1), Axis(size, ordered=False))


def _bin_ordered(column: int, line: Line, laid: IntArray | None, bins: int) -> Binning:
    """Return bins of equal width, or that hold equally many of some made records."""
    if laid is None:
        table = np.floor(line.middles() * bins).astype(np.int64)
    else:
        up_to = np.cumsum(np.bincount(laid.ravel(), minlength=line.codes))
        middle = up_to - np.diff(up_to, prepend=0) / 2
        table = np.minimum(np.floor(middle / laid.size * bins), bins - 1).astype(np.int64)
    _, table = np.unique(table, return_inverse=True)
    if table[-1] == 0:
        table = (np.arange(line.codes) >= line.codes // 2).astype(np.int64)
    return Binning(column, table, Axis(int(table[-1]) + 1))
