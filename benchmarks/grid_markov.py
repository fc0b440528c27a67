"""A plain way to make traces, to compare with: a grid, and how people go about on it.

As in AdaTrace (Gursoy and others, 2018), but with a public grid, the person as the unit, and the
hours of the day: a coarse grid of 6 by 6; in each of its cells, finer blocks where a noisy count
says that many people are; a Markov chain over the coarse cells for each quarter of the day. What a
person adds to each table is scaled to sum to one, and Laplace noise makes all tables together
ε-differentially private for a person with all days.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from understudy.models.mobility.geography import Geography
from understudy.models.mobility.shrinkage import shares
from understudy.models.mobility.stays import Days
from understudy.table.positions.slots import SLOTS

COARSE: Final = 6
_PERIODS: Final = 4
_SHARES: Final = {"density": 0.15, "blocks": 0.25, "first": 0.1, "moves": 0.5}
"""Of ε."""
_PEOPLE_A_BLOCK: Final = 10
_FINEST: Final = 4


def grid_markov(days: Days, where: Geography, epsilon: float, people: int, seed: int) -> Days:
    """A made weekday of so many people.

    Args:
        days: of the people who are counted; all on the map.
        where: the map; not coarser than the grid.
        epsilon: for a person.
        people: how many are made.
        seed: of the noise and of what is drawn.
    """
    random = np.random.default_rng(seed)
    coarse = _cut(where, COARSE)
    cells, weights = days.cells, 1 / (days.per_person[days.person] * SLOTS)

    def noisy(name: str, keys: np.ndarray, weight: np.ndarray, size: int) -> np.ndarray:
        scale = 1 / (_SHARES[name] * epsilon)
        exact = np.bincount(keys.ravel(), weight.ravel(), size)
        found: np.ndarray = exact + random.laplace(0, scale, size)
        return found

    each_slot = np.broadcast_to(weights[:, None], cells.shape)
    density = noisy("density", coarse[cells], each_slot, COARSE**2)
    block = _blocks(where, coarse, density, _SHARES["blocks"] * epsilon)
    spent = noisy("blocks", block[cells], each_slot, int(block.max()) + 1)
    within = np.maximum(spent, 0)[block] / np.bincount(block)[block]
    at = coarse[cells]
    first = shares(noisy("first", at[:, 0], weights * SLOTS, COARSE**2))
    period = np.broadcast_to(np.arange(1, SLOTS) * _PERIODS // SLOTS, at[:, 1:].shape)
    keys = (period * COARSE**2 + at[:, :-1]) * COARSE**2 + at[:, 1:]
    moves = noisy("moves", keys, each_slot[:, 1:] * (SLOTS / (SLOTS - 1)), _PERIODS * COARSE**4)
    chain = shares(moves.reshape(_PERIODS, COARSE**2, COARSE**2))
    walked = _walked(first, chain, people, random)
    return Days(_placed(walked, coarse, within, random), np.zeros(people, bool), np.arange(people))


def _cut(where: Geography, parts: int) -> np.ndarray:
    """(cells,) the cell of a grid of so many parts each way that each lies in."""
    row, column = np.divmod(np.arange(where.cells), where.columns)
    found: np.ndarray = row * parts // where.rows * parts + column * parts // where.columns
    return found


def _blocks(
    where: Geography, coarse: np.ndarray, density: np.ndarray, epsilon: float
) -> np.ndarray:
    """(cells,) the block of each: coarse cells are cut the finer, the more people are in them."""
    many = np.sqrt(np.maximum(density, 0) * epsilon / _PEOPLE_A_BLOCK)
    parts = np.clip(np.rint(many), 1, _FINEST).astype(np.int64)
    keys = np.zeros(where.cells, dtype=np.int64)
    for each in range(1, _FINEST + 1):
        of = parts[coarse] == each
        keys[of] = (coarse * where.cells + _cut(where, COARSE * each) % where.cells)[of]
    _, found = np.unique(keys, return_inverse=True)
    return found.astype(np.int64)


def _walked(
    first: np.ndarray, chain: np.ndarray, people: int, random: np.random.Generator
) -> np.ndarray:
    """(people, 72) coarse cells."""
    found = np.empty((people, SLOTS), dtype=np.int64)
    found[:, 0] = random.choice(len(first), people, p=first)
    sums = np.cumsum(chain, axis=2)
    for slot in range(1, SLOTS):
        rows = sums[slot * _PERIODS // SLOTS, found[:, slot - 1]]
        level = random.random(people)[:, None] * rows[:, -1:]
        found[:, slot] = np.minimum((rows <= level).sum(axis=1), len(first) - 1)
    return found


def _placed(
    walked: np.ndarray, coarse: np.ndarray, within: np.ndarray, random: np.random.Generator
) -> np.ndarray:
    """(people, 72) cells: one within each coarse cell, kept as long as people stay in it."""
    comes = np.ones(walked.shape, dtype=bool)
    comes[:, 1:] = walked[:, 1:] != walked[:, :-1]
    found = np.zeros_like(walked)
    for each in range(COARSE**2):
        inside = np.flatnonzero(coarse == each)
        here = comes & (walked == each)
        weights = within[inside] + 1e-9
        found[here] = random.choice(inside, int(here.sum()), p=weights / weights.sum())
    held = np.maximum.accumulate(np.where(comes, np.arange(SLOTS), 0), axis=1)
    return np.take_along_axis(found, held, axis=1)
