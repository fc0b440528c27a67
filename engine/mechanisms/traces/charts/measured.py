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
        (0.485, 0.409, 0.345, 0.278, 0.232, 0.193, 0.169, 0.161),
        (0.362, 0.257, 0.172, 0.093, 0.059, 0.048, 0.044, 0.043),
        0.137,
    ),
    100: Errors(
        (0.401, 0.308, 0.224, 0.151, 0.113, 0.096, 0.090, 0.086),
        (0.354, 0.249, 0.156, 0.092, 0.062, 0.051, 0.047, 0.046),
        0.073,
    ),
    25: Errors(
        (0.307, 0.227, 0.152, 0.090, 0.074, 0.071, 0.071, 0.071),
        (0.299, 0.218, 0.143, 0.084, 0.068, 0.064, 0.065, 0.065),
        0.039,
    ),
}
"""By how many cells the map of the city has: its own 400, and those taken together."""


def nearest(cells: int) -> int:
    """Of the maps that were measured, the one of the most similar number of cells."""
    return min(BY_CELLS, key=lambda each: abs(math.log(each / cells)))


def foreseen(cells: int, carried: float) -> float:
    """The error of places on the nearest map, between the figures and as at their ends beyond.

    Args:
        cells: how many cells the map has.
        carried: people times ε.
    """
    at = np.log(PEOPLE_TIMES_EPSILON)
    return float(np.interp(math.log(carried), at, BY_CELLS[nearest(cells)].places))
