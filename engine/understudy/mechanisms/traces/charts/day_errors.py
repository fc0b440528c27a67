"""How far made days are from other people's, by people times ε: measured on the simulated city.

`python -m benchmarks traces-curve` prints these figures: means of four runs at δ = 1e-9, a weekday
of made people beside one of 5,000 others of the city. They foresee what a plan comes to, as far as
its city is like this one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

PEOPLE_TIMES_EPSILON: Final = (250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000)


@dataclass(frozen=True)
class Errors:
    """Errors on a map, as total variation, 0 to 1.

    Attributes:
        places: of cells by 20 minutes, at each of `PEOPLE_TIMES_EPSILON`.
        zones: of 25 zones by quarter of the day.
        others: of other real people's cells by 20 minutes, the least there can be.
    """

    places: tuple[float, ...]
    zones: tuple[float, ...]
    others: float


BY_CELLS: Final[Mapping[int, Errors]] = {
    400: Errors(
        (0.487, 0.440, 0.340, 0.254, 0.211, 0.179, 0.167, 0.160),
        (0.257, 0.203, 0.130, 0.077, 0.050, 0.042, 0.042, 0.039),
        0.137,
    ),
    100: Errors(
        (0.306, 0.265, 0.194, 0.133, 0.106, 0.095, 0.089, 0.086),
        (0.245, 0.198, 0.130, 0.078, 0.057, 0.049, 0.046, 0.045),
        0.073,
    ),
    25: Errors(
        (0.240, 0.184, 0.136, 0.097, 0.082, 0.076, 0.074, 0.072),
        (0.228, 0.176, 0.128, 0.090, 0.076, 0.071, 0.069, 0.067),
        0.039,
    ),
}
"""By how many cells the map of the city has: its own 400, and those taken together."""


def nearest(cells: int) -> int:
    """Return the map, of those that were measured, with the most similar number of cells."""
    return min(BY_CELLS, key=lambda each: abs(math.log(each / cells)))


def foresee_error(cells: int, carried: float) -> float:
    """Return the error of places on the nearest map, between the figures and as at their ends
    beyond.

    Args:
        cells: how many cells the map has.
        carried: people times ε.
    """
    at = np.log(PEOPLE_TIMES_EPSILON)
    return float(np.interp(math.log(carried), at, BY_CELLS[nearest(cells)].places))
