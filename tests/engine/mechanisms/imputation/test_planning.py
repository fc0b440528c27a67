"""Planned priors and ranges keep to their target, and nothing weaker does."""

from __future__ import annotations

import pytest

from understudy.core.refusal import Refusal
from understudy.mechanisms.imputation.spending import (
    WantedRelease,
    distortion,
    least_strength,
    splits,
    widest_range,
)
from understudy.privacy.budget import Budget

TARGET = Budget(1.0, 1e-6)


@pytest.mark.parametrize(
    "release",
    [
        "posterior-draw",
        "rows-from-mode",
        "rows-from-one-draw",
        "rows-from-own-draws",
        "imputations",
    ],
)
def test_the_least_prior_and_none_below(release: str) -> None:
    wanted = WantedRelease(release, 4, 1000, 200, 5)  # type: ignore[arg-type]
    alpha = least_strength(wanted, TARGET)
    assert wanted.epsilon(alpha, 1e-6) <= 1.0
    assert wanted.epsilon(0.98 * alpha, 1e-6) > 1.0


def test_what_one_draw_saves() -> None:
    """n = m = 1000, ε = 1, δ = 1e-6."""
    found = [
        least_strength(WantedRelease(release, 2, 1000, 1000), TARGET)
        for release in ("rows-from-one-draw", "rows-from-own-draws", "rows-from-mode")
    ]
    assert found == pytest.approx([7.58, 22.1, 23.1], rel=0.01)


def test_no_prior_is_strong_enough_for_a_parameter_without_a_delta() -> None:
    with pytest.raises(Refusal, match="No prior"):
        least_strength(WantedRelease("posterior-draw", 3, 1000, 1000), Budget(1.0))


def test_what_a_prior_distorts() -> None:
    wanted = WantedRelease("rows-from-one-draw", 4, 1000, 1000)
    found = distortion(wanted, 25.0, 0.05)
    assert found.shrinkage == pytest.approx(100 / 1100)
    assert found.bias == pytest.approx(75 / 1100 - 0.05)
    assert found.error > abs(found.bias)
    assert distortion(wanted, 100.0, 0.05).half_width > found.half_width


def test_ranges_as_published() -> None:
    mean = widest_range("posterior-draw", 1000, 1, 1, 1e-12, TARGET)
    one = widest_range("rows-from-one-draw", 1000, 1000, 1, 1e-12, TARGET)
    assert (mean, one) == pytest.approx((3.743, 5.293), abs=1e-3)


def test_more_tables_ask_for_a_stronger_prior() -> None:
    found = splits(4, 1000, 1000, TARGET, 0.3, (1, 2, 5, 10))
    assert [each.rows for each in found] == [1000, 500, 200, 100]
    strengths = [each.alpha for each in found]
    assert strengths == sorted(strengths)
