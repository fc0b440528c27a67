"""A plan's figures explained in sentences."""

from __future__ import annotations

import math

from understudy.core.rounding import one_in, upwards
from understudy.privacy.accounting.account import Account

# The noise stays under so many of its scales, 1/ε0, in 39 of 40 cases.
_ALMOST_SURELY = 3


def explanation(figures: Account, rule: int | None) -> tuple[str, ...]:
    """Sentences about an account whose test has noise.

    Args:
        figures: the account of a plan.
        rule: k by the published rule, where it has one.
    """
    said = [_total(figures), _unit(figures), _noise(figures), _rejections(figures)]
    if rule is not None:
        said.append(f"For comparison: the published rule k = 2t takes k = {rule:,}.")
    return tuple(said)


def _total(figures: Account) -> str:
    test, comes = figures.test, "comes" if figures.count == 1 else "come"
    return (
        f"With k = {test.k:,} and ε0 = {test.epsilon0:g}, {figures.counted} {comes} to "
        f"ε = {upwards(figures.total.epsilon)} at δ = {upwards(figures.total.delta)}."
    )


def _unit(figures: Account) -> str:
    each = f"ε = {upwards(figures.each.epsilon)} and δ = {upwards(figures.each.delta, 2)}"
    if figures.count == 1:
        return f"These are the figures of the theorem at t = {figures.t:,}."
    return (
        f"Each {figures.counts} by itself has {each}, the figures of the theorem at "
        f"t = {figures.t:,}; {figures.composition} composition adds them up."
    )


def _noise(figures: Account) -> str:
    test = figures.test
    assert test.epsilon0 is not None
    scale = math.ceil(1 / test.epsilon0)
    sure = test.k + math.ceil(_ALMOST_SURELY / test.epsilon0)
    return (
        f"The noise moves k by about {scale:,} either way, so a candidate is almost sure to pass "
        f"only where {sure:,} or more seeds could have made it."
    )


def _rejections(figures: Account) -> str:
    match figures.protocol:
        case "published":
            return (
                "Rejections are left aside, as in the published theorem: a figure to compare "
                "with, under which no run is made."
            )
        case "releases":
            assert figures.unit is not None
            return (
                "It holds as long as nobody learns how many attempts were made, or how long they "
                f"took, and at least {100 * (figures.unit.pass_floor or 0):.3g} % of them pass, "
                "whoever is in the table."
            )
    if figures.pass_cap is None:
        return (
            "Rejections are left aside, as no number of seeds is known for certain; a run needs "
            "one."
        )
    return (
        f"Of the candidates that pass, one in {one_in(figures.pass_cap, 2):,f} is rejected all the "
        "same; that is why rejections may be seen."
    )
