from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from understudy.core.numerals import reciprocal, round_up


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
