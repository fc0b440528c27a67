"""Codes of a factor model or a network of flags, disturbed by as much as a record leaves open."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from understudy.core.refusal import Refusal
from understudy.mechanisms.fields import Words
from understudy.mechanisms.kinds import Number, Scale, Whole
from understudy.mechanisms.mechanism import Arrays
from understudy.mechanisms.scored.flags import ONES, OfFlags
from understudy.mechanisms.scored.settings import Setting
from understudy.models.latent.factors import Factors
from understudy.models.latent.grid import MOST_AXES
from understudy.models.latent.latent_noise import LatentNoise, OfFactors, OfNetwork
from understudy.models.latent.moments import FlagMoments, check_flags
from understudy.models.latent.networks import variational
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records
from understudy.table.schema import Schema

_FACTORS: Final = Setting(
    "factors",
    Words("Hidden numbers", "How many hidden numbers explain a record.",
          "More of them keep more of a record, and fewer records could have made a candidate."),
    Whole(), 2, 1, MOST_AXES,
)  # fmt: skip
_DISTURBED: Final = Setting(
    "disturbed",
    Words("Noise on a code", "How strong the noise is, beside what a record leaves open of its "
          "hidden numbers.", "At 1, a disturbed code is a draw of the hidden numbers given the "
          "record. More of it hides a seed among more records, and blurs the rows."),
    Number(Scale(0.25, 8)), 1.0, 0.25, 8,
)  # fmt: skip
_RECORDS: Final = Setting(
    "records",
    Words("Records learned from", "About how many records the network is learned from, as is "
          "publicly known.", "How many a step of its training takes follows from it. No promise "
          "rests on it, but fewer records than that train the network less well."),
    Whole(), 50_000, 100, 10**9,
)  # fmt: skip


class FactorNoiseLearner(OfFlags):
    """Learns factors of noisy second moments; their posterior is the noise."""

    settings: tuple[Setting, ...] = (_FACTORS, ONES, _DISTURBED)

    def check(self, schema: Schema, budget: Budget, numbers: Mapping[str, float]) -> None:
        """Check that there are fewer hidden numbers than columns.

        Raises:
            Refusal: there are not.
        """
        if numbers["factors"] >= len(schema):
            raise Refusal(
                f"{int(numbers['factors']):,} hidden numbers explain nothing of "
                f"{len(schema):,} columns.",
                f"Choose {len(schema) - 1:,} or fewer.",
                field="numbers.factors",
            )

    def learn(
        self,
        records: Records,
        budget: Budget,
        numbers: Mapping[str, float],
        noise: Noise,
        source: RandomSource,
    ) -> LatentNoise:
        """Learn the model under the budget."""
        asked = FlagMoments.within(len(records.schema), int(numbers["ones"]), budget)
        moments = asked.answered(records.codes, noise, source)
        model = Factors.fit(moments, int(numbers["factors"]))
        return LatentNoise(*OfFactors.with_grid(model, numbers["disturbed"]))

    def restore(self, schema: Schema, arrays: Arrays) -> LatentNoise:
        """Return the model that gave these arrays."""
        return LatentNoise.restored(arrays, OfFactors.restored)


class NetworkNoiseLearner:
    """Trains a variational autoencoder with noise; its mean posterior is the noise on codes."""

    source: str = ""
    settings: tuple[Setting, ...] = (_RECORDS, _DISTURBED)

    def cost(self, schema: Schema, budget: Budget) -> Budget:
        """Return all of the budget.

        Raises:
            Refusal: a column has not two values, or there are too many.
        """
        check_flags(schema)
        return budget

    def check(self, schema: Schema, budget: Budget, numbers: Mapping[str, float]) -> None:
        """Check that so many records can train a network.

        Raises:
            Refusal: noise would leave nothing of it.
        """
        self._planned(schema, budget, numbers)

    def learn(
        self,
        records: Records,
        budget: Budget,
        numbers: Mapping[str, float],
        noise: Noise,
        source: RandomSource,
    ) -> LatentNoise:
        """Train, and look at the network's own rows for what it leaves open."""
        plan = self._planned(records.schema, budget, numbers)
        model = variational.learned(records.codes.astype(np.bool_), plan, noise, source)
        return LatentNoise(*OfNetwork.with_grid(model, numbers["disturbed"], source.child()))

    def restore(self, schema: Schema, arrays: Arrays) -> LatentNoise:
        """Return the model that gave these arrays."""
        return LatentNoise.restored(arrays, OfNetwork.restored)

    def _planned(
        self, schema: Schema, budget: Budget, numbers: Mapping[str, float]
    ) -> variational.Planned:
        return variational.planned(len(schema), int(numbers["records"]), budget)
