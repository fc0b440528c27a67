"""An account in words and as values for a JSON file; refusals of targets that cannot be met."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from understudy.core.numerals import round_up
from understudy.core.refusal import Refusal
from understudy.privacy.accounting.account import READER_SEES, Account, units_in_words
from understudy.privacy.accounting.unit import Unit, last_t, smallest_k_at, unit_delta
from understudy.privacy.accounting.unit_counts import crossing
from understudy.privacy.budget import Budget, Neighbours
from understudy.privacy.plausibility.threshold import FINEST_DELTA, LARGEST_K

# What an account covers and what it assumes, in plain words.


def coverage(figures: Account) -> str:
    """Return what the total bounds, and what it assumes."""
    if figures.unit is None:
        return (
            "The deterministic test gives no differential privacy: a released record has "
            f"at least {figures.test.k:,} plausible seeds, and nothing more is promised."
        )
    return " ".join([_bounds(figures), *_counts_on(figures)])


def _bounds(figures: Account) -> str:
    """Return whose records the total covers, and which outputs of the run."""
    who = (
        "one seed record"
        if figures.records_per_person == 1
        else f"up to {figures.records_per_person:,} seed records of one person"
    )
    bounds = f"It bounds what adding or removing {who} changes in"
    released = f"{figures.count:,} released record{'' if figures.count == 1 else 's'}"
    match figures.protocol:
        case "published":
            return (
                f"{bounds} {released}, rejections ignored: the published reading, to compare "
                "with. A real reader sees more."
            )
        case "releases":
            took = "it took, nor how long" if figures.count == 1 else "they took, nor how long"
            return f"{bounds} {released}, provided that nobody learns how many attempts {took}."
    if figures.pass_cap is None:
        return (
            f"{bounds} the records that {figures.counted} can release; it leaves out the "
            "rejections, and so how many attempts passed."
        )
    return (
        f"{bounds} everything that {figures.counted} can yield, released records and rejections "
        f"alike, provided that there are at least {figures.seeds_at_least:,} seeds and that every "
        "candidate which passes is still rejected with probability "
        f"{round_up(figures.pass_cap, 3)}."
    )


def _counts_on(figures: Account) -> list[str]:
    """Further assumptions."""
    said = []
    if figures.unit is not None and figures.unit.pass_floor is not None:
        said.append(
            f"It counts on at least {round_up(100 * figures.unit.pass_floor, 6)} % of all attempts "
            "passing, with or without any one record."
        )
    if figures.protocol != "attempts" and figures.seeds_at_least is not None:
        said.append(f"It counts on at least {figures.seeds_at_least:,} seeds.")
    if figures.sampling is not None:
        said.append(
            "It is the same whether or not the input is a sample. The figure between populations "
            "counts on the input being a secret random sample that each member of the population "
            f"entered independently with probability {round_up(figures.sampling, 6)}."
        )
    return said


# An account as values for a JSON file.


def as_data(figures: Account) -> dict[str, Any]:
    """Return the account as plain values for strict JSON; an infinite ε becomes None."""
    data: dict[str, Any] = {
        "test": {
            "name": figures.test.kind,
            **figures.test.model_dump(mode="json", exclude={"kind"}),
        },
        "protocol": figures.protocol,
        "reader_sees": READER_SEES[figures.protocol],
        "attempts": figures.count,
        "target_delta": figures.target_delta,
        "equal_likelihood": figures.equal_likelihood,
        "attempt": {**_plain(figures.attempt), "t": figures.t},
        "composition": {
            "sequential": _plain(figures.sequential),
            "advanced": _plain(figures.advanced),
            "optimal": _plain(figures.optimal),
        },
        "record": _plain(figures.record),
        "total": {"neighbours": str(Neighbours.TABLES), **_plain(figures.total)},
        "composed_by": figures.composition,
        "covers": coverage(figures),
    }
    if figures.seeds_at_least is not None:
        data |= {"seeds_at_least": figures.seeds_at_least, "pass_cap": figures.pass_cap}
    if figures.unit is not None and figures.unit.pass_floor is not None:
        data |= {"pass_floor": figures.unit.pass_floor, "slot": _plain(figures.each)}
    if figures.records_per_person > 1:
        data["records_per_person"] = figures.records_per_person
    if figures.sampling is not None:
        data["population"] = {
            "neighbours": str(Neighbours.POPULATIONS),
            "sampling": figures.sampling,
            **_plain(figures.population or Budget.unbounded()),
        }
    return data


def _plain(budget: Budget) -> dict[str, Any]:
    epsilon = budget.epsilon if math.isfinite(budget.epsilon) else None
    return {"epsilon": epsilon, "delta": budget.delta}


# Refusals of a target δ that cannot be met, each with the single changes that would meet it.

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
    k = smallest_k_at(unit, t or 1, count, delta)
    if k is not None and k <= min(LARGEST_K, unit.seeds_at_least or LARGEST_K):
        ways.append(f"k of {k:,} or more")
    if last := last_t(unit, count, delta):
        ways.append(f"t of {last:,} or less")
    least = unit_delta(unit, t or 1)
    if count * least < _USELESS_DELTA / (unit.seeds_at_least or 1):
        ways.append(f"δ of {round_up(count * least * (1 + 1e-9), 2)} or more")
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
