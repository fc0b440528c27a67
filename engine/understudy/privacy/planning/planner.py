"""The planner: from a privacy budget to the parameters of the test, with the figures explained."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from understudy.core.numerals import reciprocal, round_up
from understudy.core.refusal import Refusal
from understudy.privacy.accounting import accountant
from understudy.privacy.accounting.account import Account
from understudy.privacy.accounting.account_words import as_data
from understudy.privacy.accounting.accountant import account
from understudy.privacy.accounting.composition import largest_epsilon
from understudy.privacy.accounting.published_figures import (
    PublishedRecord,
    published_k,
    published_record,
)
from understudy.privacy.accounting.unit import Unit
from understudy.privacy.budget import Budget
from understudy.privacy.planning.question import LARGEST_EPSILON, Question, advice, remedies
from understudy.privacy.planning.search import least_total, most_units_at, rounded_unit
from understudy.privacy.plausibility.privacy_test import PrivacyTest
from understudy.privacy.plausibility.threshold import FINEST_DELTA, LARGEST_K, SMALLEST_EPSILON0

# A plan's figures explained in sentences.

# The noise stays under so many of its scales, 1/ε0, in 39 of 40 cases.
_ALMOST_SURELY = 3


def explanation(figures: Account, rule: int | None) -> tuple[str, ...]:
    """Return sentences about an account whose test has noise.

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
        f"ε = {round_up(figures.total.epsilon)} at δ = {round_up(figures.total.delta)}."
    )


def _unit(figures: Account) -> str:
    each = f"ε = {round_up(figures.each.epsilon)} and δ = {round_up(figures.each.delta, 2)}"
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
        f"Of the candidates that pass, one in {reciprocal(figures.pass_cap, 2):,f} is rejected all "
        "the same; that is why rejections may be seen."
    )


# The planner: from a privacy budget to the parameters of the test.
#
# A custodian knows the budget, how many records are wanted, and a lower bound on the seeds. The
# search is exact over every t, ε0 and split of δ under the best composition (search.py); the
# published rule of thumb k = 2t is computed beside it.

# By how much, relatively, the smallest ε may be exceeded so that ε0 has few digits.
_HAIRS = (1e-9, 1e-7, 1e-5)


@dataclass(frozen=True)
class Answer:
    """Parameters that meet a target, with their account.

    Attributes:
        question: what was asked.
        account: the account of the run.
        published_rule_k: k by the published rule k = 2t; None where it has none.
        explanation: sentences for a person.
    """

    question: Question
    account: Account
    published_rule_k: int | None
    explanation: tuple[str, ...]

    @property
    def test(self) -> PrivacyTest:
        """The test to run."""
        return self.account.test

    @property
    def k(self) -> int:
        """The number of plausible seeds that a released record needs."""
        return self.test.k

    @property
    def epsilon0(self) -> float:
        """The parameter of the noise on k."""
        assert self.test.epsilon0 is not None
        return self.test.epsilon0

    @property
    def t(self) -> int:
        """The t that the figures are stated at."""
        assert self.account.t is not None
        return self.account.t

    @property
    def pass_cap(self) -> float | None:
        """ρ; None where rejections are left aside."""
        return self.account.pass_cap

    @property
    def published_record(self) -> PublishedRecord | None:
        """What the published theorem states of one released record."""
        return published_record(self.account.test, self.question.delta)

    @property
    def total(self) -> Budget:
        """What is spent."""
        return self.account.total

    def as_dict(self) -> dict[str, Any]:
        """Return the answer as plain values for strict JSON."""
        return {
            "k": self.k,
            "t": self.t,
            "epsilon0": self.epsilon0,
            "pass_cap": self.pass_cap,
            "attempts": self.account.count,
            "total": as_data(self.account)["total"],
            "target": {"epsilon": self.question.epsilon, "delta": self.question.delta},
            "attempts_use_delta": self.account.count * self.account.each.delta,
            "published_rule_k": self.published_rule_k,
            "explanation": list(self.explanation),
            "account": as_data(self.account),
            **(
                {}
                if self.published_record is None
                else {"published": self.published_record.as_dict()}
            ),
        }


def smallest_k(question: Question) -> Answer:
    """Return the smallest k, with the t, ε0 and split of δ that reach it.

    A smaller k rejects fewer candidates.

    Raises:
        Refusal: a number is out of range, or nothing fits; its remedy says what would.
    """
    question.check()
    needed = question.find_smallest_k().k
    if needed > question.largest_k:
        raise _nothing_fits(question, question.largest_k)
    # At a k that fits only just, there may be no ε0 of few digits.
    for k in (int(needed), int(needed) + 1):
        unit = rounded_unit(question.unit, question.count, question.target, k)
        if unit is not None and k <= question.largest_k:
            return _answer(question, unit)
    raise _nothing_fits(question, question.largest_k)


def smallest_epsilon(question: Question, k: int) -> Answer:
    """Return the smallest total ε at this k; the question's own ε is not looked at.

    Raises:
        Refusal: a number is out of range, or no ε up to `LARGEST_EPSILON` does.
    """
    question.check()
    _check_k(question, k)
    least = least_total(question.unit, question.count, question.delta, k).total
    if least <= LARGEST_EPSILON:
        found = replace(question, epsilon=least)
        for hair in _HAIRS:
            unit = rounded_unit(found.unit, found.count, found.target, k, hair=hair)
            if unit is not None:
                answer = _answer(found, unit)
                return replace(answer, question=replace(found, epsilon=answer.total.epsilon))
    raise _nothing_fits(replace(question, epsilon=LARGEST_EPSILON), k, given=True)


def most_units(question: Question, k: int) -> Answer:
    """Return the largest number of attempts, or records, at this k; the question's own is not
    looked at.

    Raises:
        Refusal: a number is out of range, or not even one fits.
    """
    question.check()
    _check_k(question, k)
    most = most_units_at(question.unit, question.target, k, accountant.MOST_UNITS)
    # As in `smallest_k`, the largest may fit only just.
    for count in range(most, max(0, most - 2), -1):
        unit = rounded_unit(question.unit, count, question.target, k)
        if unit is not None:
            return _answer(replace(question, count=count), unit)
    raise _nothing_fits(replace(question, count=1), k, given=True)


def _answer(question: Question, unit: Unit) -> Answer:
    figures = account(
        question.test(unit.k, unit.epsilon0),
        question.count,
        question.delta,
        protocol=question.protocol,
        seeds_at_least=question.seeds_at_least,
        pass_floor=question.pass_floor,
        equal_likelihood=question.equal_likelihood,
    )
    rule = published_k(question.epsilon, question.delta, question.count, question.unit.similarity)
    return Answer(question, figures, rule, explanation(figures, rule))


def _check_k(question: Question, k: object) -> None:
    if not accountant.is_whole(k, 2, LARGEST_K):
        raise Refusal(
            f"k has to be a whole number from 2 to {LARGEST_K:,}.",
            "Enter how many records must be plausible seeds of a released one.",
            field="k",
        )
    accountant.check_seeds(question.delta, question.seeds_at_least, int(k))  # type: ignore[call-overload]


def _nothing_fits(question: Question, k: int, *, given: bool = False) -> Refusal:
    """Return the refusal where nothing fits: why, and each single change that would make it fit."""
    at = f" at k = {k:,}" if given else ""
    return Refusal(
        f"ε = {question.epsilon:g} and δ = {question.delta:g} are out of reach for "
        f"{question.counted}{at}: {_why(question, given)}.",
        advice(remedies(question, k, given=given)),
        field="epsilon",
    )


def _why(question: Question, given: bool) -> str:
    unit, what = question.unit, question.counts
    if question.count * unit.finest_delta > question.delta:
        return f"no attempt is ever said to have a δ under {FINEST_DELTA:g}"
    needed = question.find_smallest_k().k
    if needed <= LARGEST_K:
        certain = "" if given else f", and only {question.largest_k:,} seeds are certain"
        return f"that takes k of {int(needed):,}{certain}"
    each = largest_epsilon(question.epsilon, question.count, question.delta)
    return (
        f"each {what} may then cost an ε of {round_up(each, 2)} at most, and the widest noise on k "
        f"that is ever drawn costs {SMALLEST_EPSILON0:g}"
    )
