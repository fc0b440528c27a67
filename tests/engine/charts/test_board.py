"""Where a released table lost most, for a wall."""

from __future__ import annotations

import json

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.charts.board import worst_pairs, worst_pairs_table
from engine.charts.enlarging import enlarged
from engine.evaluation.comparison import Compared
from engine.evaluation.distances import Distances

TITLES = ("Age", "Job", "Pay", "Town")


def compared(name: str, pairs: list[float]) -> Compared:
    square = np.zeros((4, 4))
    square[np.triu_indices(4, 1)] = pairs
    square += square.T
    return Compared(name, 100, Distances(np.diag(square).copy(), square))


@given(st.lists(st.floats(0, 1), min_size=6, max_size=6), st.integers(1, 6))
def test_the_farthest_pairs_come_first(pairs: list[float], most: int) -> None:
    table = worst_pairs_table([compared("released", pairs)], TITLES, most)
    assert table["Difference (%)"].tolist() == [
        round(100 * each, 2) for each in sorted(pairs, reverse=True)[:most]
    ]


def test_beside_each_pair_stand_other_real_records_and_nothing_else() -> None:
    found = [
        compared("released", [0.1, 0.5, 0.2, 0.1, 0.1, 0.1]),
        compared("other real records", [0.05, 0.25, 0.1, 0.05, 0.05, 0.05]),
        compared("marginals", [0.9] * 6),
    ]
    table = worst_pairs_table(found, TITLES, 1)
    assert table.to_numpy().tolist() == [
        ["Age × Pay", "other real records", 25.0],
        ["Age × Pay", "released", 50.0],
    ]


def test_the_chart_is_marked_and_says_so_where_there_is_nothing() -> None:
    drawn = worst_pairs([compared("released", [0.1] * 6)], TITLES)
    assert "INTERNAL" in json.dumps(drawn.to_dict(), ensure_ascii=False)
    assert "Too few records" in json.dumps(worst_pairs([], TITLES).to_dict())


def test_a_chart_grows_in_its_letters_and_height_and_keeps_its_data() -> None:
    small = worst_pairs([compared("released", [0.1] * 6)], TITLES)
    large = enlarged(small, 2.0)
    before, after = small.to_dict(), large.to_dict()
    assert after["height"] == 2 * before["height"]
    assert after["title"]["fontSize"] == 2 * before["title"]["fontSize"]
    assert after["datasets"] == before["datasets"]
    assert after["config"]["axis"]["labelFontSize"] == 24
    assert small.to_dict() == before
