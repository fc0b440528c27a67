"""Candidates are scored, and one is chosen: the only thing here that the records decide."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from understudy.core.progress import report_count
from understudy.mechanisms.pmse.candidates import Points, around, over
from understudy.mechanisms.pmse.gini import Gini, Scores
from understudy.mechanisms.pmse.lines import Line, Reals
from understudy.mechanisms.pmse.partitions.axes import Axis, Bins, Partitions
from understudy.mechanisms.pmse.partitions.crossed import Crossed
from understudy.mechanisms.pmse.partitions.depth_two import DepthTwo
from understudy.mechanisms.pmse.partitions.forest import Forest
from understudy.mechanisms.pmse.partitions.guillotine import Guillotine
from understudy.mechanisms.pmse.partitions.stump import Stump
from understudy.mechanisms.pmse.simulating import Made, simulate
from understudy.mechanisms.pmse.stages import Stage
from understudy.mechanisms.pmse.units import Unit
from understudy.table.schema import Schema

Class = Literal["crossed", "stump", "depth-two", "forest", "guillotine"]
Codes = npt.NDArray[np.uint16]
Select = Callable[[Scores, float], int]
"""Chooses among scores of which larger is better, at the cost of a share of the budget."""

_AT_ONCE = 1 << 18
_ENTRIES = 1 << 20
_MOST = 256
_BOXES: Mapping[int, int] = {1: 32, 2: 12, 3: 6}
"""How many bins an axis has at most where every box is looked at, by how many axes there are."""


@dataclass(frozen=True)
class Setting:
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
    units: tuple[Unit, ...]
    lines: Mapping[int, Line]
    chance: Reals = field(repr=False)
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
    table: npt.NDArray[np.int64]
    axis: Axis


@dataclass(frozen=True, eq=False)
class ChosenModel:
    """What a search found. It may be released.

    Attributes:
        parameters: (sum of sizes,) of all units.
        moments: (units, 2) mean and standard deviation that enter later units.
    """

    parameters: Reals
    moments: Reals


_STEP: Final = "Scoring candidates"


def search(
    setting: Setting,
    stages: Sequence[Stage],
    codes: Codes,
    select: Select,
    known: dict[int, Scores] | None = None,
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
    found: dict[int, Points] = {}
    done, every_one = 0, sum(stage.candidates for stage in stages)
    for turn, stage in enumerate(stages):
        report_count(_STEP, done, every_one)
        centre = _joined(found, stage.units) if stage.round else None
        points = (
            over(stage.prior, stage.candidates)
            if centre is None
            else around(stage.prior, centre, stage.width, stage.candidates)
        )
        before = _so_far(setting, found, stage.units[0])
        scores = known.get(turn) if turn == 0 else None
        if scores is None:
            told = partial(_tell_scored, done, every_one)
            scores = scored(setting, stage, points, before, codes, centre, told)
        done += stage.candidates
        if turn == 0:
            known[0] = scores
        best = points[select(-scores, stage.share)]
        start = 0
        for place in stage.units:
            found[place] = best[start : start + setting.units[place].size]
            start += setting.units[place].size
    moments = _so_far(setting, found, len(setting.units)).moments
    every = _joined(found, range(len(setting.units)))
    return ChosenModel(every, np.concatenate([each.reshape(1, 2) for each in moments]))


def _tell_scored(before: int, every_one: int, within: int) -> None:
    """Say how many candidates have a score, those of earlier stages included."""
    report_count(_STEP, before + within, every_one)


def _joined(found: Mapping[int, Points], units: Sequence[int]) -> Points:
    return np.concatenate([found[place] for place in units])


def _so_far(setting: Setting, found: Mapping[int, Points], units: int) -> Made:
    """Return the first units, as they were chosen."""
    if not units:
        return Made()
    chosen = _joined(found, range(units))[None]
    return simulate(setting.units[:units], setting.lines, chosen, Made(), setting.chance[:units])


def scored(
    setting: Setting,
    stage: Stage,
    points: Points,
    before: Made,
    codes: Codes,
    centre: Points | None,
    told: Callable[[int], None] = lambda _: None,
) -> Scores:
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
    usual = None if centre is None else _made(setting, stage, centre[None], before)
    binnings = tuple(_binnings(setting, stage, before, usual))
    partitions = _partitions(setting, stage, binnings)
    gini = Gini(setting.chance.shape[1])
    real = partitions.counts([_binned(each, codes[:, each.column][None]) for each in binnings])
    found = np.empty(len(points), dtype=np.int64)
    for part in _parts(len(points), setting, partitions):
        made = _made(setting, stage, points[part], before)
        bins = [_binned(each, made.codes[each.column]) for each in binnings]
        found[part] = partitions.best(gini, real, partitions.counts(bins)).astype(np.int64)
        told(part.stop)
    return found


def _parts(count: int, setting: Setting, partitions: Partitions) -> Iterator[slice]:
    together = min(_MOST, _AT_ONCE // setting.chance.shape[1], _ENTRIES // partitions.entries())
    for start in range(0, count, max(1, together)):
        yield slice(start, min(count, start + max(1, together)))


def _made(setting: Setting, stage: Stage, points: Points, before: Made) -> Made:
    units = [setting.units[place] for place in stage.units]
    return simulate(units, setting.lines, points, before, setting.chance[list(stage.units)])


def _binned(binning: Binning, codes: npt.NDArray[np.integer]) -> Bins:
    return np.asarray(binning.table[codes])


def columns_of(units: Sequence[Unit], stage: Stage) -> tuple[list[int], list[int]]:
    """Return the places of the columns that a stage chooses for, and of those before them that they
    follow."""
    its_own = [units[place] for place in stage.units]
    chosen = list(dict.fromkeys(each.column for each in its_own))
    around_ = {units[place].column for each in its_own for place in each.after}
    return chosen, sorted(around_ - set(chosen))


def _partitions(setting: Setting, stage: Stage, binnings: Sequence[Binning]) -> Partitions:
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
    setting: Setting, stage: Stage, before: Made, usual: Made | None
) -> Iterator[Binning]:
    """Of the columns chosen for, then of those they follow."""
    chosen, others = columns_of(setting.units, stage)
    most = setting.bins
    if setting.partitions == "guillotine":
        most = min(most, _BOXES[min(3, len(chosen) + len(others))])
    for column in chosen:
        if setting.schema.columns[column].ordered:
            laid = None if usual is None else usual.codes[column]
            yield _ordered(column, setting.lines[column], laid, most)
        else:
            units = (setting.units[place] for place in stage.units)
            values = [each.value for each in units if each.column == column]
            yield _category(column, setting, max(v for v in values if v is not None) + 2, most)
    for column in others:
        if setting.schema.columns[column].ordered:
            yield _ordered(column, setting.lines[column], before.codes[column], most)
        else:
            yield _category(column, setting, setting.schema.columns[column].cardinality, most)


def _category(column: int, setting: Setting, bins: int, most: int) -> Binning:
    """Return each code for itself, those from the last on together."""
    size = min(bins, most) if setting.partitions == "guillotine" else bins
    codes = np.arange(setting.schema.columns[column].cardinality)
    return Binning(column, np.minimum(codes, size - 1), Axis(size, ordered=False))


def _ordered(column: int, line: Line, laid: npt.NDArray[np.int64] | None, bins: int) -> Binning:
    """Bins of equal width, or that hold equally many of some made records."""
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
