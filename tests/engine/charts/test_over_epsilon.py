"""The curve over ε: what is drawn is what was foreseen, and the plan in use stands on it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from understudy.charts.over_epsilon import (
    CHANCE,
    INDEPENDENT,
    PROPOSED,
    over_epsilon,
    over_epsilon_table,
)
from understudy.core.numerals import FIXED

Layers = Callable[[Any], list[dict[str, Any]]]
EPSILONS = np.array([0.1, 1.0, 10.0])
CURVES = np.array([np.nan, 0.06, 0.03]), np.array([0.09, 0.08, 0.08])


@pytest.mark.parametrize(
    ("epsilon", "left"), [(0.5, True), (2.0, True), (9.0, False), (300.0, False)]
)
def test_curves_and_the_plan_in_use_are_as_given(
    layers: Layers, epsilon: float, left: bool
) -> None:
    drawn = layers(over_epsilon(EPSILONS, *CURVES, 0.02, (epsilon, 0.045)))
    rows = next(each["rows"] for each in drawn if {"name", "off"} <= set(each["rows"][0]))
    found = {(row["name"], row["epsilon"]): row["off"] for row in rows}
    assert (PROPOSED, 0.1) not in found
    assert found[PROPOSED, 1.0] == 0.06
    assert found[INDEPENDENT, 0.1] == 0.09
    assert found[CHANCE, 10.0] == 0.02
    (mark,) = next(each["rows"] for each in drawn if each["mark"] == "point")
    assert (mark["epsilon"], mark["off"], mark["left"]) == (epsilon, 0.045, left)
    assert mark["said"] == f"This plan: 4.5{FIXED}%"


def test_without_a_plan_there_is_no_point_and_a_table_all_the_same() -> None:
    spec = over_epsilon(EPSILONS, *CURVES, 0.02, None).to_dict()
    assert spec["datasets"]["here"] == []
    table = over_epsilon_table(EPSILONS, *CURVES, 0.02)
    assert list(table.iloc[1]) == [1.0, 6.0, 8.0, 2.0]
    assert np.isnan(table.iloc[0, 1])
