from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from understudy.table.cells import parse_number, round_number_from


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
