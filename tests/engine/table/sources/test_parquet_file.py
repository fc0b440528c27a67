"""Parquet files as texts."""

import datetime
import decimal

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.table.neighbours import KEPT, ODD, check_alike
from tests.engine.table.uploads import parquet, read, refused, texts
from understudy.assurance.hostile_files import Record
from understudy.table.cells import NOT_TEXT


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (pa.array([40, None, -1]), ["40", "", "-1"]),
        (pa.array([40.0, None, float("nan")]), ["40", "", ""]),
        (pa.array([0.1, -0.0, 1e15]), ["0.1", "0", "1000000000000000"]),
        (pa.array([float("inf"), 1e300, 1e-3]), ["inf", "1e+300", "0.001"]),
        (pa.array([0.1, 2.0, 0.5], pa.float32()), ["0.1", "2", "0.5"]),
        (pa.array(["x", None, ""]), ["x", "", ""]),
        (pa.array(["x", "y", "x"], pa.large_string()), ["x", "y", "x"]),
        (pa.array(["x", None, "x"]).dictionary_encode(), ["x", "", "x"]),
        (pa.array([True, False, None]), ["true", "false", ""]),
        (pa.array([decimal.Decimal("1.50"), None, None]), ["1.5", "", ""]),
        (pa.array([datetime.date(2020, 1, 2), None, None]), ["2020-01-02", "", ""]),
        (pa.array([datetime.datetime(2020, 1, 2), None, None]), ["2020-01-02", "", ""]),
        (
            pa.array([datetime.datetime(2020, 1, 2), datetime.datetime(2020, 1, 2, 10, 30), None]),
            ["2020-01-02", "2020-01-02 10:30:00", ""],
        ),
        (pa.array([datetime.time(10, 30), datetime.time(0), None]), ["10:30:00", "00:00:00", ""]),
        (pa.array([datetime.timedelta(1, 5), None, None]), ["1 day, 0:00:05", "", ""]),
        (pa.nulls(3), ["", "", ""]),
    ],
)
def test_parquet_columns_become_texts(column, expected):
    table = read(parquet(a=column, b=pa.array(["x", "y", "z"])), "table.parquet")
    assert table.reading.kind == "parquet"
    assert texts(table, "a") == expected
    assert table.arrow.column("a").chunk(0).dictionary.null_count == 0


def test_points_in_time_of_a_zone_are_in_utc():
    there = datetime.timezone(datetime.timedelta(hours=2))
    moments = [datetime.datetime(2020, 1, 2, 2, tzinfo=there), None]
    for zone in ("UTC", "Europe/Zurich", "+05:00"):
        column = pa.array(moments, pa.timestamp("us", zone))
        assert texts(read(parquet(a=column, b=["x", "y"]), "t.parquet"), "a") == ["2020-01-02", ""]


def test_a_text_that_is_not_utf_8_takes_no_other_with_it():
    path = parquet(a=["Zürich", "XXXXX", None], b=["x", "y", "z"])
    found = read(path.replace(b"XXXXX", b"Z\xfcri."), "table.parquet")
    assert texts(found, "a") == ["Zürich", NOT_TEXT, ""]


@pytest.mark.parametrize(
    "column", [pa.array([[1], [2]]), pa.array([{"x": 1}, {"x": 2}]), pa.array([b"SECRET", b"x"])]
)
def test_parquet_columns_that_are_no_texts(column):
    refusal = refused(parquet(a=column, b=[1, 2]), "table.parquet")
    assert refusal.field == "a"
    assert "“a”" in refusal.problem


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"PAR1" + b"SECRET" * 20 + b"PAR1", "damaged"),
        (b"a,b\n1,2\n", "is not a Parquet file"),
        (parquet(a=[1, 2]), "only one column"),
        (parquet(a=pa.array([], pa.int32()), b=pa.array([], pa.int32())), "no records"),
    ],
)
def test_parquet_files_that_are_no_tables(data, words):
    assert words in refused(data, "table.parquet").problem


@settings(max_examples=80, deadline=None)
@given(KEPT, ODD, st.integers(0, 9))
def test_one_record_more_changes_how_no_other_is_read(
    kept: list[Record], odd: Record, place: int
) -> None:
    check_alike("Parquet", kept, odd, place)
