"""Noisy tables that are released: their intervals, and what is found wrong with others."""

from __future__ import annotations

import copy
import math
from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.engine.runs.asked import SCHEMA, table
from tests.engine.table.leveled import grouped
from understudy.models.calibrated.learner import CalibratedLearner
from understudy.models.noisy_tables import FAILING, LAWS, Law, NoisyTable, figures_of, reach, unlike
from understudy.models.views import Rows, View
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.table.schema import Schema


@cache
def seed() -> RandomSource:
    """Of the process that asks for it first, as a source belongs to one."""
    return RandomSource.fixed(4)


def learned(budget: Budget) -> tuple[NoisyTable, ...]:
    learner = CalibratedLearner.within(SCHEMA, budget)
    return learner.learn(table(3000), Noise(seed().child()), seed().child()).answers


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("scale", [0.4, 1.0, 3.3, 40.0])
def test_an_interval_is_as_wide_as_the_law_asks_and_no_wider(law: Law, scale: float) -> None:
    places = np.arange(-2000, 2001)
    power = np.abs(places) / scale if law == "geometric" else places**2 / (2 * scale**2)
    weights = np.exp(-power)
    weights /= weights.sum()

    def outside(within: int) -> float:
        return math.fsum(weights[np.abs(places) > within])

    found = reach(law, scale)
    assert outside(found) <= FAILING + 1e-12
    assert found == 0 or outside(found - 1) > FAILING


def test_what_a_model_was_learned_from_lies_about_the_true_counts() -> None:
    found, rows = learned(Budget(5.0, 1e-6)), Rows.of(table(3000))
    assert {len(each.marginal) for each in found} == {1, 2}
    off = [np.abs(each.counts - rows.counts(each.marginal)) > each.within for each in found]
    shares = np.concatenate(off)
    assert (
        np.concatenate([each.counts != rows.counts(each.marginal) for each in found]).mean() > 0.0
    )
    assert shares.mean() <= 0.1
    for each in found:
        again = NoisyTable.of(each.arrays())
        assert (again.marginal, again.law, again.scale) == (each.marginal, each.law, each.scale)
        np.testing.assert_array_equal(again.counts, each.counts)


def test_without_noise_nothing_is_told() -> None:
    assert learned(Budget.unbounded()) == ()


def test_tables_that_are_changed_are_found() -> None:
    figures: dict[str, Any] = figures_of(learned(Budget(5.0)), SCHEMA)
    assert unlike(figures, SCHEMA) is None
    changes = (
        ("counts", [1]),
        ("counts", [0.5] * len(figures["tables"][0]["counts"])),
        ("shape", [99]),
        ("noise", "none"),
        ("noise_scale", 0.0),
        ("within", 0),
    )
    for name, value in changes:
        changed = copy.deepcopy(figures)
        changed["tables"][0][name] = value
        assert unlike(changed, SCHEMA) is not None, name
    changed = copy.deepcopy(figures)
    changed["tables"][0]["columns"] = ["no column"]
    with pytest.raises(ValueError, match="not in tuple"):
        unlike(changed, SCHEMA)


def test_a_table_of_further_levels_says_which_and_is_checked_by_them() -> None:
    schema = Schema(columns=(grouped((12, 6, 3)), grouped((4, 2), "other")))
    told = NoisyTable((View(0, 2), View(1, 1)), np.arange(6), "geometric", 2.0)
    assert NoisyTable.of(told.arrays()).marginal == told.marginal
    figures: dict[str, Any] = figures_of([told], schema)
    assert figures["tables"][0]["levels"] == [2, 1]
    assert unlike(figures, schema) is None
    for changed in ([1, 1], [0, 1], [2, 0]):
        figures["tables"][0]["levels"] = changed
        assert unlike(figures, schema) is not None
    usual = NoisyTable((View(0, 1), View(1)), np.arange(24), "geometric", 2.0)
    assert "levels" not in usual.as_figures(schema)
