"""Rules that say exactly when a value is not applicable, and those that say it by halves."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import pytest

from understudy.core.refusal import Refusal
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.missing_codes import MissingCode
from understudy.table.rules.not_applicable import list_open_codes, suggest_exact_rules
from understudy.table.rules.rule import Rule
from understudy.table.schema import Schema

COLUMNS = (
    Column(name="age", domain=Grid(minimum=Decimal(0), maximum=Decimal(9), step=Decimal(1))),
    Column(name="work", domain=Categories(values=("yes", "no"))),
    Column(
        name="hours",
        domain=Grid(minimum=Decimal(0), maximum=Decimal(3), step=Decimal(1)),
        missing=True,
        missing_codes=(
            MissingCode(values=("-9",), label="refused"),
            MissingCode(values=("-8",), label="not applicable"),
        ),
    ),
)


def ruled(*texts: str, columns: Sequence[Column] = COLUMNS) -> Schema:
    return Schema(columns=tuple(columns), rules=tuple(Rule(text=text) for text in texts))


@pytest.mark.parametrize(
    "texts",
    [
        ('(hours == "not applicable") == (work == "no")',),
        ('(work == "no") == (hours == -8)',),
        ('(hours != "not applicable") == (work == "yes" & age > 2)',),
        ('if (work == "no") hours == -8 else hours != -8',),
        ('if (hours == -8) work == "no" else work != "no"',),
        ('if (work == "no") hours == -8', 'if (hours == -8) work == "no"'),
        ('if (work == "no") hours == -8', 'if (work != "no") hours != "not applicable"'),
        ('if (work %in% c("no")) hours == -8', 'if (!(work == "no")) !(hours %in% c(-8))'),
        ('age >= 0 & ((hours == -8) == (work == "no"))',),
    ],
)
def test_a_rule_that_says_exactly_when_settles_it(texts: tuple[str, ...]) -> None:
    schema = ruled(*texts)
    assert list_open_codes(schema) == ()
    assert schema.declare_public("the form").declared
    assert list_open_codes(schema.set_rules_aside()) == ()


@pytest.mark.parametrize(
    "texts",
    [
        (),
        ('if (work == "no") hours == -8',),
        ('if (hours == -8) work == "no"',),
        ('if (work == "no") hours == -8', "if (hours == -8) age < 3"),
        ('is.na(hours) == (work == "no")',),
        ('(hours == -9) == (work == "no")',),
        ("(hours == -8) == (hours == -9)",),
        ('if (work == "no") hours == -8 else hours != -9',),
    ],
)
def test_without_one_the_schema_is_not_declared(texts: tuple[str, ...]) -> None:
    schema = ruled(*texts)
    (code,) = list_open_codes(schema)
    assert (code.column.name, code.meaning) == ("hours", "not applicable")
    with pytest.raises(Refusal, match="No rule says exactly when column “hours” is") as refused:
        schema.declare_public("the form")
    assert refused.value.field == "hours"


def test_what_was_declared_without_one_is_still_read() -> None:
    exact = ruled('(hours == -8) == (work == "no")').declare_public("the form")
    older = exact.model_copy(update={"rules": ()})
    assert older.declaration is not None
    stamp = older.declaration.model_copy(update={"domain": older.fingerprint})
    again = Schema.from_json(older.model_copy(update={"declaration": stamp}).to_json())
    assert again.declared
    assert list_open_codes(again)


def test_a_code_is_settled_by_name_and_columns_that_may_not_be_missing_have_none() -> None:
    hours = COLUMNS[2]
    assert not list_open_codes(ruled(columns=(*COLUMNS[:2], hours.changed(missing=False))))
    only = hours.changed(missing_codes=hours.missing_codes[1:])
    assert not list_open_codes(
        ruled('is.na(hours) == (work == "no")', columns=(*COLUMNS[:2], only))
    )


@pytest.mark.parametrize(
    ("half", "exact"),
    [
        ('if (work == "no") hours == -8', '(hours == "not applicable") == (work == "no")'),
        (
            'if (hours == -8) (work == "no" | (age < 2))',
            '(hours == "not applicable") == ((work == "no" | (age < 2)))',
        ),
    ],
)
def test_the_rule_is_suggested_from_a_declared_half(half: str, exact: str) -> None:
    schema = ruled("age < 9", half)
    (code,) = list_open_codes(schema)
    (found,) = suggest_exact_rules(schema, code)
    assert (found.half.text, found.text) == (half, exact)
    assert not list_open_codes(schema.with_rules((schema.rules[0], Rule(text=found.text))))


def test_no_rule_is_suggested_from_what_says_something_else() -> None:
    schema = ruled(
        'if (work == "no") hours != -8',
        'if (work == "yes") is.na(hours)',
        "if (hours == -8) hours == -9",
        'age > 1 | work == "no"',
    )
    (code,) = list_open_codes(schema)
    assert suggest_exact_rules(schema, code) == ()
