"""Simulated hospital discharges of 42 flags. Nobody in this table exists.

The flags are those of a published evaluation of latent models (Bindschaedler 2018, chapter 9, on
the discharges of 2013 of the Healthcare Cost and Utilization Project, which are sold under an
agreement): what happened in a stay, and which tumours the patient has. A stay is of one of 14
kinds, and has to do with alcohol or not; given both, the flags are independent. So the law of the
table is known, and small. Whether a stay has to do with alcohol is no flag of the table: it marks
a sub-population, as published.

The probabilities are invented; see `discharge_tables`. The heads “births” and “planned” of the
published Table 9.4 are read as exchanged: as printed, a tenth of stays that have to do with
alcohol would be births, and 2 of 10,000 planned.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np

from understudy.core.arrays import BoolArray, CodeArray, FloatArray, IntArray
from understudy.samples import FILES
from understudy.samples import discharge_tables as tables
from understudy.samples.conditional import factors
from understudy.samples.pieces import pieces, write_pieces
from understudy.table.schema import Schema

SCHEMA: Final = FILES / "discharges.schema.json"
SHIPPED_SEED: Final = 2013
MARKED_SCHEMA: Final = FILES / "discharges-marked.schema.json"
"""With a last column ALCOHOL, the mark of the sub-population."""


@dataclass(frozen=True, eq=False)
class Law:
    """A mixture of kinds of stays, within each of which flags are independent.

    Attributes:
        shares: (kinds,) which add up to 1.
        chances: (kinds, flags) the chance of each flag in each.
    """

    shares: FloatArray
    chances: FloatArray

    def probability(self, flags: BoolArray) -> FloatArray:
        """(n,) the probability of each of (n, flags) records."""
        with np.errstate(divide="ignore"):
            up, down = np.log(self.chances), np.log1p(-self.chances)
        impossible = (flags @ np.isneginf(up).T) | (~flags @ np.isneginf(down).T)
        up, down = (np.where(np.isneginf(each), 0.0, each) for each in (up, down))
        exponent = flags.astype(np.float64) @ (up - down).T + down.sum(axis=1)
        found: FloatArray = np.where(impossible, 0.0, np.exp(exponent)) @ self.shares
        return found

    def ones(self) -> FloatArray:
        """(flags,) the probability of each flag."""
        found: FloatArray = self.shares @ self.chances
        return found

    def pairs(self) -> FloatArray:
        """(flags, flags) the probability of each two together; on the diagonal, of each."""
        found: FloatArray = (self.chances * self.shares[:, None]).T @ self.chances
        np.fill_diagonal(found, self.ones())
        return found

    def draw(self, random: np.random.Generator, count: int) -> tuple[BoolArray, IntArray]:
        """(count, flags) records, and the (count,) kind of each."""
        kinds = np.searchsorted(np.cumsum(self.shares)[:-1], random.random(count), side="right")
        chances = self.chances.astype(np.float32)[kinds]
        return random.random(chances.shape, dtype=np.float32) < chances, kinds


@cache
def law(*, alcohol: bool | None = None) -> Law:
    """Return the law of the table.

    Args:
        alcohol: whether of stays that have to do with alcohol, or of those that have not; None for
            all of them, of which the second half of the kinds are the former.
    """
    share, related, *rates = tables.STAYS.T
    plain = np.column_stack([*rates, *_tumours().T])
    women = plain[:, 0] * tables.WOMEN_BY_ALCOHOL
    drinking = plain.copy()
    drinking[:, 0] = women / (1 - plain[:, 0] + women)
    shares = np.concatenate([share * (1 - related), share * related])
    wanted = {None: slice(None), False: slice(len(share)), True: slice(len(share), None)}[alcohol]
    chosen = shares[wanted]
    return Law(chosen / chosen.sum(), np.concatenate([plain, drinking])[wanted])


def _tumours() -> FloatArray:
    """(kinds, 37) the chance of each tumour in each kind of stay."""
    found = np.stack(
        [factors(tables.TUMOURS, text, default=tables.ELSEWHERE) for text in tables.TUMOURS_BY_STAY]
    )
    found[tables.NEWBORN] = 0.0
    return found


def schema(*, marked: bool = False) -> Schema:
    """Return what each column may contain; declared public.

    Args:
        marked: with the mark of the sub-population as a last column.
    """
    return Schema.load(MARKED_SCHEMA if marked else SCHEMA)


def simulate(rows: int, seed: int) -> tuple[BoolArray, BoolArray]:
    """Simulated stays: (rows, 42) flags, and (rows,) whether each has to do with alcohol.

    More rows from the same seed begin with the fewer ones.

    Raises:
        Refusal: `rows` is not positive or `seed` is negative.
    """
    whole = np.concatenate([each.astype(bool) for each in _marked(rows, seed)])
    return whole[:, :-1], whole[:, -1]


def write(rows: int, destination: Path, seed: int = SHIPPED_SEED, *, marked: bool = False) -> None:
    """Write simulated stays to a CSV file, all of them or no file; with the mark if asked.

    Raises:
        Refusal: `rows` is not positive, `seed` is negative, or the file cannot be written.
    """
    made = _marked(rows, seed)
    columns = slice(None) if marked else slice(-1)
    write_pieces(schema(marked=marked), (each[:, columns] for each in made), destination)


def _marked(rows: int, seed: int) -> Iterator[CodeArray]:
    """Return the table with the mark as its last column, piece by piece."""
    return pieces(_stays, rows, seed)


def _stays(random: np.random.Generator, count: int) -> CodeArray:
    flags, kinds = law().draw(random, count)
    marks = kinds >= len(tables.STAYS)
    return np.column_stack([flags, marks]).astype(np.uint16)
