"""Records by a sequence of regressions, many parameters at once, from numbers drawn once.

Every candidate is scored by records that the same random numbers make: they are drawn by a public
seed before any record is looked at, so that what is scored is a fixed function of the parameters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.special import ndtri

from understudy.core.arrays import AnyArray, BoolArray, FloatArray, IntArray
from understudy.mechanisms.pmse.units import Line, RegressionUnit, mirror_points

_MOST_FOLLOWED = 0.999
_FLAT = 1e-9


@dataclass(frozen=True, eq=False)
class Made:
    """What was made of some records so far.

    Attributes:
        codes: (tables or 1, records) by the place of the column; of categories, a code after the
            last unit made so far stands for it and all after it.
        points: (tables or 1, records) of columns of numbers, where they stand on their lines.
        features: (tables or 1, records) of each unit, for the units after it.
        moments: (tables or 1, 2) of each unit, the mean and the standard deviation that its
            feature was made with.
    """

    codes: Mapping[int, IntArray] = field(default_factory=dict)
    points: Mapping[int, FloatArray] = field(default_factory=dict)
    features: tuple[FloatArray, ...] = ()
    moments: tuple[FloatArray, ...] = ()

    def one(self, which: int) -> Made:
        """Return one of the tables alone, as one that others may be made after."""

        def row(each: AnyArray) -> AnyArray:
            return each if len(each) == 1 else each[which : which + 1]

        return Made(
            {place: row(each) for place, each in self.codes.items()},  # type: ignore[misc]
            {place: row(each) for place, each in self.points.items()},  # type: ignore[misc]
            tuple(row(each) for each in self.features),  # type: ignore[misc]
            tuple(row(each) for each in self.moments),  # type: ignore[misc]
        )


def draw_needs(units: Sequence[RegressionUnit], uniforms: FloatArray) -> FloatArray:
    """Return (units, records) what each unit needs by chance: a standard normal number, or the log
    odds of an even one.

    Args:
        units: the regressions.
        uniforms: (units, records) even numbers between 0 and 1.
    """
    found = np.empty_like(uniforms)
    for turn, unit in enumerate(units):
        u = uniforms[turn]
        found[turn] = ndtri(u) if unit.value is None else np.log(u) - np.log1p(-u)
    return found


def common_numbers(units: Sequence[RegressionUnit], records: int, seed: int) -> FloatArray:
    """Return (units, records) the same for every candidate: each row holds every (i + ½)/records
    once, in an order drawn by a public seed."""
    random = np.random.default_rng(seed)
    even = (np.arange(records) + 0.5) / records
    return draw_needs(units, np.stack([random.permutation(even) for _ in units]))


def simulate_units(
    units: Sequence[RegressionUnit],
    lines: Mapping[int, Line],
    parameters: FloatArray,
    before: Made,
    chance: FloatArray,
    moments: Sequence[FloatArray] = (),
) -> Made:
    """Make the next units of some records.

    Args:
        units: those to be made.
        lines: of the columns of numbers.
        parameters: (tables, sum of sizes) of each table.
        before: the units before them.
        chance: (these units, records) as `drawn`.
        moments: (1, 2) of each of these units, where features are to be made with them; otherwise
            each table's own are.
    """
    codes, points = dict(before.codes), dict(before.points)
    features, kept = list(before.features), list(before.moments)
    start = 0
    for turn, unit in enumerate(units):
        each = parameters[:, start : start + unit.size]
        start += unit.size
        seen = [features[place] for place in unit.after]
        if unit.value is None:
            made = _numbers(each, seen, chance[turn])
            points[unit.column] = made
            codes[unit.column] = lines[unit.column].codes_of(made)
        else:
            yes = _steps(each, seen, chance[turn])
            codes[unit.column] = _step_codes(unit, yes, codes.get(unit.column))
            made = (codes[unit.column] == unit.value).astype(np.float64)
        found = moments[turn] if len(moments) else _moments(made)
        kept.append(found)
        features.append((made - found[:, :1]) / found[:, 1:])
    return Made(codes, points, tuple(features), tuple(kept))


def _numbers(parameters: FloatArray, seen: Sequence[FloatArray], chance: FloatArray) -> FloatArray:
    spread = np.exp(parameters[:, 1:2])
    parts = parameters[:, 2:]
    followed = np.square(parts).sum(axis=1, keepdims=True)
    parts = parts * np.sqrt(np.minimum(1.0, _MOST_FOLLOWED / np.maximum(followed, _FLAT)))
    left = np.sqrt(1 - np.square(parts).sum(axis=1, keepdims=True))
    made = parameters[:, :1] + (spread * left) * chance
    for turn, each in enumerate(seen):
        made += (spread * parts[:, turn : turn + 1]) * each
    return mirror_points(made)


def _steps(parameters: FloatArray, seen: Sequence[FloatArray], chance: FloatArray) -> BoolArray:
    odds = np.broadcast_to(parameters[:, :1], (len(parameters), len(chance))).copy()
    for turn, each in enumerate(seen):
        odds += parameters[:, 1 + turn : 2 + turn] * each
    return np.asarray(odds > chance)


def _step_codes(unit: RegressionUnit, yes: BoolArray, before: IntArray | None) -> IntArray:
    """Return the codes once a unit has said yes or no to those that are still open."""
    assert unit.value is not None
    if unit.value == 0 or before is None:
        return np.where(yes, 0, 1)
    return np.where((before == unit.value) & ~yes, unit.value + 1, before)


def _moments(made: FloatArray) -> FloatArray:
    """Return (tables, 2) mean and standard deviation; 1 for the second where nothing differs."""
    mean = made.mean(axis=1)
    square = np.einsum("ij,ij->i", made, made) / made.shape[1] - np.square(mean)
    spread = np.sqrt(np.maximum(square, 0.0))
    return np.column_stack([mean, np.where(spread > _FLAT, spread, 1.0)])
