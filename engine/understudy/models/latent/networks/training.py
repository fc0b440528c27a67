"""Training under differential privacy (DP-SGD; Abadi et al. 2016), in whole numbers.

Each step takes every record with the same chance, adds up their clipped slopes, adds Gaussian noise
and divides by a number that is fixed beforehand. What a record adds is a whole vector no longer
than the bound, and depends on the record, the weights and chance alone, not on who is in the sample
with it; so one record more or less moves the sum by one such vector. All random numbers are of our
own source: a run that was killed trains again to the same bits.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from understudy.core.arrays import CodeArray, FloatArray, IntArray
from understudy.core.progress import report_stage
from understudy.models.latent.networks.adam import Adam
from understudy.models.latent.networks.autoencoder import Network, Shape, standard_normals
from understudy.models.latent.networks.clipping import clipped_sum
from understudy.models.latent.networks.fixed_point import UNIT
from understudy.privacy import gaussian
from understudy.privacy.randomness import RandomSource

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

    shape: Shape
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

    def bound(self, multiplier: float) -> int:
        """Return how long a record's whole vector may be, for this multiplier of noise."""
        return math.floor((1 << SIGMA_BITS) / multiplier)


def trained(
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
    bound = training.bound(multiplier)
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
    """(p,) the clipped slopes of a sample, added up block by block."""
    found = np.zeros(training.shape.weights, dtype=np.int64)
    for start in range(0, len(inputs), _BLOCK):
        block = inputs[start : start + _BLOCK].astype(np.float64)
        normals = standard_normals(len(block), training.shape.width, source)
        slopes = network.slopes(block, normals, training.strength)
        found += clipped_sum(slopes, training.clip, bound)
    return found


def _samples(records: int, training: Training, source: RandomSource) -> Iterator[IntArray]:
    """For each step, which records it takes: each with chance threshold/2^16, independently."""
    often = max(1, training.steps // _TOLD)
    for step in range(training.steps):
        if step % often == 0:
            report_stage(f"Training the network, {100 * step // training.steps} % of its steps")
        # Each step anew, so that how many records there are moves no other step's coins.
        places = source.child().words((records + 3) // 4).view(np.uint16)[:records]
        yield np.flatnonzero(places < training.threshold)


def _start(shape: Shape, source: RandomSource) -> FloatArray:
    """Glorot's normal weights, and offsets of 0."""
    found = []
    for wide, out in shape.layers:
        matrix = standard_normals(wide, out, source) / UNIT * math.sqrt(2 / (wide + out))
        found += [matrix.ravel(), np.zeros(out)]
    return np.concatenate(found)
