"""Rules judged slowly: the tree of a rule, one record at a time, by what R says of each part.

Knows no codes, no cells and no arrays: a record holds numbers, texts and codes for missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import singledispatch
from itertools import product
from typing import Any

import numpy as np
from hypothesis import strategies as st

from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.continuous import Continuous
from understudy.table.dates import Dates
from understudy.table.grid import Grid
from understudy.table.missing_codes import MissingCode
from understudy.table.rules.tree import (
    ArithmeticPart,
    ChoicePart,
    ColumnPart,
    ComparisonPart,
    ConstantPart,
    JunctionPart,
    MembershipPart,
    MissingPart,
    NegationPart,
    RulePart,
)


@dataclass(frozen=True)
class Missing:
    """A code for missing, by what it means."""

    meaning: str


Value = Fraction | str | Missing
Answer = bool | None

_NUMBERS = (MissingCode(values=("",)), MissingCode(values=("-8",), label="not asked"))
COLUMNS = (
    Column(name="grid", domain=Grid(minimum=Decimal(0), maximum=Decimal(3)), missing=True),
    Column(
        name="fine",
        domain=Continuous(
            minimum=Decimal(0), maximum=Decimal(5), step=Decimal(2), precision=Decimal("0.5")
        ),
        missing=True,
        missing_codes=_NUMBERS,
    ),
    Column(
        name="coarse",
        domain=Continuous(
            minimum=Decimal(-2), maximum=Decimal(4), step=Decimal(3), precision=Decimal(1)
        ),
    ),
    Column(
        name="day",
        domain=Dates.read(
            _DAYS := {"minimum": "2020-01-03", "maximum": "2020-01-14", "step": "week"}
        ),
    ),
    Column(name="later", domain=Dates.read(_DAYS), missing=True),
    Column(
        name="kind",
        domain=Categories(values=("x", "y", "z"), labels=("ex", "why", "zed")),
        missing=True,
        missing_codes=_NUMBERS,
    ),
    Column(name="other", domain=Categories(values=("y", "z"))),
)
"""Columns of every sort, with few values."""


def list_values(column: Column, code: int) -> list[Value]:
    """Return the values that a code of a column stands for."""
    if code >= column.domain.size:
        return [Missing(column.missing_codes[code - column.domain.size].label)]
    ranged = column.domain.ranged
    if ranged is None:
        return [column.domain.texts[code]]
    if not column.measured:
        return [Fraction(ranged.numbers[code])]
    lattice = ranged.lattice
    places = range(lattice.count)
    cells = lattice.cells_of(np.arange(lattice.count))
    return [Fraction(lattice.number(place)) for place in places if cells[place] == code]


def list_records(columns: tuple[Column, ...], codes: tuple[int, ...]) -> Iterator[dict[str, Value]]:
    """Yield every record that has some codes."""
    values = (list_values(each, code) for each, code in zip(columns, codes, strict=True))
    for found in product(*values):
        yield dict(zip((each.name for each in columns), found, strict=True))


@singledispatch
def judge_slowly(part: RulePart, record: Mapping[str, Value]) -> Any:
    """Return what a part of a rule comes to for a record: a truth, a number or a text; None where
    it is missing."""
    raise AssertionError(part)


@judge_slowly.register
def _(part: ConstantPart, record: Mapping[str, Value]) -> Any:
    return Fraction(part.value) if isinstance(part.value, Decimal) else part.value


@judge_slowly.register
def _(part: ColumnPart, record: Mapping[str, Value]) -> Any:
    value = record[part.name]
    return None if isinstance(value, Missing) else value


@judge_slowly.register
def _(part: MissingPart, record: Mapping[str, Value]) -> Any:
    return isinstance(record[part.column.name], Missing)


@judge_slowly.register
def _(part: ArithmeticPart, record: Mapping[str, Value]) -> Any:
    left, right = judge_slowly(part.left, record), judge_slowly(part.right, record)
    if left is None or right is None:
        return None
    results = {"+": left + right, "-": left - right, "*": left * right}
    return results[part.sign] if part.sign in results else Fraction(left) / right


@judge_slowly.register
def _(part: MembershipPart, record: Mapping[str, Value]) -> Any:
    tests = (ComparisonPart(0, 0, "==", part.item, each) for each in part.options)
    return _any([judge_slowly(each, record) for each in tests])


@judge_slowly.register
def _(part: NegationPart, record: Mapping[str, Value]) -> Any:
    return _negate(judge_slowly(part.inner, record))


@judge_slowly.register
def _(part: JunctionPart, record: Mapping[str, Value]) -> Any:
    answers = [judge_slowly(each, record) for each in part.parts]
    return _any(answers) if part.sign == "|" else _all(answers)


@judge_slowly.register
def _(part: ChoicePart, record: Mapping[str, Value]) -> Any:
    condition = judge_slowly(part.condition, record)
    then = _any([_negate(condition), judge_slowly(part.then, record)])
    if part.otherwise is None:
        return then
    return _all([then, _any([condition, judge_slowly(part.otherwise, record)])])


@judge_slowly.register
def _(part: ComparisonPart, record: Mapping[str, Value]) -> Answer:
    for column, constant in ((part.left, part.right), (part.right, part.left)):
        named = constant.value if isinstance(constant, ConstantPart) else None
        if isinstance(column, ColumnPart) and named in ("not asked", "-8", Decimal(-8)):
            met = record[column.name] == Missing("not asked")
            return met if part.sign == "==" else not met
    left, right = judge_slowly(part.left, record), judge_slowly(part.right, record)
    if left is None or right is None:
        return None
    if isinstance(left, str) and isinstance(right, Fraction):
        left, right = right, left
    if isinstance(left, Fraction) and isinstance(right, str):
        right = Fraction(Dates.parse(right) or 0)
    left, right = _LABELS.get(left, left), _LABELS.get(right, right)
    answers = {
        "==": left == right, "!=": left != right,
        "<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right,
    }  # fmt: skip
    return bool(answers[part.sign])


_LABELS = {"ex": "x", "why": "y", "zed": "z"}


def _negate(answer: Answer) -> Answer:
    return None if answer is None else not answer


def _any(answers: list[Answer]) -> Answer:
    if True in answers:
        return True
    return None if None in answers else False


def _all(answers: list[Answer]) -> Answer:
    return _negate(_any([_negate(each) for each in answers]))


# Texts of rules about these columns.

_SIGNS = st.sampled_from(["==", "!=", "<", "<=", ">", ">="])
_EQUALS = st.sampled_from(["==", "!="])
_NUMBERED = st.sampled_from(["grid", "fine", "coarse"])
_DATED = st.sampled_from(["day", "later"])
_DATES = st.sampled_from(["2020-01-03", "2020-01-06", "2020-01-09", "2020-01-14"])


def _join(*parts: Any) -> st.SearchStrategy[str]:
    return st.tuples(*(st.just(each) if isinstance(each, str) else each for each in parts)).map(
        " ".join
    )


def _sums() -> st.SearchStrategy[str]:
    number = st.integers(-4, 6).map(str)
    term = st.one_of(
        _NUMBERED, _join(st.sampled_from(["2", "0.5", "3"]), "*", _NUMBERED), number, _DAYS_APART
    )
    return st.lists(term, min_size=1, max_size=3).map(" + ".join) | _join(term, "-", term)


_DAYS_APART = st.just("(later - day)")
_TESTS: st.SearchStrategy[str] = st.one_of(
    _join(_NUMBERED, _SIGNS, st.integers(0, 3).map(str)),
    _join(_NUMBERED, _SIGNS, _NUMBERED),
    _join(_sums(), _SIGNS, _sums(), "+ coarse"),
    _join(_DATED, _SIGNS, _DATES.map('"{}"'.format)),
    _join(_DATED, _SIGNS, _DATED),
    _join("later - day", _SIGNS, st.integers(-3, 9).map(str)),
    _join("kind", _EQUALS, st.sampled_from(['"x"', '"why"', '"not asked"', '"-8"', "other"])),
    _join("fine", _EQUALS, st.sampled_from(['"not asked"', "-8", "1.5"])),
    _join("kind", "%in%", st.sampled_from(['c("x", "zed")', 'c("y", "not asked")', '"z"'])),
    _join("grid", "%in%", st.sampled_from(["c(0, 3)", "1:2"])),
    _join("fine", "%in%", st.sampled_from(["c(0.5, 5)", "c(1:2, -8)"])),
    st.sampled_from(["kind", "fine", "grid", "later", "day"]).map("is.na({})".format),
)


def _combine(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    held = inner.map("({})".format)
    return st.one_of(
        _join("!", held),
        _join(held, st.sampled_from(["&", "|", "==", "!="]), held),
        _join("if", held, held),
        _join("if", held, held, "else", held),
        _join(held, "+", held, "+", held, _SIGNS, st.integers(0, 3).map(str)),
        _join(held, "+ fine", _SIGNS, "2"),
    )


RULES: st.SearchStrategy[str] = st.recursive(_TESTS, _combine, max_leaves=4)
"""Texts of rules about the columns."""
