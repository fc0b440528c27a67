"""One text for one value, whatever type it is kept as."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from understudy.table.cells import cell_text, moment_text, parse_number, round_number_from


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        ("3.0", "3.0"),
        (True, "true"),
        (np.bool_(False), "false"),
        (3.0, "3"),
        (Decimal("3.00"), "3"),
        (Decimal("1.50"), "1.5"),
        (-0.0, "0"),
        (1e17, "100000000000000000"),
        (10**38, "1e+38"),
        (Decimal("1e300"), "1e+300"),
        (10**400, "inf"),
        (Decimal("-1e999999"), "-inf"),
        (Decimal("NaN"), ""),
        (float("nan"), ""),
        (float("-inf"), "-inf"),
        (1e-20, "1e-20"),
        (np.float32(0.1), "0.1"),
        (float(np.float32(0.1)), "0.1"),
        (float(np.float32(1234.567)), "1234.567"),
        # Both have a short text in single precision that is not theirs.
        (1048576.25, "1048576.25"),
        (123456792.0, "123456792"),
        (date(2020, 1, 2), "2020-01-02"),
        (datetime(2020, 1, 2), "2020-01-02"),
        (datetime(2020, 1, 2, 10, 30), "2020-01-02 10:30:00"),
        (datetime(2020, 1, 2, 0, 0, 0, 500_000), "2020-01-02 00:00:00.5"),
        (datetime(2020, 1, 2, 2, tzinfo=timezone(timedelta(hours=2))), "2020-01-02"),
        (datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=2))), "0001-01-01 00:00:00+02:00"),
        (time(10, 30), "10:30:00"),
        (time(0, 0, 0, 120_000), "00:00:00.12"),
    ],
)
def test_a_value_as_text(value: Any, text: str) -> None:
    assert cell_text(value) == text


@given(st.decimals(-(10**14), 10**14, places=3, allow_nan=False))
def test_a_decimal_is_written_as_the_double_it_becomes(number: Decimal) -> None:
    assert cell_text(number) == cell_text(float(number))


@given(st.integers(-(2**53), 2**53))
def test_a_whole_number_is_written_in_full_as_whatever_it_is_kept(number: int) -> None:
    kept = [number, np.int64(number), float(number), Decimal(number), Decimal(f"{number}.00")]
    assert {cell_text(each) for each in kept} == {str(number)}


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_single_precision_is_written_as_the_double_it_becomes(number: float) -> None:
    text = cell_text(np.float32(number))
    assert cell_text(number) == cell_text(Decimal(number)) == text
    assert np.float32(text) == np.float32(number)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_is_read_as_what_it_was_but_for_digits_beyond_single_precision(
    number: float,
) -> None:
    found = parse_number(cell_text(number))
    assert found is not None
    assert float(found) == number or np.float32(float(found)) == np.float32(number) == number


@given(st.datetimes(), st.sampled_from([" ", "T"]), st.sampled_from(["", "Z", "000"]))
def test_a_point_in_time_is_written_alike_however_it_is_spelled(
    moment: datetime, between: str, after: str
) -> None:
    text = cell_text(moment)
    assert moment_text(moment.isoformat(between, "microseconds") + after) == text
    assert moment_text(text) == text
    assert cell_text(moment.replace(tzinfo=UTC)) == text
    assert (len(text) == len("2020-01-01")) == (moment.time() == time())


@given(st.text())
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert moment_text(text) == text or text[:1].isdigit()


def test_what_is_no_single_value_is_not_written() -> None:
    for value in ([1], b"x", {"a": 1}):
        with pytest.raises(TypeError):
            cell_text(value)


@pytest.mark.parametrize("text", ["40", "040", " 40", "40.0", "4e1", "+40", "40.", "0.4E+2"])
def test_ways_to_write_forty(text):
    assert parse_number(text) == 40


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "forty", "1_000", "1,000", "3,5", "１２", "٤٠", "inf", "-inf", "Infinity", "NaN",
        "nan", "1e400", "-1e400", "1e99999999999999999999", "0x10", "4 0", "--4", ".", "e5", "1e",
        "9" * 101, "1\n2",
    ],
)  # fmt: skip
def test_what_is_not_a_number(text):
    assert parse_number(text) is None


def test_numbers_are_exact():
    assert parse_number("0.1") == Decimal("0.1")
    assert parse_number(".5") == Decimal("0.5")
    assert parse_number("-1e-400") == 0


@given(st.decimals(min_value="1e-9", max_value="1e9", allow_nan=False))
@settings(deadline=None)
def test_nice_numbers_are_round_and_just_large_enough(number):
    nice = round_number_from(number)
    assert number <= nice <= number * Decimal("2.5")
    assert nice.normalize().as_tuple().digits in {(1,), (2,), (5,)}
