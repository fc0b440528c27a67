"""How far days are from other days: the figures that the field compares made traces by.

All of it is internal where one side is real.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from engine.models.mobility.geography import Geography, Places
from engine.models.mobility.stays import HOME, Anchors, Days, Stays, anchors, stays
from engine.table.positions.slots import SLOTS

Floats = npt.NDArray[np.float64]

PERIODS: Final = 4
QUERIES: Final = 200
TOP: Final = 50
_SANITY: Final = 0.01
_LONGEST_JUMP: Final = 60
_MOST_STAYS: Final = 20


@dataclass(frozen=True, eq=False)
class Seen:
    """Days, and what is measured of them.

    Attributes:
        days: them.
        where: the map.
    """

    days: Days
    where: Geography

    @cached_property
    def _at(self) -> Anchors:
        return anchors(self.days, self.where.cells)

    @cached_property
    def _told(self) -> Stays:
        return stays(self.days, self._at, self.where.cells)

    @cached_property
    def _moves(self) -> tuple[Places, Places, Places]:
        """From which cell, to which, and the slot, of every move between stays."""
        told = self._told
        moved = np.flatnonzero(~told.first)
        return told.cell[moved - 1], told.cell[moved], told.start[moved]

    @cached_property
    def counts(self) -> Mapping[str, Floats]:
        """How often each place by time, number of stays, hour of a move, zone by period, pair of
        zones, and kilometre of a move occurs."""
        where, cells = self.where, self.days.cells
        inside = cells < where.cells
        slots = np.broadcast_to(np.arange(SLOTS), cells.shape)
        zone = where.zone[cells[inside]]
        one, other, slot = self._moves
        each_day = np.bincount(self._told.day, minlength=len(cells))
        zones = where.zones**2
        return {
            "places": _counted(cells[inside] * SLOTS + slots[inside], where.cells * SLOTS),
            "stays": _counted(np.minimum(each_day, _MOST_STAYS), _MOST_STAYS + 1),
            "hours": _counted(slot // (SLOTS // 24), 24),
            "zones": _counted(zone * PERIODS + slots[inside] * PERIODS // SLOTS, zones * PERIODS),
            "flows": _counted(where.zone[one] * zones + where.zone[other], zones**2),
            "jumps": _counted(
                np.minimum(np.rint(where.apart[one, other]), _LONGEST_JUMP).astype(np.int64),
                _LONGEST_JUMP + 1,
            ),
        }

    @cached_property
    def popular(self) -> frozenset[int]:
        """The `TOP` cells that most time is spent in."""
        spent = self.counts["places"].reshape(self.where.cells, SLOTS).sum(axis=1)
        return frozenset(np.argsort(-spent, kind="stable")[:TOP].tolist())

    @cached_property
    def entering(self) -> Floats:
        """(queries,) the share of days that enter each of some rectangles, always the same ones."""
        random = np.random.default_rng(5)
        row, column = np.divmod(self.days.cells, self.where.columns)
        found = []
        for _ in range(QUERIES):
            south, west = (
                random.integers(0, self.where.rows),
                random.integers(0, self.where.columns),
            )
            high, wide = random.integers(1, 8, 2)
            inside = (row >= south) & (row < south + high)
            inside &= (column >= west) & (column < west + wide)
            found.append(float(inside.any(axis=1).mean()))
        return np.array(found)

    @cached_property
    def features(self) -> Floats:
        """(days, 11) what a classifier sees of a day: stays, first departure, last arrival, way,
        longest move, time at home, whether home at noon, cells, longest and mean time elsewhere,
        radius of gyration."""
        told, days, count = self._told, self.days, len(self.days.cells)
        one, other, _ = self._moves
        moved = np.flatnonzero(~told.first)
        apart = self.where.apart[one, other]
        lasts, away = told.end - told.start, told.sort != HOME
        home = self._at.home[days.person]

        def most(day: Places, value: Floats) -> Floats:
            found = np.zeros(count)
            np.maximum.at(found, day, value)
            return found

        left = np.full(count, float(SLOTS))
        begins = told.first & ~told.last
        left[told.day[begins]] = told.end[begins]
        back = np.zeros(count)
        back[told.day[told.last]] = told.start[told.last]
        elsewhere = np.bincount(told.day[away], minlength=count)
        time_away = np.bincount(told.day[away], weights=lasts[away], minlength=count)
        kinds = np.sort(days.cells, axis=1)
        return np.column_stack(
            [
                np.bincount(told.day, minlength=count),
                left,
                back,
                np.bincount(told.day[moved], weights=apart, minlength=count),
                most(told.day[moved], apart),
                (days.cells == home[:, None]).sum(axis=1),
                days.cells[:, SLOTS // 2] == home,
                1 + (kinds[:, 1:] != kinds[:, :-1]).sum(axis=1),
                most(told.day[away], lasts[away].astype(np.float64)),
                time_away / np.maximum(1, elsewhere),
                self._gyration(),
            ]
        ).astype(np.float64)

    def _gyration(self) -> Floats:
        inside = np.minimum(self.days.cells, self.where.cells - 1)
        at = self.where.middles[inside]
        found: Floats = np.sqrt(((at - at.mean(axis=1, keepdims=True)) ** 2).sum(-1).mean(axis=1))
        return found


def _counted(places: Places, size: int) -> Floats:
    return np.bincount(places.ravel(), minlength=size).astype(np.float64)


def compared(made: Seen, real: Seen) -> dict[str, float]:
    """The figures of days beside real ones. Total variation but for: "kept", the share of the real
    days' top places that are top places; "jumps", Jensen–Shannon divergence in bits; "entering",
    the mean relative error of how many days enter a rectangle, with a floor of 1 %."""
    found = {
        name: _variation(made.counts[name], real.counts[name])
        for name in ("places", "stays", "hours", "zones", "flows")
    }
    error = np.abs(made.entering - real.entering) / np.maximum(real.entering, _SANITY)
    return {
        **found,
        "jumps": _jensen_shannon(made.counts["jumps"], real.counts["jumps"]),
        "entering": float(error.mean()),
        "kept": len(made.popular & real.popular) / TOP,
    }


def _variation(one: Floats, other: Floats) -> float:
    return float(np.abs(one / max(1, one.sum()) - other / max(1, other.sum())).sum() / 2)


def _jensen_shannon(one: Floats, other: Floats) -> float:
    p, q = one / max(1, one.sum()), other / max(1, other.sum())
    middle = (p + q) / 2

    def told(each: Floats) -> float:
        there = each > 0
        return float((each[there] * np.log2(each[there] / middle[there])).sum())

    return (told(p) + told(q)) / 2
