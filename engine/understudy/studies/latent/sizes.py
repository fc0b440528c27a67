"""How much of the published evaluation is run again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from understudy.studies.latent.published import CS

PUBLISHED_SEEDS: Final = 2_000_000
"""About how many records the published seeds were: six million, in three."""


@dataclass(frozen=True)
class Sizes:
    """How much is done.

    Attributes:
        training: records that models are trained on.
        seeds: records that candidates are made of.
        candidates: how many; as many records are held out.
        told: of each table, how many records classifiers other than forests see.
        epochs: of training, as published 200.
        strengths: the C of Figure 9.3.
        swept: of its trainings, how many records and epochs.
    """

    training: int
    seeds: int
    candidates: int
    told: int
    epochs: int
    strengths: tuple[float, ...]
    swept: tuple[int, int]

    def scaled(self, number: int) -> int:
        """Return a threshold on so many of the published seeds, for as many as there are here."""
        return max(2, round(number * self.seeds / PUBLISHED_SEEDS))


FULL: Final = Sizes(200_000, 2_000_000, 100_000, 20_000, 200, CS, (100_000, 40))
QUICK: Final = Sizes(20_000, 100_000, 6_000, 2_000, 20, (0.0, 0.5, 2.0), (10_000, 10))
