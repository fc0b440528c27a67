"""The cases in which a condition has a truth: codes that are tested, and numbers that meet linear
inequalities.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final, Literal

import numpy as np

from understudy.core.arrays import BoolArray
from understudy.core.refusal import Refusal
from understudy.table.rules.conditions import (
    ColumnsView,
    ColumnValues,
    Condition,
    LinearTest,
    NotTrue,
    Together,
    list_linear_tests,
)

MOST_CASES: Final = 512

Truth3 = Literal["true", "false", "unknown"]
Wanted = frozenset[Truth3]
NOT_FALSE: Final[Wanted] = frozenset(("true", "unknown"))
_TURNED: Final[Mapping[Truth3, Truth3]] = {"true": "false", "false": "true", "unknown": "unknown"}


@dataclass(frozen=True)
class Bound:
    """That a sum of columns is at most 0.

    Attributes:
        terms: each column with the whole number that its units count for.
        constant: what is added.
    """

    terms: tuple[tuple[ColumnValues, int], ...]
    constant: int

    @property
    def key(self) -> tuple[tuple[tuple[int, int], ...], int]:
        """What tells it from others."""
        return tuple((values.place, factor) for values, factor in self.terms), self.constant


@dataclass(frozen=True, eq=False)
class Case:
    """Some combinations of codes, and what their numbers have to meet.

    Attributes:
        codes: which combinations, with the axes of the view that they are looked at on; of length 1
            where a column does not count.
        tests: the inequalities.
    """

    codes: BoolArray
    tests: tuple[Bound, ...] = ()


class CaseFinder:
    """Finds the cases of conditions.

    Attributes:
        shown: the rule, as it stands in a sentence.
        view: what conditions are judged on.
        axes: how many axes that view has.
    """

    def __init__(self, shown: str, view: ColumnsView, axes: int) -> None:
        self._shown, self._view, self._one = shown, view, (1,) * axes

    def _check(self, cases: list[Case]) -> list[Case]:
        if len(cases) > MOST_CASES:
            raise Refusal(
                f"The rule “{self._shown}” has more than {MOST_CASES} cases to look through.",
                "Split it into several rules.",
                field="rules",
            )
        return cases

    # Cases.

    def cases(self, condition: Condition, wanted: Wanted) -> list[Case]:
        """Return the cases in which a condition has one of some truths."""
        sums = list_linear_tests(condition)
        if not any(values.is_measured for test in sums for values, _ in test.terms):
            return self._of_codes(condition, wanted)
        match condition:
            case NotTrue():
                return self.cases(condition.inner, frozenset(_TURNED[each] for each in wanted))
            case Together():
                return self._of_parts(condition, wanted)
            case LinearTest():
                return self._check(
                    [case for one in wanted for case in self._of_sum(condition, one)]
                )
        raise TypeError(f"a {type(condition).__name__} tests no numbers")

    def _of_codes(self, condition: Condition, wanted: Wanted) -> list[Case]:
        truth = condition.judge(self._view)
        codes = np.zeros(truth.true.shape, dtype=bool)
        for one, where in (("true", truth.true), ("false", truth.false), ("unknown", ~truth.known)):
            if one in wanted:
                codes = codes | where
        return [Case(codes)] if codes.any() else []

    def _of_parts(self, condition: Together, wanted: Wanted) -> list[Case]:
        """Return the cases of several conditions. Of all together, the worst part decides: false,
        unknown, true; of any of them, the best."""
        ranks: tuple[Truth3, ...] = ("false", "unknown", "true")
        if not condition.every:
            ranks = ranks[::-1]
        at_least = [frozenset(ranks[rank:]) for rank in range(3)]
        at_most = [frozenset(ranks[: rank + 1]) for rank in range(3)]
        if wanted in at_least:
            return self._all(condition.parts, wanted)
        if wanted in at_most:
            found = [case for part in condition.parts for case in self.cases(part, wanted)]
            return self._check(found)
        if wanted == {"unknown"}:
            found = []
            for part in condition.parts:
                others = [each for each in condition.parts if each is not part]
                rest = self._all(others, at_least[1])
                found += self._join(self.cases(part, wanted), rest)
            return self._check(found)
        return self._check(
            [case for one in wanted for case in self.cases(condition, frozenset((one,)))]
        )

    def _all(self, parts: Sequence[Condition], wanted: Wanted) -> list[Case]:
        found = [Case(np.ones(self._one, dtype=bool))]
        for part in parts:
            found = self._join(found, self.cases(part, wanted))
        return found

    def _join(self, left: list[Case], right: list[Case]) -> list[Case]:
        """Return every case of the one together with every case of the other."""
        found = []
        for one, other in product(left, right):
            codes = one.codes & other.codes
            if codes.any():
                tests = {test.key: test for test in (*one.tests, *other.tests)}
                found.append(Case(codes, tuple(tests.values())))
                self._check(found)
        return found

    def _of_sum(self, test: LinearTest, truth: Truth3) -> list[Case]:
        """Return the cases in which a comparison of a sum has a truth."""
        if test.wide:
            raise Refusal(
                f"The numbers of the rule “{self._shown}” have too many digits.",
                "Give its columns fewer decimals, or write the rule with rounder numbers.",
                field="rules",
            )
        missing = np.zeros(self._one, dtype=bool)
        for values, _ in test.terms:
            missing = missing | values.column.is_missing(self._view.codes(values.place))
        if truth == "unknown":
            found = [Case(missing)] if missing.any() else []
            for condition, _ in test.counts:
                found += self.cases(condition, frozenset(("unknown",)))
            return found
        found = []
        for truths in product((True, False), repeat=len(test.counts)):
            constant, some = test.constant, [Case(~missing)]
            for (condition, factor), holds in zip(test.counts, truths, strict=True):
                constant += factor if holds else 0
                one: Wanted = frozenset(("true" if holds else "false",))
                some = self._join(some, self.cases(condition, one))
            for bounds in _list_bounds(test, constant, truth == "true"):
                joined = [Case(case.codes, (*case.tests, *bounds)) for case in some]
                found += [case for case in joined if case.codes.any()]
            self._check(found)
        return found


def _list_bounds(test: LinearTest, constant: int, holds: bool) -> Iterator[tuple[Bound, ...]]:
    """Yield the ways in which a comparison of a sum holds, or does not."""
    terms = tuple((values, factor) for values, factor in test.terms if factor)
    turned = tuple((values, -factor) for values, factor in terms)
    if holds:
        below = Bound(terms, constant)
        yield (below, Bound(turned, -constant)) if test.exact else (below,)
        return
    yield (Bound(turned, 1 - constant),)
    if test.exact:
        yield (Bound(terms, constant + 1),)
