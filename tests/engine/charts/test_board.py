"""Where a released table lost most, for a wall."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.charts.excess import worst_pairs, worst_pairs_table
from understudy.charts.export import enlarge
from understudy.evaluation.excess import Excess

TITLES = ("Age", "Job", "Pay", "Town")


def square(pairs: list[float]) -> np.ndarray:
    found = np.zeros((4, 4))
    found[np.triu_indices(4, 1)] = pairs
    return found + found.T


def excess(pairs: list[float], real: list[float] | None = None) -> Excess:
    return Excess(square(pairs), square(real or [0.0] * 6), ())


@given(st.lists(st.floats(0.001, 1), min_size=6, max_size=6), st.integers(1, 6))
def test_the_farthest_pairs_come_first(pairs: list[float], most: int) -> None:
    table = worst_pairs_table(excess(pairs), TITLES, most)
    released = table[table["Table"] == "released"]
    assert released["Difference (%)"].tolist() == pytest.approx(
        [100 * each for each in sorted(pairs, reverse=True)[:most]], abs=0.006
    )


def test_farthest_is_beyond_other_real_records_and_nothing_else() -> None:
    """The second pair is off by 27 %, as real records are by 23 %; the third by 10 %, and they by
    nothing."""
    found = excess([0.0, 0.04, 0.1, 0.0, 0.0, 0.0], [0.05, 0.23, 0.0, 0.05, 0.05, 0.05])
    table = worst_pairs_table(found, TITLES, 6)
    assert table.to_numpy().tolist() == [
        ["Age × Town", "other real records", 0.0],
        ["Age × Town", "released", 10.0],
        ["Age × Pay", "other real records", 23.0],
        ["Age × Pay", "released", 27.0],
    ]


def test_the_chart_is_marked_and_says_so_where_there_is_nothing() -> None:
    drawn = worst_pairs(excess([0.1] * 6), TITLES)
    assert "INTERNAL" in json.dumps(drawn.to_dict(), ensure_ascii=False)
    assert "Too few records" in json.dumps(worst_pairs(None, TITLES).to_dict())
    assert "No pair is further off" in json.dumps(worst_pairs(excess([0.0] * 6), TITLES).to_dict())


def test_a_chart_grows_in_its_letters_and_height_and_keeps_its_data() -> None:
    small = worst_pairs(excess([0.1] * 6), TITLES)
    large = enlarge(small, 2.0)
    before, after = small.to_dict(), large.to_dict()
    assert after["height"] == 2 * before["height"]
    assert after["title"]["fontSize"] == 2 * before["title"]["fontSize"]
    assert after["datasets"] == before["datasets"]
    assert after["config"]["axis"]["labelFontSize"] == 24
    assert small.to_dict() == before
