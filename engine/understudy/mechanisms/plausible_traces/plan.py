"""A plan of days like those of given people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final

from understudy.core.numerals import round_up
from understudy.core.refusal import Refusal
from understudy.mechanisms.fields import FieldGroup
from understudy.mechanisms.kinds import Choice, Number, Scale, Share, Whole
from understudy.mechanisms.mobility_plan import MAP, TABLE, OnAMapPlan
from understudy.mechanisms.plan import Delta, Epsilon, RecordsKnown
from understudy.mechanisms.plausible_traces.keys import Keeps
from understudy.mechanisms.setting import COST, MADE, declare_setting
from understudy.privacy.accounting.unit_counts import MISS_SHARE, seeds_from_records
from understudy.privacy.plausibility.threshold import LARGEST_K, SMALLEST_EPSILON0
from understudy.table.positions.grids import PEOPLE_A_CELL
from understudy.table.schema import Schema

TEST: Final = FieldGroup("The privacy test", "The privacy test")

KEPT: Final[Mapping[Keeps, str]] = {
    "outline": "The outline of the day",
    "pattern": "Every stay in order",
    "departure": "Also when one first leaves",
    "hours": "Also the hour of every stay",
}
"""What each thing that can be kept is called."""
MOST_ATTEMPTS: Final = 10_000
_UNKNOWN: Final = 4_000
"""Seeds that are counted on where nobody has said how many people there are."""


class PlausiblePlan(OnAMapPlan, what="the plan"):
    """Everything a run needs besides the table and its schema."""

    kind: ClassVar[str] = "plausible-traces"
    form_groups: ClassVar[tuple[FieldGroup, ...]] = (COST, MADE, TEST, MAP, TABLE)

    keeps: Keeps = declare_setting(
        "pattern",
        "What is kept of a real person's day",
        "What is kept of a person's day. An outline: whether one goes to work, "
        "elsewhere or both, and in which order. The pattern: every stay at home, at work and "
        "elsewhere in order. The departure: also in which three hours one first leaves. The hours: "
        "also the hour in which every stay begins. The more is kept, the fewer people share it, "
        "and the fewer days come out.",
        group=MADE,
        after="attempts",
        kind=Choice(KEPT),
    )
    epsilon: Epsilon = declare_setting(
        1.0,
        "ε for a person, with all days",
        "ε for one person, with all days of theirs: what all attempts may cost.",
        group=COST,
        kind=Number(Scale(0.1, 10.0), step=0.1),
    )
    delta: Delta = declare_setting(
        1e-6,
        "δ",
        "δ for one person. Far below one in the number of people.",
        group=COST,
        kind=Number(digits=3),
    )
    model_epsilon: Epsilon | None = declare_setting(
        None,
        "ε of the model",
        "What the model may cost a person whom it is learned from; the same as ε "
        "where it is left out. It is learned from other people than the seeds, so the larger of "
        "the two counts, not the sum.",
        group=COST,
        none="As ε",
        stands="folded",
    )
    attempts: int = declare_setting(
        100,
        "Attempts",
        "How many attempts are made, fixed before the run. Each adds to the cost, "
        "whether or not a day comes out.",
        group=MADE,
        ge=1,
        le=MOST_ATTEMPTS,
        kind=Whole(Scale(10, MOST_ATTEMPTS)),
    )
    k: int | None = declare_setting(
        None,
        "k · other people's days needed",
        "About so many other people's days must have in common what a made day kept. "
        "Left out, it is the smallest that ε, δ and the attempts allow.",
        group=TEST,
        ge=2,
        le=LARGEST_K,
        none="The smallest that ε allows",
        stands="folded",
    )
    epsilon0: float | None = declare_setting(
        None,
        "ε0 · how little noise is on k",
        "The noise on k is of the scale of one in this. Left out, it is the best for k.",
        group=TEST,
        ge=SMALLEST_EPSILON0,
        le=1000,
        allow_inf_nan=False,
        none="The best for k",
        stands="folded",
    )
    seeds: float = declare_setting(
        0.45,
        "Share of people who are seeds",
        "The chance with which a person is a seed. The model is learned from those who "
        "are neither seeds nor held out.",
        group=TEST,
        gt=0,
        lt=1,
        kind=Share(),
        stands="folded",
    )
    seeds_at_least: RecordsKnown | None = declare_setting(
        None,
        "Seeds counted on",
        "How many seeds are counted on. Left out, it is what follows from the people "
        "that are publicly known.",
        group=TEST,
        none="What follows from the people",
        stands="folded",
    )
    public_people: RecordsKnown | None = declare_setting(
        None,
        "People in the table, publicly known",
        "How many people everybody may know the table to have at least, whoever is "
        "taken out of it. The guarantee rests on it.",
        group=COST,
        after="delta",
        none="Nobody has said",
    )

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
        found = seeds_from_records(self.public_people, self.seeds, MISS_SHARE * self.delta)
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
        """Check as `OnAMapPlan.check`; and that somebody is left to learn from, and k goes with ε0.

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
        """Answer as `OnAMapPlan.check_detail`; the remedy is a larger ε, as the map is the table's.

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
