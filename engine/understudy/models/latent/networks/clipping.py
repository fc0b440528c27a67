"""Sums of the records' slopes, each of a bounded length, in whole numbers.

A record's slope by a layer is an outer product a·bᵀ, whose length is ‖a‖·‖b‖, so no record's slope
is ever written down. b is scaled and cut towards 0 to whole numbers; a is whole already; so all
slopes are whole vectors, and their sum is one matrix product a layer, below 2^53 and exact. The
length is checked after cutting: a record that would be too long all the same counts as 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from understudy.core.arrays import FloatArray, IntArray
from understudy.models.latent.networks.autoencoder import Layer
from understudy.models.latent.networks.fixed_point import FINE, UNIT

_MARGIN: Final = 2.0**-40
"""More than what doubles round in squared lengths of exact factors."""


def clipped_sum(layers: Sequence[Layer], clip: float, bound: int) -> IntArray:
    """(p,) the sum over the records of their slopes, layer after layer, offsets last in each.

    Args:
        layers: the slopes by every layer, in factors.
        clip: the length that slopes are cut to, in units of one.
        bound: that length in whole numbers: no record adds a vector that is longer.
    """
    shorter = _scale(layers, clip) * (bound / (clip * UNIT * FINE))
    cut = [np.trunc(each.by_sums * shorter[:, None]) for each in layers]
    lengths = _squared_lengths([each.inputs for each in layers], cut)
    kept = lengths <= float(bound) ** 2 * (1 - _MARGIN)
    sums = [_summed(each.inputs, by * kept[:, None]) for each, by in zip(layers, cut, strict=True)]
    return np.concatenate(sums).astype(np.int64)


def _scale(layers: Sequence[Layer], clip: float) -> FloatArray:
    """(n,) what each record's slope is multiplied by: 1 where it is short enough."""
    squares = _squared_lengths([each.inputs for each in layers], [each.by_sums for each in layers])
    lengths = np.sqrt(np.maximum(squares, 1.0)) / (UNIT * FINE)
    return np.minimum(1.0, clip / lengths) * (1 - math.sqrt(_MARGIN))


def _squared_lengths(inputs: Sequence[FloatArray], by_sums: Sequence[FloatArray]) -> FloatArray:
    """(n,) of each record's vector of outer products."""
    found = np.zeros(len(inputs[0]))
    for a, b in zip(inputs, by_sums, strict=True):
        found += (np.einsum("ij,ij->i", a, a) + UNIT**2) * np.einsum("ij,ij->i", b, b)
    return found


def _summed(inputs: FloatArray, by_sums: FloatArray) -> FloatArray:
    of_offset = by_sums.sum(axis=0) * UNIT
    return np.concatenate([inputs.T @ by_sums, of_offset[None]]).ravel()
