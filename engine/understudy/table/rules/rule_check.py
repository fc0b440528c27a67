"""How a table keeps rules: how many of its rows break each, and which.

Of a confidential table all of it is internal; of a released one it is for everybody to see.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from understudy.core.arrays import IntArray
from understudy.core.numerals import count
from understudy.table.encoding import encode_fitting
from understudy.table.fit import Policy
from understudy.table.raw import RawTable
from understudy.table.records import Records
from understudy.table.rules.named_values import bind_rule
from understudy.table.rules.repair import count_left_out, find_breaches, view_records
from understudy.table.rules.rule import Rule
from understudy.table.rules.tree import ChoicePart
from understudy.table.schema import Schema

_EXAMPLES: Final = 3


@dataclass(frozen=True, eq=False)
class RuleCheck:
    """How a table keeps a rule.

    Attributes:
        rows: how many rows the table has.
        broken: how many of them break it.
        met: how many meet its condition; None of a rule that has none.
        examples: where the first rows stand that break it.
    """

    rows: int
    broken: int
    met: int | None
    examples: IntArray

    @property
    def doubt(self) -> str:
        """Why the rule may be mistaken, in a sentence; "" if nothing speaks for that."""
        if self.met == 0:
            return "No record meets its condition: is a value or a sign mistaken?"
        if self.rows and self.broken == self.rows:
            return "No record keeps it: is it the wrong way round?"
        if 2 * self.broken > self.rows:
            return "Most records break it: is it the wrong way round?"
        return ""


def check_rule(records: Records, rule: Rule) -> RuleCheck:
    """Return how records keep a rule, whatever rules their schema has.

    Args:
        records: before any is repaired.
        rule: which.

    Raises:
        Refusal: as of `Rule.bind`.
    """
    schema = records.schema.with_rules((rule,))
    view = view_records(records.under(schema))
    broken = np.flatnonzero(schema.conditions[0].judge(view).false)
    met = None
    if isinstance(rule.tree, ChoicePart):
        condition = bind_rule(rule.text, rule.tree.condition, schema.columns)
        met = int(np.count_nonzero(condition.judge(view).true))
    return RuleCheck(len(records), len(broken), met, broken[:_EXAMPLES])


@dataclass(frozen=True)
class Breaches:
    """How many rows of a table break rules that it need not keep.

    Attributes:
        rows: how many rows the table has.
        each: of each rule, how many break it.
        together: how many break at least one.
    """

    rows: int
    each: tuple[int, ...]
    together: int


def count_breaches(records: Records, rules: Sequence[Rule]) -> Breaches:
    """Return how many records break rules, whatever rules their schema has.

    Raises:
        Refusal: as of `Rule.bind`.
    """
    schema = records.schema.with_rules(rules)
    if not rules:
        return Breaches(len(records), (), 0)
    broken = find_breaches(schema, view_records(records.under(schema)))
    each = tuple(np.count_nonzero(broken, axis=1).tolist())
    return Breaches(len(records), each, int(np.count_nonzero(broken.any(axis=0))))


@dataclass(frozen=True, eq=False)
class TableCheck:
    """How a table keeps the rules of its schema. Internal.

    Attributes:
        records: those that were looked at. Confidential.
        rules: how they keep each rule.
        aside: how many were not looked at, as values of theirs are outside the schema.
        left_out: how many are left out because they break a rule.
    """

    records: Records
    rules: tuple[RuleCheck, ...]
    aside: int
    left_out: int

    @property
    def sentence(self) -> str:
        """How many records are left out, and how many were not looked at. Internal."""
        left, aside = (
            f"{count(each, 'record')} {word}"
            for each, word in (
                (self.left_out, "is" if self.left_out == 1 else "are"),
                (self.aside, "was" if self.aside == 1 else "were"),
            )
        )
        more = f" {aside} not looked at, with values outside the schema." if self.aside else ""
        return f"{left} left out of {len(self.records):,}.{more}"


def check_kept_rules(
    raw: RawTable, schema: Schema, policies: Mapping[str, Policy] | None = None
) -> TableCheck:
    """Return how a table keeps the rules of its schema. Internal.

    Args:
        raw: the table.
        schema: with the rules.
        policies: as of `encoding.encode`; records with values that nothing is decided for are not
            looked at.

    Raises:
        Refusal: the table lacks a column.
    """
    records = encode_fitting(raw, schema, policies)
    checks = tuple(check_rule(records, rule) for rule in schema.rules)
    aside = raw.rows - len(records) if schema.people is None else 0
    return TableCheck(records, checks, aside, count_left_out(records))
