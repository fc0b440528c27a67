"""Remedies for a plan that does not fit: each single change that would make it fit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final, Literal

from understudy.core.rounding import upwards
from understudy.privacy.accounting.checks import MOST_UNITS
from understudy.privacy.planning.question import LARGEST_EPSILON, Question
from understudy.privacy.planning.search import (
    least_delta,
    least_epsilon,
    least_seeds,
    most_units_at,
)
from understudy.privacy.plausibility.threshold import LARGEST_K

Change = Literal["count", "epsilon", "delta", "seeds_at_least", "kind", "k"]

# A δ above this share of 1/n, or above this where n is unknown, is never advised.
_SAFE_PART = 0.01
_SAFE = 1e-6
_MOST_SEEDS = 10**10
# Precision of the search, relative, and what covers it.
_ROUGHLY = 1e-6
_ABOVE = 1 + 1e-5


@dataclass(frozen=True)
class Remedy:
    """One change that is enough by itself.

    Attributes:
        change: the field of the question, or “k” where one was given.
        value: what to put there.
        said: the change as part of a sentence.
    """

    change: Change
    value: float | int | str
    said: str


SEEDLESS: Final = "a seedless plan, whose attempts cost nothing"
"""The last way out, of seedbased synthesis."""


def remedies(question: Question, k: int, *, given: bool = False) -> tuple[Remedy, ...]:
    """Return the changes that make a question fit that does not.

    Args:
        question: one that k does not fit.
        k: the largest k allowed.
        given: whether that k was asked for, so that another may be.
    """
    if k < 2:
        # With a single certain seed no k is possible, whatever else is changed.
        more = _more_seeds(question)
        return () if more is None else (more,)
    found = [
        _larger_k(question, k) if given else None,
        _fewer(question, k),
        _larger_epsilon(question, k),
        _larger_delta(question, k),
        None if given else _more_seeds(question),
        _other_test(question, k),
    ]
    return tuple(each for each in found if each is not None)


def advice(found: Iterable[Remedy]) -> str:
    """Return a sentence that names the changes, any one of which is enough."""
    ways = [each.said for each in found]
    ways.append(SEEDLESS)
    return f"Any one of these is enough: {'; '.join(ways)}."


def _larger_k(question: Question, k: int) -> Remedy | None:
    needed = question.found().k
    if not k < needed <= question.largest_k:
        return None
    return Remedy("k", int(needed), f"k of {int(needed):,} or more")


def _fewer(question: Question, k: int) -> Remedy | None:
    most = most_units_at(question.unit, question.target, k, MOST_UNITS, percent=5)
    count = most // _step(most) * _step(most)
    if not 0 < count < question.count:
        return None
    return Remedy("count", count, f"no more than {replace(question, count=count).counted}")


def _larger_epsilon(question: Question, k: int) -> Remedy | None:
    least = least_epsilon(
        question.unit, question.count, question.delta, k, LARGEST_EPSILON / 1.1, _ROUGHLY
    )
    if least is None or least <= question.epsilon:
        return None
    epsilon = upwards(least * _ABOVE, 3)
    return Remedy("epsilon", _number(epsilon), f"ε of {epsilon} or more")


def _larger_delta(question: Question, k: int) -> Remedy | None:
    seeds = question.seeds_at_least
    limit = _SAFE if seeds is None else _SAFE_PART / seeds
    least = least_delta(question.unit, question.count, question.epsilon, k, limit)
    if least is None or least <= question.delta:
        return None
    return larger_delta(least)


def larger_delta(least: float) -> Remedy:
    """Return the remedy of a larger δ, rounded up to few digits."""
    delta = upwards(least, 2)
    return Remedy("delta", _number(delta), f"δ of {delta} or more")


def _more_seeds(question: Question) -> Remedy | None:
    most = min(_MOST_SEEDS, int(_SAFE_PART / question.delta))
    least = least_seeds(question.unit, question.count, question.target, most)
    if least is None:
        return None
    seeds = -(-least // _step(least)) * _step(least)
    return Remedy("seeds_at_least", seeds, f"a table with {seeds:,} seeds for certain")


def _other_test(question: Question, k: int) -> Remedy | None:
    """Relative sensitivity, for plausible deniability where likelihoods differ."""
    if question.kind == "relative-sensitivity" or question.equal_likelihood:
        return None
    other = replace(question, kind="relative-sensitivity")
    if other.found().k > min(k, LARGEST_K):
        return None
    return Remedy("kind", other.kind, "the relative-sensitivity test")


def _step(number: int) -> int:
    """Return the unit of the second significant digit."""
    return int(10 ** max(0, len(str(number)) - 2))


def _number(said: str) -> float:
    return float(said.replace(",", ""))
