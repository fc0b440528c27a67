"""Many plans at once, drawn."""

from __future__ import annotations

from understudy.mechanisms.seedbased.charts.budgets import UP, draw_budgets
from understudy.mechanisms.seedbased.proposal import Choice


def test_what_comes_nearer_stands_higher() -> None:
    every = [
        Choice(epsilon, "calibrated", off, 0.02, proposed=True)
        for epsilon, off in ((0.1, 0.3), (1.0, 0.1), (10.0, 0.05))
    ]
    axes = [
        layer["encoding"]["y"] for layer in draw_budgets(every, None).to_dict()["layer"]
        if layer.get("encoding", {}).get("y", {}).get("title") == UP
    ]  # fmt: skip
    assert axes
    for axis in axes:
        low, high = axis["scale"]["domain"]
        assert low > 0.3 > 0.02 > high
