"""A plan for a model that can propose and score, and nothing more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field

from understudy.core.refusal import Refusal
from understudy.mechanisms.plan import (
    Delta,
    Epsilon,
    HeldOut,
    MechanismPlan,
    RecordsKnown,
    RecordsPerPerson,
)
from understudy.privacy.plausibility.privacy_test import PlausibleDeniability, PrivacyTest
from understudy.table.schema import Schema
from understudy.table.subpopulation import Subpopulation


class ScoredPlan(MechanismPlan, what="the plan"):
    """Everything a run needs besides the table and its schema.

    Attributes:
        proposer: the name of what proposes and scores; see `proposers`.
        numbers: the proposer's own settings, by name.
        epsilon: ε of learning the proposer.
        test: the privacy test and its parameters.
        attempts: N, fixed before the run.
        seeds_among: the sub-population that seeds are of, as `Subpopulation.of` reads it; None for
            all records.
        copies: how many rows are made of every candidate that passes.
        delta: the δ of the total, met by every part.
        records_per_person: g, the most records one person may have in the table.
        seeds_at_least: how many seed records are counted on.
        public_records: how many records, of the sub-population if there is one, the custodian
            confirmed to be publicly known to be in the table at least; None where nobody has said.
        seeds, held_out: with which chance a record, of the sub-population if there is one, is a
            seed, or only compared with. The proposer is learned from all others.
    """

    kind: ClassVar[str] = "scored"
    belonging: ClassVar[Mapping[str, str]] = {"numbers": "proposer"}

    proposer: str = Field(default="redrawn", min_length=1)
    numbers: Mapping[str, float] = Field(default_factory=dict)
    epsilon: Epsilon = 1.0
    test: PrivacyTest = PlausibleDeniability(k=50, gamma=4.0, epsilon0=1.0)
    attempts: int = Field(default=2_000, ge=1, le=10**9)
    seeds_among: str | None = Field(default=None, min_length=1)
    copies: int = Field(default=1, ge=1, le=1_000)
    delta: Delta = 1e-9
    records_per_person: RecordsPerPerson = 1
    seeds_at_least: RecordsKnown = 1_000
    public_records: RecordsKnown | None = None
    seeds: float = Field(default=0.5, gt=0, lt=1)
    held_out: HeldOut = 0.1

    def check(self, schema: Schema) -> None:
        """Check that the plan was made for this schema and fits it.

        Raises:
            Refusal: as `MechanismPlan.check`, or no record is left to learn from.
        """
        super().check(schema)
        if self.subpopulation(schema) is not None and self.seeds + self.held_out <= 1:
            return
        if self.seeds + self.held_out >= 1:
            raise Refusal(
                "No record is left for the proposer to be learned from.",
                "Give the seeds and the held-out records less than 1 together.",
                field="seeds",
            )

    def subpopulation(self, schema: Schema) -> Subpopulation | None:
        """Return whose records are seeds; None where all may be.

        Raises:
            Refusal: the schema has no such column or value.
        """
        if self.seeds_among is None:
            return None
        return Subpopulation.of(self.seeds_among, schema, "seeds_among")
