"""Figures as they are written to the file that is released."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.runs.releasing import as_released

NUMBERS = st.none() | st.booleans() | st.integers() | st.text() | st.floats()
FIGURES = st.dictionaries(
    st.text(),
    st.recursive(NUMBERS, lambda each: st.lists(each) | st.dictionaries(st.text(), each)),
)


def refused(word: str) -> Any:
    raise AssertionError(f"{word} is no JSON")


@given(FIGURES)
def test_released_figures_are_json_that_reads_back_as_what_it_was(figures: dict[str, Any]) -> None:
    text = as_released(figures)
    found = json.loads(text, parse_constant=refused)
    assert as_released(found) == text
    if "nan" not in repr(figures) and "inf" not in repr(figures):
        assert found == figures


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_stands_as_null(value: float) -> None:
    told = json.loads(as_released({"of": [{"low": value, "high": 1.5}, (value,)]}))
    assert told == {"of": [{"low": None, "high": 1.5}, [None]]}
