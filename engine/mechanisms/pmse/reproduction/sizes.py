"""How much of the published simulations is run again."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Sizes:
    """How much is tried.

    Attributes:
        changes, repeats, steps: as the fields of those names.
    """

    changes: int
    repeats: int
    steps: int
