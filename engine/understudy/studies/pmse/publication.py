"""Numbers as they were printed in Snoke and Slavković (2018), and how much is run again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple, dataclass
from typing import Final

TABLE_1: Final[Mapping[tuple[int | None, float], float]] = {
    (1, 0.01): 0.0, (2, 0.01): 0.3, (5, 0.01): 0.6, (None, 0.01): 0.7,
    (1, 0.001): 0.0, (2, 0.001): 0.5, (5, 0.001): 2.0, (None, 0.001): 2.5,
}  # fmt: skip
"""Per cent of changes beyond 1/n, by the depth and the cp of trees."""

EPSILONS: Final = (0.25, 0.5, 1.0, 2.0, 4.0)
"""Of Table 2."""
FIGURE_EPSILONS: Final = (0.25, 0.5, 1.0)
"""Of Figures 2 and 4."""

NON_DP: Final = "Non-DP"
PRACTISED: Final = "pMSE Mech., as practised"
BAYES: Final = "DP Bayes"
HISTOGRAM: Final = "Smooth Hist."

TABLE_2: Final[Mapping[str, tuple[float, ...]]] = {
    NON_DP: (0.00660, 0.00663, 0.00661, 0.00660, 0.00660),
    PRACTISED: (0.09281, 0.03610, 0.02107, 0.01459, 0.01161),
    BAYES: (0.20509, 0.17876, 0.14372, 0.11177, 0.07919),
    HISTOGRAM: (0.08206, 0.05398, 0.03278, 0.01892, 0.01129),
}
"""Mean pMSE by method and ε."""

VARIANCES: Final[Mapping[str, tuple[float, ...]]] = {
    NON_DP: (8.681e-07, 8.929e-07, 8.342e-07, 8.342e-07, 8.671e-07),
    PRACTISED: (1.347e-03, 8.020e-05, 1.648e-05, 1.648e-05, 3.329e-06),
    BAYES: (3.079e-03, 5.914e-03, 8.579e-03, 8.579e-03, 9.087e-03),
    HISTOGRAM: (2.826e-05, 1.809e-05, 1.069e-05, 1.069e-05, 5.964e-06),
}
"""Variance of pMSE in Table 2 as printed: for ε = 1 and 2 the same in all columns, so that one of
the two is a slip of the printer."""
DOUBTED: Final = 2.0
"""The ε whose variances are taken for the slip."""

BOUNDS: Final = (2.0, 4.0, 5.0, 10.0)
"""At how many standard deviations bounded methods truncate, in Figures 2 and 4."""
DEPTHS: Final = (1, 2, 5, None)
"""Of the practised trees in Figures 2 and 4."""


@dataclass(frozen=True)
class PmseStudySizes:
    """How much is tried.

    Attributes:
        changes, repeats, steps: as the fields of those names.
    """

    changes: int
    repeats: int
    steps: int

    def at_least(self, other: PmseStudySizes) -> bool:
        """Return whether as much is tried of everything."""
        return all(
            mine >= theirs for mine, theirs in zip(astuple(self), astuple(other), strict=True)
        )


FULL: Final = PmseStudySizes(changes=2000, repeats=20, steps=1000)
QUICK: Final = PmseStudySizes(changes=60, repeats=2, steps=0)
PUBLISHED_CHANGES: Final = 1_000_000
PUBLISHED_REPEATS: Final = 2_500
LEAF: Final = 100
"""The fewest records of a leaf of the tree that evaluates."""
