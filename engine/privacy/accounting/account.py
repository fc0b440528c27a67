"""What a planned run guarantees in all: one unit, and all of them composed.

A unit is an attempt, or under the protocol “releases” a slot for one released record. The number
of units and the target δ are given; t is free, as it appears in the proof only, and is chosen to
make the total ε smallest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import engine.privacy.accounting.composition as compose
from engine.core.refusal import Refusal
from engine.privacy.accounting import checks
from engine.privacy.accounting.best_t import best_t, delta_at, epsilon_at, meets
from engine.privacy.accounting.covers import covers
from engine.privacy.accounting.group import for_group, record_delta
from engine.privacy.accounting.out_of_reach import group_out_of_reach, no_t, out_of_reach
from engine.privacy.accounting.pass_cap import pass_cap
from engine.privacy.accounting.protocol import READER_SEES, Protocol, counted_as, in_words
from engine.privacy.accounting.unit import LIKELIHOOD_ROUNDING, Unit
from engine.privacy.budget import Budget
from engine.privacy.neighbours import Neighbours
from engine.privacy.plausibility.privacy_test import PrivacyTest

Composition = Literal["sequential", "advanced", "optimal"]


@dataclass(frozen=True)
class Account:
    """What `count` units guarantee together, for neighbours that differ by seeds.

    Attributes:
        test: the privacy test.
        count: how many attempts are made, the rejected ones included; how many records are
            released under the protocols that leave attempts aside.
        target_delta: the δ that the total may not exceed.
        protocol: what a reader may see.
        unit: the test's figures at every t; None where it has no noise and promises nothing.
        t: the t that the figures are stated at; None where there is no unit.
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
        return counted_as(self.protocol)

    @property
    def counted(self) -> str:
        """How many units, in words."""
        return in_words(self.count, self.counts)

    @cached_property
    def attempt(self) -> Budget:
        """One attempt."""
        if self.unit is None or self.t is None:
            return Budget.unbounded()
        return Budget(
            epsilon_at(self.unit, self.t), delta_at(replace(self.unit, pass_floor=None), self.t)
        )

    @cached_property
    def each(self) -> Budget:
        """One unit: what is composed."""
        if self.unit is None or self.t is None:
            return Budget.unbounded()
        return Budget(epsilon_at(self.unit, self.t), min(1.0, delta_at(self.unit, self.t)))

    @cached_property
    def published(self) -> Budget | None:
        """One released record as in the published theorem, at the same t."""
        return None if self.unit is None or self.t is None else self.unit.published(self.t)

    @cached_property
    def sequential(self) -> Budget:
        """The sum over the units."""
        return compose.sequential(self.each, self.count) if self.each.bounded else self.each

    @cached_property
    def advanced(self) -> Budget:
        """Advanced composition, its slack being all of the target that the units leave."""
        slack = self.record_delta - self.count * self.each.delta
        if slack <= 0:
            return Budget.unbounded()
        return compose.advanced(self.each, self.count, slack)

    @cached_property
    def optimal(self) -> Budget:
        """Optimal composition at the target."""
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
        return for_group(self.record, self.records_per_person)

    @property
    def total(self) -> Budget:
        """The figure to report: of tables, whether or not the input is a sample."""
        return self.person

    @cached_property
    def population(self) -> Budget | None:
        """The guarantee between populations that differ by one member, of which the input is a
        secret random sample; None where that is not claimed, or nothing is promised."""
        if self.sampling is None or not self.person.bounded:
            return None
        return compose.amplified(self.person, self.sampling)

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

    @property
    def covers(self) -> str:
        """What the total is about, in plain words."""
        return covers(self)

    def as_dict(self) -> dict[str, Any]:
        """The account as plain values for strict JSON; an infinite ε becomes None."""
        figures: dict[str, Any] = {
            "test": {
                "name": self.test.kind,
                **self.test.model_dump(mode="json", exclude={"kind"}),
            },
            "protocol": self.protocol,
            "reader_sees": READER_SEES[self.protocol],
            "attempts": self.count,
            "target_delta": self.target_delta,
            "equal_likelihood": self.equal_likelihood,
            "attempt": {**_plain(self.attempt), "t": self.t},
            "composition": {
                "sequential": _plain(self.sequential),
                "advanced": _plain(self.advanced),
                "optimal": _plain(self.optimal),
            },
            "record": _plain(self.record),
            "total": {"neighbours": str(Neighbours.TABLES), **_plain(self.total)},
            "composed_by": self.composition,
            "covers": self.covers,
        }
        if self.published is not None:
            figures["published"] = _plain(self.published)
        if self.seeds_at_least is not None:
            figures |= {"seeds_at_least": self.seeds_at_least, "pass_cap": self.pass_cap}
        if self.unit is not None and self.unit.pass_floor is not None:
            figures |= {"pass_floor": self.unit.pass_floor, "slot": _plain(self.each)}
        if self.records_per_person > 1:
            figures["records_per_person"] = self.records_per_person
        if self.sampling is not None:
            figures["population"] = {
                "neighbours": str(Neighbours.POPULATIONS),
                "sampling": self.sampling,
                **_plain(self.population or Budget.unbounded()),
            }
        return figures


def account(
    test: PrivacyTest,
    count: int,
    delta: float,
    *,
    protocol: Protocol = "attempts",
    t: int | None = None,
    seeds_at_least: int | None = None,
    pass_floor: float | None = None,
    equal_likelihood: bool = False,
    records_per_person: int = 1,
    sampling: float | None = None,
) -> Account:
    """What a run of `count` units guarantees at a total δ of at most `delta`.

    Args:
        test: the privacy test; a deterministic one yields an account that promises nothing.
        count: how many attempts, or released records, fixed before the run.
        delta: target for the total.
        protocol: what a reader may see, and so what is composed.
        t: to state the figures at this t, not at the best one.
        seeds_at_least: a public lower bound on the number of seeds, which the pass cap needs
            and by which δ gets smaller.
        pass_floor: under “releases”, a declared lower bound on the pass probability.
        equal_likelihood: all seeds that can make a candidate make it equally likely (ω fixed,
            or announced per attempt), so that γ counts as 1.
        records_per_person: how many records one person may have.
        sampling: probability with which each member of the population independently entered
            the input, where the whole input is a secret random sample.

    Raises:
        Refusal: a number is out of range, or no t meets the target; `field` is one of k, t,
            attempts, delta, seeds_at_least, pass_floor, records_per_person and sampling.
    """
    checks.check_count(count, protocol)
    checks.check_delta(delta)
    checks.check_seeds(delta, seeds_at_least, test.k)
    checks.check_floor(pass_floor, protocol)
    checks.check_group(records_per_person)
    if t is not None:
        checks.check_t(t, test.k)
    open_ = Account(
        test=test,
        count=int(count),
        target_delta=float(delta),
        protocol=protocol,
        unit=unit_of(test, seeds_at_least, pass_floor, equal_likelihood),
        t=None if t is None else int(t),
        record_delta=float(delta),
        equal_likelihood=equal_likelihood,
        records_per_person=int(records_per_person),
        sampling=sampling,
    )
    try:
        figures = _stated(open_)
    except Refusal as refusal:
        if records_per_person == 1 or refusal.field not in ("delta", "records_per_person"):
            raise
        raise group_out_of_reach(open_, _fits) from None
    # Both refuse what they cannot be computed from, which must come up here and not later.
    _ = figures.pass_cap, figures.total, figures.population
    return figures


def unit_of(
    test: PrivacyTest,
    seeds_at_least: int | None = None,
    pass_floor: float | None = None,
    equal_likelihood: bool = False,
) -> Unit | None:
    """The unit of a test; None for a deterministic one."""
    if test.epsilon0 is None:
        return None
    similarity = 1.0 if equal_likelihood else test.similarity * LIKELIHOOD_ROUNDING
    return Unit(
        k=test.k,
        epsilon0=test.epsilon0,
        similarity=similarity,
        noise=test.noise,
        seeds_at_least=None if seeds_at_least is None else int(seeds_at_least),
        pass_floor=None if pass_floor is None else float(pass_floor),
    )


def _stated(asked: Account) -> Account:
    """The account with its t and its δ for one record, where all else is given.

    Raises:
        Refusal: no t, or not the one that is given, meets the target.
    """

    def at(delta: float) -> Account:
        if asked.unit is None:
            return replace(asked, record_delta=delta)
        if asked.unit.k == 1:
            raise no_t()
        t = best_t(asked.unit, asked.count, delta) if asked.t is None else asked.t
        if t == 0 or not meets(asked.unit, t, asked.count, delta):
            raise out_of_reach(asked.unit, asked.count, delta, asked.t, asked.counts)
        return replace(asked, record_delta=delta, t=t)

    persons = asked.records_per_person
    return at(record_delta(lambda delta: at(delta).record, persons, asked.target_delta))


def _fits(asked: Account) -> bool:
    try:
        _stated(asked)
    except Refusal:
        return False
    return True


def _plain(budget: Budget) -> dict[str, Any]:
    epsilon = budget.epsilon if math.isfinite(budget.epsilon) else None
    return {"epsilon": epsilon, "delta": budget.delta}
