"""Numbers as a statistician prints them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.core import numerals
from understudy.core.numerals import (
    decimals,
    fix_decimals,
    join_first,
    percent,
    reciprocal,
    round_up,
    significant,
    with_separators,
)

POSITIVE = st.floats(min_value=1e-5, max_value=1e6)


@pytest.mark.parametrize(
    ("half_width", "places"),
    [
        (0.0123, 3),
        (0.0356, 2),
        (0.0951, 2),
        (0.34, 2),
        (0.4, 1),
        (1.0, 1),
        (3.6, 0),
        (97.0, 0),
        (1e-9, 6),
    ],
)
def test_decimals_follow_the_width_of_the_interval(half_width: float, places: int) -> None:
    assert decimals(half_width) == places


@pytest.mark.parametrize("half_width", [0.0, -1.0, math.nan, math.inf])
def test_no_width_leaves_decimals_open(half_width: float) -> None:
    assert decimals(half_width) is None


@given(POSITIVE)
def test_rounding_moves_a_value_by_little_of_its_uncertainty(half_width: float) -> None:
    places = decimals(half_width)
    assert places is not None
    if half_width >= 1e-4:
        assert 0.5 * 10.0**-places <= 0.51 * max(1, half_width)
        # Nor is it printed finer than a tenth of what is known, except for a leading digit.
        assert places == 0 or 10.0**-places >= 0.028 * half_width


@pytest.mark.parametrize(
    ("value", "places", "said"),
    [
        (1234.5, 0, "1,234"),
        (-0.04, 1, "0.0"),
        (-3.25, 1, "−3.2"),
        (math.nan, 2, "not known"),
        (math.inf, 2, "∞"),
        (-math.inf, 0, "−∞"),
    ],
)
def test_fixed_numbers(value: float, places: int, said: str) -> None:
    assert fix_decimals(value, places) == said


@pytest.mark.parametrize(
    ("value", "said"),
    [(0, "0"), (100, "100"), (1e-4, "0.0001"), (12345.6, "12,346"), (0.5, "0.5"), (-2.5, "−2.5")],
)
def test_significant_numbers(value: float, said: str) -> None:
    assert significant(value) == said


@given(st.floats(min_value=1e-6, max_value=1e9))
def test_significant_numbers_are_near_and_short(value: float) -> None:
    back = float(significant(value).replace(",", ""))
    assert back == pytest.approx(value, rel=0.006)


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (0.5, "50 %"),
        (0.12345, "12.3 %"),
        (1.0, "100 %"),
        (0.00001, "under 0.01 %"),
        (-0.031, "−3.1 %"),
        (0.0, "0 %"),
        (12.5, "1,250 %"),
        (math.nan, "not known"),
    ],
)
def test_shares_are_per_cent(share: float, said: str) -> None:
    assert percent(share).replace(numerals.FIXED, " ") == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("50000000", "50,000,000"),
        ("12345.6789", "12,345.6789"),
        ("-12345", "-12,345"),
        ("1990", "1990"),
        ("0.000001", "0.000001"),
        ("1e-9", "1e-9"),
        ("post code", "post code"),
    ],
)
def test_long_numbers_are_read_in_threes_and_years_as_they_are(text: str, said: str) -> None:
    assert with_separators(text) == said


@given(st.integers(-(10**15), 10**15), st.integers(0, 999))
def test_separators_change_no_number(whole: int, rest: int) -> None:
    text = f"{whole}.{rest:03d}"
    assert with_separators(text).replace(",", "") == text


@given(st.floats(min_value=1e-300, max_value=1e11))
def test_rounding_never_understates(value: float) -> None:
    shown = float(round_up(value).replace(",", ""))
    assert value * (1 - 1e-11) <= shown <= value * 1.0011


def test_rounding_leaves_a_round_number_alone() -> None:
    assert round_up(1e-9) == "1e-09"
    assert round_up(math.nextafter(1e-9, 1)) == "1e-09"
    assert round_up(1.00001) == "1.001"
    assert round_up(23825.9) == "23,826"
    assert round_up(0.0) == "0"


def test_fewer_digits() -> None:
    assert round_up(2.01e-8, 2) == "2.1e-08"


@given(st.floats(min_value=1e-300, max_value=0.5))
def test_a_chance_is_never_understated(chance: float) -> None:
    turns = float(reciprocal(chance))
    assert 0.998 / chance <= turns <= (1 + 1e-11) / chance


def test_a_round_chance_stays_round() -> None:
    assert int(reciprocal(1e-9)) == 10**9
    assert int(reciprocal(0.1 * 1e-9)) == 10**10
    assert int(reciprocal(7.583e-10, 3)) == 1_310_000_000


@pytest.mark.parametrize(
    ("most", "phrase"), [(1, "a and 2 more"), (2, "a, b and 1 more"), (3, "a, b, c")]
)
def test_the_first_are_named_and_the_others_counted(most: int, phrase: str) -> None:
    assert join_first(["a", "b", "c"], most) == phrase
