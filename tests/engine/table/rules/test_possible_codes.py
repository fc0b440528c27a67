from __future__ import annotations

from decimal import Decimal
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, example, given

from tests.engine.table.rules.oracle import COLUMNS, RULES, judge_slowly, list_records
from understudy.core.refusal import Refusal
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.continuous import Continuous
from understudy.table.grid import Grid
from understudy.table.rules.rule import Rule
from understudy.table.schema import Schema

SCHEMA = Schema(columns=COLUMNS)


@given(RULES)
@example("(fine > 4 & grid > 1) + coarse <= -9")
@example("(fine > 4 | grid > 1) + coarse <= -9")
def test_combinations_are_possible_if_some_values_in_their_cells_do_not_break_the_rule(
    text: str,
) -> None:
    rule = Rule(text=text)
    assume(len(rule.names) < 5)
    try:
        relation = rule.relation(SCHEMA)
    except Refusal as refusal:
        assume("more than 512 cases" not in refusal.problem)
        raise
    columns = tuple(COLUMNS[place] for place in relation.columns)
    assert {each.name for each in columns} <= set(rule.names)
    for codes in product(*map(range, relation.allowed.shape)):
        answers = (judge_slowly(rule.tree, each) for each in list_records(columns, codes))
        possible = any(answer is not False for answer in answers)
        assert relation.allowed[codes] == possible, codes


def _amounts(*names: str, cells: int = 4, per_cell: int = 100) -> Schema:
    top = Decimal(cells * per_cell)
    domain = Continuous(
        minimum=Decimal(0), maximum=top, step=Decimal(per_cell), precision=Decimal(1)
    )
    return Schema(columns=tuple(Column(name=name, domain=domain) for name in names))


def test_a_total_of_parts_lies_in_the_cells_that_sums_reach() -> None:
    schema = _amounts("total", "first", "second")
    allowed = Rule(text="total == first + second").relation(schema).allowed
    for total, first, second in product(range(4), repeat=3):
        lowest = 100 * (first + second)
        highest = lowest + sum(100 if each == 3 else 99 for each in (first, second))
        end = 100 * total + (100 if total == 3 else 99)
        assert allowed[total, first, second] == (lowest <= end and 100 * total <= highest)


def test_even_numbers_are_never_twice_a_number_and_one_more() -> None:
    schema = _amounts("first", "second")
    assert not Rule(text="2 * first == 2 * second + 1").relation(schema).allowed.any()
    assert Rule(text="2 * first + 1 <= 2 * second").relation(schema).allowed.sum() == 10


def test_rules_of_too_many_combinations_say_which_columns_make_them() -> None:
    grid = Grid(minimum=Decimal(0), maximum=Decimal(2999))
    schema = Schema(columns=tuple(Column(name=name, domain=grid) for name in ("first", "second")))
    with pytest.raises(Refusal, match="binds 9,000,000 combinations") as refused:
        Rule(text="first <= second").relation(schema)
    assert "“first” (3,000), “second” (3,000)" in refused.value.problem


def test_rules_of_too_many_cases_are_refused() -> None:
    schema = _amounts("first", "second")
    halves = " & ".join(f"(first != {each} | second != {each})" for each in range(12))
    with pytest.raises(Refusal, match="more than 512 cases"):
        Rule(text=halves).relation(schema)


def test_many_cells_take_no_search_through_their_numbers() -> None:
    schema = _amounts("first", "second", cells=1000, per_cell=10_000)
    allowed = Rule(text="first < second").relation(schema).allowed
    assert np.array_equal(allowed, np.triu(np.ones((1000, 1000), dtype=bool)))


def test_rules_are_met_together_by_numbers_in_a_cell() -> None:
    """Who works is at least 18, who is at school at most 17: no age from 10 to 19 is both."""
    age = Continuous(
        minimum=Decimal(0), maximum=Decimal(40), step=Decimal(10), precision=Decimal(1)
    )
    answers = Categories(values=("no", "yes"))
    schema = Schema(
        columns=(
            Column(name="age", domain=age),
            Column(name="work", domain=answers),
            Column(name="school", domain=answers),
        ),
        rules=(
            Rule(text='if (work == "yes") age >= 18'),
            Rule(text='if (school == "yes") age <= 17'),
        ),
    )
    whole = schema.relations.project((0, 1, 2))
    assert whole is not None
    for codes in product(range(4), range(2), range(2)):
        lowest, highest = 10 * codes[0], 10 * codes[0] + (10 if codes[0] == 3 else 9)
        met = any(
            (not codes[1] or years >= 18) and (not codes[2] or years <= 17)
            for years in range(lowest, highest + 1)
        )
        assert whole[codes] == met, codes
