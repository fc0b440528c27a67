"""Refusals of a target δ that cannot be met, each with the single changes that would meet it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from understudy.core.refusal import Refusal
from understudy.core.rounding import upwards
from understudy.privacy.accounting.account import Account
from understudy.privacy.accounting.best_t import delta_at, last_t, smallest_k
from understudy.privacy.accounting.integer_search import crossing
from understudy.privacy.accounting.protocol import units_in_words
from understudy.privacy.accounting.unit import Unit
from understudy.privacy.plausibility.coin import FINEST_DELTA
from understudy.privacy.plausibility.threshold import LARGEST_K

# A δ above this, or above this share of 1/n, is never advised.
_USELESS_DELTA = 0.01


def no_t() -> Refusal:
    """Return the refusal of k = 1, which leaves no t."""
    return Refusal(
        "k = 1 gives no differential privacy, as t has to be smaller than k.",
        "Choose k of at least 2.",
        field="k",
    )


def out_of_reach(unit: Unit, count: int, delta: float, t: int | None, what: str) -> Refusal:
    """Return the refusal where no t meets the target, or the one chosen by hand does not.

    Args:
        unit: what is composed.
        count: how many units.
        t: the one chosen by hand, if one was.
        what: what is counted, “attempt” or “record”.
    """
    where = "" if t is None else f" at t = {t:,}"
    problem = f"A total δ of {delta:g} is out of reach for {units_in_words(count, what)}{where}."
    if count * unit.finest_delta > delta:
        problem += f" An attempt is never stated with a δ under {FINEST_DELTA:g}."
    ways = _ways(unit, count, delta, t, what)
    return Refusal(problem, f"Choose {', or '.join(ways)}.", field="delta")


def _ways(unit: Unit, count: int, delta: float, t: int | None, what: str) -> list[str]:
    ways = []
    k = smallest_k(unit, t or 1, count, delta)
    if k is not None and k <= min(LARGEST_K, unit.seeds_at_least or LARGEST_K):
        ways.append(f"k of {k:,} or more")
    if last := last_t(unit, count, delta):
        ways.append(f"t of {last:,} or less")
    least = delta_at(unit, t or 1)
    if count * least < _USELESS_DELTA / (unit.seeds_at_least or 1):
        ways.append(f"δ of {upwards(count * least * (1 + 1e-9), 2)} or more")
    most = math.floor(delta / least * (1 - 1e-12))
    if most > 0:
        ways.append(f"no more than {units_in_words(most, what)}")
    return ways or ["a larger ε0" if k is not None else "a larger δ, and a larger ε0"]


def group_out_of_reach(asked: Account, fits: Callable[[Account], bool]) -> Refusal:
    """Return the refusal where no δ for one record meets the target for a person.

    Args:
        asked: an account whose t is that chosen by hand, or none.
        fits: whether another such account can be stated.
    """
    problem = (
        f"With up to {asked.records_per_person:,} records per person, a total δ of "
        f"{asked.target_delta:g} is out of reach for {asked.counted}: the more records, the "
        "smaller the δ for each must be, and the larger its ε."
    )
    ways = []
    if (k := _larger_k(asked, fits)) is not None:
        ways.append(f"k of {k:,} or more")
    if most := _fewer(asked, fits):
        ways.append(f"no more than {units_in_words(most, asked.counts)}")
    ways.append("fewer records per person")
    return Refusal(problem, f"Choose {', or '.join(ways)}.", field="records_per_person")


def _larger_k(asked: Account, fits: Callable[[Account], bool]) -> int | None:
    unit = asked.unit
    if unit is None:
        return None
    largest = min(LARGEST_K, asked.seeds_at_least or LARGEST_K)

    def misses(k: int) -> float:
        return 0.0 if fits(replace(asked, unit=replace(unit, k=k))) else math.inf

    _, k = crossing(misses, unit.k, largest, unit.k, within=0.01)
    return k if k <= largest else None


def _fewer(asked: Account, fits: Callable[[Account], bool]) -> int:
    def fitting(count: int) -> float:
        return math.inf if fits(replace(asked, count=count)) else 0.0

    return crossing(fitting, 1, asked.count, asked.count, within=0.01)[0]
