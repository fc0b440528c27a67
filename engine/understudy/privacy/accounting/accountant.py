"""Composing a run's units: the account of so many units at a target δ.

The number of units and the target δ are given. t appears in the proof only, so it is free and is
chosen to make the total ε smallest.
"""

from __future__ import annotations

from dataclasses import replace

from understudy.core.refusal import Refusal
from understudy.privacy.accounting import checks
from understudy.privacy.accounting.account import Account
from understudy.privacy.accounting.best_t import best_t, meets
from understudy.privacy.accounting.group import record_delta
from understudy.privacy.accounting.out_of_reach import group_out_of_reach, no_t, out_of_reach
from understudy.privacy.accounting.protocol import Protocol
from understudy.privacy.accounting.unit import unit_of
from understudy.privacy.plausibility.privacy_test import PrivacyTest


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
    """Return what a run of `count` units guarantees at a total δ of at most `delta`.

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
    asked = Account(
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
    return _composed(asked)


def _composed(asked: Account) -> Account:
    """Return the account with its t, and with every figure computed, so that none is refused
    later."""
    try:
        figures = _stated(asked)
    except Refusal as refusal:
        alone = asked.records_per_person == 1
        if alone or refusal.field not in ("delta", "records_per_person"):
            raise
        raise group_out_of_reach(asked, _fits) from None
    _ = figures.pass_cap, figures.total, figures.population
    return figures


def _stated(asked: Account) -> Account:
    """Return the account with its t and its δ for one record filled in.

    Raises:
        Refusal: no t meets the target, or the given one does not.
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
