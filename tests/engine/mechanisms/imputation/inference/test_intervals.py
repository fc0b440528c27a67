"""Intervals of means, through bounds that numbers were moved to or drawn within."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from understudy.mechanisms.imputation.drawing import Sampler
from understudy.mechanisms.imputation.outputs import of_mean
from understudy.mechanisms.imputation.parts import Mean, parts
from understudy.mechanisms.imputation.plan import ImputationPlan
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.table.schema import Schema

TIMES = 1500
_OTHERS = pytest.mark.thorough("test_they_hold_the_mean_as_often_as_they_say")


@pytest.mark.parametrize(
    "settings",
    [
        {"release": "rows-from-one-draw"},
        pytest.param({"release": "imputations"}, marks=_OTHERS),
        {"release": "rows-from-mode", "prior_records": 100.0},
        pytest.param({"release": "rows-from-own-draws", "conditioned": True}, marks=_OTHERS),
    ],
)
def test_they_hold_the_mean_as_often_as_they_say(
    settings: dict[str, Any], schema: Schema, planned: Callable[..., ImputationPlan]
) -> None:
    """People are Gaussian around 44 with σ = 12 between 18 and 90, so some rows meet the bound."""
    plan = planned(columns=("age",), deviations={"age": 12.0}, rows=200, **settings)
    part = parts(plan, schema)[0]
    assert isinstance(part, Mean)
    random, source, held = np.random.default_rng(5), RandomSource.fixed(9), 0
    for _ in range(TIMES):
        people = np.rint(random.normal(26, 12, 400)).astype(np.int64)
        sampler = Sampler(plan, (part,), source, Noise(source))
        places = np.zeros((400, 4), dtype=np.int64)
        places[:, 2] = people
        rows = np.concatenate(list(sampler.tables(places)))[:, 2]
        found = of_mean(plan, part, rows, "age")["mean"]
        held += found["low"] <= 44.0 <= found["high"]
    assert 0.935 <= held / TIMES <= 0.975
