from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.table.refusals import refused
from tests.engine.table.rules.oracle import COLUMNS, Missing, Value, judge_slowly, list_records
from understudy.core.refusal import Refusal
from understudy.table.rules.conflicts import list_idle_rules, relate_rules
from understudy.table.rules.rule import Rule
from understudy.table.schema import Schema

SCHEMA = Schema(columns=COLUMNS)


def _rules(*texts: str) -> tuple[Rule, ...]:
    return tuple(Rule(text=text) for text in texts)


@pytest.mark.parametrize(
    ("texts", "problem"),
    [
        (["grid > coarse", "coarse < -2"], "No record can meet the rule “coarse < -2”"),
        (["grid < 0"], "“grid < 0” leaves no value of column “grid”, only codes for missing."),
        (["is.na(kind)"], "“is.na(kind)” leaves no value of column “kind”"),
        (
            ["other == 'y'", "coarse < 2", "coarse > 0", "if (coarse < 2) other == 'z'"],
            "No record can meet these rules together: “other == 'y'”, “coarse < 2” and "
            "“if (coarse < 2) other == 'z'”.",
        ),
        (
            ["grid < 2", "other == 'y'", "grid > 1"],
            "The rules “grid < 2” and “grid > 1” together leave no value of column “grid”, only",
        ),
    ],
)
def test_rules_that_leave_nothing_are_refused_and_a_smallest_set_is_named(
    texts: list[str], problem: str
) -> None:
    schema = SCHEMA.with_rules(_rules(*texts))
    assert problem in refused(schema.declare_public).problem
    assert refused(lambda: schema.relations).field == "rules"


_BOUNDS = st.builds(
    "{} {} {}".format,
    st.sampled_from(["coarse", "grid", "coarse - grid"]),
    st.sampled_from(["<=", ">="]),
    st.integers(-1, 2),
)


@given(st.lists(_BOUNDS, min_size=1, max_size=5, unique=True))
def test_rules_that_are_named_fail_together_and_not_without_one(texts: list[str]) -> None:
    rules = _rules(*texts)
    problem = _problem(rules)
    assert bool(problem) == _leave_nothing(rules)
    named = tuple(rule for rule in rules if f"“{rule.text}”" in problem)
    if problem:
        assert _leave_nothing(named)
    if "No record" in problem:
        assert not any(map(_contradict, combinations(named, len(named) - 1)))


def _problem(rules: tuple[Rule, ...]) -> str:
    try:
        relate_rules(SCHEMA, rules)
    except Refusal as refusal:
        return refusal.problem
    return ""


def _valid(rules: Sequence[Rule]) -> list[dict[str, Value]]:
    """Return the records of two columns that break no rule."""
    columns = (COLUMNS[0], COLUMNS[2])
    codes = product(*(range(each.cardinality) for each in columns))
    return [
        record
        for pair in codes
        for record in list_records(columns, pair)
        if all(judge_slowly(rule.tree, record) is not False for rule in rules)
    ]


def _contradict(rules: Sequence[Rule]) -> bool:
    return not _valid(rules)


def _leave_nothing(rules: Sequence[Rule]) -> bool:
    valid = _valid(rules)
    named = {name for rule in rules for name in rule.names}
    return any(all(isinstance(each[name], Missing) for each in valid) for name in named)


def test_rules_that_forbid_nothing_are_listed() -> None:
    rules = _rules("grid >= 0", "grid > 0", "coarse <= 4 | is.na(kind)")
    assert list_idle_rules(SCHEMA, rules) == (rules[0], rules[2])


def test_rules_that_no_number_of_a_cell_meets_together_forbid_the_cell() -> None:
    rules = _rules("coarse < 3 | grid > 1", "coarse > 2 | grid > 2")
    allowed = relate_rules(SCHEMA, rules).project((0, 2))
    assert allowed is not None
    for codes in product(range(5), range(2)):
        records = list_records((COLUMNS[0], COLUMNS[2]), codes)
        met = [all(judge_slowly(r.tree, each) is not False for r in rules) for each in records]
        assert allowed[codes] == any(met)
