"""What a custodian looks at of a run: days of made people beside real ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from understudy.core.arrays import AnyArray, BoolArray, FloatArray, IntArray
from understudy.core.files import make_private, write_internal_arrays
from understudy.evaluation.mobility import counts
from understudy.evaluation.mobility.days import Seen
from understudy.evaluation.mobility.registry import compare_days
from understudy.mechanisms.mobility_plan import label_places
from understudy.mechanisms.traces.plan import TracesPlan
from understudy.models.mobility.geography import Geography
from understudy.models.mobility.stays import Days
from understudy.privacy.randomness import RandomSource
from understudy.table.positions.area import OUTSIDE
from understudy.table.positions.slots import SLOTS
from understudy.table.schema import Schema

FEWEST: Final = 20
"""Fewer people than this are not compared with."""
HOURS: Final = 24
KINDS: Final = ("Weekdays", "Weekends")
_WEEKDAYS: Final = 5
_FILE: Final = "days.npz"
_COMPARED: Final = ("made", "others")


@dataclass(frozen=True, eq=False)
class Whereabouts:
    """Where people are and between which zones they move, on weekdays and on weekends.

    Attributes:
        hours: (2, 24, cells) shares of the time on the map; each hour of each kind sums to one, or
            to nothing where nobody is there.
        flows: (2, zones², zones²) shares of moves from each zone to each.
    """

    hours: FloatArray
    flows: FloatArray

    @classmethod
    def of(cls, days: Days, where: Geography) -> Whereabouts:
        """Return those of some days."""
        seen = [Seen(_take_days(days, days.weekend == weekend), where) for weekend in (False, True)]
        return cls(
            np.stack([_by_hour(counts.places_by_time(each).whole, where) for each in seen]),
            np.stack([_shares(counts.count_flows(each).whole.reshape(2 * (where.zones**2,)))
                      for each in seen]),
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class DaysFigures:
    """What is looked at of a run. Internal: all of it was counted without noise.

    Attributes:
        real: where the people are that were counted.
        made, others: how far made people, and as many other real ones, are from people who were
            not counted, on weekdays; see `compared`. Empty where there were too few.
        truly: whether nothing was made from those that were compared with.
    """

    real: Whereabouts
    made: Mapping[str, float]
    others: Mapping[str, float]
    truly: bool

    def save(self, folder: Path) -> None:
        """Write days.npz into a folder.

        Raises:
            OSError: it cannot be written.
        """
        make_private(folder)
        arrays: dict[str, AnyArray] = {
            "hours": self.real.hours,
            "flows": self.real.flows,
            "names": np.array(list(self.made), dtype=np.str_),
            "truly": np.array(self.truly),
        }
        for name in _COMPARED:
            arrays[name] = np.array(list(getattr(self, name).values()), dtype=np.float64)
        write_internal_arrays(folder / _FILE, arrays)

    @classmethod
    def load(cls, folder: Path) -> DaysFigures | None:
        """Read what `save` wrote; None where there is nothing.

        Raises:
            OSError, ValueError, KeyError: it cannot be read.
        """
        if not (folder / _FILE).exists():
            return None
        with np.load(folder / _FILE, allow_pickle=False) as arrays:
            names = arrays["names"].tolist()
            made, others = (
                dict(zip(names, arrays[name].tolist(), strict=True)) for name in _COMPARED
            )
            real = Whereabouts(arrays["hours"], arrays["flows"])
            return cls(real, made, others, bool(arrays["truly"]))


def figures(
    days: Days,
    apart: BoolArray,
    made: Days,
    where: Geography,
    source: RandomSource,
) -> DaysFigures:
    """Return what is looked at of a run.

    Args:
        days: all real days. Confidential.
        apart: (people,) who was held out. Where those are too few, a random half of the others
            stands for them.
        made: days of people who were made.
        where: the map.
        source: who is compared with whom; nothing of it is released.
    """
    counted, held = np.flatnonzero(~apart), np.flatnonzero(apart)
    real = Whereabouts.of(_of_people(days, counted), where)
    truly = len(held) >= FEWEST
    if not truly:
        counted, held = np.array_split(_shuffle_people(counted, source), 2)
    people = min(len(counted), made.people)
    if min(people, len(held)) < FEWEST:
        return DaysFigures(real, {}, {}, truly)
    others = _weekdays(_of_people(days, _shuffle_people(counted, source)[:people]))
    some = _weekdays(_of_people(made, np.arange(people)))
    against = Seen(_weekdays(_of_people(days, held)), where)
    if not min(map(len, (others.cells, some.cells, against.days.cells))):
        return DaysFigures(real, {}, {}, truly)
    return DaysFigures(
        real,
        compare_days(Seen(some, where), against),
        compare_days(Seen(others, where), against),
        truly,
    )


def _weekdays(days: Days) -> Days:
    """Return the first few weekdays of each person, as many of each as made people have at most."""
    found = _take_days(days, ~days.weekend)
    first = np.searchsorted(found.person, found.person)
    return _take_days(found, np.arange(len(found.person)) - first < _WEEKDAYS)


def _shuffle_people(people: IntArray, source: RandomSource) -> IntArray:
    found: IntArray = people[np.argsort(source.uniforms(len(people)), kind="stable")]
    return found


def _of_people(days: Days, people: IntArray) -> Days:
    return _take_days(days, np.isin(days.person, people))


def _take_days(days: Days, which: BoolArray) -> Days:
    """Return some of the days, people numbered anew."""
    _, person = np.unique(days.person[which], return_inverse=True)
    return Days(days.cells[which], days.weekend[which], person.astype(np.int64))


def _by_hour(places: FloatArray, where: Geography) -> FloatArray:
    """Return (24, cells) shares of each hour, from counts of cells by slot."""
    counts = places.reshape(where.cells, HOURS, SLOTS // HOURS).sum(axis=2).T
    found: FloatArray = counts / np.maximum(1, counts.sum(axis=1, keepdims=True))
    return found


def _shares(counts: FloatArray) -> FloatArray:
    found: FloatArray = counts / max(1.0, float(counts.sum()))
    return found


def place_names(plan: TracesPlan, schema: Schema) -> tuple[str, ...]:
    """Return (cells + 1,) what each place of made days is called; the last is off the map."""
    found = label_places(plan, schema, plan.gathered)
    return (*found.values[: plan.where.cells], OUTSIDE)
