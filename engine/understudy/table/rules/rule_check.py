"""How a table keeps rules: how many of its rows break each, and which.

Of a confidential table all of it is internal; of a released one it is for everybody to see.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from understudy.core.arrays import IntArray
from understudy.table.records import Records
from understudy.table.rules.named_values import bind_rule
from understudy.table.rules.repair import view_records
from understudy.table.rules.rule import Rule
from understudy.table.rules.tree import ChoicePart

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
