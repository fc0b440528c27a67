"""The account of a planned run: what a reader may see, one unit, and all of them composed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, Literal

import understudy.privacy.accounting.composition as compose
from understudy.privacy.accounting.guarantee import group_privacy
from understudy.privacy.accounting.unit import Unit, pass_cap, unit_delta, unit_epsilon
from understudy.privacy.budget import Budget
from understudy.privacy.plausibility.privacy_test import PrivacyTest

# Protocols: what a reader of a release may see, and so which units are composed.

Protocol = Literal["attempts", "releases", "published"]
"""attempts: every attempt counts, and its rejection may be seen (protocol A).
releases: exactly so many records, attempts hidden, a declared pass floor (protocol B).
published: composition over the released records, rejections ignored; for comparison only."""

READER_SEES: Final[dict[Protocol, str]] = {
    "attempts": "everything a run yields: the records, how many attempts were made, and how "
    "many of them released nothing",
    "releases": "the records, whose number was fixed beforehand; not how many attempts it took, "
    "nor how long",
    "published": "one released record after another, and nothing of the attempts that released "
    "none; a real reader sees more, so that no run is made under this reading",
}
"""For each protocol, what its guarantee lets a reader see."""


def unit_name(protocol: Protocol) -> str:
    """Return what one unit of a run is called: “attempt” or “record”."""
    return "attempt" if protocol == "attempts" else "record"


def units_in_words(count: int, what: str) -> str:
    """Return a number of units with their name."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


# What a planned run guarantees in all: one unit, and all of them composed.
#
# A unit is an attempt, or under the protocol “releases” a slot for one released record.

Composition = Literal["sequential", "advanced", "optimal"]


@dataclass(frozen=True)
class Account:
    """What `count` units guarantee together, for tables that differ by seed records.

    Attributes:
        test: the privacy test.
        count: how many attempts are made, the rejected ones included; how many records are
            released under the protocols that leave attempts aside.
        target_delta: the δ that the total may not exceed.
        protocol: what a reader may see.
        unit: the test's figures at every t; None where it has no noise and promises nothing.
        t: the t of the theorem at which the figures are stated; None where there is no unit.
        record_delta: the δ that the composition for one record may not exceed.
        equal_likelihood: whether all plausible seeds are equally likely.
        records_per_person: how many records of one person the total covers.
        sampling: the probability with which each member of the population entered the input,
            where the input is claimed to be a secret random sample.
    """

    test: PrivacyTest
    count: int
    target_delta: float
    protocol: Protocol
    unit: Unit | None
    t: int | None
    record_delta: float
    equal_likelihood: bool = False
    records_per_person: int = 1
    sampling: float | None = None

    @property
    def seeds_at_least(self) -> int | None:
        """A public lower bound on the number of seeds, if one is stated."""
        return None if self.unit is None else self.unit.seeds_at_least

    @property
    def counts(self) -> str:
        """What is counted: “attempt”, or “record”."""
        return unit_name(self.protocol)

    @property
    def counted(self) -> str:
        """How many units, in words."""
        return units_in_words(self.count, self.counts)

    @cached_property
    def attempt(self) -> Budget:
        """The guarantee of one attempt."""
        if self.unit is None or self.t is None:
            return Budget.unbounded()
        return Budget(
            unit_epsilon(self.unit, self.t), unit_delta(replace(self.unit, pass_floor=None), self.t)
        )

    @cached_property
    def each(self) -> Budget:
        """The guarantee of one unit, which is what is composed."""
        if self.unit is None or self.t is None:
            return Budget.unbounded()
        return Budget(unit_epsilon(self.unit, self.t), min(1.0, unit_delta(self.unit, self.t)))

    @cached_property
    def sequential(self) -> Budget:
        """The total by sequential composition."""
        return compose.sequential(self.each, self.count) if self.each.bounded else self.each

    @cached_property
    def advanced(self) -> Budget:
        """The total by advanced composition, with what the units leave of δ as its slack."""
        slack = self.record_delta - self.count * self.each.delta
        if slack <= 0:
            return Budget.unbounded()
        return compose.compose_advanced(self.each, self.count, slack)

    @cached_property
    def optimal(self) -> Budget:
        """The total by optimal composition at the target δ."""
        if not self.each.bounded:
            return self.each
        return compose.optimal(self.each, self.count, self.record_delta)

    @property
    def composition(self) -> Composition | None:
        """The composition with the smallest ε; None where nothing is promised."""
        if not self.each.bounded:
            return None
        named: dict[Composition, Budget] = {
            "sequential": self.sequential,
            "optimal": self.optimal,
            "advanced": self.advanced,
        }
        return min(named, key=lambda name: named[name].epsilon)

    @cached_property
    def record(self) -> Budget:
        """The guarantee between tables that differ by one record."""
        match self.composition:
            case "sequential":
                return self.sequential
            case "advanced":
                return self.advanced
            case _:
                return self.optimal

    @cached_property
    def person(self) -> Budget:
        """The guarantee between tables that differ by all records of one person."""
        return group_privacy(self.record, self.records_per_person)

    @property
    def total(self) -> Budget:
        """The guarantee to report: between tables, whether or not the input is a sample."""
        return self.person

    @cached_property
    def population(self) -> Budget | None:
        """The guarantee between populations that differ by one member, of which the input is a
        secret random sample; None where that is not claimed, or nothing is promised."""
        if self.sampling is None or not self.person.bounded:
            return None
        return compose.amplified_by_sampling(self.person, self.sampling)

    @cached_property
    def pass_cap(self) -> float | None:
        """ρ, the probability of rejecting a candidate that passed, so that rejections are covered.

        None without a public lower bound on the seeds, without a guarantee, and under the
        protocols that leave rejections aside.
        """
        if self.protocol != "attempts" or self.seeds_at_least is None or self.unit is None:
            return None
        epsilon = self.attempt.epsilon
        return pass_cap(epsilon, self.seeds_at_least, epsilon0=self.unit.epsilon0)
