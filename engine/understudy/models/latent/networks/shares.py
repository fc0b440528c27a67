"""How often each flag is set, with noise, and a decoder whose rows have these shares.

Codes follow a normal law only about, so what is decoded of one sets flags a little too often or
too seldom. Counts of the flags put that right: one record moves all of them together by √m.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from understudy.core.arrays import BoolArray, FloatArray, IntArray
from understudy.models.latent.networks.autoencoder import Network
from understudy.models.latent.networks.fixed_point import FINE, MOST_WEIGHT, UNIT, chances
from understudy.privacy.accounting.budget_shares import Allowance
from understudy.privacy.noise import Noise

_OWN: Final = 0.005
"""About how far off a network's own shares are: what noisy ones are weighed against."""
_ROUNDS: Final = 18


def counted(inputs: BoolArray, rho: float, noise: Noise) -> IntArray:
    """(m,) how many of (n, m) records have each flag set, with noise for ρ."""
    many = inputs.shape[1]
    exact = inputs.sum(axis=0, dtype=np.int64)
    return Allowance(rho, "rho").vector(exact, many, many**0.5, noise)


def with_shares(
    network: Network, codes: FloatArray, counts: IntArray, records: int, rho: float
) -> Network:
    """Return a network with other offsets, whose chances are nearer to noisy counts on average.

    Args:
        network: that decodes.
        codes: (n, w) drawn of the law that rows will be decoded from.
        counts: (m,) of `counted`.
        records: about how many records were counted, declared.
        rho: that was spent on counting.
    """
    sums = network.sums(codes)
    own = chances(sums).mean(axis=0) / FINE
    deviation = (len(counts) / (2 * rho)) ** 0.5 / records
    weight = _OWN**2 / (_OWN**2 + deviation**2)
    aim = own + weight * (np.clip(counts / records, 0.0, 1.0) - own)
    return network.with_offsets(_moved(sums, network.layers[-1][-1], aim))


def _moved(sums: FloatArray, offsets: FloatArray, aim: FloatArray) -> FloatArray:
    """Return the offsets with which chances are `aim` on average: between their bounds, by
    halving."""
    low, high = np.full_like(offsets, -MOST_WEIGHT), np.full_like(offsets, MOST_WEIGHT)
    for _ in range(_ROUNDS):
        middle = np.rint((low + high) / 2)
        above = chances(sums + (middle - offsets) * UNIT).mean(axis=0) / FINE > aim
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return low
