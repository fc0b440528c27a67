"""A plan of days like those of given people."""

from __future__ import annotations

from typing import ClassVar, Final

from pydantic import Field

from understudy.core.numerals import round_up
from understudy.core.refusal import Refusal
from understudy.mechanisms.mobility_plan import OnAMapPlan
from understudy.mechanisms.plan import Delta, Epsilon, RecordsKnown
from understudy.mechanisms.plausible_traces.keys import Keeps
from understudy.privacy.accounting.unit_counts import MISS_SHARE, seeds_known
from understudy.privacy.plausibility.threshold import LARGEST_K, SMALLEST_EPSILON0
from understudy.table.positions.grids import PEOPLE_A_CELL
from understudy.table.schema import Schema

MOST_ATTEMPTS: Final = 10_000
_UNKNOWN: Final = 4_000
"""Seeds that are counted on where nobody has said how many people there are."""


class PlausiblePlan(OnAMapPlan, what="the plan"):
    """Everything a run needs besides the table and its schema.

    Attributes:
        keeps: what is kept of a seed's day.
        epsilon, delta: what the attempts together may cost one person, with all days.
        model_epsilon: what the model may cost one person of those it is learned from; None for
            `epsilon`.
        attempts: N, fixed before the run.
        k, epsilon0: of the privacy test; None for what follows from ε, δ and the attempts.
        seeds: the chance with which a person is a seed. The model is learned from people who are
            neither seeds nor held out.
        seeds_at_least: how many seeds are counted on; None for what follows from `public_people`.
        public_people: how many people the custodian confirmed to be publicly known to be in the
            table at least; None where nobody has said.
    """

    kind: ClassVar[str] = "plausible-traces"

    keeps: Keeps = Field(
        default="pattern",
        description="What is kept of a person's day. An outline: whether one goes to work, "
        "elsewhere or both, and in which order. The pattern: every stay at home, at work and "
        "elsewhere in order. The departure: also in which three hours one first leaves. The hours: "
        "also the hour in which every stay begins. The more is kept, the fewer people share it, "
        "and the fewer days come out.",
    )  # fmt: skip
    epsilon: Epsilon = Field(
        default=1.0,
        description="ε for one person, with all days of theirs: what all attempts may cost.",
    )  # fmt: skip
    delta: Delta = Field(
        default=1e-6,
        description="δ for one person. Far below one in the number of people.",
    )  # fmt: skip
    model_epsilon: Epsilon | None = Field(
        default=None,
        description="What the model may cost a person whom it is learned from; the same as ε "
        "where it is left out. It is learned from other people than the seeds, so the larger of "
        "the two counts, not the sum.",
    )  # fmt: skip
    attempts: int = Field(
        default=100, ge=1, le=MOST_ATTEMPTS,
        description="How many attempts are made, fixed before the run. Each adds to the cost, "
        "whether or not a day comes out.",
    )  # fmt: skip
    k: int | None = Field(
        default=None, ge=2, le=LARGEST_K,
        description="About so many other people's days must have in common what a made day kept. "
        "Left out, it is the smallest that ε, δ and the attempts allow.",
    )  # fmt: skip
    epsilon0: float | None = Field(
        default=None, ge=SMALLEST_EPSILON0, le=1000, allow_inf_nan=False,
        description="The noise on k is of the scale of one in this. Left out, it is the best for "
        "k.",
    )  # fmt: skip
    seeds: float = Field(
        default=0.45, gt=0, lt=1,
        description="The chance with which a person is a seed. The model is learned from those who "
        "are neither seeds nor held out.",
    )  # fmt: skip
    seeds_at_least: RecordsKnown | None = Field(
        default=None,
        description="How many seeds are counted on. Left out, it is what follows from the people "
        "that are publicly known.",
    )  # fmt: skip
    public_people: RecordsKnown | None = Field(
        default=None,
        description="How many people everybody may know the table to have at least, whoever is "
        "taken out of it. The guarantee rests on it.",
    )  # fmt: skip

    @property
    def learns_at(self) -> float:
        """ε of the model."""
        return self.epsilon if self.model_epsilon is None else self.model_epsilon

    @property
    def learned_from(self) -> float:
        """The chance with which the model is learned from a person."""
        return 1 - self.seeds - self.held_out

    @property
    def certain_seeds(self) -> int:
        """How many seeds are counted on.

        Raises:
            Refusal: so few people are publicly known that not one is certain to be a seed.
        """
        if self.seeds_at_least is not None:
            return self.seeds_at_least
        if self.public_people is None:
            return _UNKNOWN
        found = seeds_known(self.public_people, self.seeds, MISS_SHARE * self.delta)
        if found < 1:
            raise Refusal(
                f"Of {self.public_people:,} people, not even one is certain to be a seed.",
                "Take a table of thousands of people, or made traces, which need no seeds.",
                field="public_people",
            )
        return found

    @property
    def likely_seeds(self) -> int:
        """How many seeds there are on average, where the table has just the people who are publicly
        known; as many as are counted on where nobody has said."""
        if self.public_people is None:
            return self.certain_seeds
        return max(1, round(self.public_people * self.seeds))

    def check(self, schema: Schema) -> None:
        """See `OnAMapPlan.check`; and that somebody is left to learn from, and k goes with ε0.

        Raises:
            Refusal: it does not fit.
        """
        super().check(schema)
        if self.learned_from <= 0:
            raise Refusal(
                "Nobody is left for the model to be learned from.",
                "Give the seeds and the people held out less than 1 together.",
                field="seeds",
            )
        if self.k is None and self.epsilon0 is not None:
            raise Refusal(
                "ε0 is given, and k is not.",
                "Give k too, or leave ε0 out for the best one.",
                field="epsilon0",
            )
        if self.public_people is not None and self.delta >= 1 / self.public_people:
            raise Refusal(
                "δ is not below one in the number of people: publishing somebody's day as it is "
                "would keep to it.",
                "Enter a far smaller δ, such as 1e-9.",
                field="delta",
            )
        self.check_detail(self.learns_at, self.learned_from)

    def check_detail(self, epsilon: float, share: float = 1.0) -> None:
        """As `OnAMapPlan.check_detail`; the remedy is a larger ε, as the map is the table's.

        Raises:
            Refusal: the map is too fine.
        """
        try:
            super().check_detail(epsilon, share)
        except Refusal as refusal:
            remedy = "Choose a table of more people or of larger cells, or made traces."
            people = int(share * (self.public_people or 0))
            if people:
                least = round_up(self.where.cells * PEOPLE_A_CELL / people, 2)
                remedy = (
                    f"Choose an ε of {least} or more, a table of more people or of larger cells, "
                    "or made traces, which need fewer people and take cells together."
                )
            raise Refusal(
                f"The model is learned from about {people:,} people only. {refusal.problem}",
                remedy,
                field="epsilon" if self.model_epsilon is None else "model_epsilon",
            ) from None
