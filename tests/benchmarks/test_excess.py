"""What is said of quality beforehand, beside what is found on simulated tables."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from benchmarks.excess import MODELS, SHAPES_HELD, Extent, Run, figures, run_of, table, tables

BOUND = 0.95
"""Of so large a share of the runs, what is called “at most” has to hold."""


def runs(extent: Extent) -> list[Run]:
    return [
        run_of(name, records, epsilon, model, seed)
        for name, records in tables(extent)
        for epsilon in extent.epsilons
        for model in MODELS
        for seed in range(extent.seeds)
    ]


def check_said(found: list[Run]) -> None:
    """Bounds hold in 95 of 100 runs; so do most pairs keep what they are said to."""
    held = [each for run in found for each in run.holds]
    assert sum(held) >= BOUND * len(held)
    fit, kept = sum(run.fit for run in found), sum(run.held for run in found)
    assert fit > 0
    assert kept >= 0.9 * fit


def test_bounds_hold_on_two_small_tables() -> None:
    check_said(runs(Extent(("16 flags", "12 loose"), (0.1, 1.0), 1, most=5_000)))


@pytest.mark.thorough("test_bounds_hold_on_two_small_tables")
def test_bounds_hold_on_eight_tables_of_different_shape() -> None:
    assert len(SHAPES_HELD) == 8
    check_said(runs(Extent(seeds=1, most=20_000)))


def test_a_bound_that_does_not_hold_is_counted() -> None:
    run = Run("t", 9, 1.0, "calibrated", 0, 0.1, 0.05, 0.2, 0.3, 0.5, 0.4, 0.1, 0.0, 3, 2, 1, 1)
    assert run.holds == (True, False, True)
    alone = replace(run, pair_said=math.nan, pair=math.nan, any_said=math.nan)
    assert alone.holds == (True,)
    assert "3 of 4 bounds hold." in table(figures([run, alone]))
