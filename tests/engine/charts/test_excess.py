"""What was foreseen beside what was found, the worst first."""

from __future__ import annotations

import json
from typing import Literal

import numpy as np
import pytest

from engine.charts.excess import excess_chart, excess_table
from engine.evaluation.excess import Excess

TITLES = ("Age", "Job", "Pay")
APART = np.array([[0.01, 0.2, -0.05], [0.2, 0.03, 0.1], [-0.05, 0.1, 0.02]])
FOUND = Excess(APART, np.full((3, 3), 0.05), (), found=True)
AHEAD = Excess(np.full((3, 3), 0.04), np.full((3, 3), 0.06), (), found=False)


@pytest.mark.parametrize(
    ("kind", "first", "values"),
    [
        ("columns", "Job", [3.0, 2.0, 1.0]),
        ("pairs", "Age × Job", [20.0, 10.0, -5.0]),
    ],
)
def test_the_worst_come_first_with_what_was_foreseen(
    kind: Literal["columns", "pairs"], first: str, values: list[float]
) -> None:
    table = excess_table(FOUND, AHEAD, TITLES, kind)
    assert table.iloc[0, 0] == first
    assert table["Found (%)"].tolist() == values
    assert set(table["Foreseen (%)"]) == {4.0}
    assert "Foreseen (%)" not in excess_table(FOUND, None, TITLES, kind)


def test_a_chart_is_internal_and_has_a_dot_for_each() -> None:
    drawn = excess_chart(FOUND, AHEAD, TITLES, "pairs", 2).to_dict()
    said = json.dumps(drawn, ensure_ascii=False)
    assert "INTERNAL" in said
    names = [row["name"] for data in drawn["datasets"].values() for row in data if "name" in row]
    assert names.count("foreseen") == 2
    assert "Pairs of columns: the worst 2 of 3." in said
    every = json.dumps(excess_chart(FOUND, AHEAD, TITLES, "pairs", 3).to_dict())
    assert "Pairs of columns, the worst first." in every
    assert names.count("released") >= 2
    assert "foreseen" not in json.dumps(excess_chart(FOUND, None, TITLES, "pairs", 2).to_dict())
