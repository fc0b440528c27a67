"""Searching whole numbers against looking at all of them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.privacy.accounting.unit_counts import argmin, crossing, first_true


@given(
    low=st.integers(-5, 50),
    width=st.integers(0, 300),
    floor=st.floats(-10, 370),
    steep=st.floats(0.01, 100),
    cut=st.integers(0, 300),
)
def test_the_floor_of_a_valley(low: int, width: int, floor: float, steep: float, cut: int) -> None:
    def value(place: int) -> float:
        assert low <= place <= low + width
        apart = place - floor
        if place > low + cut and apart > 0:
            return math.inf
        return apart if apart > 0 else -steep * apart

    everywhere = [value(place) for place in range(low, low + width + 1)]
    assert value(argmin(value, low, low + width)) == min(everywhere)


def test_a_valley_is_asked_for_little() -> None:
    asked: list[int] = []

    def value(place: int) -> float:
        asked.append(place)
        return abs(place - 123_456.7)

    assert argmin(value, 0, 10**6) == 123_457
    assert len(asked) < 32


@given(low=st.integers(1, 40), root=st.integers(-5, 400), further=st.integers(0, 200))
def test_the_first_number_that_is_enough(low: int, root: int, further: int) -> None:
    assert first_true(lambda place: place >= root, low, low + further) == max(low, root)


FALLS = {
    "line": lambda x, root: math.log(root / x),
    "bent": lambda x, root: math.sqrt(root / x) - 1,
    "step": lambda x, root: math.inf if x < root else 0.0,
    "ledge": lambda x, root: 5 + math.log(root / x) if x < root else -math.inf,
}


@pytest.mark.parametrize("shape", FALLS)
@given(
    root=st.floats(0.5, 2e6),
    low=st.integers(1, 40),
    width=st.one_of(st.integers(0, 20), st.integers(0, 10**6)),
    near=st.integers(1, 10**7),
    within=st.sampled_from([0.0, 0.01, 0.5]),
)
def test_where_a_fall_ends(
    shape: str, root: float, low: int, width: int, near: int, within: float
) -> None:
    high, asked = low + width, 0

    def over(place: int) -> float:
        nonlocal asked
        asked += 1
        assert low <= place <= high
        return FALLS[shape](place, root)

    left, right = crossing(over, low, high, near, within=within)
    assert left == low - 1 or FALLS[shape](left, root) > 0
    assert right == high + 1 or FALLS[shape](right, root) <= 0
    assert 1 <= right - left <= max(1, within * left)
    assert asked < 130


def test_close_enough_is_enough() -> None:
    asked: list[int] = []

    def over(place: int) -> float:
        asked.append(place)
        return math.inf if place < 5_555 else 0.0

    left, right = crossing(over, 1, 10**6, 1000, within=0.1)
    assert left < 5_555 <= right
    assert 0.02 * left < right - left <= 0.1 * left
    enough = len(asked)
    crossing(over, 1, 10**6, 1000)
    assert len(asked) > 2 * enough


def test_a_line_is_asked_for_little() -> None:
    asked: list[int] = []

    def over(place: int) -> float:
        asked.append(place)
        return 2 * math.log(7_654_321.5 / place)

    assert crossing(over, 1, 10**12, 1000) == (7_654_321, 7_654_322)
    assert len(asked) < 20
