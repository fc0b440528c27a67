"""Checks of the numbers that an account or a plan is asked for."""

from __future__ import annotations

from numbers import Integral, Real

from understudy.core.refusal import Refusal
from understudy.privacy.accounting.group import MOST_RECORDS
from understudy.privacy.accounting.protocol import Protocol
from understudy.privacy.accounting.seeds import MOST_KNOWN

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
