"""Formulas: what a person types is read, written and read again, and never run."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.table.derivations.builders import ORACLES
from tests.engine.table.refusals import refused
from understudy.table.derivations.bands import Bands
from understudy.table.derivations.code_maps import LookUp
from understudy.table.derivations.registry import (
    DERIVATIONS,
    class_of_derivation,
    list_examples,
    parse_formula,
)
from understudy.table.derivations.sums import Sum

NAMES = st.text(st.characters(exclude_characters="`", categories=("L", "N", "P", "Zs")), min_size=1)


@pytest.mark.parametrize("text", sorted(ORACLES))
def test_a_formula_is_written_as_it_is_read(text: str) -> None:
    derivation = parse_formula(text)
    assert parse_formula(derivation.formula) == derivation
    read = class_of_derivation(derivation.kind).read(derivation.model_dump(mode="json"))
    assert read == derivation
    assert all(f"“{name}”" in derivation.words for name in derivation.inputs)


@given(st.lists(NAMES, min_size=2, max_size=4, unique=True), st.text(min_size=1), st.booleans())
def test_any_name_and_any_text_can_stand_in_one(names: list[str], text: str, skip: bool) -> None:
    total = Sum(plus=tuple(names[:1]), minus=tuple(names[1:]), skip_missing=skip)
    assert parse_formula(total.formula) == total
    bands = Bands(column=names[0], cuts=(text,), labels=(text, text[::-1]))
    assert parse_formula(bands.formula) == bands
    found = LookUp(column=names[0], pairs=((text, text),))
    assert parse_formula(found.formula) == found


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "it ends too early"),
        ("a +", "it ends too early"),
        ("a * b", "“*” is not expected"),
        ("a + 3", "“3” is not expected"),
        ("a b", "“b” is not expected"),
        ("eval(a)", "there is no function “eval”"),
        ("prefix(a, 2) + 1", "“+” comes after its end"),
        ("prefix(a, b)", "is not understood."),
        ("prefix(a", "it ends too early"),
        ("lookup(a, c(1, 2))", "is not understood."),
        ('bands("a", c(1))', "is not understood."),
        ("a", "A sum needs two columns or more"),
        ("a + b + a", "“a” stands in the sum twice"),
        ('bands(a, c(1, 2), c("x"))', "There are 1 texts for 3 bands"),
        ("age(a, a)", "at the date of birth itself"),
        ('age(a, "2021-02-30")', "“2021-02-30” is no date"),
        ("days(a, a)", "from a column to itself"),
        ('month(a, c("Jan"))', "There are 1 texts for the 12 numbers"),
        ('lookup(a, c("x" = "1", "x" = "2"))', "names the code “x” twice"),
        ("prefix(a, 0)", "has to be 1 or more"),
    ],
)  # fmt: skip
def test_what_is_not_understood_is_answered(text: str, problem: str) -> None:
    assert problem in refused(parse_formula, text).problem


def test_every_kind_has_its_functions_to_itself_and_an_example() -> None:
    functions = [name for each in DERIVATIONS for name in each.calls]
    assert len(set(functions)) == len(functions)
    assert len(list_examples()) == len(DERIVATIONS)
    for each in DERIVATIONS:
        assert class_of_derivation(each.model_fields["kind"].default) is each
        assert {field.name for field in each.fields} <= set(each.model_fields)


@pytest.mark.parametrize(
    ("kind", "form", "formula"),
    [
        ("sum", {"plus": ["a", "b"], "minus": ["c"], "skip_missing": ["the sum is missing"]},
         "a + b - c"),
        ("sum", {"plus": ["a", "b"], "skip_missing": ["it counts as 0"]}, "sum(a, b)"),
        ("bands", {"column": ["a"], "cuts": ["18", " ", "65"], "labels": []},
         'bands(a, c("18", "65"))'),
        ("age", {"born": ["a"], "at": ["b"], "on": [""]}, "age(a, b)"),
        ("age", {"born": ["a"], "at": [], "on": ["2021-05-09"]}, 'age(a, "2021-05-09")'),
        ("duration", {"start": ["a"], "end": ["b"], "unit": ["hours"],
                      "past_midnight": ["it ends on the next day"]},
         'hours(a, b, "past midnight")'),
        ("part", {"column": ["a"], "part": ["year"]}, "year(a)"),
        ("prefix", {"column": ["a"], "length": ["3"]}, "prefix(a, 3)"),
        ("lookup", {"column": ["a"], "pairs": ["x = North", "y=South"]},
         'lookup(a, c("x" = "North", "y" = "South"))'),
    ],
)  # fmt: skip
def test_a_form_makes_what_a_formula_does(
    kind: str, form: dict[str, list[str]], formula: str
) -> None:
    assert class_of_derivation(kind).from_form(form) == parse_formula(formula)


def test_a_form_that_is_blank_names_the_field() -> None:
    refusal = refused(class_of_derivation("prefix").from_form, {"column": [], "length": ["2"]})
    assert (refusal.field, refusal.problem) == ("column", "“Of column” is blank.")
    assert refused(class_of_derivation("prefix").from_form, {"column": ["a"], "length": ["x"]})
    lookup = class_of_derivation("lookup")
    assert "no equals sign" in refused(lookup.from_form, {"column": ["a"], "pairs": ["x"]}).problem
