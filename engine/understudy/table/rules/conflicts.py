"""What several rules leave together: which combinations of codes, and whether anything is left.

Rules that leave nothing are refused: one that no value of a column meets, or several that no record
meets together. All of it follows from the schema alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Final

import numpy as np

from understudy.core.arrays import BoolArray
from understudy.core.refusal import Refusal
from understudy.table.column import Column
from understudy.table.rules.conditions import Together, list_linear_tests
from understudy.table.rules.possible_codes import relate_codes
from understudy.table.rules.relation import Relation, Relations, TooWide
from understudy.table.rules.rule import HasColumns, Rule

_MOST_JOINT: Final = 1 << 19
"""Combinations of codes of rules that are looked through together."""

Some = frozenset[int]
"""Rules, by their places."""


def relate_rules(schema: HasColumns, rules: Sequence[Rule]) -> Relations:
    """Return which combinations of codes some rules leave possible.

    Raises:
        Refusal: a rule binds too many of them, no value of a column meets a rule, or no record or
            no value of a column meets several of them together; the problem names a smallest set.
    """
    ruled = _RuleSet(schema, rules)
    ruled.check_alone()
    ruled.check_together()
    return ruled.relate(ruled.every)


def list_idle_rules(schema: HasColumns, rules: Sequence[Rule]) -> tuple[Rule, ...]:
    """Return the rules that forbid nothing: whatever the columns may contain meets them.

    Raises:
        Refusal: a rule binds too many combinations of values.
    """
    return tuple(rule for rule in rules if rule.relation(schema).allowed.all())


class _RuleSet:
    """The rules of a schema and their relations.

    Rules about the same measured column may each be met by some number of a cell, and together by
    none: these are related together.
    """

    def __init__(self, schema: HasColumns, rules: Sequence[Rule]) -> None:
        self._rules, self._columns = rules, schema.columns
        self._conditions = [rule.bind(schema.columns, schema.sums) for rule in rules]
        self._relations = [rule.relation(schema) for rule in rules]
        self._joint: dict[Some, Relation | None] = {}
        self._known: dict[Some, Relations] = {}
        self.every = frozenset(range(len(rules)))
        self._measured = [
            {
                values.place
                for test in list_linear_tests(condition)
                for values, _ in test.terms
                if values.is_measured
            }
            for condition in self._conditions
        ]

    def relate(self, some: Some) -> Relations:
        """Return what some of the rules leave together."""
        if some not in self._known:
            self._known[some] = self._relate(some)
        return self._known[some]

    def _relate(self, some: Some) -> Relations:
        found = [self._relations[place] for place in sorted(some)]
        for group in self._groups(some):
            joint = self._relate_jointly(group)
            pairs = map(frozenset, combinations(sorted(group), 2)) if joint is None else ()
            joints = [joint, *map(self._relate_jointly, pairs)]
            found += [one for one in joints if one is not None]
        return Relations.of((column.cardinality for column in self._columns), found)

    def _groups(self, some: Some) -> Iterator[Some]:
        """Yield rules that measured columns connect, two and more together."""
        left = set(some)
        while left:
            group, columns = {left.pop()}, set[int]()
            before = -1
            while len(group) != before:
                before = len(group)
                columns = set[int]().union(*(self._measured[place] for place in group))
                group |= {place for place in left if not columns.isdisjoint(self._measured[place])}
            left -= group
            if len(group) > 1:
                yield frozenset(group)

    def _relate_jointly(self, group: Some) -> Relation | None:
        """Return what rules leave together; None if that is too wide to be looked through."""
        if group not in self._joint:
            self._joint[group] = self._look_through(group)
        return self._joint[group]

    def _look_through(self, group: Some) -> Relation | None:
        conditions = tuple(self._conditions[place] for place in sorted(group))
        scope = frozenset[int]().union(*(condition.places for condition in conditions))
        if math.prod(self._columns[place].cardinality for place in scope) > _MOST_JOINT:
            return None
        try:
            joint = relate_codes("", Together(conditions, every=True), self._columns)
        except Refusal:
            return None
        alone = np.ones((1,) * len(joint.columns), dtype=bool)
        for place in group:
            alone = alone & self._relations[place].spread_over(joint.columns)
        # Where nothing more is forbidden, the narrower relations say all.
        return joint if (alone & ~joint.allowed).any() else Relation((), np.array(True))

    def check_alone(self) -> None:
        """Check that each rule leaves some value of each of its columns.

        Raises:
            Refusal: one does not.
        """
        for rule, relation in zip(self._rules, self._relations, strict=True):
            if not relation.allowed.any():
                raise Refusal(
                    f"No record can meet the rule “{rule.title}”: it holds for no values of its "
                    "columns.",
                    "Correct it, or take it out.",
                    field="rules",
                )
            for place in relation.columns:
                column = self._columns[place]
                left = np.asarray(
                    relation.along(place).reshape(column.cardinality, -1).any(axis=1), dtype=bool
                )
                if _is_emptied(column, left):
                    raise _refuse_emptied(column, (rule,))

    def check_together(self) -> None:
        """Check that some record meets all rules, and that each column has a value in one of them.

        Raises:
            Refusal: it is not so. The problem names rules of which none can be spared.
        """
        if self._contradict(self.every):
            needed = self._find_smallest(self._contradict)
            raise Refusal(
                f"No record can meet these rules together: {_list(needed)}.",
                "Correct one of them, or take one out; without any one of them the others can be "
                "met.",
                field="rules",
            )
        for place in self.relate(self.every).columns:

            def empty(some: Some, place: int = place) -> bool:
                left = self.relate(some).project((place,))
                return left is not None and _is_emptied(self._columns[place], left)

            if empty(self.every):
                raise _refuse_emptied(self._columns[place], self._find_smallest(empty))

    def _contradict(self, some: Some) -> bool:
        try:
            return not self.relate(some).possible
        except TooWide:
            return False

    def _find_smallest(self, fails: Callable[[Some], bool]) -> list[Rule]:
        """Return rules that fail together, and would not without any one of them."""
        needed = self.every
        for place in sorted(self.every):
            if fails(needed - {place}):
                needed -= {place}
        return [self._rules[place] for place in sorted(needed)]


def _is_emptied(column: Column, left: BoolArray) -> bool:
    """Return whether none of a column's values is left, codes for missing aside."""
    return not bool(left[: column.domain.size].any())


def _refuse_emptied(column: Column, rules: Sequence[Rule]) -> Refusal:
    several = len(rules) > 1
    subject = (
        f"The rules {_list(rules)} together leave" if several else f"The rule {_list(rules)} leaves"
    )
    missing = ", only codes for missing" if column.missing else ""
    return Refusal(
        f"{subject} no value of column “{column.name}”{missing}.",
        f"Correct {'one of them' if several else 'it'}, or take the column out of the schema.",
        field="rules",
    )


def _list(rules: Sequence[Rule]) -> str:
    """Return rules in a phrase."""
    *others, last = (f"“{rule.title}”" for rule in rules)
    return f"{', '.join(others)} and {last}" if others else last
