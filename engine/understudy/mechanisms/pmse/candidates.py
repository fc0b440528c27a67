"""Points spread evenly over a public prior.

Point i has the fractional parts of start + i·α_j, where α_j = φ^{−j} and φ is the positive root of
x^{d+1} = x + 1 (M. Roberts, “The unreasonable effectiveness of quasirandom sequences”, 2018): a
lattice of low discrepancy for any number of points and dimensions, the same for everybody.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from understudy.mechanisms.pmse.units import Prior

Points = npt.NDArray[np.float64]
_ROOT_STEPS = 64


def evenly(count: int, dimensions: int, start: float = 0.5) -> Points:
    """(count, dimensions) points in (0, 1)."""
    root = 2.0
    for _ in range(_ROOT_STEPS):
        root = (1 + root) ** (1 / (dimensions + 1))
    steps = root ** -np.arange(1.0, dimensions + 1)
    found = np.mod(start + np.arange(1, count + 1)[:, None] * steps, 1.0)
    edge = 2.0**-52
    return np.clip(found, edge, 1 - edge)


def over(prior: Prior, count: int) -> Points:
    """(count, d) candidates spread over a whole prior."""
    even = evenly(count, len(prior.low))
    return prior.low + even * (prior.high - prior.low)


def around(prior: Prior, centre: Points, width: float, count: int) -> Points:
    """(count, d) candidates about a point, which is the first of them.

    They are normal about it, with a standard deviation that is a share of half the prior's width,
    and none lies outside the prior.

    Args:
        prior: the bounds.
        centre: (d,) the point.
        width: the share.
        count: how many, at least 1.
    """
    half = (prior.high - prior.low) / 2
    normal = ndtri(evenly(count - 1, len(half)))
    found = np.clip(centre + width * half * normal, prior.low, prior.high)
    return np.concatenate([centre[None], found])
