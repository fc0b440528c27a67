"""A table checked against the rules of a schema: how many records break each, and examples. All of
it is internal: for the custodian alone, before and after rules are declared.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from understudy.core.numerals import count
from understudy.table.encoding import decode, encode_fitting
from understudy.table.fit import Policy
from understudy.table.raw import RawTable
from understudy.table.rules.conflicts import list_idle_rules
from understudy.table.rules.repair import count_breaches, find_examples
from understudy.table.rules.rule import Rule
from understudy.table.schema import Schema


@dataclass(frozen=True)
class RuleCheck:
    """How the records of a table meet a rule. Internal.

    Attributes:
        rule: the rule.
        broken: how many records break it.
        records: how many were looked at.
        idle: whether whatever the columns may contain meets it.
        examples: the first records that break it, each as the texts of the columns it names.
    """

    rule: Rule
    broken: int
    records: int
    idle: bool
    examples: tuple[tuple[str, ...], ...] = field(default=(), repr=False)

    @property
    def sentence(self) -> str:
        """What a custodian should look at; "" for nothing. Internal where records break it."""
        if self.idle:
            return "Whatever its columns may contain meets it: it forbids nothing."
        if self.records and self.broken == self.records:
            return "No record of the table meets it (internal). It may be written the wrong way."
        if 2 * self.broken > self.records:
            return "Most records break it (internal). It may be written the wrong way."
        return ""


@dataclass(frozen=True)
class RulesCheck:
    """How the records of a table meet all rules. Internal.

    Attributes:
        rules: each rule.
        records: how many records were looked at.
        aside: how many were not, as values of theirs are outside the schema.
        left_out: how many break a rule and are left out.
    """

    rules: tuple[RuleCheck, ...]
    records: int
    aside: int
    left_out: int

    @property
    def sentence(self) -> str:
        """What becomes of the records, in a sentence or two. Internal."""
        changed = any(check.broken and check.rule.instead for check in self.rules)
        parts = [
            f"{count(self.left_out, 'record')} of {self.records:,} "
            f"{'is' if self.left_out == 1 else 'are'} left out (internal)."
        ]
        if changed:
            parts.append("Others are set to missing, as the rules say.")
        if self.aside:
            parts.append(
                f"{count(self.aside, 'record')} with values outside the schema "
                f"{'was' if self.aside == 1 else 'were'} not looked at (internal)."
            )
        return " ".join(parts)


def check_rules(
    raw: RawTable,
    schema: Schema,
    policies: Mapping[str, Policy] | None = None,
    *,
    examples: int = 3,
) -> RulesCheck:
    """Return how the records of a table meet the rules of a schema. Internal.

    Args:
        raw: the table.
        schema: with the rules.
        policies: as of `encoding.encode`; records with values that nothing is decided for are not
            looked at.
        examples: how many records to show that break a rule, at most.

    Raises:
        Refusal: the table lacks a column, or rules leave nothing.
    """
    records = encode_fitting(raw, schema, policies)
    found = count_breaches(records)
    idle = list_idle_rules(schema, schema.rules)
    checks = []
    for place, rule in enumerate(schema.rules):
        rows = find_examples(records, place, examples)
        texts = decode(records.take(rows)).select(list(rule.names)) if len(rows) else None
        shown = () if texts is None else tuple(zip(*texts.to_pydict().values(), strict=True))
        checks.append(RuleCheck(rule, found.broken[place], found.records, rule in idle, shown))
    aside = raw.rows - found.records if schema.people is None else 0
    return RulesCheck(tuple(checks), found.records, aside, found.left_out)
