from __future__ import annotations

import pytest
from hypothesis import given

from tests.engine.table.rules.oracle import COLUMNS, RULES
from understudy.table.kinds import class_of_kind
from understudy.table.missing_codes import MissingCode
from understudy.table.rules.language import parse_rule
from understudy.table.rules.rule import Rule, SetMissing
from understudy.table.rules.sentences import word_policy, word_rule, word_source
from understudy.table.schema import Categories, Column, Domain


def make_domain(kind: str, texts: dict[str, str]) -> Domain:
    return class_of_kind(kind).from_texts(kind, texts)


AGES = {"minimum": "0", "maximum": "99", "step": "1"}
DAYS = {"minimum": "2020-01-01", "maximum": "2020-12-31", "step": "day"}
PEOPLE = (
    Column(name="age", domain=make_domain("integers", AGES)),
    Column(
        name="mar",
        title="Marital status",
        domain=Categories(values=("1", "2", "3"), labels=("Single", "Married", "Widowed")),
        missing=True,
        missing_codes=(MissingCode(values=("-8",), label="not applicable"),),
    ),
    Column(name="start", domain=make_domain("dates", DAYS)),
    Column(name="end", domain=make_domain("dates", DAYS)),
)  # fmt: skip

SAID = {
    'if (age < 16) mar == "1"': "If “age” is under 16, then “Marital status” is Single.",
    "if (age >= 16) mar %in% c(1, 2) else is.na(mar)": (
        "If “age” is at least 16, then “Marital status” is Single or Married, and otherwise "
        "“Marital status” is missing."
    ),
    "start <= end": "“start” is not after “end”.",
    "start < end": "“start” is before “end”.",
    'start > "2020-02-01"': "“start” is after 2020-02-01.",
    "end - start <= 30": "“end” − “start” is at most 30.",
    "age - (age - 3) <= 30": "“age” − (“age” − 3) is at most 30.",
    "20 < age": "“age” is over 20.",
    '(mar == "not applicable") == (age < 16)': (
        "“Marital status” is not applicable exactly if “age” is under 16."
    ),
    "(age < 3) + is.na(mar) <= 1": (
        "At most 1 of these holds: “age” is under 3; “Marital status” is missing."
    ),
    "!(mar %in% c(1, 2)) & !is.na(mar)": (
        "“Marital status” is none of Single or Married and “Marital status” is known."
    ),
    '!(mar == "1")': "“Marital status” is not Single.",
    '(mar == "1" | mar == "2") & age > 3': (
        "(“Marital status” is Single or “Marital status” is Married) and “age” is over 3."
    ),
}


@pytest.mark.parametrize("text", SAID)
def test_a_rule_is_a_sentence(text: str) -> None:
    assert word_rule(parse_rule(text), PEOPLE) == SAID[text]


@given(RULES)
def test_every_rule_has_a_sentence(text: str) -> None:
    said = word_rule(Rule(text=text).tree, COLUMNS)
    assert said.endswith(".")
    assert said.count("(") == said.count(")")
    for name in Rule(text=text).names:
        column = next(each for each in COLUMNS if each.name == name)
        assert f"“{column.title or name}”" in said


def test_policy_and_source_are_sentences() -> None:
    rule = Rule(
        text="age >= 0", origin="law", note="Act 5", instead=SetMissing(column="mar", code="-8")
    )
    assert word_source(rule) == "Known from a law or regulation: “Act 5”."
    assert "“Marital status” is set to “not applicable”" in word_policy(rule, PEOPLE)
    assert "are left out" in word_policy(Rule(text="age >= 0"), PEOPLE)
    assert word_source(Rule(text="age >= 0")) == ""
