"""A variational autoencoder (Kingma and Welling 2014) in whole numbers: m → h → w → h → m.

**Layers.** A matrix product of doubles is as exact as its order of adding them, and that order
depends on the shape of the block. Here every factor is a whole number of some unit, products stay
below 2^53 so that no order rounds, and each layer rounds once, after adding. So the output for a
record is a function of the record and the weights alone, to the last bit. The other functions are
read from tables.

**The network.** Its activations are tanh. A record x in [0, 1]^m has a normal law of codes, mean μ
and deviation e^s; a code z is decoded to a chance for each column. The loss is
Σ −x·ln r − (1 − x)·ln(1 − r) and C·Σ(μ² + e^{2s} − 1 − 2s)/2, each record's own. All of it is in
whole numbers, its slopes too.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from scipy.special import ndtri

from understudy.core.arrays import FloatArray, IntArray
from understudy.privacy.randomness import RandomSource

UNIT: Final = 1 << 12
"""One, of inputs, weights and activations."""
FINE: Final = 1 << 16
"""One, of chances and of slopes."""
MOST_WEIGHT: Final = 8 * UNIT
"""No weight or offset is larger."""
_INDEX: Final = 1 << 10
"""One, of what tables are read at."""
_TANH_REACH: Final = 8 * _INDEX
_SIGMOID_REACH: Final = 14 * _INDEX
FLOOR: Final = 1
"""τ: no chance is smaller, nor larger than 1 less this; in units of 2^−16."""


def lattice(weights: FloatArray) -> FloatArray:
    """Return weights as whole numbers of the unit, within their bounds."""
    return np.clip(np.rint(weights * UNIT), -MOST_WEIGHT, MOST_WEIGHT)


def dense(inputs: FloatArray, weights: FloatArray, offset: FloatArray) -> FloatArray:
    """Return (n, out) inputs·weights + offset in units of 2^−24: below 2^39 for 4,000 inputs, so
    exact."""
    return np.asarray(inputs @ weights + offset * UNIT)


def tanh(sums: FloatArray) -> FloatArray:
    """Return tanh of what `dense` gives, in the unit of activations."""
    return np.asarray(_tanh_table()[_index(sums, _TANH_REACH)])


def chances(sums: FloatArray) -> FloatArray:
    """Return the logistic function of what `dense` gives, in units of 2^−16, from τ to 2^16 − τ."""
    return np.asarray(_sigmoid_table()[_index(sums, _SIGMOID_REACH)])


def divide_rounded(numbers: FloatArray, bits: int) -> FloatArray:
    """Return numbers/2^bits, rounded to the nearest whole number."""
    return np.rint(numbers * 2.0**-bits)


def _index(sums: FloatArray, reach: int) -> IntArray:
    place = np.rint(sums * (_INDEX / UNIT**2))
    return np.asarray(np.clip(place, -reach, reach).astype(np.int64) + reach)


@cache
def _tanh_table() -> FloatArray:
    at = np.arange(-_TANH_REACH, _TANH_REACH + 1) / _INDEX
    return np.asarray(np.rint(np.tanh(at) * UNIT))


@cache
def _sigmoid_table() -> FloatArray:
    at = np.arange(-_SIGMOID_REACH, _SIGMOID_REACH + 1) / _INDEX
    return np.clip(np.rint(FINE / (1 + np.exp(-at))), FLOOR, FINE - FLOOR)


REACH: Final = 3 * UNIT
"""No code is further from the middle: what bounds how much one record moves their moments."""
_LEAST, _MOST = -4 * UNIT, UNIT
"""Of the logarithm of a deviation."""
_STEEPEST: Final = 64 * FINE
"""Slopes by sums are limited to that, so that no square or product of them rounds."""
_NORMALS: Final = 1 << 16


@dataclass(frozen=True)
class NetworkShape:
    """How large a network is.

    Attributes:
        columns: m, that are encoded and decoded.
        hidden: h, neurons of each hidden layer.
        width: w, numbers of a code.
    """

    columns: int
    hidden: int
    width: int

    @property
    def layers(self) -> tuple[tuple[int, int], ...]:
        """Inputs and outputs of each layer."""
        m, h, w = self.columns, self.hidden, self.width
        return (m, h), (h, 2 * w), (w, h), (h, m)

    @property
    def weights(self) -> int:
        """How many there are, offsets among them."""
        return sum((wide + 1) * out for wide, out in self.layers)


@dataclass(frozen=True, eq=False)
class Network:
    """The weights of one, as whole numbers.

    Attributes:
        shape: how large it is.
        layers: (in + 1, out) of each layer, its offset last.
    """

    shape: NetworkShape
    layers: tuple[FloatArray, ...]

    @classmethod
    def of(cls, shape: NetworkShape, weights: FloatArray) -> Network:
        """Make a network of all weights in a row, in units of one; post-processing of them."""
        found, start = [], 0
        for wide, out in shape.layers:
            end = start + (wide + 1) * out
            found.append(lattice(weights[start:end]).reshape(wide + 1, out))
            start = end
        return cls(shape, tuple(found))

    def law(self, inputs: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return (n, w) the mean of each record's codes and the logarithm of their deviation, by
        (n, m) inputs from 0 to UNIT."""
        inner = tanh(_through(inputs, self.layers[0]))
        return _bound_law(divide_rounded(_through(inner, self.layers[1]), 12))

    def deviations(self, inputs: FloatArray) -> FloatArray:
        """Return (n, w) the deviation of each record's codes, in units of 2^−12."""
        return _deviations(self.law(inputs)[1])

    def codes(self, inputs: FloatArray, normals: FloatArray) -> FloatArray:
        """Return (n, w) a code of each record, drawn with as many `standard_normals`."""
        mean, spread = self.law(inputs)
        return np.clip(mean + divide_rounded(normals * _deviations(spread), 12), -REACH, REACH)

    def decode(self, codes: FloatArray) -> FloatArray:
        """Return (n, m) the chance of each column in units of 2^−16, by (n, w) codes within
        REACH."""
        return chances(self.sums(codes))

    def sums(self, codes: FloatArray) -> FloatArray:
        """Return (n, m) what chances follow from, in units of 2^−24."""
        return _through(tanh(_through(codes, self.layers[2])), self.layers[3])

    def with_offsets(self, offsets: FloatArray) -> Network:
        """Return the same with other offsets of (m,) columns, in units of 2^−12."""
        last = np.concatenate([self.layers[3][:-1], offsets[None]])
        return Network(self.shape, (*self.layers[:3], last))

    def slopes(self, inputs: FloatArray, normals: FloatArray, strength: float) -> tuple[Layer, ...]:
        """Return the slope of each record's loss by the weights of each layer, in its two factors.

        Args:
            inputs: (n, m) from 0 to UNIT.
            normals: (n, w) of `standard_normals`.
            strength: C.
        """
        inner = tanh(_through(inputs, self.layers[0]))
        raw = divide_rounded(_through(inner, self.layers[1]), 12)
        mean, spread = _bound_law(raw)
        drawn = divide_rounded(normals * _deviations(spread), 12)
        codes = np.clip(mean + drawn, -REACH, REACH)
        outer = tanh(_through(codes, self.layers[2]))
        by_out = chances(_through(outer, self.layers[3])) - inputs * (FINE // UNIT)
        by_outer = _behind_tanh(by_out, self.layers[3], outer)
        by_code = _behind(by_outer, self.layers[2]) * (np.abs(codes) < REACH)
        by_law = _by_law(by_code, (mean, spread, drawn), strength)
        by_law *= raw == np.concatenate([mean, spread], axis=1)
        by_inner = _behind_tanh(by_law, self.layers[1], inner)
        return (
            Layer(inputs, by_inner), Layer(inner, by_law), Layer(codes, by_outer),
            Layer(outer, by_out),
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Layer:
    """The slopes of the records' losses by one layer's weights: of record i the outer product of
    (inputs_i, UNIT) and by_sums_i.

    Attributes:
        inputs: (n, in) in units of 2^−12.
        by_sums: (n, out) by what it sums, in units of 2^−16.
    """

    inputs: FloatArray
    by_sums: FloatArray


def standard_normals(count: int, width: int, source: RandomSource) -> FloatArray:
    """Return (count, width) normal numbers in units of 2^−12, by the middles of 2^16 equal
    chances."""
    words = source.words((count * width + 3) // 4).view(np.uint16)[: count * width]
    return np.asarray(_quantiles()[words]).reshape(count, width)


def _through(inputs: FloatArray, layer: FloatArray) -> FloatArray:
    return dense(inputs, layer[:-1], layer[-1])


def _bound_law(raw: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return means and logarithms of deviations, each within its bounds."""
    width = raw.shape[1] // 2
    return np.clip(raw[:, :width], -REACH, REACH), np.clip(raw[:, width:], _LEAST, _MOST)


def _by_law(
    by_code: FloatArray, law: tuple[FloatArray, FloatArray, FloatArray], strength: float
) -> FloatArray:
    """Return (n, 2w) the slope by means and logarithms of deviations."""
    mean, spread, drawn = law
    deviation = _deviations(spread)
    by_mean = by_code + np.rint(mean * (strength * FINE / UNIT))
    apart = (deviation * deviation - float(UNIT**2)) * (strength * FINE / UNIT**2)
    by_spread = divide_rounded(by_code * drawn, 12) + np.rint(apart)
    return _limit_slopes(np.concatenate([by_mean, by_spread], axis=1))


def _behind(by_sums: FloatArray, layer: FloatArray) -> FloatArray:
    """Return the slope by a layer's inputs."""
    return divide_rounded(by_sums @ layer[:-1].T, 12)


def _behind_tanh(by_sums: FloatArray, layer: FloatArray, activation: FloatArray) -> FloatArray:
    """Return the slope by what was summed to a layer's inputs, which are tanh of it."""
    slope = _behind(by_sums, layer) * (UNIT**2 - activation * activation)
    return _limit_slopes(divide_rounded(slope, 24))


def _limit_slopes(by_sums: FloatArray) -> FloatArray:
    return np.clip(by_sums, -_STEEPEST, _STEEPEST)


def _deviations(spread: FloatArray) -> FloatArray:
    """Return e^s in units of 2^−12."""
    table: FloatArray = _exponentials()[(spread - _LEAST).astype(np.int64)]
    return table


@cache
def _exponentials() -> FloatArray:
    return np.asarray(np.rint(np.exp(np.arange(_LEAST, _MOST + 1) / UNIT) * UNIT))


@cache
def _quantiles() -> FloatArray:
    return np.asarray(np.rint(ndtri((np.arange(_NORMALS) + 0.5) / _NORMALS) * UNIT))
