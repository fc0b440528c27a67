"""How much further off columns and pairs are, the worst first."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Literal

import numpy as np
import pytest

from understudy.charts.excess import excess_chart, excess_table
from understudy.evaluation.excess import Excess, stakes_foreseen
from understudy.models.prediction import prediction_of

TITLES = ("Age", "Job", "Pay")
APART = np.array([[0.01, 0.2, -0.05], [0.2, 0.03, 0.1], [-0.05, 0.1, 0.02]])
FOUND = Excess(APART, np.full((3, 3), 0.05), (), 0.01, np.full((3, 3), 0.04))
AHEAD = stakes_foreseen(
    prediction_of(np.full(3, 4), np.zeros(3), {(0, 1): 0.01}, 100, np.eye(3, dtype=bool))
)


@pytest.mark.parametrize(
    ("kind", "first", "values"),
    [
        ("columns", "Job", [3.0, 2.0, 1.0]),
        ("pairs", "Age × Job", [20.0, 10.0, -5.0]),
    ],
)
def test_the_worst_come_first_and_pairs_with_whether_they_were_counted(
    kind: Literal["columns", "pairs"], first: str, values: list[float]
) -> None:
    table = excess_table(FOUND, AHEAD, TITLES, kind)
    assert table.iloc[0, 0] == first
    assert table["Found (%)"].tolist() == values
    if kind == "columns":
        assert list(table) == ["Column", "Found (%)", "Other real records are off by (%)"]
        return
    assert table["Foreseen"].tolist() == ["counted", "not counted", "not counted"]
    assert set(table["Independent columns (%)"]) == {4.0}
    assert "Foreseen" not in excess_table(FOUND, None, TITLES, kind)


def test_a_chart_is_internal_and_has_a_dot_for_each() -> None:
    drawn = excess_chart(FOUND, TITLES, "pairs", 2).to_dict()
    said = json.dumps(drawn, ensure_ascii=False)
    assert "INTERNAL" in said
    names = [row["name"] for data in drawn["datasets"].values() for row in data if "name" in row]
    assert names.count("marginals") == 2
    assert "Pairs of columns: the worst 2 of 3." in said
    every = json.dumps(excess_chart(FOUND, TITLES, "pairs", 3).to_dict())
    assert "Pairs of columns, the worst first." in every
    assert names.count("released") >= 2
    alone = replace(FOUND, strength=None)
    assert "marginals" not in json.dumps(excess_chart(alone, TITLES, "pairs", 2).to_dict())
