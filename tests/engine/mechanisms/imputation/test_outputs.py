"""Intervals that know of the prior hold the truth as often as they say; the published do not.
Intervals of means, through bounds that numbers were moved to or drawn within. What a plan takes a
table apart into, and what it refuses.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from understudy.core.refusal import Refusal
from understudy.mechanisms.imputation.draws import Sampler
from understudy.mechanisms.imputation.outputs import RowOrigin, of_mean, people_share
from understudy.mechanisms.imputation.parts import Histogram, Mean, parts
from understudy.mechanisms.imputation.plan import ImputationPlan
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.studies.imputation.coverage import RULES, simulate_coverage
from understudy.table.grid import Grid
from understudy.table.schema import Schema

OURS, NAIVE, PARTLY, FULLY = RULES
_OTHERS = pytest.mark.thorough("test_ours_hold_the_truth_as_often_as_they_say")


@pytest.mark.parametrize(
    ("truth", "cells", "alpha", "rows"),
    [
        (0.3, 2, 8.0, RowOrigin(1000, 1, 1000)),
        pytest.param(0.05, 6, 20.0, RowOrigin(1000, 1, 1000), marks=_OTHERS),
        (0.3, 2, 22.0, RowOrigin(1000, 1000, 1)),
        (0.1, 3, 23.0, RowOrigin(1000, None, 500)),
        pytest.param(0.1, 4, 15.0, RowOrigin(500, 5, 200), marks=_OTHERS),
        (0.6, 2, 15.0, RowOrigin(500, 5, 200)),
    ],
)
def test_ours_hold_the_truth_as_often_as_they_say(
    truth: float, cells: int, alpha: float, rows: RowOrigin
) -> None:
    found = simulate_coverage(truth, cells, alpha, rows, times=1500, seed=2)
    assert 0.935 <= found[OURS].held <= 0.975


def test_the_published_rules_fail_under_a_strong_prior() -> None:
    """Five tables of 1000 rows from 500 records, four cells of 30: the prior moves the centre."""
    found = simulate_coverage(0.02, 4, 30.0, RowOrigin(500, 5, 1000), times=400, seed=2)
    assert found[OURS].held >= 0.93
    assert max(found[rule].held for rule in (NAIVE, PARTLY, FULLY)) < 0.5


def test_the_interval_is_all_shares_that_do_not_differ_too_much() -> None:
    rows, made = RowOrigin(400, 3, 100), people_share(0.2, 3, 9.0, RowOrigin(400, 3, 100), 0.95)
    total = 400 + 27
    for p in (made.low, made.high):
        theta = (400 * p + 9) / total
        variance = 400 * p * (1 - p) / total**2
        variance += theta * (1 - theta) * (1 / (3 * (total + 1)) + total / (total + 1) / rows.total)
        assert abs(0.2 - theta) == pytest.approx(1.959964 * variance**0.5, rel=1e-6)
    assert made.low < made.estimate < made.high
    assert np.isfinite([made.low, made.high]).all()


@pytest.mark.parametrize("found", [0.0, 1.0])
def test_at_the_ends_it_stays_a_share(found: float) -> None:
    made = people_share(found, 2, 30.0, RowOrigin(100, 1, 50), 0.95)
    assert 0 <= made.low <= made.estimate <= made.high <= 1


TIMES = 1500
_INTERVALS_OTHERS = pytest.mark.thorough("test_they_hold_the_mean_as_often_as_they_say")


@pytest.mark.parametrize(
    "settings",
    [
        {"release": "rows-from-one-draw"},
        pytest.param({"release": "imputations"}, marks=_INTERVALS_OTHERS),
        {"release": "rows-from-mode", "prior_records": 100.0},
        pytest.param(
            {"release": "rows-from-own-draws", "conditioned": True}, marks=_INTERVALS_OTHERS
        ),
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


Planned = Callable[..., ImputationPlan]


def test_every_column_is_in_one_part_after_what_it_hangs_on(
    schema: Schema, planned: Planned
) -> None:
    found = parts(planned(given={"sex": ("town",)}), schema)
    town, sex, age, pay = found
    assert isinstance(town, Histogram)
    assert isinstance(sex, Histogram)
    assert (town.columns, town.count, town.groups) == ((1,), 4, 1)
    assert (sex.columns, sex.given, sex.groups) == ((0,), (1,), 4)
    assert isinstance(age, Mean)
    assert isinstance(pay, Mean)
    assert (age.steps, pay.steps) == (72, 200)
    assert pay.deviation == 30.0
    together = parts(
        planned(joint=(("sex", "town"),), columns=("sex", "town"), deviations={}), schema
    )
    assert [each.count for each in together if isinstance(each, Histogram)] == [8]


@pytest.mark.parametrize(
    ("settings", "said", "field"),
    [
        ({"columns": ("sex", "height")}, "“height”, which is no column", "columns"),
        ({"columns": ("sex", "sex"), "deviations": {}}, "named twice", "columns"),
        ({"joint": (("sex", "town"), ("town",))}, "“town” is named twice", "joint"),
        ({"joint": ((),)}, "names no column", "joint"),
        ({"joint": (("sex", "town"), ())}, "names no column", "joint"),
        ({"columns": ("sex", "town")}, "which is not released", "deviations"),
        ({"deviations": {"age": 12.0}}, "No deviation is declared for “pay”", "deviations"),
        ({"deviations": {"age": 12.0, "pay": 15.0, "sex": 1.0}}, "categories", "deviations"),
        ({"deviations": {"age": 0.0, "pay": 15.0}}, "not a positive number", "deviations"),
        ({"given": {"sex": ("town",), "town": ("sex",)}}, "in a circle", "given"),
        ({"given": {"sex": ()}}, "is empty", "given"),
        ({"given": {"sex": ("town",)}, "joint": (("sex",),)}, "also depends", "given"),
        ({"given": {"sex": ("age",)}}, "also counted together", "deviations"),
        ({"given": {"sex": ("town",)}, "release": "rows-from-own-draws"}, "one draw", "given"),
        ({"strength": 60.0, "joint": (("sex", "town"),)}, "would be the prior", "strength"),
        ({"strength": 1.23456789}, "decimals", "strength"),
    ],
)
def test_what_cannot_be_used_is_refused_in_words(
    settings: dict[str, Any], said: str, field: str, schema: Schema, planned: Planned
) -> None:
    with pytest.raises(Refusal, match=said) as refused:
        parts(planned(**settings), schema)
    assert refused.value.field == field
    assert refused.value.remedy


def test_a_mean_has_no_place_for_what_is_missing(schema: Schema, planned: Planned) -> None:
    holes = schema.replace(schema.column("age").changed(missing=True))
    with pytest.raises(Refusal, match="may be missing") as refused:
        parts(planned(), holes)
    assert refused.value.remedy


def test_a_column_of_one_value_is_left_out(schema: Schema, planned: Planned) -> None:
    only = Grid(minimum=Decimal(18), maximum=Decimal(18), step=Decimal(1))
    constant = schema.column("age").changed(domain=only)
    alone = schema.replace(constant)
    for deviations in ({"pay": 15.0}, {"age": 2.0, "pay": 15.0}):
        with pytest.raises(Refusal, match="one value only") as refused:
            parts(planned(deviations=deviations), alone)
        assert refused.value.remedy
