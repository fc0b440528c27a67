"""What each budget brings, drawn: bounds over ε with the plan in use, and the kinds of model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from understudy.core.numerals import FIXED
from understudy.mechanisms.seedbased.charts.budgets import (
    CHANCE,
    COLUMN,
    PAIR,
    UP,
    accuracy_table,
    draw_accuracy,
    draw_budgets,
)
from understudy.mechanisms.seedbased.proposal import OverEpsilon, PlanOption

Layers = Callable[[Any], list[dict[str, Any]]]
NAN = float("nan")
FORESEEN = OverEpsilon(
    epsilons=np.array([0.01, 0.1, 1.0, 10.0]),
    counted=np.array([0, 0, 4, 6]),
    pairs=6,
    pair=np.array([NAN, NAN, 0.06, 0.03]),
    column=np.array([NAN, 0.09, 0.02, 0.01]),
    chance=0.005,
    least=0.05,
)


@pytest.mark.parametrize(
    ("epsilon", "left"), [(0.5, True), (1.5, True), (9.0, False), (300.0, False)]
)
def test_bounds_and_the_plan_in_use_are_as_given(
    layers: Layers, epsilon: float, left: bool
) -> None:
    drawn = layers(draw_accuracy(FORESEEN, (epsilon, 0.045)))
    rows = next(each["rows"] for each in drawn if {"name", "off"} <= set(each["rows"][0]))
    off = {(row["name"], row["epsilon"]): row["off"] for row in rows}
    assert (PAIR, 0.1) not in off
    assert off[PAIR, 1.0] == 0.06
    assert (COLUMN, 0.01) not in off
    assert off[COLUMN, 0.1] == 0.09
    assert off[CHANCE, 10.0] == 0.005
    (mark,) = next(each["rows"] for each in drawn if each["mark"] == "point")
    assert (mark["epsilon"], mark["off"], mark["left"]) == (epsilon, 0.045, left)
    assert mark["said"] == f"This plan: at most 4.5{FIXED}%"


def test_what_is_read_out_tells_how_many_pairs_are_counted(layers: Layers) -> None:
    drawn = layers(draw_accuracy(FORESEEN, None))
    rows = next(each["rows"] for each in drawn if "counted" in each["rows"][0])
    assert [row["counted"] for row in rows] == ["–", "0 of 6", "4 of 6", "6 of 6"]
    assert [row["curve0"] for row in rows] == ["–", "–", f"6{FIXED}%", f"3{FIXED}%"]


def test_without_a_plan_there_is_no_point_and_a_table_all_the_same() -> None:
    spec = draw_accuracy(FORESEEN, None).to_dict()
    assert spec["datasets"]["here"] == []
    table = accuracy_table(FORESEEN)
    assert list(table.iloc[2]) == [1.0, 4, 6.0, 2.0, 0.5]
    assert table.iloc[:2, 2].isna().all()


def test_what_comes_nearer_stands_higher() -> None:
    every = [
        PlanOption(epsilon, "calibrated", lost, proposed=True)
        for epsilon, lost in ((0.1, 0.9), (1.0, 0.5), (10.0, 0.2))
    ]
    axes = [
        layer["encoding"]["y"] for layer in draw_budgets(every, None).to_dict()["layer"]
        if layer.get("encoding", {}).get("y", {}).get("title") == UP
    ]  # fmt: skip
    assert axes
    for axis in axes:
        low, high = axis["scale"]["domain"]
        assert low > 0.9 > 0.2 > high
