from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.core.refusal import Refusal
from understudy.table.authoring.rule_patterns import (
    PATTERNS,
    Clause,
    RuleDraft,
    list_not_asked_codes,
    list_relations,
    list_values,
)
from understudy.table.kinds import class_of_kind
from understudy.table.missing_codes import MissingCode
from understudy.table.schema import Categories, Column, Domain


def make_domain(kind: str, texts: dict[str, str]) -> Domain:
    return class_of_kind(kind).from_texts(kind, texts)


WAGES = {"minimum": "0", "maximum": "5000", "step": "100", "precision": "0.01"}
CODES = (MissingCode(values=("-8",), label="not applicable"), MissingCode(values=("-9",)))
COLUMNS = (
    Column(
        name="full age",
        domain=make_domain("integers", {"minimum": "0", "maximum": "99", "step": "1"}),
    ),
    Column(name="mar", domain=Categories(values=("1", 'say "so"'), labels=("Single", "Other"))),
    Column(
        name="wage",
        domain=make_domain("continuous", WAGES),
        missing=True,
        missing_codes=CODES,
    ),
    Column(
        name="start",
        domain=make_domain(
            "dates", {"minimum": "2020-01-01", "maximum": "2020-12-31", "step": "day"}
        ),
    ),
)
BY_NAME = {each.name: each for each in COLUMNS}
YOUNG = Clause(column="full age", relation="<", values=("16",))
SINGLE = Clause(column="mar", relation="is", values=("1",))

WRITTEN: dict[str, dict[str, Any]] = {
    'if (`full age` < 16) mar == "1"': {"conditions": (YOUNG,), "then": (SINGLE,)},
    'if (`full age` < 16 & !is.na(wage)) !(mar %in% c("1", "say \\"so\\""))': {
        "conditions": (YOUNG, Clause(column="wage", relation="known")),
        "then": (Clause(column="mar", relation="is not", values=("1", 'say "so"')),),
    },
    'if (start >= "2020-02-01") wage == "not applicable"': {
        "conditions": (Clause(column="start", relation=">=", values=("2020-02-01",)),),
        "then": (Clause(column="wage", values=("not applicable",)),),
    },
    "`full age` < wage": {"pattern": "order", "names": ("full age", "wage"), "exact": True},
    "`full age` + wage <= start": {
        "pattern": "sum", "names": ("full age", "wage"), "name": "start",
    },
    '(wage == "not applicable") == (`full age` < 16)': {
        "pattern": "not asked", "name": "wage", "code": "not applicable", "conditions": (YOUNG,),
    },
    "(is.na(wage)) == (`full age` < 16)": {
        "pattern": "not asked", "name": "wage", "conditions": (YOUNG,),
    },
    '(`full age` < 16) + (mar == "1") <= 1': {"pattern": "count", "conditions": (YOUNG, SINGLE)},
    '(`full age` < 16) + (mar == "1") == 0': {
        "pattern": "count", "conditions": (YOUNG, SINGLE), "most": 0, "exact": True,
    },
    "wage <= 3": {"pattern": "text", "text": "wage <= 3"},
}  # fmt: skip


@pytest.mark.parametrize("text", WRITTEN)
def test_a_form_writes_a_rule(text: str) -> None:
    draft = RuleDraft(origin="law", **WRITTEN[text])
    assert draft.write(BY_NAME) == text
    assert draft.is_begun
    if draft.pattern != "sum":  # of a number and a date, which cannot be compared
        assert draft.finish(COLUMNS).text == text


@pytest.mark.parametrize("text", WRITTEN)
def test_a_rule_comes_back_into_its_form(text: str) -> None:
    draft = RuleDraft(origin="law", **WRITTEN[text])
    if draft.pattern == "sum":
        return
    again = RuleDraft.of(draft.finish(COLUMNS))
    assert again.write(BY_NAME) == text
    assert (again.replaced, again.origin) == (text, "law")
    assert again.pattern in (draft.pattern, "text")


@pytest.mark.parametrize("pattern", PATTERNS)
def test_what_lacks_something_is_refused_in_words(pattern: Any) -> None:
    draft = RuleDraft(pattern=pattern, origin="law")
    with pytest.raises(Refusal, match="still to be said"):
        draft.finish(COLUMNS)
    assert not draft.is_begun


def test_a_source_is_needed() -> None:
    draft = RuleDraft(conditions=(YOUNG,), then=(SINGLE,))
    with pytest.raises(Refusal, match="known from"):
        draft.finish(COLUMNS)
    assert draft.change(note="Act 5").finish(COLUMNS).note == "Act 5"


@given(st.sampled_from(COLUMNS), st.data())
def test_whatever_is_offered_for_a_column_makes_a_rule(column: Column, data: st.DataObject) -> None:
    relation = data.draw(st.sampled_from(list(list_relations(column))))
    offered = list(list_values(column)) if relation in ("is", "is not") else []
    if not offered:
        ranged = column.domain.ranged
        assert ranged is not None
        offered = list(ranged.end_texts)
    clause = Clause(
        column=column.name, relation=relation, values=(data.draw(st.sampled_from(offered)),)
    )
    draft = RuleDraft(conditions=(YOUNG,), then=(clause,), origin="law")
    rule = draft.finish(COLUMNS)
    assert RuleDraft.of(rule).write(BY_NAME) == rule.text


def test_codes_for_not_asked_come_with_those_that_say_so_first() -> None:
    assert list(list_not_asked_codes(BY_NAME["wage"])) == ["not applicable", ""]
    assert not list_not_asked_codes(BY_NAME["mar"])
