"""The planner: from a privacy budget to the parameters of the test.

A custodian knows the budget, how many records are wanted, and a lower bound on the seeds. The
search is exact over every t, ε0 and split of δ under the best composition (search.py); the
published rule of thumb k = 2t is computed beside it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from understudy.core.refusal import Refusal
from understudy.core.rounding import upwards
from understudy.privacy.accounting import checks
from understudy.privacy.accounting.account import Account
from understudy.privacy.accounting.accountant import account
from understudy.privacy.accounting.as_data import as_data
from understudy.privacy.accounting.optimal import largest_epsilon
from understudy.privacy.accounting.published_figures import PublishedRecord, published_record
from understudy.privacy.accounting.unit import Unit
from understudy.privacy.budget import Budget
from understudy.privacy.planning.explanation import explanation
from understudy.privacy.planning.least_total import least_total
from understudy.privacy.planning.published_rule import published_k
from understudy.privacy.planning.question import LARGEST_EPSILON, Question
from understudy.privacy.planning.remedies import advice, remedies
from understudy.privacy.planning.search import most_units_at, rounded_unit
from understudy.privacy.plausibility.coin import FINEST_DELTA, SMALLEST_EPSILON0
from understudy.privacy.plausibility.privacy_test import PrivacyTest
from understudy.privacy.plausibility.threshold import LARGEST_K

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
        """Return what the published theorem states of one released record."""
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
                else {"published": self.published_record.stated()}
            ),
        }


def smallest_k(question: Question) -> Answer:
    """Return the smallest k, with the t, ε0 and split of δ that reach it.

    A smaller k rejects fewer candidates.

    Raises:
        Refusal: a number is out of range, or nothing fits; its remedy says what would.
    """
    question.check()
    needed = question.found().k
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
    most = most_units_at(question.unit, question.target, k, checks.MOST_UNITS)
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
    if not checks.is_whole(k, 2, LARGEST_K):
        raise Refusal(
            f"k has to be a whole number from 2 to {LARGEST_K:,}.",
            "Enter how many records must be plausible seeds of a released one.",
            field="k",
        )
    checks.check_seeds(question.delta, question.seeds_at_least, int(k))  # type: ignore[call-overload]


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
    needed = question.found().k
    if needed <= LARGEST_K:
        certain = "" if given else f", and only {question.largest_k:,} seeds are certain"
        return f"that takes k of {int(needed):,}{certain}"
    each = largest_epsilon(question.epsilon, question.count, question.delta)
    return (
        f"each {what} may then cost an ε of {upwards(each, 2)} at most, and the widest noise on k "
        f"that is ever drawn costs {SMALLEST_EPSILON0:g}"
    )
