from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.table.number_texts import nice_at_least, number_in


@pytest.mark.parametrize("text", ["40", "040", " 40", "40.0", "4e1", "+40", "40.", "0.4E+2"])
def test_ways_to_write_forty(text):
    assert number_in(text) == 40


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "forty", "1_000", "1,000", "3,5", "１２", "٤٠", "inf", "-inf", "Infinity", "NaN",
        "nan", "1e400", "-1e400", "1e99999999999999999999", "0x10", "4 0", "--4", ".", "e5", "1e",
        "9" * 101, "1\n2",
    ],
)  # fmt: skip
def test_what_is_not_a_number(text):
    assert number_in(text) is None


def test_numbers_are_exact():
    assert number_in("0.1") == Decimal("0.1")
    assert number_in(".5") == Decimal("0.5")
    assert number_in("-1e-400") == 0


@given(st.decimals(min_value="1e-9", max_value="1e9", allow_nan=False))
@settings(deadline=None)
def test_nice_numbers_are_round_and_just_large_enough(number):
    nice = nice_at_least(number)
    assert number <= nice <= number * Decimal("2.5")
    assert nice.normalize().as_tuple().digits in {(1,), (2,), (5,)}
