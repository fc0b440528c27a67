"""How much of the published simulations is run again."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from typing import Final


@dataclass(frozen=True)
class Sizes:
    """How much is tried.

    Attributes:
        changes, repeats, steps: as the fields of those names.
    """

    changes: int
    repeats: int
    steps: int

    def at_least(self, other: Sizes) -> bool:
        """Return whether as much is tried of everything."""
        return all(
            mine >= theirs for mine, theirs in zip(astuple(self), astuple(other), strict=True)
        )


FULL: Final = Sizes(changes=2000, repeats=20, steps=1000)
QUICK: Final = Sizes(changes=60, repeats=2, steps=0)
PUBLISHED_CHANGES: Final = 1_000_000
PUBLISHED_REPEATS: Final = 2_500
LEAF: Final = 100
"""The fewest records of a leaf of the tree that evaluates."""
