"""Simulated hospital discharges of 42 flags. Nobody in this table exists.

The flags are those of a published evaluation of latent models (Bindschaedler 2018, chapter 9, on
the discharges of 2013 of the Healthcare Cost and Utilization Project, which are sold under an
agreement): what happened in a stay, and which tumours the patient has. A stay is of one of 14
kinds, and has to do with alcohol or not; given both, the flags are independent. So the law of the
table is known, and small. Whether a stay has to do with alcohol is no flag of the table: it marks
a sub-population, as published.

The probabilities are invented and listed first. The heads “births” and “planned” of the
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
from understudy.samples.pieces import factors, parse_chances, pieces, write_pieces
from understudy.table.schema import Schema

# The invented weights behind the simulated discharges. Nobody in this table exists.
#
# Every number here was made up. Together they give the shares of women, deaths, planned stays and
# births that were published of the hospital discharges of Bindschaedler (2018, Table 9.4), of all
# and of those that have to do with alcohol; none was estimated from records.

TUMOURS: Final = tuple(f"CAT{number}" for number in range(11, 48))
"""Their groups, the last flags of the table."""

# What stays are made of: how common each kind is, which share of it has to do with alcohol, and
# the chance of each flag. Given the kind, and alcohol, flags are independent.
STAYS = parse_chances("""
                     share  alcohol  female    died  elective  birth  operated
    newborn          .1007   .00012     .49    .004      .255      1      .002
    childbirth        .066     .004       1   .0002       .38      0       .06
    caesarean         .034     .002       1   .0002       .50      0       .97
    planned-surgery  .0577    .0227     .55    .004      .985      0       .93
    planned-stay     .0310     .036     .54     .02       .97      0       .06
    urgent-surgery    .108     .058     .50    .022       .03      0       .96
    emergency        .4956     .077    .577   .0215       .03      0       .03
    fibroids          .012     .008       1   .0002       .85      0       .96
    tumour-surgery    .018     .035     .50    .006       .88      0       .95
    advanced-tumour   .026     .010     .50     .10       .33      0       .03
    chemotherapy      .007     .006     .48    .012       .80      0       .03
    blood             .019     .008     .45    .055       .17      0       .05
    urology           .015      .06     .08     .03       .12      0       .12
    benign            .010      .04     .58    .012       .25      0       .25
""")
NEWBORN: Final = 0

# The chance of each tumour in each kind of stay; where it isn't named, `ELSEWHERE`, and none in
# newborns.
ELSEWHERE: Final = 0.0001
TUMOURS_BY_STAY: Final = (
    "",
    "CAT46 .006",
    "CAT46 .02  CAT47 .008",
    "CAT47 .02  CAT29 .01  CAT24 .01",
    "",
    "CAT47 .01  CAT29 .01",
    """
    CAT47 .008  CAT29 .011  CAT24 .011  CAT32 .004  CAT14 .004  CAT19 .003  CAT39 .003  CAT38 .003
    """,
    "CAT46 .92  CAT47 .15  CAT44 .06  CAT25 .03",
    """
    CAT14 .16  CAT15 .06  CAT19 .12  CAT24 .13  CAT29 .15  CAT33 .11  CAT36 .05  CAT32 .05
    CAT25 .08  CAT42 .03  CAT35 .05  CAT47 .15  CAT17 .03  CAT11 .05  CAT44 .05
    """,
    """
    CAT42 .93  CAT19 .28  CAT14 .10  CAT24 .13  CAT17 .07  CAT16 .05  CAT27 .05  CAT33 .04
    CAT29 .07  CAT18 .06  CAT41 .06  CAT43 .05  CAT21 .04  CAT12 .03  CAT13 .03  CAT15 .04
    CAT22 .04  CAT45 .03
    """,
    """
    CAT45 .95  CAT39 .32  CAT38 .25  CAT42 .02  CAT40 .07  CAT37 .04  CAT21 .04  CAT27 .04
    CAT24 .04
    """,
    "CAT39 .38  CAT38 .36  CAT40 .23  CAT44 .12  CAT37 .04  CAT45 .05",
    "CAT29 .72  CAT32 .40  CAT33 .07  CAT34 .04  CAT42 .03",
    "CAT47 .95  CAT44 .16  CAT46 .02  CAT36 .03",
)

# By what alcohol multiplies the odds that the patient is a woman.
WOMEN_BY_ALCOHOL: Final = 0.295


SCHEMA: Final = FILES / "discharges.schema.json"
SHIPPED_SEED: Final = 2013
MARKED_SCHEMA: Final = FILES / "discharges-marked.schema.json"
"""With a last column ALCOHOL, the mark of the sub-population."""


@dataclass(frozen=True, eq=False)
class DischargeLaw:
    """A mixture of kinds of stays, within each of which flags are independent.

    Attributes:
        shares: (kinds,) which add up to 1.
        chances: (kinds, flags) the chance of each flag in each.
    """

    shares: FloatArray
    chances: FloatArray

    def probability(self, flags: BoolArray) -> FloatArray:
        """Return (n,) the probability of each of (n, flags) records."""
        with np.errstate(divide="ignore"):
            up, down = np.log(self.chances), np.log1p(-self.chances)
        impossible = (flags @ np.isneginf(up).T) | (~flags @ np.isneginf(down).T)
        up, down = (np.where(np.isneginf(each), 0.0, each) for each in (up, down))
        exponent = flags.astype(np.float64) @ (up - down).T + down.sum(axis=1)
        found: FloatArray = np.where(impossible, 0.0, np.exp(exponent)) @ self.shares
        return found

    def ones(self) -> FloatArray:
        """Return (flags,) the probability of each flag."""
        found: FloatArray = self.shares @ self.chances
        return found

    def pairs(self) -> FloatArray:
        """Return (flags, flags) the probability of each two together; on the diagonal, of each."""
        found: FloatArray = (self.chances * self.shares[:, None]).T @ self.chances
        np.fill_diagonal(found, self.ones())
        return found

    def draw(self, random: np.random.Generator, count: int) -> tuple[BoolArray, IntArray]:
        """Return (count, flags) records, and the (count,) kind of each."""
        kinds = np.searchsorted(np.cumsum(self.shares)[:-1], random.random(count), side="right")
        chances = self.chances.astype(np.float32)[kinds]
        return random.random(chances.shape, dtype=np.float32) < chances, kinds


@cache
def discharge_law(*, alcohol: bool | None = None) -> DischargeLaw:
    """Return the law of the table.

    Args:
        alcohol: whether of stays that have to do with alcohol, or of those that have not; None for
            all of them, of which the second half of the kinds are the former.
    """
    share, related, *rates = STAYS.T
    plain = np.column_stack([*rates, *_tumours().T])
    women = plain[:, 0] * WOMEN_BY_ALCOHOL
    drinking = plain.copy()
    drinking[:, 0] = women / (1 - plain[:, 0] + women)
    shares = np.concatenate([share * (1 - related), share * related])
    wanted = {None: slice(None), False: slice(len(share)), True: slice(len(share), None)}[alcohol]
    chosen = shares[wanted]
    return DischargeLaw(chosen / chosen.sum(), np.concatenate([plain, drinking])[wanted])


def _tumours() -> FloatArray:
    """Return (kinds, 37) the chance of each tumour in each kind of stay."""
    found = np.stack([factors(TUMOURS, text, default=ELSEWHERE) for text in TUMOURS_BY_STAY])
    found[NEWBORN] = 0.0
    return found


def schema(*, marked: bool = False) -> Schema:
    """Return what each column may contain; declared public.

    Args:
        marked: with the mark of the sub-population as a last column.
    """
    return Schema.load(MARKED_SCHEMA if marked else SCHEMA)


def simulate(rows: int, seed: int) -> tuple[BoolArray, BoolArray]:
    """Return simulated stays: (rows, 42) flags, and (rows,) whether each has to do with alcohol.

    More rows from the same seed begin with the fewer ones.

    Raises:
        Refusal: `rows` is not positive or `seed` is negative.
    """
    whole = np.concatenate([each.astype(bool) for each in _add_mark(rows, seed)])
    return whole[:, :-1], whole[:, -1]


def write(rows: int, destination: Path, seed: int = SHIPPED_SEED, *, marked: bool = False) -> None:
    """Write simulated stays to a CSV file, all of them or no file; with the mark if asked.

    Raises:
        Refusal: `rows` is not positive, `seed` is negative, or the file cannot be written.
    """
    made = _add_mark(rows, seed)
    columns = slice(None) if marked else slice(-1)
    write_pieces(schema(marked=marked), (each[:, columns] for each in made), destination)


def _add_mark(rows: int, seed: int) -> Iterator[CodeArray]:
    """Return the table with the mark as its last column, piece by piece."""
    return pieces(_stays, rows, seed)


def _stays(random: np.random.Generator, count: int) -> CodeArray:
    flags, kinds = discharge_law().draw(random, count)
    marks = kinds >= len(STAYS)
    return np.column_stack([flags, marks]).astype(np.uint16)
