"""A third-party model as a model that can be learned, on its own word."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from understudy.core.refusal import Refusal
from understudy.models.about import About
from understudy.models.calibrated.as_learner import Calibrated
from understudy.models.learner import (
    CellNoise,
    Learner,
    Parts,
    Terms,
    Word,
    at_once_shares,
    together,
)
from understudy.models.sequential import Sequential
from understudy.models.streamed import StreamedSplit
from understudy.models.third_party.about import THIRD_PARTY
from understudy.models.third_party.claim import Claim
from understudy.models.third_party.learning import learn_third_party
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.table.schema import Schema
from understudy.table.split import Shares


@dataclass(frozen=True)
class ThirdParty(Learner):
    """See `Learner`. Nothing is foreseen of it, nor known of the time that it takes.

    Attributes:
        claim: which model, and what it claims; None before one is chosen.
    """

    claim: Claim | None = None

    about: ClassVar[About] = THIRD_PARTY

    @property
    def word(self) -> Word | None:
        """The word of whoever made the model; None before one is chosen."""
        if self.claim is None:
            return None
        return Word(self.claim.name, self.claim.source, self.claim.covers)

    def shares(self, seeds: float, held_out: float) -> Shares:
        """See `at_once_shares`."""
        return at_once_shares(seeds, held_out)

    def cost(self, schema: Schema, budget: Budget) -> Mapping[str, Budget]:
        """It is held to its whole budget, whatever less it declares when it has been learned."""
        return {"model": budget}

    def learn(self, split: Parts, terms: Terms, noise: Noise, source: RandomSource) -> Sequential:
        """See `learn_third_party`. It draws its own noise."""
        assert self.claim is not None, "plans of a third-party model name one"
        if isinstance(split, StreamedSplit):
            raise Refusal(
                "A third-party model has to see every record at once, and these are read piece by "
                "piece.",
                "Choose a model of this program's own, or a table that fits in memory.",
                field="model",
            )
        return learn_third_party(self.claim, together(split), terms.budget, source.child())

    def cell_noise(self, terms: Terms, records: int) -> CellNoise:
        """Return that of the calibrated model, which has as many records and the same budget."""
        return Calibrated().cell_noise(terms, records)
