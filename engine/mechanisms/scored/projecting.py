"""Numbers are projected on a few directions, disturbed there, and decoded; the rest rides along."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from engine.core.refusal import Refusal
from engine.mechanisms.mechanism import Arrays
from engine.models.latent.grid import MOST_AXES
from engine.models.latent.learning import ProjectedLearner, Shape
from engine.models.latent.projected import Projected
from engine.models.latent.standardised import Standardised
from engine.privacy.budget import Budget
from engine.privacy.noise import Noise
from engine.privacy.randomness import RandomSource
from engine.table.records import Records
from engine.table.schema import Schema

USUAL: Final[Mapping[str, float]] = {
    "directions": 2,
    "public": 0,
    "disturbed": 0.5,
    "redrawn": 0.5,
}
"""The settings, with what each is where it is left out."""

_LEAST, _MOST = 0.05, 20.0


class ProjectingLearner:
    """Learns second moments of the numbers, and counts of what rides along."""

    source: str = ""

    def check(self, numbers: Mapping[str, float]) -> None:
        """Check that only settings that it has are given, each within its range."""
        asked = {**USUAL, **numbers}
        fits = (
            not set(numbers) - set(USUAL)
            and asked["directions"] in range(1, MOST_AXES + 1)
            and asked["public"] in (0, 1)
            and _LEAST <= asked["disturbed"] <= _MOST
            and 0 <= asked["redrawn"] <= 1
        )
        if not fits:
            raise Refusal(
                f"The proposer “projected” takes four numbers: “directions”, a whole number from 1 "
                f"to {MOST_AXES}; “public”, 1 for directions that are not learned, else 0; "
                f"“disturbed”, the noise on a coordinate as a share of what it varies by, from "
                f"{_LEAST:g} to {_MOST:g}; and “redrawn”, the chance from 0 to 1 that a category "
                "is drawn afresh.",
                "Correct them, or leave them out.",
                field="numbers",
            )

    def cost(self, schema: Schema, budget: Budget) -> Budget:
        """That of noisy second moments and counts.

        Raises:
            Refusal: no column has numbers.
        """
        if not len(Standardised.of(schema)):
            raise Refusal(
                "The proposer “projected” needs a column of numbers, and the schema has none.",
                "Choose another proposer, such as redrawn, or describe a column by a range.",
                field="proposer",
            )
        return ProjectedLearner.within(schema, budget).cost

    def learn(
        self,
        records: Records,
        budget: Budget,
        numbers: Mapping[str, float],
        noise: Noise,
        source: RandomSource,
    ) -> Projected:
        """Learn the model under the budget."""
        asked = {**USUAL, **numbers}
        shape = Shape(
            axes=int(asked["directions"]),
            learned=not asked["public"],
            disturbed=asked["disturbed"],
            redrawn=asked["redrawn"],
        )
        return ProjectedLearner.within(records.schema, budget).learn(records, shape, noise)

    def restore(self, schema: Schema, arrays: Arrays) -> Projected:
        """The model that gave these arrays."""
        return Projected.restored(schema, arrays)
