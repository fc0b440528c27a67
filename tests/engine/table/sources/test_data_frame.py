"""A data frame as texts: what a Parquet file of it would be read as."""

from __future__ import annotations

import datetime
import decimal
import io
import uuid
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.table.uploads import read, texts
from understudy.core.refusal import Refusal
from understudy.table.sources.data_frame import read_data_frame

DAY = datetime.date(2020, 1, 2)
NOON = datetime.datetime(2020, 1, 2, 12, 0, 0, 250_000)

COLUMNS: dict[str, Any] = {
    "whole": pd.Series([1, 2, -3]),
    "whole with gaps": pd.Series([1.0, np.nan, -3.0]),
    "nullable": pd.Series([1, None, 3], dtype="Int64"),
    "single precision": pd.Series([0.1, 2.0, None], dtype="float32"),
    "nullable numbers": pd.Series([0.1, None, 1e300], dtype="Float64"),
    "truths": pd.Series([True, False, True]),
    "nullable truths": pd.Series([True, None, False], dtype="boolean"),
    "texts": pd.Series(["x", "", "Zürich"]),
    "texts with gaps": pd.Series(["x", None, np.nan]),
    "strings": pd.Series(["x", None, "y"], dtype="string"),
    "arrow strings": pd.Series(["x", None, "y"], dtype="string[pyarrow]"),
    "categories": pd.Series(["x", None, "y"], dtype="category"),
    "unused categories": pd.Series(pd.Categorical(["x", "x", None], ["z", "y", "x"])),
    "numbered categories": pd.Series([10, None, 20]).astype("category"),
    "days": pd.Series([DAY, None, DAY]),
    "midnights": pd.to_datetime(pd.Series(["2020-01-02", None, "2021-03-04"])),
    "moments": pd.Series([NOON, None, NOON]),
    "moments of a zone": pd.Series([NOON, None, NOON]).dt.tz_localize("Europe/Zurich"),
    "spans": pd.to_timedelta(pd.Series([1, None, 3], dtype="Int64"), unit="h"),
    "times": pd.Series([datetime.time(10, 30), None, datetime.time(0)]),
    "decimals": pd.Series([decimal.Decimal("1.50"), None, decimal.Decimal("2")]),
    "nothing": pd.Series([None, None, None]),
}


def as_parquet(frame: pd.DataFrame) -> Any:
    sink = io.BytesIO()
    frame.to_parquet(sink, index=False)
    return read(sink.getvalue(), "table.parquet")


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_is_read_as_from_a_parquet_file(name: str) -> None:
    frame = pd.DataFrame({"a": COLUMNS[name], "b": ["x", "y", "z"]})
    found = read_data_frame(frame)
    assert texts(found, "a") == texts(as_parquet(frame), "a")
    assert found.arrow.schema == as_parquet(frame).arrow.schema


VALUES = st.one_of(
    st.lists(st.integers(-(2**53), 2**53) | st.none(), min_size=3, max_size=3),
    st.lists(st.floats() | st.none(), min_size=3, max_size=3),
    st.lists(st.text(max_size=3) | st.none(), min_size=3, max_size=3),
    st.lists(st.datetimes() | st.none(), min_size=3, max_size=3),
    st.lists(st.dates() | st.none(), min_size=3, max_size=3),
    st.lists(st.booleans() | st.none(), min_size=3, max_size=3),
)


@given(VALUES, st.booleans())
def test_any_column_is_read_as_from_a_parquet_file(values: list[Any], category: bool) -> None:
    series = pd.Series(values, dtype=object).infer_objects()
    series = series.astype("category") if category else series
    frame = pd.DataFrame({"a": series, "b": ["x", "y", "z"]})
    try:
        expected = texts(as_parquet(frame), "a")
    except (ValueError, UnicodeError, ArithmeticError):
        return
    assert texts(read_data_frame(frame), "a") == expected


def test_values_of_several_types_are_written_one_by_one() -> None:
    mixed = pd.Series([1, "x", None], dtype=object)
    assert texts(read_data_frame(pd.DataFrame({"a": mixed, "b": [1, 2, 3]})), "a") == ["1", "x", ""]
    ids = pd.Series([uuid.UUID(int=1), uuid.UUID(int=2), None])
    found = read_data_frame(pd.DataFrame({"a": ids, "b": [1, 2, 3]}))
    assert texts(found, "a") == [str(uuid.UUID(int=1)), str(uuid.UUID(int=2)), ""]


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        ([b"secret", b"y", b"z"], "bytes"),
        ([["secret"], [], []], "list"),
        ([{"secret": 1}, {}, {}], "dict"),
        (pd.period_range("2020-01", periods=3, freq="M"), "Period"),
        (pd.cut(pd.Series([1, 2, 3]), 2), "Interval"),
        ([1j, 2j, 3j], "complex"),
    ],
)
def test_what_cannot_be_written_is_refused_with_its_column(column: Any, kind: str) -> None:
    with pytest.raises(Refusal) as refused:
        read_data_frame(pd.DataFrame({"a": column, "b": ["x", "y", "z"]}))
    assert refused.value.field == "a"
    assert "“a”" in refused.value.problem
    assert kind in refused.value.problem
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        (pd.DataFrame({"a": [1]}), "The data frame has only one column."),
        (pd.DataFrame({"a": [], "b": []}), "no records"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "same name"),
        (pd.DataFrame([[1, 2]], columns=["a", " "]), "no name"),
        (pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("a", 1), ("b", 1)])), "levels"),
        (pd.DataFrame([[1, 2]], columns=[b"a", b"b"]), "no text"),
    ],
)
def test_a_frame_that_is_no_table_is_refused(frame: pd.DataFrame, said: str) -> None:
    with pytest.raises(Refusal) as refused:
        read_data_frame(frame)
    assert said in refused.value.problem
    assert refused.value.problem[0].isupper()


def test_the_index_is_no_column_and_a_named_one_is_noted() -> None:
    frame = pd.DataFrame({"id": [7, 8], 2024: [1, 2], "b": [3, 4]}).set_index("id")
    found = read_data_frame(frame)
    assert found.names == ("2024", "b")
    assert "The index (id) is no column" in found.notes[0]
    assert read_data_frame(frame.reset_index(drop=True)).notes == ()
