"""Maps in kilometres, and nothing that a browser would have to fetch."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from tests.engine.charts.rules import RULES
from understudy.charts import maps, scales
from understudy.models.mobility.geography import Geography

WHERE = Geography(rows=3, columns=4, cell_km=(1.0, 2.0), zones=2)
SHARES = np.array([0.5, 0, 0, 0.25, 0, 0.25, 0, 0, 0, 0, 0, 0])
FLOWS = np.array([[0.1, 0.3, 0, 0], [0.2, 0, 0, 0], [0, 0, 0, 0.4], [0, 0, 0, 0]])
NOTE = scales.note("")
DRAWN = {
    "density": maps.density(WHERE, SHARES, "Share of the time", 0.5, NOTE),
    "flows": maps.flows(WHERE, FLOWS, 0.5, NOTE),
    "path": maps.path(WHERE, [0, 5, 0], ["Home", "Work", "Home"], NOTE),
    "grid": maps.grid(WHERE, NOTE),
}


@pytest.mark.parametrize("name", DRAWN)
def test_it_keeps_the_rules_of_charts(name: str) -> None:
    spec: dict[str, Any] = DRAWN[name].to_dict()
    for rule in RULES:
        rule(spec)
    said = json.dumps({key: each for key, each in spec.items() if key != "$schema"})
    assert "http" not in said
    assert "projection" not in said


def test_a_cell_lies_where_its_row_and_column_say() -> None:
    spec = DRAWN["density"].to_dict()
    (rows,) = [each for each in spec["datasets"].values() if "share" in each[0]]
    assert len(rows) == 12
    sixth = rows[5]
    assert (sixth["south"], sixth["north"]) == (1.0, 2.0)
    assert (sixth["west"], sixth["east"]) == (2.0, 4.0)
    assert sixth["share"] == 0.25


def test_the_table_has_the_fullest_first_and_no_empty_ones() -> None:
    table = maps.density_table(WHERE, SHARES, "Share")
    assert table["Share (%)"].tolist() == [50.0, 25.0, 25.0]
    assert table["Row from the south"].tolist() == [1, 1, 2]
    assert table["Column from the west"].tolist() == [1, 4, 2]


def test_moves_either_way_are_one_line_and_those_within_a_zone_none() -> None:
    table = maps.flows_table(WHERE, FLOWS)
    assert table["Moves (%)"].tolist() == [50.0, 40.0]
    assert table.iloc[0, :2].tolist() == ["1.1", "1.2"]
    assert table.iloc[1, :2].tolist() == ["2.1", "2.2"]


def test_a_place_that_is_come_to_twice_has_both_numbers() -> None:
    spec = DRAWN["path"].to_dict()
    (labels,) = [
        each for each in spec["datasets"].values() if "number" in each[0]
    ]  # fmt: skip
    assert {each["number"] for each in labels} == {"1, 3", "2"}
