from __future__ import annotations

from contextlib import suppress
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.table.refusals import refused
from tests.engine.table.rules.oracle import RULES
from understudy.core.refusal import Refusal
from understudy.table.rules.language import LONGEST_RULE, parse_rule, tidy_rule
from understudy.table.rules.tree import (
    ArithmeticPart,
    ChoicePart,
    ColumnPart,
    ComparisonPart,
    ConstantPart,
    JunctionPart,
    MembershipPart,
    NegationPart,
    RulePart,
    list_columns,
    quote_column,
    quote_constant,
)


def _write(part: RulePart) -> str:
    """Return a tree with a bracket around each of its parts."""
    match part:
        case ConstantPart():
            return repr(part.value) if isinstance(part.value, str) else str(part.value)
        case ColumnPart():
            return part.name
        case ArithmeticPart() | ComparisonPart():
            return f"({_write(part.left)}{part.sign}{_write(part.right)})"
        case JunctionPart():
            return f"({part.sign.join(map(_write, part.parts))})"
        case NegationPart():
            return f"(!{_write(part.inner)})"
        case MembershipPart():
            return f"({_write(part.item)} in {','.join(map(_write, part.options))})"
        case ChoicePart():
            more = "" if part.otherwise is None else f" else {_write(part.otherwise)}"
            return f"(if {_write(part.condition)} then {_write(part.then)}{more})"
    return f"({type(part).__name__})"


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a + b * 2 - c <= 1", "(((a+(b*2))-c)<=1)"),
        ("!a == 1 & b == 2 | c == 3", "(((!(a==1))&(b==2))|(c==3))"),
        ("a && b || c", "((a&b)|c)"),
        ("if (a < 16) b == 'x' | c", "(if (a<16) then ((b=='x')|c))"),
        ("if (a) {b} else if (c) d else e", "(if a then b else (if c then d else e))"),
        ("(a == 'x') + (b == 'x') <= 1", "(((a=='x')+(b=='x'))<=1)"),
        ("(if (a) b) & c", "((if a then b)&c)"),
        ("-a >= -1.5e1", "((0-a)>=-15)"),
        ("`x y`%in%c('a', -1, 2:4)", "(x y in 'a',-1,2,3,4)"),
        ("a %vin% 3L", "(a in 3)"),
        ("start >= as.Date('2020-01-31')", "(start>='2020-01-31')"),
        ('a == "say \\"no\\""', "(a=='say \"no\"')"),
        ("a == TRUE # why", "(a==True)"),
        ("größe_1.x > .5", "(größe_1.x>0.5)"),
    ],
)
def test_rules_are_read_in_the_order_of_r(text: str, tree: str) -> None:
    assert _write(parse_rule(text)) == tree


@pytest.mark.parametrize(
    ("text", "place", "remedy"),
    [
        ("0 <= a <= 10", "character 8, “<=”", "0 <= a & a <= 10"),
        ("a = 3", "character 3, “=”", "Write =="),
        ("a => 3", "character 3, “=>”", "Write >="),
        ("a <-5", "character 3, “<-”", "blank"),
        ("a and b", "character 3, “and”", "Write &"),
        ("a == “x”", "character 6, ““”", "straight"),
        ("a ≤ 3", "character 3, “≤”", "Write <="),
        ("sum(a, b) == c", "character 1, “sum”", "a + b + c"),
        ("mean(a) > 3", "character 1, “mean”", "one record"),
        ("frob(a)", "character 1, “frob”", "is.na"),
        ("a == NA", "character 6, “NA”", "is.na(column)"),
        ("is.na(a + b)", "character 1, “is.na(a + b)”", "one column"),
        ("if a < 16 b", "character 4, “a”", "in brackets"),
        ("a < 16 then b", "character 8, “then”", "in brackets"),
        ("a == 'x", "character 6, “'x”", "Close it"),
        ("(a > 3", "its end", "Close"),
        ("a > 3)", "character 6, “)”", "bracket"),
        ("a &", "its end", "Understood are"),
        ("& a", "character 1, “&”", "Name a column"),
        ("a b", "character 3, “b”", "& or |"),
        ("a %like% 'x'", "character 3, “%like%”", "%in%"),
        ("a %in% b", "character 8, “b”", "values only"),
        ("a %in% c(3:1)", "character 10, “3:1”", "1:5"),
        ("x := a + b", "character 3, “:=”", "whole expression"),
        ("a ~ b", "character 3, “~”", "derive"),
        ("a == '\\q'", "character 6", "Write"),
        ("!if (a) b", "character 2, “if”", "in brackets"),
        ("! " * 60 + "a", "its end", "several rules"),
        ("(" * 60 + "a" + ")" * 60, "its end", "several rules"),
    ],
)
def test_what_is_not_understood_is_refused_at_its_place(text: str, place: str, remedy: str) -> None:
    refusal = refused(parse_rule, text)
    assert place in refusal.problem
    assert remedy in refusal.remedy
    assert refusal.field == "rules"


def test_empty_and_endless_rules_are_refused() -> None:
    assert "empty" in refused(parse_rule, " # nothing").problem
    assert "letters" in refused(parse_rule, "a" * (LONGEST_RULE + 1)).problem
    assert "too long" in refused(parse_rule, "+".join(["a"] * 300) + " < 1").problem


@given(st.text(max_size=30) | st.text("ab1 <>=!&|()+-*/%in,cif.\"'`", max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(Refusal):
        assert isinstance(parse_rule(text), RulePart)


@pytest.mark.parametrize(
    ("short", "bracketed"),
    [
        ("a == !b", "a == (!b)"),
        ("a == !b & c", "(a == (!b)) & c"),
        ("a == !b == c", "a == (!(b == c))"),
        ("a == !b + 1 > c | d", "(a == (!(b + 1 > c))) | d"),
        ("a + !b == c", "a + (!(b == c))"),
        ("!a == !b", "!(a == (!b))"),
        ("a == !b %in% c(1, 2)", "a == (!(b %in% c(1, 2)))"),
        ("a == !!b", "a == (!(!b))"),
    ],
)
def test_what_is_not_so_may_stand_after_a_sign_as_in_r(short: str, bracketed: str) -> None:
    assert bare(parse_rule(short)) == bare(parse_rule(bracketed))


def bare(part: object) -> object:
    """Return a part of a rule without its places in the text."""
    if isinstance(part, tuple):
        return tuple(map(bare, part))
    if not isinstance(part, RulePart):
        return part
    inner = (each.name for each in fields(part) if each.name not in ("start", "end"))
    return type(part).__name__, *(bare(getattr(part, name)) for name in inner)


@given(RULES)
def test_a_tidy_rule_is_the_same_rule(text: str) -> None:
    spread = text.replace(" == ", "\n  == ") + " # a comment"
    assert tidy_rule(spread) == tidy_rule(text)
    assert _write(parse_rule(tidy_rule(spread))) == _write(parse_rule(text))


@given(st.text(min_size=1, max_size=8), st.text(max_size=8))
def test_names_and_texts_are_quoted_so_that_they_are_read_back(name: str, text: str) -> None:
    tree = parse_rule(f"{quote_column(name)} == {quote_constant(text)}")
    assert isinstance(tree, ComparisonPart)
    assert isinstance(tree.right, ConstantPart)
    assert [each.name for each in list_columns(tree)] == [name]
    assert tree.right.value == text
