from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.core.arrays import CodeArray
from understudy.samples import census
from understudy.table.authoring.rule_suggestions import RuleSuggestion, suggest_rules
from understudy.table.kinds import class_of_kind
from understudy.table.missing_codes import MissingCode
from understudy.table.records import Records
from understudy.table.rules.rule import Rule
from understudy.table.rules.rule_check import check_rule
from understudy.table.schema import Categories, Column, Domain, Schema


def make_domain(kind: str, texts: dict[str, str]) -> Domain:
    return class_of_kind(kind).from_texts(kind, texts)


DAYS = {"minimum": "0", "maximum": "365", "step": "1"}
SCHEMA = Schema(
    columns=(
        Column(
            name="age",
            domain=make_domain("integers", {"minimum": "0", "maximum": "79", "step": "1"}),
        ),
        Column(name="marital", domain=Categories(values=("single", "married", "widowed"))),
        Column(name="day in", domain=make_domain("integers", DAYS)),
        Column(name="day out", domain=make_domain("integers", DAYS)),
        Column(
            name="wage",
            domain=make_domain("integers", {"minimum": "0", "maximum": "9", "step": "1"}),
            missing=True,
            missing_codes=(
                MissingCode(values=("-8",), label="not asked"),
                MissingCode(values=("-9",)),
            ),
        ),
        Column(name="sex", domain=Categories(values=("m", "f"))),
        Column(name="ward", domain=Categories(values=("births", "surgery", "other"))),
    )
)


def records(rows: int = 2000) -> Records:
    """Stays that keep four rules, and are independent otherwise."""
    random = np.random.default_rng(3)
    age = random.integers(0, 80, rows)
    marital = np.where(age < 16, 0, random.integers(0, 3, rows))
    start = random.integers(0, 300, rows)
    end = start + random.integers(0, 60, rows)
    wage = np.where(age < 16, 10, random.integers(0, 10, rows))
    wage[(age >= 16) & (random.random(rows) < 0.05)] = 11
    sex = random.integers(0, 2, rows)
    ward = np.where(sex == 0, random.integers(1, 3, rows), random.integers(0, 3, rows))
    return Records(SCHEMA, np.column_stack([age, marital, start, end, wage, sex, ward]))


@pytest.fixture(scope="module")
def found() -> tuple[RuleSuggestion, ...]:
    return suggest_rules(records())


def test_what_a_table_keeps_is_suggested(found: tuple[RuleSuggestion, ...]) -> None:
    assert {each.text for each in found} == {
        "`day in` <= `day out`",
        '(wage == "not asked") == (age < 16)',
        'if (age < 16) marital == "single"',
        'if (sex == "m") ward != "births"',
    }


def test_every_suggestion_is_a_rule_that_the_table_keeps(found: tuple[RuleSuggestion, ...]) -> None:
    for each in found:
        checked = check_rule(records(), Rule(text=each.text))
        assert checked.broken <= 0.005 * checked.rows
        assert each.weight > 0


@given(st.integers(0, 2**32 - 1))
def test_suggestions_are_the_same_for_any_order_of_rows(seed: int) -> None:
    order = np.random.default_rng(seed).permutation(500)
    some = records(500)
    assert suggest_rules(some.take(order)) == suggest_rules(some)


def test_some_of_many_rows_are_looked_at_whatever_their_order() -> None:
    many = Records(census.schema(), _simulate(50_000))
    turned = many.take(np.arange(len(many))[::-1])
    assert suggest_rules(turned) == suggest_rules(many)
    assert any(each.text == 'if (RELP == "1") MAR == "1"' for each in suggest_rules(many))


def _simulate(rows: int) -> CodeArray:
    return census.simulate(rows, 1)


def test_independent_columns_suggest_nothing() -> None:
    random = np.random.default_rng(5)
    codes = [random.integers(0, each.cardinality, 3000) for each in SCHEMA.columns]
    assert suggest_rules(Records(SCHEMA, np.column_stack(codes))) == ()


def test_a_few_records_suggest_nothing() -> None:
    assert suggest_rules(records(40)) == ()


def test_one_broken_record_of_three_keeps_no_order() -> None:
    some = records()
    codes = some.codes.copy()
    codes[::3, 3] = 0
    assert not any(each.kind == "order" for each in suggest_rules(Records(SCHEMA, codes)))
