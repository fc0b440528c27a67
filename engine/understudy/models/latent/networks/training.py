"""Training under differential privacy (DP-SGD; Abadi et al. 2016), in whole numbers.

Each step takes every record with the same chance, adds up their clipped slopes, adds Gaussian noise
and divides by a number that is fixed beforehand; weights follow Adam (Kingma and Ba 2015). A record
adds a whole vector no longer than the bound, which depends on the record, the weights and chance
alone, not on who is in the sample with it; so one record more or less moves the sum by one such
vector. All random numbers are of our own source: a run that was killed trains again to the same
bits.

**Clipping.** A record's slope by a layer is an outer product a·bᵀ, whose length is ‖a‖·‖b‖, so no
record's slope is ever written down. b is scaled and cut towards 0 to whole numbers; a is whole
already; so all slopes are whole vectors, and their sum is one matrix product a layer, below 2^53
and exact. The length is checked after cutting: a record that would still be too long counts as 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from understudy.core.arrays import CodeArray, FloatArray, IntArray
from understudy.core.progress import report_stage
from understudy.models.latent.networks.autoencoder import (
    FINE,
    UNIT,
    Layer,
    Network,
    NetworkShape,
    standard_normals,
)
from understudy.privacy import gaussian
from understudy.privacy.randomness import RandomSource

_MARGIN: Final = 2.0**-40
"""More than what doubles round in squared lengths of exact factors."""


def clipped_sum(layers: Sequence[Layer], clip: float, bound: int) -> IntArray:
    """Return (p,) the sum over the records of their slopes, layer after layer, offsets last in
    each.

    Args:
        layers: the slopes by every layer, in factors.
        clip: the length that slopes are cut to, in units of one.
        bound: that length in whole numbers: no record adds a vector that is longer.
    """
    shorter = _scale(layers, clip) * (bound / (clip * UNIT * FINE))
    cut = [np.trunc(each.by_sums * shorter[:, None]) for each in layers]
    lengths = _squared_lengths([each.inputs for each in layers], cut)
    kept = lengths <= float(bound) ** 2 * (1 - _MARGIN)
    sums = [
        _sum_slopes(each.inputs, by * kept[:, None]) for each, by in zip(layers, cut, strict=True)
    ]
    return np.concatenate(sums).astype(np.int64)


def _scale(layers: Sequence[Layer], clip: float) -> FloatArray:
    """Return (n,) what each record's slope is multiplied by: 1 where it is short enough."""
    squares = _squared_lengths([each.inputs for each in layers], [each.by_sums for each in layers])
    lengths = np.sqrt(np.maximum(squares, 1.0)) / (UNIT * FINE)
    return np.minimum(1.0, clip / lengths) * (1 - math.sqrt(_MARGIN))


def _squared_lengths(inputs: Sequence[FloatArray], by_sums: Sequence[FloatArray]) -> FloatArray:
    """Return (n,) of each record's vector of outer products."""
    found = np.zeros(len(inputs[0]))
    for a, b in zip(inputs, by_sums, strict=True):
        found += (np.einsum("ij,ij->i", a, a) + UNIT**2) * np.einsum("ij,ij->i", b, b)
    return found


def _sum_slopes(inputs: FloatArray, by_sums: FloatArray) -> FloatArray:
    of_offset = by_sums.sum(axis=0) * UNIT
    return np.concatenate([inputs.T @ by_sums, of_offset[None]]).ravel()


_MEAN: Final = 0.9
_SQUARE: Final = 0.999
_TINY: Final = 1e-8


@dataclass(frozen=True, eq=False)
class Adam:
    """Weights on their way down.

    Attributes:
        weights: (p,) in units of one.
        mean: of slopes, decaying.
        square: of their squares.
        steps: how many were made.
    """

    weights: FloatArray
    mean: FloatArray
    square: FloatArray
    steps: int = 0

    @classmethod
    def at(cls, weights: FloatArray) -> Adam:
        """Return the state before the first step."""
        return cls(weights, np.zeros_like(weights), np.zeros_like(weights))

    def after(self, slope: FloatArray, rate: float) -> Adam:
        """Return the state after one more step against (p,) a slope."""
        steps = self.steps + 1
        mean = _MEAN * self.mean + (1 - _MEAN) * slope
        square = _SQUARE * self.square + (1 - _SQUARE) * slope * slope
        pace = rate * (1 - _SQUARE**steps) ** 0.5 / (1 - _MEAN**steps)
        return Adam(self.weights - pace * mean / (np.sqrt(square) + _TINY), mean, square, steps)


SIGMA_BITS: Final = 40
"""The noise has σ = 2^40; how long a record's vector may be follows from the multiplier."""
_CHANCES: Final = 1 << 16
_BLOCK: Final = 1 << 11
"""So many vectors, none longer than 2^41, are added in doubles without rounding."""
_TOLD: Final = 20
"""How often it says how far it is."""


@dataclass(frozen=True)
class Training:
    """How a network is trained; all of it public.

    Attributes:
        shape: how large the network is.
        records: about how many there are, declared.
        batch: how many of them a step takes on average, if there are so many.
        steps: how many there are.
        clip: the length that each record's slope is cut to.
        strength: C, the weight of the divergence.
        pace: Adam's rate; from half of the steps on it falls to 0.
    """

    shape: NetworkShape
    records: int
    batch: int = 1000
    steps: int = 2000
    clip: float = 1.0
    strength: float = 0.5
    pace: float = 0.01

    @property
    def threshold(self) -> int:
        """In how many of 2^16 cases a record is taken."""
        return min(_CHANCES, max(1, round(_CHANCES * self.batch / self.records)))

    @property
    def rate(self) -> float:
        """The chance that a record is taken in a step, exactly."""
        return self.threshold / _CHANCES

    @property
    def divisor(self) -> float:
        """What every sum is divided by."""
        return self.rate * self.records

    def clipping_bound(self, multiplier: float) -> int:
        """Return how long a record's whole vector may be, for this multiplier of noise."""
        return math.floor((1 << SIGMA_BITS) / multiplier)


def train(
    inputs: CodeArray, training: Training, multiplier: float, source: RandomSource
) -> Network:
    """Return the network after all steps.

    Args:
        inputs: (n, m) numbers of the records.
        training: how.
        multiplier: σ of the noise, in lengths that a record's slope may have.
        source: of all chance.
    """
    adam = Adam.at(_start(training.shape, source))
    # Apart, so that what is drawn for a record does not depend on who else is taken.
    coins, chance, noise = source.child(), source.child(), source.child()
    bound = training.clipping_bound(multiplier)
    unit = training.clip / bound / training.divisor
    for step, taken in enumerate(_samples(len(inputs), training, coins)):
        network = Network.of(training.shape, adam.weights)
        sums = _sums(network, inputs[taken], training, bound, chance.child())
        noisy = gaussian.add_noise(sums, SIGMA_BITS, noise)
        adam = adam.after(
            np.asarray(noisy * unit), training.pace * min(1.0, 2 - 2 * step / training.steps)
        )
    return Network.of(training.shape, adam.weights)


def _sums(
    network: Network, inputs: CodeArray, training: Training, bound: int, source: RandomSource
) -> IntArray:
    """Return (p,) the clipped slopes of a sample, added up block by block."""
    found = np.zeros(training.shape.weights, dtype=np.int64)
    for start in range(0, len(inputs), _BLOCK):
        block = inputs[start : start + _BLOCK].astype(np.float64)
        normals = standard_normals(len(block), training.shape.width, source)
        slopes = network.slopes(block, normals, training.strength)
        found += clipped_sum(slopes, training.clip, bound)
    return found


def _samples(records: int, training: Training, source: RandomSource) -> Iterator[IntArray]:
    """Yield, for each step, which records it takes: each with chance threshold/2^16,
    independently."""
    often = max(1, training.steps // _TOLD)
    for step in range(training.steps):
        if step % often == 0:
            report_stage(f"Training the network, {100 * step // training.steps} % of its steps")
        # Each step anew, so that how many records there are moves no other step's coins.
        places = source.child().words((records + 3) // 4).view(np.uint16)[:records]
        yield np.flatnonzero(places < training.threshold)


def _start(shape: NetworkShape, source: RandomSource) -> FloatArray:
    """Return Glorot's normal weights, and offsets of 0."""
    found = []
    for wide, out in shape.layers:
        matrix = standard_normals(wide, out, source) / UNIT * math.sqrt(2 / (wide + out))
        found += [matrix.ravel(), np.zeros(out)]
    return np.concatenate(found)
