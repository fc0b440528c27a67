"""Simulated tables of many shapes. Nobody in them exists.

Each record has a kind and a frailty that no column shows, which is what most columns have in
common: an ordered column follows the frailty, a list of codes the kind or a column before it. A
part of the columns applies to some records only, and has one value for all others. The
probabilities are invented, and the same for every sample of one shape.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

import numpy as np
from scipy.special import ndtri

from understudy.core.arrays import FloatArray, IntArray
from understudy.table.buckets import ByWidth
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.records import Records
from understudy.table.schema import Schema

_KINDS: Final = 4
_LONG: Final = 30
"""A column of so many values is one of numbers, in buckets of ten."""


@dataclass(frozen=True)
class TableShape:
    """A kind of table.

    Attributes:
        name: to a reader.
        records: how many it has.
        sizes: how many values each column has.
        draw: the codes of so many records, from the randomness of the law and of the sample.
        law: the seed of the law.
    """

    name: str
    records: int
    sizes: tuple[int, ...]
    draw: Callable[[TableShape, int, np.random.Generator, np.random.Generator], IntArray]
    law: int

    @property
    def schema(self) -> Schema:
        """The schema of the columns."""
        return Schema(columns=tuple(map(_column, range(len(self.sizes)), self.sizes)))

    def simulate(self, records: int, seed: int) -> Records:
        """Draw so many records."""
        random = np.random.default_rng([self.law, seed])
        codes = self.draw(self, records, np.random.default_rng(self.law), random)
        return Records(self.schema, codes.astype(np.uint16))

    def parts(self, seed: int, records: int, beside: int) -> tuple[Records, Records, Records]:
        """Draw one sample in three: so many records to learn from, and twice so many beside."""
        whole = self.simulate(records + 2 * beside, seed)
        places = np.split(np.arange(len(whole)), [records, records + beside])
        learned, held_out, others = (whole.take(each) for each in places)
        return learned, held_out, others


def _column(place: int, size: int) -> Column:
    if size < _LONG:
        return Column(
            name=f"c{place}", domain=Categories(values=tuple(f"v{each:02}" for each in range(size)))
        )
    domain = Grid(minimum=Decimal(0), maximum=Decimal(size - 1))
    return Column(name=f"c{place}", domain=domain, buckets=ByWidth(width=Decimal(10)))


def _simulate_flags(
    shape: TableShape, records: int, law: np.random.Generator, random: np.random.Generator
) -> IntArray:
    """Simulate flags that a common cause ties to one another, each as strongly as any other or
    nearly."""
    frailty = random.normal(size=records)
    columns = [
        _follow(frailty, law.uniform(0.65, 0.85), np.array([share, 1 - share]), random)
        for share in law.uniform(0.3, 0.7, len(shape.sizes)).tolist()
    ]
    return np.column_stack(columns)


def _simulate_mixed(
    shape: TableShape, records: int, law: np.random.Generator, random: np.random.Generator
) -> IntArray:
    """Simulate ordered columns and lists of codes, a third of which apply to some records only."""
    kind = random.choice(_KINDS, records, p=_falling(_KINDS, 0.6))
    frailty = (random.normal(size=records) + 1.1 * (kind - 1)) / 1.5
    applies = random.random(records) < 1 / (1 + np.exp(-0.4 - 1.2 * frailty))
    columns: list[IntArray] = []
    for place, size in enumerate(shape.sizes):
        shares = _shares(size, law)
        if law.random() < 0.5:
            found = _follow(frailty, law.uniform(0.2, 0.9), shares, random)
        else:
            of = columns[int(law.integers(place))] if place and law.random() < 0.3 else kind
            found = _prefer(of, law.uniform(0.2, 0.8), shares, law, random)
        if law.random() < 1 / 3:
            found = np.where(applies, found, size - 1)
        columns.append(found)
    return np.column_stack(columns)


def _simulate_loose(
    shape: TableShape, records: int, law: np.random.Generator, random: np.random.Generator
) -> IntArray:
    """Simulate columns that hardly have anything to do with one another."""
    frailty = random.normal(size=records)
    return np.column_stack(
        [_follow(frailty, 0.1, _shares(size, law), random) for size in shape.sizes]
    )


def _simulate_paired(
    shape: TableShape, records: int, law: np.random.Generator, random: np.random.Generator
) -> IntArray:
    """Simulate columns of which every other depends on the one before, and no further ones on one
    another."""
    nothing = np.zeros(records)
    columns: list[IntArray] = []
    for place, size in enumerate(shape.sizes):
        shares = _shares(size, law)
        if place % 2:
            columns.append(_prefer(columns[-1], 0.7, shares, law, random))
        else:
            columns.append(_follow(nothing, 0.0, shares, random))
    return np.column_stack(columns)


def _simulate_parity(
    shape: TableShape, records: int, law: np.random.Generator, random: np.random.Generator
) -> IntArray:
    """Simulate two coins, a third column that mostly says whether they agree, which neither tells
    anything of, and columns of a common cause."""
    coins = random.integers(0, 2, (records, 2))
    agree = (coins[:, 0] == coins[:, 1]) ^ (random.random(records) < 0.05)
    others = _simulate_followers(shape.sizes[3:], records, law, random)
    return np.column_stack([coins, agree, *others])


def _simulate_interaction(
    shape: TableShape, records: int, law: np.random.Generator, random: np.random.Generator
) -> IntArray:
    """Simulate columns like age, marital status and relationship: the second follows the first, and
    the third prefers a value that depends on both; and columns of a common cause."""
    age, status, relation = shape.sizes[:3]
    first = random.integers(0, age, records)
    of_age = first * status // age
    second = np.where(random.random(records) < 0.6, of_age, random.integers(0, status, records))
    preferred = law.integers(0, relation, age * status)[first * status + second]
    third = np.where(random.random(records) < 0.5, preferred, random.integers(0, relation, records))
    others = _simulate_followers(shape.sizes[3:], records, law, random)
    return np.column_stack([first, second, third, *others])


def _simulate_numbers(
    shape: TableShape, records: int, law: np.random.Generator, random: np.random.Generator
) -> IntArray:
    """Simulate four numbers that follow one another, one that is far where the first is far from
    its middle, and codes that depend on the third."""
    numbers = [random.normal(size=records)]
    for _ in range(3):
        numbers.append(0.6 * numbers[-1] + 0.8 * random.normal(size=records))
    numbers.append(1.2 * np.abs(numbers[0]) - 1 + 0.4 * random.normal(size=records))
    codes = np.digitize(0.7 * (numbers[2] + random.normal(size=records)), (-0.5, 0.3, 1.0))
    scaled = (
        np.clip(np.rint(size * (0.5 + each / 6)), 0, size - 1)
        for each, size in zip(numbers, shape.sizes, strict=False)
    )
    return np.column_stack([*scaled, codes]).astype(np.int64)


def _simulate_followers(
    sizes: Sequence[int], records: int, law: np.random.Generator, random: np.random.Generator
) -> list[IntArray]:
    """Simulate ordered columns of a common cause."""
    frailty = random.normal(size=records)
    return [_follow(frailty, 0.6, _shares(size, law), random) for size in sizes]


def _follow(
    frailty: FloatArray, pull: float, shares: FloatArray, random: np.random.Generator
) -> IntArray:
    """Return codes in the order of random numbers with this correlation to the frailty."""
    drawn = pull * frailty + np.sqrt(1 - pull**2) * random.normal(size=len(frailty))
    cuts = ndtri(np.minimum(np.cumsum(shares)[:-1], 1 - 1e-12))
    return np.asarray(np.searchsorted(cuts, drawn), dtype=np.int64)


def _prefer(
    of: IntArray,
    tied: float,
    shares: FloatArray,
    law: np.random.Generator,
    random: np.random.Generator,
) -> IntArray:
    """Return codes of which each value of another column prefers some of its own, with this
    chance."""
    many = len(shares)
    own = np.stack([law.permutation(many) for _ in range(100)])
    nearest = random.choice(many, len(of), p=_falling(many, 1.6))
    drawn = random.choice(many, len(of), p=shares)
    return np.asarray(np.where(random.random(len(of)) < tied, own[of % 100, nearest], drawn))


def _shares(size: int, law: np.random.Generator) -> FloatArray:
    """Return (size,) skewed shares; of numbers a few are heaped."""
    if size < _LONG:
        return law.permutation(_falling(size, law.uniform(0.3, 1.6)))
    bell = np.exp(-(((np.arange(size) / size - 0.4) / 0.35) ** 2))
    bell[:: int(law.integers(4, 9))] *= 2
    return np.asarray(bell / bell.sum())


def _falling(size: int, power: float) -> FloatArray:
    """Return (size,) shares that fall as a power of the rank."""
    weights = np.arange(1, size + 1, dtype=np.float64) ** -power
    return np.asarray(weights / weights.sum())


def _sizes(columns: int, seed: int, longest: Sequence[int] = ()) -> tuple[int, ...]:
    """Return the sizes of as many columns, most of two to nine values, and some longer ones."""
    few = np.random.default_rng(seed).choice((2, 2, 2, 3, 4, 5, 5, 7, 9, 14), columns)
    few[: len(longest)] = longest
    return tuple(few.tolist())


_CENSUS: Final = (79, 10, 25, 5, 2, 5, 13, 27, 5, 2, 5, 2)

SHAPES: Final = (
    TableShape("16 flags", 18_000, (2,) * 16, _simulate_flags, 1),
    TableShape("12 mixed", 300_000, _CENSUS, _simulate_mixed, 30),
    TableShape("17 mixed", 42_000, _sizes(17, 17, (80, 24, 16)), _simulate_mixed, 22),
    TableShape("35 mixed", 142_000, _sizes(35, 35, (90, 40, 20)), _simulate_mixed, 25),
    TableShape("42 mixed", 83_000, _sizes(42, 42, (90, 50, 46, 17)), _simulate_mixed, 28),
    TableShape("34 mixed", 4_000, _sizes(34, 34, (12,)), _simulate_mixed, 6),
    TableShape("50 mixed", 20_000, _sizes(50, 50, (60, 20)), _simulate_mixed, 7),
    TableShape("12 loose", 10_000, _sizes(12, 12, (40, 12)), _simulate_loose, 8),
    TableShape("24 paired", 50_000, _sizes(24, 24, (16, 16)), _simulate_paired, 9),
)
"""From 4,000 to 300,000 records: flags of one cause, columns of many kinds as in surveys, columns
that hardly depend on one another, and columns in twos."""

THREE_WAY: Final = (
    TableShape("12 parity", 60_000, (2, 2, 2, 2, 2, 2, 3, 4, 5, 5, 6, 8), _simulate_parity, 10),
    TableShape(
        "12 interaction", 60_000, (8, 5, 6, 2, 2, 3, 4, 5, 5, 7, 9, 14), _simulate_interaction, 11
    ),
)
"""Tables whose first three columns show together what no two of them do."""

NUMBERS: Final = tuple(
    TableShape(f"{records:,} numbers", records, (200, 200, 200, 200, 200, 4), _simulate_numbers, 41)
    for records in (2_000, 20_000)
)
"""Tables of numbers that follow one another."""


def picture_shape(name: str) -> TableShape:
    """Return one of `SHAPES`, `THREE_WAY` or `NUMBERS` by its name."""
    return next(each for each in (*SHAPES, *THREE_WAY, *NUMBERS) if each.name == name)
