from __future__ import annotations

import json
from decimal import Decimal

import pytest

from tests.engine.table.refusals import refused
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.missing_codes import MissingCode
from understudy.table.rules.rule import MOST_RULES, Rule, SetMissing
from understudy.table.schema import Schema

AGE = Column(name="age", domain=Grid(minimum=Decimal(0), maximum=Decimal(99)))
MARITAL = Column(
    name="marital",
    domain=Categories(values=("1", "2"), labels=("single", "married")),
    missing=True,
    missing_codes=(MissingCode(values=("-8",), label="not applicable"), MissingCode()),
)
PLAIN = Schema(columns=(AGE, MARITAL))
CHILDREN = Rule(
    text='if (age < 16)  marital == "single"',
    name="children",
    origin="law",
    note="Marriage Act",
    instead=SetMissing(column="marital"),
)
RULED = PLAIN.with_rules([CHILDREN])
EXACT = Rule(text='(marital == "not applicable") == (age < 3)')


def test_rules_stand_in_the_schema_file_and_come_back() -> None:
    document = json.loads(RULED.to_json())
    assert document["understudy"]["rules"] == [
        {
            "text": 'if (age < 16) marital == "single"',
            "name": "children",
            "origin": "law",
            "note": "Marriage Act",
            "instead": {"column": "marital", "code": ""},
        }
    ]
    assert Schema.from_json(RULED.to_json()) == RULED
    assert "rules" not in PLAIN.to_json()


def test_a_schema_file_may_list_rules_as_texts() -> None:
    document = json.loads(PLAIN.to_json()) | {"understudy": {"rules": ["age <= 90"]}}
    assert Schema.from_json(json.dumps(document)).rules == (Rule(text="age <= 90"),)


def test_a_rule_counts_in_the_fingerprint_and_undoes_a_declaration() -> None:
    declared = PLAIN.with_rules([EXACT]).declare_public()
    assert declared.declared
    assert not declared.with_rules([EXACT, CHILDREN]).declared
    assert declared.with_rules([EXACT, CHILDREN]).with_rules([EXACT]).declared
    other = CHILDREN.model_copy(update={"instead": None})
    noted = CHILDREN.model_copy(update={"note": "", "name": "", "origin": ""})
    assert PLAIN.with_rules([other]).fingerprint != RULED.fingerprint
    assert PLAIN.with_rules([noted]).fingerprint == RULED.fingerprint


def test_rules_set_aside_stay_declared_and_come_back() -> None:
    ruled = PLAIN.with_rules([EXACT, CHILDREN]).declare_public("the form")
    aside = ruled.set_rules_aside()
    assert (aside.rules, aside.set_aside) == ((), ruled.rules)
    assert aside.declared
    assert len({PLAIN.fingerprint, ruled.fingerprint, aside.fingerprint}) == 3
    assert Schema.from_json(aside.to_json()) == aside
    assert aside.keep_rules() == ruled
    assert aside.with_rules([CHILDREN]).set_aside == (EXACT,)
    assert not RULED.set_rules_aside().declared
    assert aside.with_columns([AGE, AGE.changed(name="other")]).set_aside == ()


def test_rules_set_aside_are_of_the_schema_like_others() -> None:
    aside = {"set_aside": (Rule(text="agee < 3"),)}
    assert "no column “agee”" in refused(Schema, columns=PLAIN.columns, **aside).problem
    twice = refused(Schema, columns=PLAIN.columns, rules=(EXACT,), set_aside=(EXACT,))
    assert "stands in the schema twice" in twice.problem


def test_rules_go_with_their_columns() -> None:
    third = Column(name="third", domain=AGE.domain)
    schema = RULED.with_columns([*RULED.columns, third])
    assert schema.rules == RULED.rules
    assert schema.with_columns([AGE, third]).rules == ()


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ([Rule(text="agee < 3")], "no column “agee”"),
        ([Rule(text="age < 3"), Rule(text="age  < 3")], "twice"),
        ([Rule(text=f"age != {each % 99}|age>{each}") for each in range(MOST_RULES + 1)], "501"),
        ([Rule(text="age < 3", instead=SetMissing(column="agee"))], "“agee”"),
        ([Rule(text="age < 3", instead=SetMissing(column="age"))], "no such code"),
        ([Rule(text="age < 3", instead=SetMissing(column="marital", code="x"))], "code “x”"),
    ],
)
def test_schemas_refuse_rules_that_cannot_be_followed(rules: list[Rule], words: str) -> None:
    assert words in refused(PLAIN.with_rules, rules).problem


@pytest.mark.parametrize(
    ("instead", "code"),
    [
        (SetMissing(column="marital"), 3),
        (SetMissing(column="marital", code="-8"), 2),
        (SetMissing(column="marital", code="not applicable"), 2),
    ],
)
def test_a_code_for_missing_is_named_by_its_text_or_its_meaning(
    instead: SetMissing, code: int
) -> None:
    assert instead.find_code(PLAIN.columns) == (1, code)


def test_a_rule_shows_what_it_says_and_what_becomes_of_records_that_break_it() -> None:
    assert str(CHILDREN).splitlines()[0] == 'The rule if (age < 16) marital == "single"'
    assert "a law or regulation" in str(CHILDREN)
    assert "missing in “marital”" in str(CHILDREN)
    assert "left out" in str(Rule(text="age < 3"))
