"""Layers of a network in whole numbers, held in doubles.

A matrix product of doubles is as exact as its order of adding them, and that order depends on the
shape of the block. Here every factor is a whole number of some unit, products stay below 2^53 so
that no order rounds, and each layer rounds once, after adding. So what becomes of a record is a
function of the record and the weights alone, to the last bit. The other functions are read from
tables.
"""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np

from understudy.core.arrays import FloatArray, IntArray

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
    """Weights as whole numbers of the unit, within their bounds."""
    return np.clip(np.rint(weights * UNIT), -MOST_WEIGHT, MOST_WEIGHT)


def dense(inputs: FloatArray, weights: FloatArray, offset: FloatArray) -> FloatArray:
    """(n, out) inputs·weights + offset in units of 2^−24: below 2^39 for 4,000 inputs, so exact."""
    return np.asarray(inputs @ weights + offset * UNIT)


def tanh(sums: FloatArray) -> FloatArray:
    """Of what `dense` gives, in the unit of activations."""
    return np.asarray(_tanh_table()[_index(sums, _TANH_REACH)])


def chances(sums: FloatArray) -> FloatArray:
    """Return the logistic function of what `dense` gives, in units of 2^−16, from τ to 2^16 − τ."""
    return np.asarray(_sigmoid_table()[_index(sums, _SIGMOID_REACH)])


def shifted(numbers: FloatArray, bits: int) -> FloatArray:
    """numbers/2^bits, rounded to the nearest whole number."""
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
