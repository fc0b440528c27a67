"""The law that made days follow: everything in it comes from noisy tables and the public map."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from understudy.core.arrays import FloatArray, IntArray
from understudy.models.mobility.attraction import Attraction, Wanted, attraction
from understudy.models.mobility.fitting import around, by_bayes, pooled, shares, smoothed
from understudy.models.mobility.geography import BINS, Geography
from understudy.models.mobility.maps import map_shares
from understudy.models.mobility.patterns import OTHER_PATTERN
from understudy.models.mobility.tables import (
    CONTEXTS,
    DURATIONS,
    HOURS,
    LENGTHS,
    OUTINGS,
    PERIODS,
    SORTS,
    STATES,
    UNITS,
)
from understudy.models.mobility.timing import Timing, ahead, timed
from understudy.table.positions.slots import SLOTS

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
    wanted = Wanted(
        on_map("other"),
        np.maximum(outings.sum(axis=1, keepdims=True), 0)
        * pooled(outings, sigma["from the last place"]),
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
        patterns=pooled(patterns, sigma["patterns"]),
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
        shares(smoothed(leaving, sigma)),
        durations,
        np.ones((STATES, SORTS, HOURS)),
    )
    days = np.maximum(patterns.sum(axis=1, keepdims=True), 1e-9)
    listed = days * pooled(patterns, sigma)[:, :OTHER_PATTERN]
    hours = after.transpose(0, 2, 1)
    return timed(start, listed, hours, sigma), shares(np.maximum(after.sum(axis=1), 0))


def _durations(kept: FloatArray, sigma: float) -> FloatArray:
    """(states, periods, 72) shares of durations in slots: those of a state and period to judge by
    all of that state, and these by the durations next to each."""
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
    """(cells, cells) of each home the shares of places of work, so that both maps and the distances
    between come out; by iterative proportional fitting."""
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
