"""Candidates kept with their scores, and what they are held against: what a sweep is computed from.

A pool is a sample of candidates of one model and one ω. What passes under other settings of the
test is the same candidates weighted by their chances to pass, so that nothing is generated again.
Of the held-out records only shares of cells are kept, and no record. All of it is internal.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

import numpy as np
from scipy import sparse

from understudy.core.arrays import AnyArray, CodeArray, FloatArray, IntArray
from understudy.core.files import write_internal_arrays
from understudy.evaluation.measure import FEWEST
from understudy.mechanisms.seedbased.attempts import Synthesizer
from understudy.mechanisms.seedbased.evaluation.pass_rate import Arrays, ScoreSample
from understudy.models.bayesnet.kept_attributes import KeptAttributes
from understudy.models.learner import together
from understudy.models.omega import Omega
from understudy.models.sequential import Sequential
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records
from understudy.table.split import Split

SAMPLE = 4_096
"""Candidates that are kept for each model and ω."""

MOST_PAIRS = 300
MOST_CELLS = 400_000
MOST_HELD_OUT = 100_000
_AT_ONCE = 1 << 22
_BLOCKS = 8
_CHOICE = 300


@dataclass(frozen=True, eq=False)
class Pool:
    """A sample of candidates of one model and one ω. Internal.

    Attributes:
        epsilon: ε that the model was learned with; None without noise.
        sample: what a test looks at.
        codes: (B, m) the candidates, in schema order.
    """

    epsilon: float | None
    sample: ScoreSample
    codes: CodeArray

    @classmethod
    def draw(cls, synthesizer: Synthesizer, epsilon: float | None, source: RandomSource) -> Pool:
        """Propose `SAMPLE` candidates and keep them with their scores."""
        candidates = synthesizer.propose(0, SAMPLE, source)
        codes = synthesizer.model.in_schema_order(candidates.codes)
        return cls(epsilon, ScoreSample.of(candidates, synthesizer.model), codes)

    def arrays(self) -> Arrays:
        """Return the pool as named arrays, for a file; `from_arrays` is the way back."""
        epsilon = np.nan if self.epsilon is None else self.epsilon
        return {**self.sample.arrays(), "codes": self.codes, "epsilon": np.array(epsilon)}

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Pool:
        """Return a pool that `arrays` wrote."""
        epsilon = float(arrays["epsilon"].astype(np.float64))
        return cls(
            None if np.isnan(epsilon) else epsilon,
            ScoreSample.from_arrays(arrays),
            arrays["codes"].astype(np.uint16),
        )


@dataclass(frozen=True, eq=False)
class HeldOutPairs:
    """How held-out records are spread over the cells of pairs of columns. Internal.

    Cells are numbered through all pairs: those of a pair begin where those of the pair before
    end. Only cells that some record is in are listed.

    Attributes:
        sizes: (m,) the cardinalities.
        pairs: (P, 2) the pairs of columns, by place: all, or where there are very many a choice
            that depends on the number of columns only.
        cells: (C,) ascending numbers of the cells.
        shares: (C,) the share of the records in each.
    """

    sizes: IntArray
    pairs: IntArray
    cells: IntArray
    shares: FloatArray

    @classmethod
    def of(cls, held_out: Records) -> HeldOutPairs:
        """Return the shares of every pair; of none, where there are too few records to compare
        with."""
        sizes = held_out.schema.cardinalities.astype(np.int64)
        codes = held_out.codes.astype(np.int64)
        chosen: list[tuple[int, int]] = []
        found: list[tuple[IntArray, IntArray]] = []
        listed = 0
        for one, other in _choice(len(sizes)) if len(codes) >= FEWEST else ():
            occupied = np.unique(codes[:, one] * sizes[other] + codes[:, other], return_counts=True)
            listed += len(occupied[0])
            if listed > MOST_CELLS and chosen:
                break
            chosen.append((one, other))
            found.append(occupied)
        pairs = np.array(chosen, dtype=np.int64).reshape(-1, 2)
        first = _first_cells(sizes, pairs)
        cells = [cells + start for (cells, _), start in zip(found, first, strict=False)]
        shares = [counts / len(codes) for _, counts in found]
        empty = np.zeros(0)
        return cls(
            sizes,
            pairs,
            np.concatenate([empty.astype(np.int64), *cells]),
            np.concatenate([empty, *shares]),
        )

    def distances(self, codes: CodeArray, weights: FloatArray) -> FloatArray:
        """Return (P, D) total variation of each pair between weighted candidates and held-out
        records.

        Args:
            codes: (B, m) candidates, in schema order.
            weights: (B, D) how much each of them counts, in D ways; of any scale. A way in which
                none counts is not a number.
        """
        if not len(self.pairs) or not weights.shape[1]:
            return np.zeros((len(self.pairs), weights.shape[1]))
        first = _first_cells(self.sizes, self.pairs)
        one, other = self.pairs.T
        wide = codes.astype(np.int64)
        numbers = wide[:, one] * self.sizes[other] + wide[:, other] + first[:-1]
        cells, place = np.unique(numbers, return_inverse=True)
        held_out = self._shares_of(cells)
        belongs = np.searchsorted(first, cells, side="right") - 1
        rows = np.flatnonzero(np.diff(belongs, prepend=-1))
        # What held-out records have in cells that no candidate is in differs by all of it.
        elsewhere = 1 - np.add.reduceat(held_out, rows)
        candidates = np.repeat(np.arange(len(codes)), len(self.pairs))
        counted = sparse.csr_array(
            (np.ones(numbers.size), (place.ravel(), candidates)), (len(cells), len(codes))
        )
        with np.errstate(invalid="ignore"):
            shares = weights / weights.sum(axis=0)
        found = [
            np.add.reduceat(np.abs(counted @ some - held_out[:, None]), rows, axis=0)
            for some in _in_parts(shares, len(cells))
        ]
        total: FloatArray = (np.hstack(found) + elsewhere[:, None]) / 2
        return total

    def typical(self, codes: CodeArray, weights: FloatArray) -> FloatArray:
        """Return (D,) the median of `distances` over the pairs; not a number where there are
        none."""
        found = self.distances(codes, weights)
        if not len(found):
            return np.full(weights.shape[1], np.nan)
        median: FloatArray = np.median(found, axis=0)
        return median

    def _shares_of(self, cells: IntArray) -> FloatArray:
        """Return the share of each of these cells; 0 for one that no record is in."""
        at = np.minimum(np.searchsorted(self.cells, cells), max(0, len(self.cells) - 1))
        return np.where(self.cells[at] == cells, self.shares[at], 0.0)


@dataclass(frozen=True, eq=False)
class References:
    """What a distance is to be seen beside. Internal.

    Attributes:
        numbers: (Q,) numbers of records, ascending.
        real: (Q,) the typical distance of so many other real records from held-out ones: the
            best there can be, and larger for fewer records, as chance alone sets them apart.
        marginals: that of `SAMPLE` records of the private marginals.
    """

    numbers: IntArray
    real: FloatArray
    marginals: float

    @classmethod
    def of(
        cls,
        held_out: HeldOutPairs,
        real: CodeArray,
        marginals: CodeArray,
        records: int,
    ) -> References:
        """Measure (n, m) real records in a random order, and records of the marginals.

        Where there are fewer than `SAMPLE` real ones, what so many would differ by is worked out
        from those there are.

        Args:
            held_out: what they are measured against.
            real, marginals: codes.
            records: how many held-out records there are.
        """
        at_most = real[:SAMPLE]
        numbers, blocks = _blocks(len(at_most))
        each = held_out.typical(at_most, blocks)
        sizes = np.unique(numbers)
        typical = np.array([each[numbers == number].mean() for number in sizes])
        if len(sizes) and sizes[-1] < SAMPLE and records:
            # What sets real records apart is chance, whose spread goes with √(1/n + 1/h).
            shrunk = np.sqrt((1 / SAMPLE + 1 / records) / (1 / sizes[-1] + 1 / records))
            sizes, typical = np.append(sizes, SAMPLE), np.append(typical, typical[-1] * shrunk)
        return cls(
            sizes,
            typical,
            float(held_out.typical(marginals, np.ones((len(marginals), 1)))[0]),
        )

    def real_at(self, number: FloatArray) -> FloatArray:
        """Answer as `real`, for any number of records: between two numbers on the line through
        both, on logarithmic axes. Not a number where none was measured."""
        if not len(self.numbers):
            return np.full(np.shape(number), np.nan)
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.interp(np.log(number), np.log(self.numbers), np.log(self.real))
        found: FloatArray = np.exp(logs)
        return found


@dataclass(frozen=True, eq=False)
class Pools:
    """Every pool of a run, with what they are held against. Internal."""

    held_out: HeldOutPairs
    references: References
    each: tuple[Pool, ...]

    @classmethod
    def around(
        cls, each: Sequence[Pool], split: Split, baseline: Sequential, source: RandomSource
    ) -> Pools:
        """Return pools with what they are held against.

        Args:
            each: the pools.
            split: the parts of the table; what the model was learned from are the other real
                records.
            baseline: the private marginals.
            source: what chooses among the records.
        """
        attributes = len(split.seeds.schema)
        seedless = KeptAttributes(baseline, Omega(low=attributes, high=attributes))
        made = Synthesizer(seedless, split.seeds)
        marginals = made.model.in_schema_order(made.propose(0, SAMPLE, source).codes)
        looked_at = _some(split.held_out, MOST_HELD_OUT, source)
        held_out = HeldOutPairs.of(looked_at)
        some_real = _some(together(split), SAMPLE, source)
        references = References.of(held_out, some_real.codes, marginals, len(looked_at))
        return cls(held_out, references, tuple(each))

    def of(self, epsilon: float | None, omega: Omega) -> Pool | None:
        """Return the pool of this ε of the model and this ω; None where none was drawn."""
        return next(
            (pool for pool in self.each if pool.epsilon == epsilon and pool.sample.is_of(omega)),
            None,
        )

    @property
    def epsilons(self) -> tuple[float | None, ...]:
        """Every ε of the model that there is a pool of, in the order they were drawn."""
        return tuple(dict.fromkeys(pool.epsilon for pool in self.each))

    @property
    def omegas(self) -> tuple[Omega, ...]:
        """Every ω that there is a pool of, in the order they were drawn."""
        return tuple(dict.fromkeys(pool.sample.omega for pool in self.each))

    def join(self, more: Iterable[Pool]) -> Pools:
        """Return these and further pools; of two of the same ε and ω the later one counts."""
        both = {
            (each.epsilon, omega.low, omega.high, omega.per_attempt): each
            for each in (*self.each, *more)
            for omega in [each.sample.omega]
        }
        return replace(self, each=tuple(both.values()))

    def arrays(self) -> Arrays:
        """Return what the pools are held against, as named arrays; the pools have their own."""
        return {
            "pairs": self.held_out.pairs,
            "sizes": self.held_out.sizes,
            "cells": self.held_out.cells,
            "shares": self.held_out.shares,
            "numbers": self.references.numbers,
            "real": self.references.real,
            "marginals": np.array(self.references.marginals),
        }

    @classmethod
    def from_arrays(cls, arrays: Arrays, each: Sequence[Pool]) -> Pools:
        """Return pools that `arrays` wrote."""
        sizes, pairs, cells = (
            arrays[name].astype(np.int64) for name in ("sizes", "pairs", "cells")
        )
        held_out = HeldOutPairs(sizes, pairs, cells, arrays["shares"].astype(np.float64))
        references = References(
            arrays["numbers"].astype(np.int64),
            arrays["real"].astype(np.float64),
            float(arrays["marginals"].astype(np.float64)),
        )
        return cls(held_out, references, tuple(each))


def name_arrays(arrays: Arrays, name: str) -> dict[str, AnyArray]:
    """Return the arrays under a name of their own, to stand with others in one file."""
    return {f"{name}.{inner}": array for inner, array in arrays.items()}


def under(arrays: Mapping[str, AnyArray], name: str) -> Arrays:
    """Return the arrays that `named` put under a name."""
    return {
        inner: arrays[whole]
        for whole in arrays
        for room, _, inner in [whole.partition(".")]
        if room == name
    }


def save_pools(each: Sequence[Pool], path: Path) -> None:
    """Write pools to a file, which appears whole."""
    arrays: dict[str, AnyArray] = {}
    for place, pool in enumerate(each):
        arrays |= name_arrays(pool.arrays(), str(place))
    write_internal_arrays(path, arrays)


def load_pools(path: Path) -> tuple[Pool, ...]:
    """Read what `save_pools` wrote; none where there is nothing yet."""
    if not path.exists():
        return ()
    with np.load(path, allow_pickle=False) as file:
        arrays = dict(file)
    count = len({name.partition(".")[0] for name in arrays if "." in name})
    return tuple(Pool.from_arrays(under(arrays, str(place))) for place in range(count))


def _some(records: Records, most: int, source: RandomSource) -> Records:
    """Return at most so many of the records, in a random order."""
    return records.take(np.argsort(source.words(len(records)), kind="stable")[:most])


def _choice(attributes: int) -> list[tuple[int, int]]:
    """Return every pair, or so many as can be held, chosen by the number of columns alone."""
    pairs = list(combinations(range(attributes), 2))
    if len(pairs) <= MOST_PAIRS:
        return pairs
    random = np.random.default_rng([_CHOICE, attributes])
    return [pairs[at] for at in random.choice(len(pairs), MOST_PAIRS, replace=False)]


def _first_cells(sizes: IntArray, pairs: IntArray) -> IntArray:
    """Return (P + 1,) the number of each pair's first cell, and where the last pair ends."""
    ends: IntArray = np.cumsum(sizes[pairs[:, 0]] * sizes[pairs[:, 1]])
    return np.concatenate([[0], ends]).astype(np.int64)


def _in_parts(weights: FloatArray, cells: int) -> Iterable[FloatArray]:
    """Return some columns at a time, so that what is made of them fits in memory."""
    step = max(1, _AT_ONCE // max(1, cells))
    return (weights[:, start : start + step] for start in range(0, weights.shape[1], step))


def _blocks(records: int) -> tuple[IntArray, FloatArray]:
    """Return (D,) sizes and (n, D) marks of blocks of records: all of them, then halves, and so
    on."""
    sizes, columns = [], []
    size = records
    while size >= FEWEST:
        for start in range(0, min(records - size, (_BLOCKS - 1) * size) + 1, size):
            block = np.zeros(records)
            block[start : start + size] = 1
            sizes.append(size)
            columns.append(block)
        size //= 2
    marks = np.column_stack(columns) if columns else np.zeros((records, 0))
    return np.array(sizes, dtype=np.int64), marks
