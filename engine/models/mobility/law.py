"""The law that made days follow: everything in it comes from noisy tables and the public map."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from engine.models.mobility.fitting import (
    Floats,
    map_shares,
    pooled,
    shares,
    smoothed,
    towards,
)
from engine.models.mobility.geography import BINS, Geography, Places
from engine.models.mobility.tables import (
    CONTEXTS,
    DURATIONS,
    DURING,
    HOURS,
    LENGTHS,
    PERIODS,
    SORTS,
    UNITS,
)
from engine.table.positions.slots import SLOTS

_ROUNDS = 30
_LEAST = 1e-15


@dataclass(frozen=True, eq=False)
class Law:
    """How made people live. All of it may be published.

    Attributes:
        where: the map.
        home: (cells,) shares of homes.
        works: the share of people who have a place of work.
        work: (cells, cells) of each home, the shares of places of work.
        other: (cells,) how much each cell draws people who go elsewhere.
        from_last, from_home: (bins,) how much a distance does.
        patterns: (contexts, patterns + 1) shares; the last is of those that are not listed.
        departures: (contexts, 72) shares of the slot in which the second stay begins.
        durations: (sorts, periods, 72) shares of durations in slots, from 0.
        follows: (sorts, hours, sorts) shares of what sort of stay follows at an hour.
        returns: the share of stays elsewhere, from the second day on, where one was before.
    """

    where: Geography
    home: Floats
    works: float
    work: Floats
    other: Floats
    from_last: Floats
    from_home: Floats
    patterns: Floats
    departures: Floats
    durations: Floats
    follows: Floats
    returns: float

    def drawn_to(self, last: Places, home: Places) -> Floats:
        """(n, cells) how much each cell draws somebody from where they were last, who lives
        there; nothing draws them to stay, or home."""
        where, lines = self.where, np.arange(len(last))
        pull: Floats = (
            self.other * self.from_last[where.bin[last]] * self.from_home[where.bin[home]]
        )
        # Where noise left nothing, every other place will do.
        pull = np.maximum(pull, _LEAST)
        pull[lines, last] = 0
        pull[lines, home] = 0
        return pull


def fitted(noisy: Mapping[str, Places], sigma: Mapping[str, float], where: Geography) -> Law:
    """The law of noisy tables.

    Args:
        noisy: each table of `layout`, in units, with noise.
        sigma: the deviation of the noise on each, in people.
        where: the map.
    """
    counts = {name: each / UNITS for name, each in noisy.items()}

    def on_map(what: str) -> Floats:
        names = f"{what} cells", f"{what} zones"
        return map_shares(
            counts[names[0]], counts[names[1]], where.zone, (sigma[names[0]], sigma[names[1]])
        )

    commute = shares(counts["commute"])
    home = on_map("home")
    departures, durations, follows = _times(counts["times"], sigma["times"])
    returned, new = np.maximum(counts["returns"], 0) + 1e-9
    found = Law(
        where=where,
        home=home,
        works=float(1 - commute[BINS]),
        work=_commuting(home, on_map("work"), commute[:BINS], where),
        other=on_map("other"),
        from_last=np.ones(BINS),
        from_home=np.ones(BINS),
        patterns=pooled(counts["patterns"].reshape(CONTEXTS, -1), sigma["patterns"]),
        departures=departures,
        durations=durations,
        follows=follows,
        returns=float(returned / (returned + new)),
    )
    return _drawn(found, shares(counts["from the last place"]), shares(counts["from home"]))


def _times(counts: Floats, sigma: float) -> tuple[Floats, Floats, Floats]:
    """The shares of departures, durations and what follows, out of their one table."""
    first, second = CONTEXTS * SLOTS, DURING * PERIODS * DURATIONS
    leaving = counts[:first].reshape(CONTEXTS, SLOTS)
    kept = counts[first : first + second].reshape(DURING * PERIODS, DURATIONS)
    after = counts[first + second :].reshape(SORTS, HOURS, SORTS)
    whole = np.maximum(kept.reshape(DURING, PERIODS, DURATIONS).sum(axis=1), 0)
    wide = np.repeat(shares(whole), PERIODS, axis=0)
    target = np.maximum(kept.sum(axis=1, keepdims=True), 0) * wide
    classes = shares(towards(kept, target, sigma))
    widths = np.diff(np.r_[LENGTHS, SLOTS])
    spread = np.repeat(classes / widths, widths, axis=1)
    durations = np.concatenate([np.zeros((len(spread), 1)), spread], axis=1)
    follows = np.stack([pooled(each, sigma) for each in after])
    return (
        shares(smoothed(leaving, sigma)),
        durations[:, :SLOTS].reshape(DURING, PERIODS, SLOTS),
        follows,
    )


def _commuting(home: Floats, work: Floats, commute: Floats, where: Geography) -> Floats:
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


def _drawn(law: Law, from_last: Floats, from_home: Floats) -> Law:
    """The law with a pull of cells and distances by which those elsewhere come out, for people who
    set out from home, from work and from elsewhere in turn."""
    random = np.random.default_rng(0)
    wanted, bins = law.other, law.where.bin
    homes = random.choice(len(law.home), 1500, p=law.home)
    works = np.array([random.choice(len(law.home), p=law.work[each]) for each in homes])
    for turn in range(_ROUNDS):
        if turn % 10 == 0:
            pull = law.drawn_to(homes, homes)
            pull /= np.maximum(pull.sum(axis=1, keepdims=True), _LEAST)
            last = np.array([random.choice(len(row), p=row) for row in pull])
            origin = random.random(len(homes))
            last = np.where(origin < 0.55, homes, np.where(origin < 0.8, works, last))
        pull = law.drawn_to(last, homes)
        pull /= np.maximum(pull.sum(axis=1, keepdims=True), 1e-300)
        cells = pull.mean(axis=0)
        lasts = np.bincount(bins[last].ravel(), weights=pull.ravel(), minlength=BINS)
        ours = np.bincount(bins[homes].ravel(), weights=pull.ravel(), minlength=BINS)
        law = replace(
            law,
            other=law.other * np.sqrt(wanted / np.maximum(cells, 1e-12)),
            from_last=law.from_last * np.sqrt(from_last / np.maximum(lasts / len(homes), 1e-6)),
            from_home=law.from_home * np.sqrt(from_home / np.maximum(ours / len(homes), 1e-6)),
        )
    return law
