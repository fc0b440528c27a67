"""How close made days come, drawn."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from understudy.mechanisms.traces.charts.close import ASPECTS, close, close_table


def test_an_axis_that_a_bar_can_pass_is_not_of_100() -> None:
    """More than twice as many people may come to a place as do."""
    off = {each.name: 1.93 for each in ASPECTS}
    found: Any = SimpleNamespace(made=off, others=off)
    most = close_table(found).select_dtypes("number").to_numpy().max()
    title = close(found).to_dict()["layer"][0]["encoding"]["x"]["title"]
    assert most > 100
    assert "of 100" not in title
