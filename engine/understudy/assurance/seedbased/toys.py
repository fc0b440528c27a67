"""Toy models with explicit probabilities (Examples 3.1–3.6 and 4.1)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import numpy as np

from understudy.core.arrays import FloatArray


def hamming(bits: int) -> FloatArray:
    """Uniform over the words with as many ones as the seed (Example 3.2)."""
    weight = np.array([sum(word) for word in product((0, 1), repeat=bits)])
    alike = (weight[:, None] == weight).astype(np.float64)
    return np.asarray(alike / alike.sum(axis=1, keepdims=True))


TOYS: Mapping[str, FloatArray] = {
    "identity": np.eye(4),
    "Hamming": hamming(3),
    "uniform": np.full((4, 4), 1 / 4),
    "mixture": 0.7 * hamming(2) + 0.3 / 4,
    "randomised response": np.full((2, 2), 1 / 6) + np.eye(2) * 2 / 3,
}
"""By name; the seed's own value (3.1), `hamming`, one law for all seeds (3.3), a mixture (3.6),
and a coin that tells the truth in two cases of three (4.1)."""
