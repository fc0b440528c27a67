"""Conditional distributions over codes, sampled exactly.

Probabilities are integers over 2^48, so the sampler and the likelihood that the test uses agree to
the last bit (§6.4, trap 2: one deterministic function of seed and candidate).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from understudy.core.arrays import BoolArray, CodeArray, FloatArray, IntArray
from understudy.privacy.randomness import RandomSource


def free_bits(count: int) -> int:
    """Return the most bits that each of `count` numbers may have for `sort_with_places`."""
    return 63 - count.bit_length()


def sort_with_places(numbers: IntArray) -> tuple[IntArray, IntArray]:
    """Return the numbers in ascending order and the original position of each; a stable sort.

    A number and its position are packed into one integer and sorted in place, which takes a
    fraction of the time of `argsort`.

    Args:
        numbers: 0 or more, of at most `free_bits` bits. The array is overwritten.
    """
    bits = len(numbers).bit_length()
    numbers <<= bits
    numbers |= np.arange(len(numbers))
    numbers.sort()
    places = numbers & ((1 << bits) - 1)
    numbers >>= bits
    return numbers, places


BITS = 48
WHOLE = 1 << BITS
_MOST_VALUES = 1 << (62 - BITS)


def integer_weights(probabilities: FloatArray) -> IntArray:
    """Return rows of probabilities rounded down to multiples of 2^-48; the rest goes to the
    mode."""
    shares = probabilities / probabilities.sum(axis=1, keepdims=True)
    weights: IntArray = np.floor(shares * WHOLE).astype(np.int64)
    rows = np.arange(len(weights))
    weights[rows, weights.argmax(axis=1)] += WHOLE - weights.sum(axis=1)
    return weights


@dataclass(frozen=True)
class ConditionalTable:
    """One distribution over `cardinality` codes for every configuration of the parents.

    Attributes:
        weights: (configurations, cardinality) integers ≥ 0; each row sums to 2^48.
    """

    weights: IntArray

    def __post_init__(self) -> None:
        if self.weights.shape[1] > _MOST_VALUES:
            raise ValueError(f"a table holds at most {_MOST_VALUES} values")
        if (self.weights < 0).any() or (self.weights.sum(axis=1) != WHOLE).any():
            raise ValueError("each row of weights must be non-negative and sum to 2^48")
        self.weights.setflags(write=False)

    @classmethod
    def from_probabilities(cls, probabilities: FloatArray) -> ConditionalTable:
        """Return rows of probabilities, rounded; see `integer_weights`."""
        return cls(integer_weights(probabilities))

    @property
    def configurations(self) -> int:
        """How many configurations of the parents there are."""
        return len(self.weights)

    @property
    def cardinality(self) -> int:
        """How many codes the attribute has."""
        return int(self.weights.shape[1])

    @cached_property
    def probabilities(self) -> FloatArray:
        """(configurations, cardinality) the exact distribution of `draw`, as floats."""
        shares: FloatArray = self.weights / float(WHOLE)
        return shares

    @cached_property
    def _log_weights(self) -> FloatArray:
        with np.errstate(divide="ignore"):
            logs: FloatArray = np.log(self.probabilities.ravel())
            return logs

    @cached_property
    def _alias(self) -> _AliasTable:
        return _AliasTable.of(self.weights)

    def log_likelihood(self, configuration: IntArray, values: CodeArray) -> FloatArray:
        """Return ln Pr{value | configuration}, elementwise; −inf where it cannot happen."""
        return np.take(self._log_weights, configuration * self.cardinality + values)

    def draw(self, configuration: IntArray, source: RandomSource) -> CodeArray:
        """Return one code for each configuration, drawn exactly from its row."""
        return self._alias.draw(configuration, source)

    def spread(self, configuration: IntArray, source: RandomSource) -> CodeArray:
        """Return one code for each configuration, by stratified sampling.

        n draws from one row take one point from each of n equal parts of (0, 1), in random order.
        Each code follows its row, to 2^-43; together their cumulative counts are off by less than
        1 at every code.
        """
        count = len(configuration)
        if not count:
            return np.zeros(0, dtype=np.uint16)
        row, order = _shuffle(configuration, self.configurations, source)
        first = np.flatnonzero(np.append(True, row[1:] != row[:-1]))
        sizes = np.diff(first, append=count)
        run = np.repeat(np.arange(len(first)), sizes)
        many = sizes[run]
        part = np.arange(count)
        part -= first[run]
        share = source.uniforms(count)
        share += part
        share /= many
        found = self._codes(row, share)
        # The offset of the strata is uniform, whatever order the records come in.
        part += (source.uniforms(len(sizes)) * sizes).astype(np.int64)[run]
        many *= part >= many
        part -= many
        part += first[run]
        codes = np.empty(count, dtype=np.uint16)
        codes[order] = found[part]
        return codes

    def whole_within(self, configuration: IntArray, allowed: BoolArray) -> IntArray:
        """Return (n,) the weight of the values that are allowed, of 2^48.

        Args:
            configuration: (n,) the rows.
            allowed: (n, cardinality) the values that are left of each.
        """
        found = np.empty(len(configuration), dtype=np.int64)
        for part in _blocks(allowed):
            np.sum(self.weights[configuration[part]], axis=1, where=allowed[part], out=found[part])
        return found

    def draw_within(
        self, configuration: IntArray, allowed: BoolArray, source: RandomSource
    ) -> CodeArray:
        """Return one code for each configuration, drawn exactly from its row among the values that
        are allowed, one of them at least; evenly where none of these has any weight."""
        found = np.empty(len(configuration), dtype=np.uint16)
        for part in _blocks(allowed):
            weights = np.where(allowed[part], self.weights[configuration[part]], 0)
            weights[~weights.any(axis=1)] = 1
            weights *= allowed[part]
            passed = np.cumsum(weights, axis=1)
            points = _below(passed[:, -1], source)
            found[part] = (passed <= points[:, None]).sum(axis=1)
        return found

    def _codes(self, row: IntArray, share: FloatArray) -> CodeArray:
        """Return the quantile of each row at a share in (0, 1); rows ascend, and so do the shares
        of a row."""
        bits, steps = self._steps
        # A share just below 1 may be rounded up to it.
        point = (share * (1 << bits)).astype(np.int64)
        np.minimum(point, (1 << bits) - 1, out=point)
        point += row << bits
        if len(steps) > len(point):
            found = np.searchsorted(steps, point, side="right") - row * self.cardinality
            return found.astype(np.uint16)
        every = np.tile(np.arange(self.cardinality, dtype=np.uint16), self.configurations)
        return np.repeat(every, np.diff(np.searchsorted(point, steps), prepend=0))

    @cached_property
    def _steps(self) -> tuple[int, IntArray]:
        """The bits of a share, and (configurations · cardinality,) the cumulative distributions of
        all rows, each added to the row's number."""
        bits = min(BITS, 62 - self.configurations.bit_length())
        rows = np.arange(self.configurations)[:, None] << bits
        return bits, (rows + (np.cumsum(self.weights, axis=1) >> (BITS - bits))).ravel()


_BLOCK = 1 << 22
"""Entries of rows that are looked at together."""


def _blocks(allowed: BoolArray) -> Iterator[slice]:
    """Yield the rows in blocks that fit in memory beside others."""
    step = max(1, _BLOCK // allowed.shape[1])
    for start in range(0, len(allowed), step):
        yield slice(start, start + step)


def _below(bounds: IntArray, source: RandomSource) -> IntArray:
    """Return (n,) integers, each uniform on 0 … bound − 1, for bounds of 1 … 2^48."""
    found = np.zeros(len(bounds), dtype=np.int64)
    bits = np.array([int(each - 1).bit_length() for each in bounds.tolist()], dtype=np.uint64)
    left = np.flatnonzero(bounds > 1)
    while len(left):
        drawn = (source.words(len(left)) >> (np.uint64(64) - bits[left])).view(np.int64)
        found[left] = drawn
        left = left[drawn >= bounds[left]]
    return found


def _shuffle(
    configuration: IntArray, configurations: int, source: RandomSource
) -> tuple[IntArray, IntArray]:
    """Return the configurations in ascending order with their positions; equal ones shuffled."""
    bits = free_bits(len(configuration)) - configurations.bit_length()
    key = configuration << bits
    key |= (source.words(len(configuration)) >> np.uint64(64 - bits)).view(np.int64)
    found, order = sort_with_places(key)
    found >>= bits
    return found, order


@dataclass(frozen=True)
class _AliasTable:
    """Walker's alias method in integers: one 64-bit word a draw, whatever the cardinality.

    Columns are padded to a power of two so that the top bits of the word choose a column and
    the low 48 decide between it and its alias, without rounding.
    """

    column_bits: int
    threshold: IntArray
    alias: CodeArray

    @classmethod
    def of(cls, weights: IntArray) -> _AliasTable:
        rows, cardinality = weights.shape
        bits = (cardinality - 1).bit_length()
        mass = np.zeros((rows, 1 << bits), dtype=np.int64)
        mass[:, :cardinality] = weights << bits
        threshold, alias = _sweep(mass)
        return cls(bits, threshold.ravel(), alias.ravel())

    def draw(self, configuration: IntArray, source: RandomSource) -> CodeArray:
        words = source.words(len(configuration))
        fraction = (words & np.uint64(WHOLE - 1)).view(np.int64)
        # Shifted twice, as a shift by all 64 bits is undefined.
        column = (words >> np.uint64(63 - self.column_bits) >> np.uint64(1)).view(np.int64)
        cell = (configuration << self.column_bits) + column
        own = fraction < np.take(self.threshold, cell, mode="clip")
        return np.where(own, column.astype(np.uint16), np.take(self.alias, cell, mode="clip"))


def _sweep(mass: IntArray) -> tuple[IntArray, CodeArray]:
    """Build the alias columns of all rows together, one column of each row a step.

    A light column (mass ≤ 2^48) is filled from the current heavy one; a heavy one that has given
    away its excess becomes light and is filled from the next.
    """
    rows, columns = mass.shape
    every = np.arange(rows)
    order = np.argsort(mass > WHOLE, axis=1, kind="stable")
    lights = (mass <= WHOLE).sum(axis=1)
    light, heavy = np.zeros(rows, dtype=np.int64), lights.copy()
    threshold = np.empty_like(mass)
    alias = np.empty(mass.shape, dtype=np.uint16)

    def column_at(place: IntArray) -> IntArray:
        return np.asarray(order[every, np.minimum(place, columns - 1)])

    left = mass[every, column_at(heavy)]
    for _ in range(columns):
        spare = heavy >= columns
        take_light = (light < lights) & (spare | (left > WHOLE))
        giver = column_at(np.where(take_light, heavy, heavy + 1))
        filled = np.where(take_light, column_at(light), column_at(heavy))
        held = np.where(take_light, mass[every, filled], left)
        threshold[every, filled] = held
        alias[every, filled] = giver
        reserve = np.where(take_light, left, mass[every, giver])
        left = np.where(spare, left, reserve - (WHOLE - held))
        light += take_light
        heavy += ~take_light
    return threshold, alias
