"""What holds for every chart holds for those of seedbased synthesis."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.engine.charts.rules import RULES, Spec
from understudy.mechanisms.seedbased.charts.bounds import bounds_against_t, low_scores
from understudy.mechanisms.seedbased.charts.triangle import triangle
from understudy.mechanisms.seedbased.evaluation.bounds import bounds, place
from understudy.mechanisms.seedbased.evaluation.pass_rate import ScoreSample
from understudy.models.omega import Omega
from understudy.privacy.plausibility.privacy_test import PlausibleDeniability

TEST = PlausibleDeniability(k=50, gamma=4, epsilon0=1.0)
SCORES = ScoreSample(Omega(low=1, high=1), np.full(300, 60), np.zeros(300, dtype=bool))
BOUNDED = bounds(SCORES, TEST)
CHARTS: dict[str, Callable[[], Any]] = {
    "low scores": lambda: low_scores(BOUNDED, 50),
    "bounds": lambda: bounds_against_t(BOUNDED, 50),
    "triangle": lambda: triangle(place(BOUNDED, TEST, True, 1.05)),
}
"""What draws each chart."""


@cache
def spec(name: str) -> Spec:
    """The specification of a chart, drawn when first asked for."""
    drawn: Spec = CHARTS[name]().to_dict()
    return drawn


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("name", CHARTS)
def test_every_chart(name: str, rule: Callable[[Spec], None]) -> None:
    rule(spec(name))
