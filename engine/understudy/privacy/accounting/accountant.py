"""The composition of a run's units at a target δ, and checks of the numbers that are asked for."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral, Real

from understudy.core.refusal import Refusal
from understudy.privacy.accounting.account import Account, Protocol
from understudy.privacy.accounting.account_words import group_out_of_reach, no_t, out_of_reach
from understudy.privacy.accounting.guarantee import MOST_RECORDS, record_delta
from understudy.privacy.accounting.unit import best_t, meets, unit_of
from understudy.privacy.accounting.unit_counts import MOST_KNOWN
from understudy.privacy.plausibility.privacy_test import PrivacyTest

# Checks of the numbers that an account or a plan is asked for.

MOST_UNITS = 10**12
"""The most attempts, or released records, of an account."""


def check_count(count: object, protocol: Protocol = "attempts") -> None:
    """Check a number of attempts, or of records.

    Raises:
        Refusal: it is no whole number, or out of range.
    """
    if not is_whole(count, 1, MOST_UNITS):
        what = "attempts" if protocol == "attempts" else "records"
        raise Refusal(
            f"The number of {what} has to be a whole number from 1 to {MOST_UNITS:,}.",
            f"Enter how many {'candidates to propose' if what == 'attempts' else what}, such as "
            "20,000.",
            field="attempts",
        )


def check_delta(delta: object) -> None:
    """Check a target δ.

    Raises:
        Refusal: it does not lie strictly between 0 and 1.
    """
    if isinstance(delta, bool) or not isinstance(delta, Real) or not 0 < float(delta) < 1:
        raise Refusal(
            "δ has to lie strictly between 0 and 1.",
            "Enter a small δ such as 1e-9.",
            field="delta",
        )


def check_t(t: object, k: int) -> None:
    """Check a t chosen by hand.

    Raises:
        Refusal: it is no whole number from 1 to k − 1.
    """
    if not is_whole(t, 1, k - 1):
        raise Refusal(
            f"t has to be a whole number from 1 to k − 1, and k is {k:,}.",
            "Choose a smaller t or a larger k, or leave t out to get the best one.",
            field="t",
        )


def check_seeds(delta: float, seeds_at_least: int | None, k: int | None = None) -> None:
    """Check a public lower bound on the seeds against δ, and against k where there is one.

    Raises:
        Refusal: it is no whole number, smaller than k, or so small that δ means nothing.
    """
    if seeds_at_least is None:
        return
    if not is_whole(seeds_at_least, 1, MOST_KNOWN):
        raise Refusal(
            "The public lower bound on the number of seeds has to be a whole number, 1 or more and "
            "no larger than a table can be.",
            "Enter a number of records everybody may know the table to exceed.",
            field="seeds_at_least",
        )
    if k is not None and k > seeds_at_least:
        raise Refusal(
            f"k is {k:,}, but only {seeds_at_least:,} seeds are certain.",
            "Choose a smaller k, or raise the public lower bound on the number of seeds.",
            field="k",
        )
    if delta >= 1 / seeds_at_least:
        raise Refusal(
            f"δ is {delta:g}; at 1/{seeds_at_least:,} or more it would allow giving away a "
            "seed outright.",
            f"Choose δ well under {1 / seeds_at_least:.2g}.",
            field="delta",
        )


def check_floor(pass_floor: object, protocol: Protocol) -> None:
    """Check a declared pass floor against the protocol.

    Raises:
        Refusal: it is missing or out of range under releases, or given under another protocol.
    """
    if protocol != "releases":
        if pass_floor is not None:
            raise Refusal(
                "A pass floor belongs to the protocol that hides its attempts.",
                "Leave the pass floor out, or choose the protocol “releases”.",
                field="pass_floor",
            )
        return
    number = isinstance(pass_floor, Real) and not isinstance(pass_floor, bool)
    if not number or not 0 < float(pass_floor) <= 1:  # type: ignore[arg-type]
        raise Refusal(
            "Releasing a fixed number of records needs a pass floor above 0 and at most 1.",
            "Declare which share of the attempts is sure to pass whatever the table, such as 0.1.",
            field="pass_floor",
        )


def check_group(records: object) -> None:
    """Check how many records a person may have.

    Raises:
        Refusal: it is no whole number, or out of range.
    """
    if not is_whole(records, 1, MOST_RECORDS):
        raise Refusal(
            "The number of records per person has to be a whole number from 1 to "
            f"{MOST_RECORDS:,}.",
            "Enter the most records that one person may have in the table.",
            field="records_per_person",
        )


def is_whole(value: object, least: int, most: int) -> bool:
    """Return whether a value is a whole number within bounds."""
    number = isinstance(value, Integral) and not isinstance(value, bool)
    return number and least <= int(value) <= most  # type: ignore[call-overload]


# Composing a run's units: the account of so many units at a target δ.
#
# The number of units and the target δ are given. t appears in the proof only, so it is free and is
# chosen to make the total ε smallest.


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
    check_count(count, protocol)
    check_delta(delta)
    check_seeds(delta, seeds_at_least, test.k)
    check_floor(pass_floor, protocol)
    check_group(records_per_person)
    if t is not None:
        check_t(t, test.k)
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
    return _compose(asked)


def _compose(asked: Account) -> Account:
    """Return the account with its t, and with every figure computed, so that none is refused
    later."""
    try:
        figures = _fill_in(asked)
    except Refusal as refusal:
        alone = asked.records_per_person == 1
        if alone or refusal.field not in ("delta", "records_per_person"):
            raise
        raise group_out_of_reach(asked, _fits) from None
    _ = figures.pass_cap, figures.total, figures.population
    return figures


def _fill_in(asked: Account) -> Account:
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
        _fill_in(asked)
    except Refusal:
        return False
    return True
