"""Rows for a browser, as Altair itself would write them."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from altair.utils.data import to_values
from hypothesis import given
from hypothesis import strategies as st

from understudy.charts.export import in_rows

numbers = st.floats(allow_nan=True, allow_infinity=True)
rows = st.lists(
    st.tuples(
        st.integers(-(2**53), 2**53), numbers, st.text(), st.booleans(), st.none() | st.text()
    ),
    max_size=6,
)


@given(rows)
def test_they_are_those_of_altair(found: list[Any]) -> None:
    frame = pd.DataFrame(found, columns=["whole", "number", "text", "yes", "maybe"])
    if found:
        frame = frame.astype({"whole": np.int64, "number": np.float64, "yes": bool})
    ours = in_rows(frame)
    assert ours == to_values(frame)
    json.dumps(ours, allow_nan=False)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"at": pd.to_datetime(["2020-01-02"])}),
        pd.DataFrame({"of": pd.Categorical(["a", "b"])}),
        pd.DataFrame({"mixed": [1, "a", math.nan]}),
        pd.DataFrame({"narrow": np.array([1, 2], dtype=np.uint8)}),
        pd.DataFrame({"empty": []}),
    ],
    ids=lambda frame: str(frame.columns[0]),
)
def test_other_types_come_out_as_altair_has_them(frame: pd.DataFrame) -> None:
    assert in_rows(frame) == to_values(frame)


def test_what_is_no_data_frame_is_left_to_altair() -> None:
    assert in_rows({"url": "a.csv"}) == {"url": "a.csv"}
