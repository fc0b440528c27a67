"""A value of Arrow reads the same whatever type its column has. Parquet files as texts. A data
frame as texts: what a Parquet file of it would be read as.
"""

from __future__ import annotations

import decimal
import io
import re
import uuid
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.table.builders import parquet, read, refused
from tests.engine.table.builders import texts as column_texts
from tests.engine.table.neighbours import KEPT, ODD, check_alike
from understudy.assurance.hostile_files import Record
from understudy.core.refusal import Refusal
from understudy.table.categories import Categories
from understudy.table.cells import NOT_A_VALUE, NOT_TEXT, cell_text
from understudy.table.column import Column
from understudy.table.schema import Schema
from understudy.table.sources.arrow_texts import plain_values, texts_of
from understudy.table.sources.data_frame import read_data_frame
from understudy.table.sources.reading import read_table
from understudy.table.sources.streamed_table import StreamedTable
from understudy.table.times import DatesTimes

_WHOLE = [pa.int32(), pa.int64(), pa.float64(), pa.decimal128(30, 2), pa.decimal256(60, 0)]
_FRACTIONS = [pa.decimal128(20, 4), pa.decimal256(60, 10)]
_UNITS = ("ms", "us", "ns")
_MOMENTS = [pa.timestamp(unit, zone) for unit in _UNITS for zone in (None, "UTC", "Asia/Tokyo")]
_YEARS = st.datetimes(datetime(1700, 1, 1), datetime(2250, 1, 1))


def texts(values: list[Any], kind: pa.DataType) -> list[str]:
    return texts_of(pa.array(values).cast(kind))


@settings(deadline=None)
@given(st.lists(st.integers(-(2**31), 2**31 - 1), min_size=1))
def test_whole_numbers(values: list[int]) -> None:
    expected = [str(value) for value in values]
    assert all(texts(values, kind) == expected for kind in _WHOLE)


@settings(deadline=None)
@given(st.lists(st.decimals(-(10**9), 10**9, places=2, allow_nan=False), min_size=1))
def test_fractions(values: list[Decimal]) -> None:
    expected = [cell_text(value) for value in values]
    assert all(texts(values, kind) == expected for kind in _FRACTIONS)
    # Arrow itself does not turn decimals into the nearest doubles.
    assert texts_of(pa.array([float(value) for value in values])) == expected


@settings(deadline=None)
@given(st.lists(st.floats(width=32, allow_infinity=False), min_size=1))
def test_single_and_double_precision(values: list[float]) -> None:
    assert texts(values, pa.float32()) == texts(values, pa.float64())


_ANY_DOUBLE = (
    st.floats()
    | st.floats(width=32)
    | st.integers(-(10**17), 10**17).map(float)
    | st.integers(-(10**9), 10**9).map(lambda each: each / 1000)
)


@settings(deadline=None, max_examples=120)
@given(
    st.lists(_ANY_DOUBLE | st.integers(-(10**9), 10**9).map(lambda each: each / 1000), min_size=1)
)
def test_a_fast_way_comes_to_the_same(values: list[float]) -> None:
    assert texts_of(pa.array(values, pa.float64())) == [cell_text(value) for value in values]
    with np.errstate(over="ignore"):
        singles = np.array(values, np.float32)
    assert texts_of(pa.array(singles)) == [cell_text(float(value)) for value in singles]


@settings(deadline=None)
@given(st.lists(_YEARS.map(lambda each: each.replace(microsecond=0)), min_size=1))
def test_points_in_time(values: list[datetime]) -> None:
    expected = [cell_text(value) for value in values]
    for kind in _MOMENTS:
        in_utc = [value.replace(tzinfo=UTC) for value in values] if kind.tz else values
        assert texts_of(pa.array(in_utc, kind)) == expected


@settings(deadline=None)
@given(st.lists(st.dates(date(1700, 1, 1), date(2250, 1, 1)), min_size=1))
def test_days(values: list[date]) -> None:
    expected = [value.isoformat() for value in values]
    moments = [datetime.combine(value, time()) for value in values]
    assert texts_of(pa.array(values, pa.date32())) == expected
    assert texts_of(pa.array(values, pa.date64())) == expected
    assert all(texts_of(pa.array(moments, pa.timestamp(unit))) == expected for unit in _UNITS)


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()])
def test_words(kind: pa.DataType) -> None:
    values = pa.array(["x", "", "Zürich", "\0", "1.0"], kind)
    assert texts_of(values) == ["x", "", "Zürich", "\0", "1.0"]


def test_nothing_is_empty_in_every_type() -> None:
    for kind in [*_WHOLE, *_FRACTIONS, *_MOMENTS, pa.string(), pa.date32(), pa.duration("ns")]:
        assert texts_of(pa.nulls(1, kind)) == [""]


def test_times_beyond_all_years_cannot_be_read() -> None:
    far = [pa.array([2**62], pa.timestamp("s")), pa.array([2**30], pa.date32())]
    far.append(pa.array([2**62], pa.duration("s")))
    assert [texts_of(each) for each in far] == [[NOT_A_VALUE]] * 3
    assert texts_of(pa.array([2**62, 0], pa.timestamp("s")))[1] == "1970-01-01"


def test_types_that_arrow_counts_nothing_of_are_taken_for_others() -> None:
    wrapped = pa.array(["{}"], pa.json_())
    assert plain_values(wrapped).type == pa.string()
    assert plain_values(pa.nulls(1, pa.bool8())).type == pa.int8()
    assert plain_values(pa.nulls(1, pa.decimal64(9, 2))).type == pa.decimal128(9, 2)
    assert plain_values(pa.array(["x"]).dictionary_encode()).type == pa.string()


@given(st.integers(-(2**63), 2**63 - 1), st.sampled_from(["s", "ms", "us", "ns"]))
def test_a_span_keeps_its_unit_and_all_of_its_digits(count: int, unit: str) -> None:
    (text,) = texts_of(pa.array([count], pa.int64()).cast(pa.duration(unit)))
    found = re.fullmatch(r"(?:(-?\d+) days?, )?(\d+):(\d\d):(\d\d)(?:\.(\d{6}|\d{9}))?", text)
    if found is None:
        assert text == NOT_A_VALUE
        assert abs(count) > timedelta.max // timedelta(seconds=1)
        return
    days, hours, minutes, seconds, part = (int(each or 0) for each in found.groups())
    billionths = part * 10 ** (9 - len(found[5] or "0" * 9))
    whole = ((days * 24 + hours) * 60 + minutes) * 60 + seconds
    each = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}[unit]
    assert whole * 10**9 + billionths == count * each


@given(st.integers(-(2**31), 2**31 - 1))
def test_a_day_is_one_of_the_calendar_or_cannot_be_read(days: int) -> None:
    stored = pa.array([days], pa.int32()).cast(pa.date32())
    try:
        expected = (date(1970, 1, 1) + timedelta(days)).isoformat()
    except OverflowError:
        expected = NOT_A_VALUE
    assert texts_of(stored) == [expected]
    moments = pa.array([days * 86_400], pa.int64()).cast(pa.timestamp("s"))
    assert texts_of(moments) == [expected]


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
        (pa.array([date(2020, 1, 2), None, None]), ["2020-01-02", "", ""]),
        (
            pa.array([datetime(2020, 1, 2), None, None]),
            ["2020-01-02", "", ""],
        ),
        (
            pa.array(
                [
                    datetime(2020, 1, 2),
                    datetime(2020, 1, 2, 10, 30),
                    None,
                ]
            ),
            ["2020-01-02", "2020-01-02 10:30:00", ""],
        ),
        (
            pa.array([time(10, 30), time(0), None]),
            ["10:30:00", "00:00:00", ""],
        ),
        (pa.array([timedelta(1, 5), None, None]), ["1 day, 0:00:05", "", ""]),
        (pa.nulls(3), ["", "", ""]),
    ],
)
def test_parquet_columns_become_texts(column, expected):
    table = read(parquet(a=column, b=pa.array(["x", "y", "z"])), "table.parquet")
    assert table.reading.kind == "parquet"
    assert column_texts(table, "a") == expected
    assert table.arrow.column("a").chunk(0).dictionary.null_count == 0


def test_points_in_time_of_a_zone_are_in_utc():
    there = timezone(timedelta(hours=2))
    moments = [datetime(2020, 1, 2, 2, tzinfo=there), None]
    for zone in ("UTC", "Europe/Zurich", "+05:00"):
        column = pa.array(moments, pa.timestamp("us", zone))
        assert column_texts(read(parquet(a=column, b=["x", "y"]), "t.parquet"), "a") == [
            "2020-01-02",
            "",
        ]


def test_a_text_that_is_not_utf_8_takes_no_other_with_it():
    path = parquet(a=["Zürich", "XXXXX", None], b=["x", "y", "z"])
    found = read(path.replace(b"XXXXX", b"Z\xfcri."), "table.parquet")
    assert column_texts(found, "a") == ["Zürich", NOT_TEXT, ""]


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


DAY = date(2020, 1, 2)
NOON = datetime(2020, 1, 2, 12, 0, 0, 250_000)

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
    "times": pd.Series([time(10, 30), None, time(0)]),
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
    assert column_texts(found, "a") == column_texts(as_parquet(frame), "a")
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
        expected = column_texts(as_parquet(frame), "a")
    except (ValueError, UnicodeError, ArithmeticError):
        return
    assert column_texts(read_data_frame(frame), "a") == expected


def test_values_of_several_types_are_written_one_by_one() -> None:
    mixed = pd.Series([1, "x", None], dtype=object)
    assert column_texts(read_data_frame(pd.DataFrame({"a": mixed, "b": [1, 2, 3]})), "a") == [
        "1",
        "x",
        "",
    ]
    ids = pd.Series([uuid.UUID(int=1), uuid.UUID(int=2), None])
    found = read_data_frame(pd.DataFrame({"a": ids, "b": [1, 2, 3]}))
    assert column_texts(found, "a") == [str(uuid.UUID(int=1)), str(uuid.UUID(int=2)), ""]


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        ([b"secret", b"y", b"z"], "bytes"),
        ([["secret"], [], []], "list"),
        ([{"secret": 1}, {}, {}], "dict"),
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
    ("unit", "expected"),
    [
        ("M", ["1969-11", "1969-12", "1970-01", ""]),
        ("Q", ["1969Q3", "1969Q4", "1970Q1", ""]),
        ("Y", ["1968", "1969", "1970", ""]),
        ("D", ["1969-12-30", "1969-12-31", "1970-01-01", ""]),
        ("h", ["1969-12-31 22:00", "1969-12-31 23:00", "1970-01-01 00:00", ""]),
    ],
)
def test_periods_are_what_they_are_called(unit: str, expected: list[str]) -> None:
    periods = pd.arrays.PeriodArray(np.array([-2, -1, 0, 0]), dtype=f"period[{unit}]")
    periods[3] = pd.NaT
    frame = pd.DataFrame({"a": periods, "b": ["w", "x", "y", "z"]})
    for found in (as_parquet(frame), read_data_frame(frame)):
        assert column_texts(found, "a") == expected


def test_points_in_time_of_the_old_kind_are_read_in_all_years() -> None:
    moments = [datetime(9999, 12, 31), datetime(1, 1, 1), datetime(1600, 2, 29, 13, 45, 7), None]
    table = pa.table({"a": pa.array(moments, pa.timestamp("us")), "b": ["w", "x", "y", "z"]})
    data = io.BytesIO()
    pq.write_table(table, data, use_deprecated_int96_timestamps=True)
    expected = ["9999-12-31", "0001-01-01", "1600-02-29 13:45:07", ""]
    assert column_texts(read_table(data.getvalue(), name="t.parquet"), "a") == expected
    domain = DatesTimes(minimum="0001-01-01", maximum="9999-12-31", step="year")
    columns = (
        Column(name="a", domain=domain, missing=True),
        Column(name="b", domain=Categories(values=("w", "x", "y", "z"))),
    )
    schema = Schema(columns=columns).declare_public("a test")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "t.parquet"
        path.write_bytes(data.getvalue())
        (records,) = StreamedTable.open(path, schema).records()
    assert records.numbers is not None
    assert [domain.spell(Decimal(int(each))) for each in records.numbers[:3, 0]] == [
        "9999-12-31 00:00",
        "0001-01-01 00:00",
        "1600-02-29 13:45",
    ]


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
