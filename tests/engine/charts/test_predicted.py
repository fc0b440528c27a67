"""Predicted distances as pictures and tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import altair as alt
import numpy as np

from understudy.charts.predicted import MOST_SHOWN, columns, columns_table, pairs, pairs_table
from understudy.charts.scales import NOT_FOR_RELEASE
from understudy.models.prediction import Predicted, prediction_of

TITLES = ("Age", "Job", "Pay")
Layers = Callable[[alt.LayerChart], list[dict[str, Any]]]


def found(counted: dict[tuple[int, int], float] | None = None) -> Predicted:
    single = np.array([0.03, 0.002, 0.01])
    some = {(0, 1): 0.05, (1, 2): 0.004} if counted is None else counted
    return prediction_of(np.array([70, 4, 3]), single, some, 10_000)


def test_every_column_has_its_bar_and_its_tick(layers: Layers) -> None:
    bars, ticks = layers(columns(TITLES, found()))
    assert (bars["mark"], ticks["mark"]) == ("bar", "tick")
    assert [row["what"] for row in bars["rows"]] == list(TITLES)
    assert all(row["together"] >= row["chance"] > 0 for row in bars["rows"])
    table = columns_table(TITLES, found())
    assert table["By noise (%)"].tolist() == [3.0, 0.2, 1.0]
    assert (table["Expected together (%)"] >= table["By noise (%)"]).all()


def test_every_pair_has_one_cell_or_dash(layers: Layers) -> None:
    cells, numbers, dashes = layers(pairs(TITLES, found()))
    assert [row["what"] for row in cells["rows"]] == ["Age × Job", "Job × Pay"]
    assert len(numbers["rows"]) == 2
    assert [row["what"] for row in dashes["rows"]] == ["Age × Pay"]
    assert {row["dash"] for row in dashes["rows"]} == {"×"}
    able = replace(found(), possible=np.ones((3, 3), dtype=bool))
    assert {row["dash"] for row in layers(pairs(TITLES, able))[2]["rows"]} == {"–"}
    table = pairs_table(TITLES, found())
    assert table["Counted"].tolist() == ["yes", "left to the rest of the model", "yes"]
    assert table["By noise (%)"].isna().tolist() == [False, True, False]


def test_what_can_be_drawn_of_none_and_of_all() -> None:
    every = {(0, 1): 0.05, (0, 2): 0.1, (1, 2): 0.004}
    assert len(pairs(TITLES, found({})).to_dict()["layer"]) == 1
    assert len(pairs(TITLES, found(every)).to_dict()["layer"]) == 2


def test_of_a_wide_table_the_first_columns_are_drawn_and_all_stand_in_the_table(
    layers: Layers,
) -> None:
    wide = 60
    some = {(one, other): 0.01 for one in range(wide) for other in range(one + 1, wide)}
    told = prediction_of(np.full(wide, 3), np.full(wide, 0.01), some, 100)
    titles = [f"c{place}" for place in range(wide)]
    (cells,) = layers(pairs(titles, told))
    assert len(cells["rows"]) == MOST_SHOWN * (MOST_SHOWN - 1) // 2
    assert len(pairs_table(titles, told)) == wide * (wide - 1) // 2


def test_they_are_public() -> None:
    for chart in (columns(TITLES, found()), pairs(TITLES, found())):
        assert NOT_FOR_RELEASE not in str(chart.to_dict())
