"""Categories and missing values as text, and back."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from understudy.core.refusal import Refusal
from understudy.table.categories import Categories
from understudy_dashboard.parts.column_form import (
    format_categories,
    format_lines,
    format_tokens,
    parse_tokens,
    read_lines,
)

_TEXT = st.text("abc XYZ<>=0189-.", min_size=1, max_size=8).map(str.strip).filter(bool)


@settings(max_examples=60, deadline=None)
@given(st.lists(_TEXT, min_size=1, max_size=6, unique=True), st.data())
def test_an_editable_list_says_the_same_as_its_lines(
    values: list[str], data: st.DataObject
) -> None:
    labels = data.draw(st.lists(_TEXT, min_size=len(values), max_size=len(values)))
    for categories in (
        Categories(values=tuple(values)),
        Categories(values=tuple(values), labels=tuple(labels)),
    ):
        try:
            kept = read_lines(Categories, format_categories(categories)) == categories
        except Refusal:
            kept = False
        assert format_lines(categories) == kept


def test_values_and_labels_are_read_from_lines() -> None:
    found = read_lines(Categories, "1 = Male\n\n 2 = Female \n9")
    assert found == Categories(values=("1", "2", "9"), labels=("Male", "Female", "9"))


def test_a_value_that_looks_like_a_label_is_not_offered_as_a_list() -> None:
    assert not format_lines(Categories(values=("a = b", "c")))
    assert not format_lines(Categories(values=("a = b", "a = c")))
    assert not format_lines(Categories(values=("a\nb", "c")))
    assert format_lines(Categories(values=("<=50K", ">50K")))


def test_a_category_named_twice_is_refused() -> None:
    with pytest.raises(Refusal):
        read_lines(Categories, "a\nb\na")


def test_texts_for_missing_keep_the_blank_one() -> None:
    assert format_tokens(("", "NA", "?")) == "(blank), NA, ?"
    assert parse_tokens("(blank), NA ,NA, ?") == ("", "NA", "?")
    assert parse_tokens("  ") == ("",)
