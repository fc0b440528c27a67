from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import category_schema
from understudy.core.refusal import Refusal
from understudy.table.pictures.declared import Pictures, pictures_of

labels = st.sampled_from([(), ("a", "b"), ("0",)])


@given(st.integers(2, 5), st.integers(1, 12), st.integers(1, 255), labels)
def test_a_schema_says_what_its_pictures_are(
    height: int, width: int, levels: int, names: tuple[str, ...]
) -> None:
    about = Pictures(height=height, width=width, levels=levels, labels=names)
    assert pictures_of(about.described()) == about


def test_a_schema_of_something_else_is_no_pictures() -> None:
    with pytest.raises(Refusal, match="not one of pictures"):
        pictures_of(category_schema(2, 3))


def test_more_pixels_than_columns_are_refused_and_a_label_is_a_column_too() -> None:
    assert Pictures(height=15, width=17).described()
    with pytest.raises(Refusal, match="at most 254 columns"):
        Pictures(height=15, width=17, labels=("a",))
    with pytest.raises(Refusal, match="at most 255 columns"):
        Pictures(height=16, width=16)
