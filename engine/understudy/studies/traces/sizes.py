"""How much of the published evaluation is run again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Sizes:
    """How much is done.

    Attributes:
        people, releases: as the fields of those names.
        repeats: how often a service is queried, as published 20 times.
        counted: of how many other people made traces are counted.
    """

    people: int
    releases: int
    repeats: int
    counted: int


FULL: Final = Sizes(30, 10, 20, 1000)
QUICK: Final = Sizes(12, 2, 2, 60)
