"""Numbers are projected on a few directions, disturbed there, and decoded; the rest rides along."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from understudy.core.refusal import Refusal
from understudy.mechanisms.fields import Words
from understudy.mechanisms.kinds import Flag, Number, Scale, Share, Whole
from understudy.mechanisms.mechanism import Arrays
from understudy.mechanisms.scored.settings import Setting
from understudy.models.latent.features import Standardised
from understudy.models.latent.grid import MOST_AXES
from understudy.models.latent.projected import Projected, ProjectedLearner, Shape
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records
from understudy.table.schema import Schema

SETTINGS: Final = (
    Setting(
        "directions",
        Words("Directions", "Along how many directions numbers are disturbed.",
              "Numbers are moved along so many directions, those in which the table varies most. "
              "More of them keep more of a record, and fewer records could have made it."),
        Whole(), 2, 1, MOST_AXES,
    ),
    Setting(
        "public",
        Words("Public directions", "Whether the directions are public, or learned.",
              "Public directions cost nothing. Those that are learned follow the table, and take "
              "part of what the proposer may spend."),
        Flag(), 0,
    ),
    Setting(
        "disturbed",
        Words("Noise on a coordinate", "How strong the noise is, beside what a coordinate varies "
              "by.", "As a share of what a coordinate varies by. More of it hides a seed among "
              "more records, and blurs the candidates."),
        Number(Scale(0.05, 20)), 0.5, 0.05, 20,
    ),
    Setting(
        "redrawn",
        Words("Chance that a category is drawn afresh", "How much of the categories is new.",
              "So likely a category of a candidate is drawn afresh, and not kept as the seed has "
              "it."),
        Share(), 0.5,
    ),
)  # fmt: skip


class ProjectingLearner:
    """Learns second moments of the numbers, and counts of what rides along."""

    source: str = ""
    settings: tuple[Setting, ...] = SETTINGS

    def cost(self, schema: Schema, budget: Budget) -> Budget:
        """Return what noisy second moments and counts cost.

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
        shape = Shape(
            axes=int(numbers["directions"]),
            learned=not numbers["public"],
            disturbed=numbers["disturbed"],
            redrawn=numbers["redrawn"],
        )
        return ProjectedLearner.within(records.schema, budget).learn(records, shape, noise)

    def restore(self, schema: Schema, arrays: Arrays) -> Projected:
        """Return the model that gave these arrays."""
        return Projected.restored(schema, arrays)
