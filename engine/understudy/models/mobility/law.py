"""The law of synthetic days: everything in it comes from noisy tables and the public map.

**Maps.** Noisy counts of a map's cells, and of its zones, become shares of its cells. Zones come
first, then the cells within each. The expected count of a cell is read off the cells around it,
never off the cell itself; how far cells differ from that is read off the whole map; Bayes' rule,
for a count that cannot be negative, then weighs the noisy count.

**Attraction.** Where people go who are neither at home nor at work depends on how much cells and
distances draw them.

Nothing here reads anybody's days.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from understudy.core.arrays import FloatArray, IntArray
from understudy.models.mobility.geography import BINS, Geography
from understudy.models.mobility.shrinkage import (
    around,
    by_bayes,
    pool_shares,
    shares,
    smooth_counts,
)
from understudy.models.mobility.stays import OTHER_PATTERN
from understudy.models.mobility.tables import (
    BACK_TO_WORK,
    CONTEXTS,
    DURATIONS,
    FROM_ELSEWHERE,
    FROM_HOME,
    FROM_WORK,
    HOURS,
    LENGTHS,
    OUTINGS,
    PERIODS,
    SORTS,
    STATES,
    UNITS,
)
from understudy.models.mobility.timing import Timing, ahead, fit_timing
from understudy.table.positions.slots import SLOTS

_WIDTHS: Final = (1.0, 2.0, 4.0)
"""In cells: how far around a cell those lie that tell of it."""
_LEAST_MEAN: Final = 1e-3


def map_shares(
    cells: FloatArray, zones: FloatArray, where: Geography, deviations: tuple[float, float]
) -> FloatArray:
    """Return (cells,) shares of a map, from counts of its cells and, apart from those, of its
    zones.

    Args:
        cells, zones: noisy counts.
        where: the map.
        deviations: of the noise on a cell, and on a zone.
    """
    zone = where.zone
    total = _zones(cells, zones, zone, deviations)
    likely = _within(_expected_counts(cells, where), zone, total)
    found = by_bayes(cells, likely, deviations[0])
    return shares(_within(found, zone, total))


def _zones(
    cells: FloatArray, zones: FloatArray, zone: IntArray, deviations: tuple[float, float]
) -> FloatArray:
    """Return (zones,) what each holds: both counts of it weighed by their noise, and shrunk towards
    what all zones hold on average."""
    sizes = np.bincount(zone, minlength=len(zones))
    there = sizes > 0
    by_cells, by_zone = sizes[there] * deviations[0] ** 2, deviations[1] ** 2
    summed = np.bincount(zone, weights=cells, minlength=len(zones))[there]
    counted = (summed * by_zone + zones[there] * by_cells) / (by_zone + by_cells)
    noise = by_cells * by_zone / (by_cells + by_zone)
    even = np.full(len(counted), max(float(counted.mean()), _LEAST_MEAN))
    found = np.zeros(len(zones))
    found[there] = by_bayes(counted, even, float(np.sqrt(noise.mean())))
    return found


def _within(cells: FloatArray, zone: IntArray, total: FloatArray) -> FloatArray:
    """Return (cells,) scaled so that each zone holds its total."""
    held = np.bincount(zone, weights=cells, minlength=len(total))
    found: FloatArray = cells * (total / np.maximum(held, 1e-12))[zone]
    return found


def _expected_counts(cells: FloatArray, where: Geography) -> FloatArray:
    """Return (cells,) what each holds to judge by those around it."""
    side = float(np.sqrt(where.cell_km[0] * where.cell_km[1]))
    return around(cells, where.apart / side, _WIDTHS)


_ROUNDS_OF_DRAWS: Final = 16
_PEOPLE: Final = 600
_LEAST: Final = 1e-15
_RARE: Final = 1e-5
_GOLDEN: Final = (5**0.5 - 1) / 2
_SILVER: Final = 2**0.5 - 1


@dataclass(frozen=True, eq=False)
class Attraction:
    """How much each cell draws people, in proportion.

    Attributes:
        where: the map.
        cells: (cells,) how much each does.
        from_last: (outings, bins) how much a distance from where one was last does, by how one
            comes to be elsewhere.
        from_home: (bins,) how much a distance from home does, for who does not come from there.
    """

    where: Geography
    cells: FloatArray
    from_last: FloatArray
    from_home: FloatArray

    def pull(self, last: IntArray, home: IntArray, how: IntArray) -> FloatArray:
        """Return (n, cells) how much each cell draws somebody from where they were last; nothing
        draws them to stay, or home.

        Args:
            last, home: (n,) cells.
            how: (n,) how they come to be elsewhere; see `outing`.
        """
        lines, bins = np.arange(len(last)), self.where.bin
        # Of who comes from home, the distance from the last place is that from home.
        of_home = np.vstack([self.from_home, np.ones(BINS)])
        found = np.take(self.from_last, bins[last] + BINS * how[:, None])
        found *= np.take(of_home, bins[home] + BINS * (how == FROM_HOME)[:, None])
        found *= self.cells
        # Where noise left nothing, every other place will do.
        found = np.maximum(found, _LEAST)
        found[lines, last] = 0
        found[lines, home] = 0
        return found


@dataclass(frozen=True, eq=False)
class WantedLaw:
    """What is to come out.

    Attributes:
        cells: (cells,) shares of stays elsewhere.
        outings: (outings, bins) how many there are of each kind, by the distance from the last
            place.
        from_home: (bins,) shares of the distance from home, of those who do not come from there.
    """

    cells: FloatArray
    outings: FloatArray
    from_home: FloatArray


@dataclass(frozen=True, eq=False)
class _People:
    """Some who set out, in all of the ways that there are.

    Attributes:
        home, last: (n,) cells.
        how: (n,) how they come to be elsewhere.
        weight: (n,) how many they stand for.
    """

    home: IntArray
    last: IntArray
    how: IntArray
    weight: FloatArray


def attraction(
    wanted: WantedLaw, home: FloatArray, work: FloatArray, where: Geography
) -> Attraction:
    """Return the pulls by which cells and distances come out as wanted; iterative proportional
    fitting.

    Args:
        wanted: the noisy counts, as shares.
        home: (cells,) shares of homes.
        work: (cells, cells) of each home, the shares of places of work.
        where: the map.
    """
    found = Attraction(where, wanted.cells, np.ones((OUTINGS, BINS)), np.ones(BINS))
    people = _setting_out(found, wanted, home, work)
    for turn in range(_ROUNDS_OF_DRAWS):
        if turn == _ROUNDS_OF_DRAWS // 2:
            people = _setting_out(found, wanted, home, work)
        found = _closer(found, wanted, people)
    return found


def _setting_out(now: Attraction, wanted: WantedLaw, home: FloatArray, work: FloatArray) -> _People:
    """Return people in all of the ways to set out, as many in each as are wanted.

    Who comes from home is there with every home; the others stand for many, spread evenly.
    """
    many = wanted.outings.sum(axis=1)
    number = np.arange(_PEOPLE)
    spread: FloatArray = (number + 0.5) / _PEOPLE
    homes = _at(np.broadcast_to(home, (_PEOPLE, len(home))), spread)
    works = _at(work[homes], np.mod(number * _GOLDEN, 1.0))
    at_home = np.arange(_PEOPLE) % 2 == 0
    before = np.where(at_home, homes, works)
    out = now.pull(before, homes, np.where(at_home, FROM_HOME, FROM_WORK))
    elsewhere = _at(out, np.mod(number * _SILVER, 1.0))
    cells, each = np.arange(len(home)), np.full(_PEOPLE, 1 / _PEOPLE)
    kinds = (
        (FROM_HOME, cells, cells, home),
        (BACK_TO_WORK, homes, works, each),
        (FROM_WORK, homes, works, each),
        (FROM_ELSEWHERE, homes, elsewhere, each),
    )
    return _People(
        np.concatenate([homes for _, homes, _, _ in kinds]),
        np.concatenate([lasts for _, _, lasts, _ in kinds]),
        np.concatenate([np.full(len(lasts), how) for how, _, lasts, _ in kinds]),
        np.concatenate([many[how] * weight for how, _, _, weight in kinds]),
    )


def _at(weights: FloatArray, levels: FloatArray) -> IntArray:
    """Return (n,) of each row, the cell at a level of its summed weights."""
    sums = np.cumsum(weights, axis=1)
    found: IntArray = (sums <= levels[:, None] * sums[:, -1:]).sum(axis=1)
    last: IntArray = np.minimum(found, weights.shape[1] - 1)
    return last


def _closer(now: Attraction, wanted: WantedLaw, people: _People) -> Attraction:
    """Return pulls by which what comes out is closer to what is wanted."""
    bins = now.where.bin
    pull = now.pull(people.last, people.home, people.how)
    pull *= (people.weight / np.maximum(pull.sum(axis=1), 1e-300))[:, None]
    lasts = np.bincount(
        (people.how[:, None] * BINS + bins[people.last]).ravel(), pull.ravel(), OUTINGS * BINS
    ).astype(np.float64)
    away = people.how != FROM_HOME
    homes = np.bincount(bins[people.home[away]].ravel(), pull[away].ravel(), BINS).astype(
        np.float64
    )
    return replace(
        now,
        cells=now.cells * _ratio(wanted.cells, pull.sum(axis=0)),
        from_last=now.from_last * _ratio(wanted.outings, lasts.reshape(OUTINGS, BINS)),
        from_home=now.from_home * _ratio(wanted.from_home, homes),
    )


def _ratio(wanted: FloatArray, now: FloatArray) -> FloatArray:
    """Return by how much to change pulls for shares to come out; half the way, as all change at
    once."""
    one, other = (
        each / np.maximum(each.sum(axis=-1, keepdims=True), 1e-12) for each in (wanted, now)
    )
    found: FloatArray = np.sqrt((one + _RARE) / (other + _RARE))
    return found


_ROUNDS: Final = 30
_CLASSES: Final = (1.0, 2.0, 4.0)
"""How far classes of durations tell of one another."""


@dataclass(frozen=True, eq=False)
class Law:
    """How made people live. All of it may be published.

    Attributes:
        where: the map.
        home: (cells,) shares of homes.
        works: the share of people who have a place of work.
        work: (cells, cells) of each home, the shares of places of work.
        other: where people go elsewhere.
        patterns: (contexts, patterns + 1) shares; the last is of those that are not listed.
        times: when stays begin.
        ahead: (moves + 1, 72) what is to come of days that have a listed pattern; see `ahead`.
        follows: (states, sorts) shares of what sort of stay follows each.
        returns: the share of stays elsewhere, from the second day on, where one was before.
    """

    where: Geography
    home: FloatArray
    works: float
    work: FloatArray
    other: Attraction
    patterns: FloatArray
    times: Timing
    ahead: FloatArray
    follows: FloatArray
    returns: float


def fit_law(noisy: Mapping[str, IntArray], sigma: Mapping[str, float], where: Geography) -> Law:
    """Return the law of noisy tables.

    Args:
        noisy: each table of `layout`, in units, with noise.
        sigma: the deviation of the noise on each, in people.
        where: the map.
    """
    counts = {name: each / UNITS for name, each in noisy.items()}

    def on_map(what: str) -> FloatArray:
        names = f"{what} cells", f"{what} zones"
        return map_shares(
            counts[names[0]], counts[names[1]], where, (sigma[names[0]], sigma[names[1]])
        )

    commute = shares(counts["commute"])
    home = on_map("home")
    work = _commuting(home, on_map("work"), commute[:BINS], where)
    outings = counts["from the last place"].reshape(OUTINGS, BINS)
    wanted = WantedLaw(
        on_map("other"),
        np.maximum(outings.sum(axis=1, keepdims=True), 0)
        * pool_shares(outings, sigma["from the last place"]),
        shares(counts["from home"]),
    )
    patterns = counts["patterns"].reshape(CONTEXTS, -1)
    times, follows = _times(counts["times"], sigma["times"], patterns)
    returned, new = np.maximum(counts["returns"], 0) + 1e-9
    return Law(
        where=where,
        home=home,
        works=float(1 - commute[BINS]),
        work=work,
        other=attraction(wanted, home, work, where),
        patterns=pool_shares(patterns, sigma["patterns"]),
        times=times,
        ahead=ahead(times),
        follows=follows,
        returns=float(returned / (returned + new)),
    )


def _times(counts: FloatArray, sigma: float, patterns: FloatArray) -> tuple[Timing, FloatArray]:
    """Return when stays begin, and what sort follows, out of their one table."""
    first, second = CONTEXTS * SLOTS, STATES * PERIODS * DURATIONS
    leaving = counts[:first].reshape(CONTEXTS, SLOTS)
    kept = counts[first : first + second].reshape(STATES * PERIODS, DURATIONS)
    after = counts[first + second :].reshape(STATES, HOURS, SORTS)
    durations = _durations(kept.reshape(STATES, PERIODS, DURATIONS), sigma)
    start = Timing(
        shares(smooth_counts(leaving, sigma)),
        durations,
        np.ones((STATES, SORTS, HOURS)),
    )
    days = np.maximum(patterns.sum(axis=1, keepdims=True), 1e-9)
    listed = days * pool_shares(patterns, sigma)[:, :OTHER_PATTERN]
    hours = after.transpose(0, 2, 1)
    return fit_timing(start, listed, hours, sigma), shares(np.maximum(after.sum(axis=1), 0))


def _durations(kept: FloatArray, sigma: float) -> FloatArray:
    """Return (states, periods, 72) shares of durations in slots: those of a state and period to
    judge by all of that state, and these by the durations next to each."""
    number = np.arange(DURATIONS, dtype=np.float64)
    apart = np.abs(number[:, None] - number)
    found = np.empty_like(kept)
    for each, rows in enumerate(kept):
        summed = rows.sum(axis=0)
        likely = around(summed, apart, _CLASSES)
        whole = by_bayes(summed, likely, sigma * np.sqrt(PERIODS))
        whole /= whole.sum()
        for at, row in enumerate(rows):
            found[each, at] = by_bayes(row, max(1.0, row.sum()) * whole, sigma)
    found /= found.sum(axis=-1, keepdims=True)
    widths = np.diff(np.r_[LENGTHS, SLOTS])
    spread = np.repeat(found / widths, widths, axis=-1)
    return np.concatenate([np.zeros((STATES, PERIODS, 1)), spread], axis=-1)


def _commuting(
    home: FloatArray, work: FloatArray, commute: FloatArray, where: Geography
) -> FloatArray:
    """Return (cells, cells) of each home the shares of places of work, so that both maps and the
    distances between come out; by iterative proportional fitting."""
    found = np.outer(home, work) + 1e-12 / home.size**2
    np.fill_diagonal(found, 0)
    wanted = commute / max(commute.sum(), 1e-12)
    for _ in range(_ROUNDS):
        now = np.bincount(where.bin.ravel(), weights=found.ravel(), minlength=BINS)
        found *= (wanted / np.maximum(now, 1e-12))[where.bin]
        found *= work / np.maximum(found.sum(axis=0), 1e-300)
        found *= (home / np.maximum(found.sum(axis=1), 1e-300))[:, None]
    lines = found.sum(axis=1, keepdims=True)
    return np.where(lines > 0, found / np.where(lines > 0, lines, 1), work)
