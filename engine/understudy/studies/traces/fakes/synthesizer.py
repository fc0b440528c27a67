"""The published synthesizer of fake traces, what it learns, and the other fakes that it is compared
with.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.csv
from pydantic import Field

from understudy.core.arrays import BoolArray, FloatArray, IntArray
from understudy.core.refusal import Refusal
from understudy.core.validation import Frozen
from understudy.mechanisms.traces.charts.fakes import NO_GUARANTEE
from understudy.models.mobility.geography import Geography
from understudy.models.mobility.stays import Days
from understudy.privacy.randomness import RandomSource
from understudy.studies.traces.fakes.profiles import (
    CLASSES,
    NO_CLASS,
    Aggregate,
    Profile,
    aggregate,
    locations_of,
    profiles,
    semantic_classes,
    semantic_graph,
)
from understudy.table.positions.slots import SLOTS


class FakeSettings(Frozen, what="the settings of the published synthesizer"):
    """What is left to chance.

    Attributes:
        leave_out: p_c, the chance with which a location is left out of its class, for a trace.
        hide: p_l, the chance with which the true location is left out of a slot.
        carry: p_m, to the power of a distance the chance with which a location is carried so far
            or farther over a change of class.
        spread: p_v, the most by which the chance of a transition is multiplied.
    """

    leave_out: float = Field(default=0.25, ge=0, le=1)
    hide: float = Field(default=1.0, ge=0, le=1)
    carry: float = Field(default=0.75, ge=0, lt=1)
    spread: float = Field(default=4.0, ge=1, le=1000)


USUAL: Final = FakeSettings()
"""As published."""


def fake(
    seed: IntArray, known: Aggregate, classes: IntArray, how: FakeSettings, source: RandomSource
) -> IntArray:
    """Return (slots,) a trace made from a real one.

    Args:
        seed: (slots,) the locations of the real one.
        known: how people move together.
        classes: (locations,) the class of each location.
        how: what is left to chance.
        source: where chance comes from.
    """
    return likeliest(allow_locations(seed, classes, how, source), known, how.spread, source)


def allow_locations(
    seed: IntArray, classes: IntArray, how: FakeSettings, source: RandomSource
) -> BoolArray:
    """Return (slots, locations) where a fake of this trace may be in each slot. Where that would be
    nowhere it may be anywhere: restoring the true location would tell it."""
    kept = classes.copy()
    kept[source.uniforms(len(classes)) < how.leave_out] = NO_CLASS
    own = classes[seed]
    found: BoolArray = (kept == own[:, None]) & (own != NO_CLASS)[:, None]
    hidden = np.flatnonzero(source.uniforms(len(seed)) < how.hide)
    found[hidden, seed[hidden]] = False
    found |= _carry_forward(found, own, how.carry, source)
    found[~found.any(axis=1)] = True
    return found


def _carry_forward(sets: BoolArray, own: IntArray, carry: float, source: RandomSource) -> BoolArray:
    """Return (slots, locations) what is carried forward from the last slot before each change of
    class, and backward from the first one after it: each location over a distance of its own, which
    is q or more with the chance p_m^q."""
    found = np.zeros_like(sets)
    slots = np.arange(len(own))
    for change in np.flatnonzero(own[1:] != own[:-1]):
        for at, apart in ((change, slots - change), (change + 1, change + 1 - slots)):
            carried = np.flatnonzero(sets[at])
            with np.errstate(divide="ignore"):
                reach = np.log(source.uniforms(len(carried))) // np.log(carry)
            found[:, carried] |= (apart[:, None] > 0) & (apart[:, None] <= reach)
    return found


def likeliest(sets: BoolArray, known: Aggregate, spread: float, source: RandomSource) -> IntArray:
    """Return (slots,) the likeliest way through sets of locations (Viterbi), where the chance of
    each transition is multiplied by a number between 1 and `spread`, drawn afresh for each slot and
    pair of locations.

    Args:
        sets: (slots, locations) where one may be; somewhere in each slot.
        known: how people move together.
        spread: p_v.
        source: where the numbers come from.
    """
    choices = [np.flatnonzero(each) for each in sets]
    score = known.shares[choices[0]]
    if not score.any():
        score = np.ones(len(score))
    came = []
    for here, there in pairwise(choices):
        ways: FloatArray = known.chances[here[:, None], there]
        if spread > 1:
            draws = source.uniforms(ways.size).reshape(ways.shape)
            ways *= 1 + (spread - 1) * draws
        ways *= score[:, None]
        came.append(ways.argmax(axis=0))
        score = ways.max(axis=0)
        # Any place can be reached from the best one, so nothing that could win comes to 0.
        score /= score.max()
    at = int(score.argmax())
    found = [choices[-1][at]]
    for here, before in zip(choices[-2::-1], came[::-1], strict=True):
        at = int(before[at])
        found.append(here[at])
    return np.array(found[::-1], dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Model:
    """What fakes are made by. As confidential as the days: nothing hides anybody in it.

    Attributes:
        people: the profile of each person.
        known: how they move together.
        graph: (locations, locations) how much every two locations mean the same.
        classes: (locations,) the class of each.
    """

    people: tuple[Profile, ...]
    known: Aggregate
    graph: FloatArray
    classes: IntArray


def learn_days(
    days: Days,
    where: Geography,
    source: RandomSource,
    number: int = CLASSES,
    locations: int | None = None,
) -> Model:
    """Learn the model of people's days.

    Args:
        days: of the people, in their order.
        where: the map.
        source: which pairs of people are compared, and where K-means starts.
        number: how many classes there are.
        locations: how many there are; None for those of these days.
    """
    size = locations_of(days, where) if locations is None else locations
    people = profiles(days)
    graph = semantic_graph(people, size, source)
    classes = semantic_classes(graph, number, source)
    return Model(people, aggregate(days, where, size), graph, classes)


def fakes(
    seeds: IntArray, model: Model, each: int, source: RandomSource, how: FakeSettings = USUAL
) -> IntArray:
    """Return (n, each, 72) so many fakes of each real trace (n, 72)."""
    made = [
        [fake(seed, model.known, model.classes, how, source) for _ in range(each)] for seed in seeds
    ]
    return np.array(made, dtype=np.int64).reshape(len(seeds), each, seeds.shape[1])


def uniform(traces: int, locations: int, source: RandomSource) -> IntArray:
    """Return (traces, 72) any location in each slot, alike."""
    return source.below(locations, traces * SLOTS).reshape(traces, SLOTS)


def by_popularity(traces: int, known: Aggregate, source: RandomSource) -> IntArray:
    """Return (traces, 72) a location by π̄ in each slot, whatever the one before."""
    return _draw_by_shares(known.shares, source.uniforms(traces * SLOTS)).reshape(traces, SLOTS)


def walks(traces: int, known: Aggregate, source: RandomSource) -> IntArray:
    """Return (traces, 72) walks that begin by π̄ and go on by p̄."""
    sums = np.cumsum(known.chances, axis=1)
    found = np.empty((traces, SLOTS), dtype=np.int64)
    found[:, 0] = _draw_by_shares(known.shares, source.uniforms(traces))
    for slot in range(1, SLOTS):
        rows = sums[found[:, slot - 1]]
        level = source.uniforms(traces)[:, None] * rows[:, -1:]
        found[:, slot] = (rows <= level).sum(axis=1)
    return found


def own_walks(traces: int, day: IntArray, source: RandomSource) -> IntArray:
    """Return (traces, 72) walks by one person's own profile: π and p of their day, (72,); from
    where they never went on, by π."""
    places, at = np.unique(day, return_inverse=True)
    shares = np.bincount(at, minlength=len(places)) / len(day)
    counts = np.zeros((len(places), len(places)))
    np.add.at(counts, (at[:-1], at[1:]), 1)
    total = counts.sum(axis=1, keepdims=True)
    chances = np.where(total > 0, counts / np.where(total > 0, total, 1), shares)
    return places[walks(traces, Aggregate(shares, chances), source)]


def others(days: IntArray, each: int, source: RandomSource) -> IntArray:
    """Return (n, each, 72) of each of n people, so many days of others among them, (n, 72)."""
    people = len(days)
    keys = source.uniforms(people * people).reshape(people, people)
    np.fill_diagonal(keys, 2)
    return days[np.argsort(keys, axis=1)[:, :each]]


def _draw_by_shares(shares: FloatArray, level: FloatArray) -> IntArray:
    sums = np.cumsum(shares)
    found: IntArray = np.searchsorted(sums, level * sums[-1], side="right")
    return found


_FEWEST: Final = 2
MARK: Final = "no_guarantee"
"""The column that says of each row what it is."""


class WantedFakes(Frozen, what="what is asked for"):
    """How fakes are made.

    Attributes:
        each: how many of each seed.
        classes: how many semantic classes there are.
        apart: whether half of the people, by coin, are learned from and the others are seeds. As
            published, all are both.
        how: what is left to chance.
    """

    each: int = Field(default=1, ge=1, le=1000)
    classes: int = Field(default=CLASSES, ge=1, le=1000)
    apart: bool = False
    how: FakeSettings = USUAL


@dataclass(frozen=True, eq=False)
class Faked:
    """Fakes, and whose days they are from.

    Attributes:
        traces: (fakes, 72) locations, in an order by chance.
        learned_from, seeds: how many people the model is of, and how many were seeds.
    """

    traces: IntArray
    learned_from: int
    seeds: int


def make_fakes(days: Days, where: Geography, wanted: WantedFakes, source: RandomSource) -> Faked:
    """Return fakes of a day of each seed, which a coin picks among theirs.

    Args:
        days: of people who are simulated or public.
        where: the map.
        wanted: how.
        source: where chance comes from.

    Raises:
        Refusal: there are too few people to learn from or to be seeds.
    """
    coins = source.uniforms(days.people)
    learns = coins < 0.5 if wanted.apart else np.ones(days.people, dtype=bool)
    seeds = ~learns if wanted.apart else learns
    if learns.sum() < _FEWEST or not seeds.any():
        raise Refusal(
            "There are too few people to learn from what places mean to several of them.",
            "Take a table of more people"
            + (", or let all of them be learned from." if wanted.apart else "."),
            field="apart" if wanted.apart else None,
        )
    model = learn_days(
        _of(days, learns), where, source, wanted.classes, locations=locations_of(days, where)
    )
    first = np.searchsorted(days.person, np.arange(days.people))
    picked = first + (source.uniforms(days.people) * days.per_person).astype(np.int64)
    made = fakes(days.cells[picked[seeds]], model, wanted.each, source, wanted.how)
    traces = made.reshape(-1, SLOTS)
    order = np.argsort(source.uniforms(len(traces)))
    return Faked(traces[order], int(learns.sum()), int(seeds.sum()))


def _of(days: Days, people: np.ndarray) -> Days:
    """Return the days of some people, numbered anew."""
    kept = people[days.person]
    number = np.cumsum(people) - 1
    return Days(days.cells[kept], days.weekend[kept], number[days.person[kept]])


def write(found: Faked, places: tuple[str, ...], destination: Path) -> None:
    """Write a row for each arrival as CSV, every one marked; all of them or no file.

    Args:
        found: the fakes.
        places: the name of each location.
        destination: the file.

    Raises:
        OSError: it cannot be written.
    """
    begins = np.ones(found.traces.shape, dtype=bool)
    begins[:, 1:] = found.traces[:, 1:] != found.traces[:, :-1]
    trace, slot = np.nonzero(begins)
    names = np.array(places, dtype=object)
    rows = pa.table(
        {
            "trace": trace + 1,
            "slot": slot,
            "place": names[found.traces[trace, slot]],
            MARK: pa.array([NO_GUARANTEE] * len(trace)),
        }
    )
    unfinished = destination.with_name(destination.name + ".part")
    try:
        pa.csv.write_csv(rows, unfinished)
        unfinished.replace(destination)
    finally:
        unfinished.unlink(missing_ok=True)
