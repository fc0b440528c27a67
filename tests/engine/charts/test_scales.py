"""Logarithmic axes and their ticks."""

from __future__ import annotations

import ast
import math
from pathlib import Path
from typing import Final

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.charts import scales

_ENGINE: Final = Path(scales.__file__).parents[1]
_LEGENDS: Final = {"charts/scales.py", "charts/grids.py"}
"""Make the legends of all charts: of names, and of shades."""


@given(st.floats(1e-30, 1e12, allow_subnormal=False), st.floats(1.0, 1e30, allow_subnormal=False))
def test_ticks_are_few_and_within_the_axis(low: float, ratio: float) -> None:
    domain = scales.log_domain([low, low * ratio])
    ticks = scales.log_ticks(domain)
    assert 2 <= len(ticks) <= 10
    assert ticks == sorted(ticks)
    assert ticks[0] >= domain[0] * 0.94
    assert ticks[-1] <= domain[1] * 1.06


def test_wide_axes_are_ticked_by_powers_of_ten() -> None:
    assert scales.log_ticks([1, 1e6]) == pytest.approx([10.0**power for power in range(7)])


def test_narrow_axes_are_ticked_by_ones_twos_and_fives() -> None:
    assert scales.log_ticks([15, 150]) == pytest.approx([20, 50, 100])


def test_a_single_value_stands_in_the_middle() -> None:
    low, high = scales.log_domain([50])
    assert low < 50 < high
    assert math.sqrt(low * high) == pytest.approx(50)


def test_what_a_logarithm_cannot_show_is_left_out() -> None:
    assert scales.log_domain([np.nan, np.inf, 0, -1, 2, 200]) == [2, 200]
    assert scales.log_domain([]) == [1, 10]


def test_a_long_name_gets_a_row_of_the_legend() -> None:
    assert scales.key(["ω = 9", "ω = 10", "ω = 11"]).to_dict()["columns"] == 3
    assert scales.key(["n" * 60, "m" * 60, "o" * 60]).to_dict()["columns"] == 1
    # Beside a form on a small screen, a chart is some 390 pixels wide without its axis.
    three = ["Rows from one draw", "A draw for each row", "The parameter itself"]
    columns = scales.key(three).to_dict()["columns"]
    assert columns * (max(map(len, three)) * 6.5 + 40) < 390


def test_legends_of_names_are_made_in_one_place() -> None:
    """One that does not know how much room there is stands cut on a small screen."""
    found = set()
    for path in _ENGINE.rglob("charts/**/*.py"):
        calls = (
            each for each in ast.walk(ast.parse(path.read_text())) if isinstance(each, ast.Call)
        )
        if any(ast.unparse(each.func).endswith("alt.Legend") for each in calls):
            found.add(path.relative_to(_ENGINE).as_posix())
    assert found == _LEGENDS
