"""A schema suggested for the page: no refusal covers what has to be mended."""

from __future__ import annotations

import pytest

from understudy.core.refusal import Refusal
from understudy.table.sources.reading import read_table
from understudy_dashboard.loaded_table import suggest_schema_of

_FREE = [f"text number {number} of its own" for number in range(3000)]


def test_the_columns_that_cannot_be_used_are_named_where_too_few_are_left() -> None:
    lines = ["income,group", *(f"{text},{'ab'[at % 2]}" for at, text in enumerate(_FREE))]
    with pytest.raises(Refusal) as refused:
        suggest_schema_of(read_table("\n".join(lines).encode(), name="t.csv"))
    assert "Only 1 column of this table can be used" in refused.value.problem
    assert "“income”" in refused.value.problem
    assert "column(s)" not in str(refused.value)


def test_of_many_only_some_are_named() -> None:
    rows = [",".join([f"{text} {letter}" for letter in "abcdef"]) for text in _FREE]
    with pytest.raises(Refusal) as refused:
        suggest_schema_of(read_table("\n".join(["a,b,c,d,e,f", *rows]).encode(), name="t.csv"))
    assert "Only 0 columns" in refused.value.problem or "Only 1 column" in refused.value.problem
    assert "more." in refused.value.problem
