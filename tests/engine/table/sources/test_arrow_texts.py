"""A value of Arrow reads the same whatever type its column has."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from understudy.table.cells import NOT_A_VALUE, cell_text
from understudy.table.sources.arrow_texts import plain_values, texts_of

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
        assert abs(count) > 10**14
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
