"""Two readings of one model of flags: projected and drawn, or disturbed in its small space."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from understudy.mechanisms.fields import Words
from understudy.mechanisms.kinds import Number, Scale, Whole
from understudy.mechanisms.mechanism import Arrays
from understudy.mechanisms.scored.settings import Setting
from understudy.models.latent.grid import MOST_AXES, Decoder
from understudy.models.latent.latent_noise import LatentNoise, Linear
from understudy.models.latent.moments import MOST_FLAGS, FlagMoments, Moments, check_flags
from understudy.models.latent.projected import Shape, grid_of
from understudy.models.latent.projection import Projection
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records
from understudy.table.schema import Schema

_DIRECTIONS: Final = Setting(
    "directions",
    Words("Directions", "How many directions flags are projected on, at most.",
          "Those in which the table varies most. More of them keep more of a record, and fewer "
          "records could have made it."),
    Whole(), 3, 1, MOST_AXES,
)  # fmt: skip
ONES: Final = Setting(
    "ones",
    Words("Flags counted of a record", "How many flags of one record are counted at most.",
          "Of a record that has more, so many are counted, chosen by chance. Fewer let less noise "
          "do, and more keep what is told of full records. Don't choose it by looking at these "
          "records."),
    Whole(), 8, 1, MOST_FLAGS,
)  # fmt: skip
_FLOOR: Final = Setting(
    "floor",
    Words("Least chance of a flag", "How likely a flag is at least, and its contrary, out of "
          "65,536.", "Every record can then make every candidate."),
    Whole(), 16, 1, 1 << 15,
)  # fmt: skip
_DISTURBED: Final = Setting(
    "disturbed",
    Words("Noise on a code", "How strong the noise is, beside what a code varies by.",
          "As a share of what a code varies by. More of it hides a seed among more records, and "
          "blurs the rows."),
    Number(Scale(0.05, 20)), 1.0, 0.05, 20,
)  # fmt: skip


class OfFlags:
    """What both readings ask of the records."""

    source: str = ""

    def cost(self, schema: Schema, budget: Budget) -> Budget:
        """Return what noisy second moments cost, which get all of the budget.

        Raises:
            Refusal: a column has not two values, or there are too many.
        """
        check_flags(schema)
        return budget

    def _moments(
        self,
        records: Records,
        budget: Budget,
        numbers: Mapping[str, float],
        noise: Noise,
        source: RandomSource,
    ) -> Moments:
        asked = FlagMoments.within(len(records.schema), int(numbers["ones"]), budget)
        return asked.measure(records.codes, noise, source)


class ProjectionLearner(OfFlags):
    """Learns the directions on which seeds are projected (reading A)."""

    settings: tuple[Setting, ...] = (_DIRECTIONS, ONES, _FLOOR)

    def learn(
        self,
        records: Records,
        budget: Budget,
        numbers: Mapping[str, float],
        noise: Noise,
        source: RandomSource,
    ) -> Projection:
        """Learn the model under the budget."""
        moments = self._moments(records, budget, numbers, noise, source)
        return Projection.of(moments, int(numbers["directions"]), int(numbers["floor"]))

    def restore(self, schema: Schema, arrays: Arrays) -> Projection:
        """Return the model that gave these arrays."""
        return Projection.restored(arrays)


class LatentNoiseLearner(OfFlags):
    """Learns the grid on which codes are disturbed, and what they are decoded by (reading B)."""

    settings: tuple[Setting, ...] = (_DIRECTIONS, ONES, _DISTURBED)

    def learn(
        self,
        records: Records,
        budget: Budget,
        numbers: Mapping[str, float],
        noise: Noise,
        source: RandomSource,
    ) -> LatentNoise:
        """Learn the model under the budget."""
        moments = self._moments(records, budget, numbers, noise, source)
        shape = Shape(int(numbers["directions"]), True, numbers["disturbed"], 1.0)
        grid = grid_of(moments, shape)
        return LatentNoise(grid, Linear(Decoder.of(moments, grid)))

    def restore(self, schema: Schema, arrays: Arrays) -> LatentNoise:
        """Return the model that gave these arrays."""
        return LatentNoise.restored(arrays)
