"""The data and the model of the published simulations: two columns, five parameters.

X₁ ~ N(2, 10), X₂ | x₁ ~ N(−2.5 + 0.5·x₁, 3); synthetic X₁ ~ N(θ₁, θ₂), X₂ | x₁ ~ N(θ₃ + θ₄·x₁, θ₅).
Whether a second argument is a variance or a standard deviation is not printed; it is read as a
variance. What becomes of a negative one is not printed either; its absolute value is taken.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from understudy.core.arrays import FloatArray
from understudy.studies.pmse.practised.public import PublicTable

RECORDS: Final = 5000
TRUTH: Final = (2.0, 10.0, -2.5, 0.5, 3.0)
MEANS: Final = (2.0, -1.5)
DEVIATIONS: Final = (10.0**0.5, 5.5**0.5)
"""Of both columns, by themselves."""


def by_chance(records: int, random: np.random.Generator) -> FloatArray:
    """(2, records) standard normal numbers."""
    return random.normal(size=(2, records))


def made(parameters: npt.ArrayLike, chance: FloatArray) -> FloatArray:
    """(records, 2) what five parameters make of numbers by chance."""
    middle, first, intercept, slope, second = np.asarray(parameters, dtype=np.float64)
    x = middle + np.sqrt(abs(first)) * chance[0]
    return np.column_stack([x, intercept + slope * x + np.sqrt(abs(second)) * chance[1]])


def simulated(random: np.random.Generator, records: int = RECORDS) -> PublicTable:
    """Return a table of the published simulations."""
    return PublicTable(made(TRUTH, by_chance(records, random)), "simulated")
