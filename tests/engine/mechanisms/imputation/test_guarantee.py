"""What plans promise, and which promise nothing. Planned priors and ranges keep to their target,
and nothing weaker does.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any, get_args

import numpy as np
import pytest

from understudy.core.refusal import Refusal
from understudy.mechanisms.imputation.accounting import Drawing, curve, exact, plan_epsilon
from understudy.mechanisms.imputation.curves.curve import (
    Gaussian,
    GaussianCurve,
    delta_at,
    epsilon_at,
)
from understudy.mechanisms.imputation.curves.drawn import _LAMBDAS, Cells, DrawAmounts, drawn_delta
from understudy.mechanisms.imputation.guarantee import guarantee
from understudy.mechanisms.imputation.parts import Histogram, parts
from understudy.mechanisms.imputation.plan import ROWS, ImputationPlan, ReleaseType
from understudy.mechanisms.imputation.spending import (
    WantedRelease,
    distortion,
    least_strength,
    splits,
    widest_range,
)
from understudy.privacy.budget import Budget, Neighbours
from understudy.table.schema import Schema

Planned = Callable[..., ImputationPlan]
RELEASES: tuple[ReleaseType, ...] = get_args(ReleaseType)


@pytest.mark.parametrize("release", RELEASES)
def test_every_release_promises_something_in_words(
    release: ReleaseType, schema: Schema, planned: Planned
) -> None:
    found = guarantee(planned(release=release), schema)
    assert found.neighbours is Neighbours.REPLACEMENTS
    assert found.total.bounded
    assert found.total.delta == (0.0 if release == "noised-mode" else 1e-6)
    assert len(found.parts) == 4
    assert "had any one record said something else" in found.statement
    assert "not been in the data" not in found.statement
    assert found.records_at_least == 400
    assert found.count == (0 if release not in ROWS else 150 if release == "imputations" else 50)


def test_one_column_costs_what_its_curve_says(schema: Schema, planned: Planned) -> None:
    alone: dict[str, Any] = {"columns": ("sex",), "deviations": {}}
    found = guarantee(planned(**alone), schema).record
    assert drawn_delta(Cells(2, 4.0, 400), DrawAmounts(1, 50), found.epsilon) <= 1e-6
    assert drawn_delta(Cells(2, 4.0, 400), DrawAmounts(1, 50), 0.999 * found.epsilon) > 1e-6
    numbers: dict[str, Any] = {"columns": ("age",), "deviations": {"age": 12.0}}
    mean = guarantee(planned(**numbers, release="posterior-draw"), schema).record
    ratio = Gaussian(36.0, 12.0, 1.0, 400).compute_mu(1, math.inf)
    assert delta_at(GaussianCurve(ratio), mean.epsilon) == pytest.approx(1e-6, rel=1e-3)


@pytest.mark.parametrize("release", ["rows-from-own-draws", "noised-mode"])
@pytest.mark.parametrize("conditioned", [False, True])
def test_each_part_says_what_it_is_made_of_and_what_it_costs_alone(
    release: ReleaseType, conditioned: bool, schema: Schema, planned: Planned
) -> None:
    given = {"sex": ("town",)} if release == "noised-mode" else {}
    plan = planned(release=release, conditioned=conditioned, strength=3.0, given=given)
    for part, told in zip(parts(plan, schema), guarantee(plan, schema).parts, strict=True):
        if isinstance(part, Histogram):
            cells = part.count * part.groups
            assert told.native == {
                "cells": cells,
                "alpha": 3.0,
                "shrinkage": pytest.approx(part.mass / (part.mass + plan.records)),
            }
            continue
        figures = dict(told.native)
        ratio = figures.pop("mu", None)
        assert (ratio is None) == (conditioned or release == "noised-mode")
        model = part.model
        assert figures == {
            "radius_over_sigma": pytest.approx(model.radius / part.deviation),
            "shrinkage": pytest.approx(1 - model.weight),
        }
    if release != "noised-mode":
        alone = guarantee(planned(columns=("sex",), deviations={}, release=release), schema)
        assert [part.cost for part in alone.parts] == [alone.record]


def test_figures_of_the_worst_table_are_told_from_those_that_are_never_below_it(
    schema: Schema, planned: Planned
) -> None:
    plan = planned(columns=("town", "pay"), deviations={"pay": 15.0})
    drawing = Drawing.of(plan)
    town, pay = parts(plan, schema)
    assert isinstance(town, Histogram)
    hangs = replace(town, given=(0,), given_sizes=(2,))
    assert exact(drawing, [town, pay])
    assert not exact(drawing, [hangs, pay])
    assert not exact(drawing, [replace(town, sizes=(2,)), pay])
    assert not exact(Drawing.of(planned(conditioned=True)), [town, pay])
    assert [exact(drawing, [each]) for each in (town, hangs, pay)] == [True, False, False]


def test_together_they_cost_more_than_each_and_less_than_the_sum(
    schema: Schema, planned: Planned
) -> None:
    for release in ("rows-from-one-draw", "imputations"):
        found = guarantee(planned(release=release), schema)
        alone = [part.cost.epsilon for part in found.parts]
        assert max(alone) < found.record.epsilon < sum(alone)


def test_more_rows_cost_more_and_never_more_than_the_parameter(
    schema: Schema, planned: Planned
) -> None:
    costs = [guarantee(planned(rows=rows), schema).record.epsilon for rows in (10, 100, 1000)]
    whole = guarantee(planned(release="posterior-draw"), schema).record.epsilon
    assert sorted(costs) == costs
    assert costs[-1] < whole


def test_records_drawn_at_random_cost_less(schema: Schema, planned: Planned) -> None:
    part = guarantee(planned(used=200, strength=3.0), schema).record
    plan = planned(records=200, strength=3.0, delta=2e-6)
    whole = guarantee(plan, schema).record
    assert part.epsilon == pytest.approx(math.log1p(0.5 * math.expm1(whole.epsilon)), rel=1e-6)


def test_several_records_of_one_person_cost_more(schema: Schema, planned: Planned) -> None:
    found = guarantee(planned(records_per_person=3, strength=20.0), schema)
    assert found.total.epsilon == pytest.approx(3 * found.record.epsilon)
    assert found.total.delta <= 1e-6 * (1 + 1e-6)


@pytest.mark.parametrize("records", [1, 2])
def test_without_a_delta(records: int, schema: Schema, planned: Planned) -> None:
    rows = planned(
        delta=0.0,
        release="rows-from-own-draws",
        conditioned=True,
        rows=20,
        strength=40.0,
        records_per_person=records,
    )
    made = guarantee(rows, schema)
    found = made.record
    assert found.delta == 0.0
    assert made.total == Budget(records * found.epsilon)
    assert found.epsilon == pytest.approx(
        math.fsum(part.cost.epsilon for part in guarantee(rows, schema).parts)
    )


@pytest.mark.parametrize(
    ("settings", "said", "field"),
    [
        ({"delta": 0.0025}, "no less than one in 400", "delta"),
        ({"delta": 0.0, "release": "posterior-draw"}, "no ε holds", "delta"),
        ({"delta": 0.0}, "no ε holds", "delta"),
        ({"strength": 1.0, "release": "rows-from-mode"}, "strength above 1", "strength"),
        ({"used": 401}, "More records", "used"),
        ({"domain": "another"}, "another schema", "domain"),
        (
            {"conditioned": True, "deviations": {"age": 900.0, "pay": 15.0}},
            "small part",
            "conditioned",
        ),
    ],
)
def test_what_promises_nothing_is_refused(
    settings: dict[str, Any], said: str, field: str, schema: Schema, planned: Planned
) -> None:
    with pytest.raises(Refusal, match=said) as refused:
        guarantee(planned(**settings), schema)
    assert refused.value.field == field
    assert refused.value.remedy


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"release": "imputations"},
        {"release": "posterior-draw"},
        {"release": "rows-from-mode"},
        {"release": "rows-from-own-draws", "conditioned": True},
        {"columns": ("sex", "town"), "deviations": {}, "given": {"sex": ("town",)}},
    ],
)
def test_a_delta_that_convolutions_do_not_tell_from_nothing(
    settings: dict[str, Any], schema: Schema, planned: Planned
) -> None:
    """By moments: never below what a larger δ costs, and not far above it."""
    found = [
        guarantee(planned(**settings, delta=delta, strength=20.0), schema).record.epsilon
        for delta in (1e-10, 2e-11, 5e-12, 1e-15, 1e-30)
    ]
    assert found == sorted(found)
    assert found[2] < 1.12 * found[1]


def test_columns_that_hang_on_others_cost_the_universal_pair(
    schema: Schema, planned: Planned
) -> None:
    settings: dict[str, Any] = {
        "columns": ("sex", "town"), "deviations": {}, "given": {"sex": ("town",)}, "strength": 20.0,
    }  # fmt: skip
    found = guarantee(planned(**settings), schema)
    alone = dict(zip((part.of for part in found.parts), found.parts, strict=True))
    universal = guarantee(
        planned(columns=("town",), deviations={}, release="posterior-draw", strength=20.0), schema
    )
    assert alone["sex"].cost.epsilon == pytest.approx(universal.record.epsilon)
    assert alone["town"].cost.epsilon < universal.record.epsilon


def test_what_gives_a_record_away_all_but_for_certain_is_refused(
    schema: Schema, planned: Planned
) -> None:
    tiny = planned(deviations={"age": 1e-3, "pay": 15.0})
    with pytest.raises(Refusal, match="may give any one record away"):
        guarantee(tiny, schema)


def test_a_delta_next_to_nothing_is_refused_and_none_at_all_is_not(
    schema: Schema, planned: Planned
) -> None:
    alone: dict[str, Any] = {"columns": ("sex",), "deviations": {}}
    for tiny in (5e-324, 1e-40):
        with pytest.raises(Refusal, match="told from 0") as refused:
            guarantee(planned(delta=tiny, **alone), schema)
        assert refused.value.field == "delta"
    for enough in (0.0, 1e-30):
        assert guarantee(planned(delta=enough, **alone), schema).total.bounded


def test_more_rows_than_are_drawn_at_once_are_refused(schema: Schema, planned: Planned) -> None:
    many = planned(release="imputations", rows=1_000_000, tables=50, strength=40.0)
    with pytest.raises(Refusal, match="200,000,000 values") as refused:
        guarantee(many, schema)
    assert refused.value.field == "rows"


@pytest.mark.parametrize("small", [1e-15, 1e-13, 9e-12])
def test_a_delta_too_small_for_losses_has_the_epsilon_of_moments_at_that_very_delta(
    small: float, schema: Schema, planned: Planned
) -> None:
    plan = planned(columns=("sex", "age"), deviations={"age": 12.0}, release="posterior-draw")
    drawing, made = Drawing.of(plan), parts(plan, schema)
    logs = np.sum([drawing.moments(part) for part in made], axis=0)
    orders = np.asarray(_LAMBDAS)
    # Canonne, Kamath and Steinke 2020, Proposition 12.
    told = logs - math.log(small) - np.log(orders)
    expected = float(np.min(told / (orders - 1) + np.log1p(-1 / orders)))
    found = plan_epsilon(drawing, made, small)
    assert found == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(
    ("records", "drawing"),
    [
        (5, Drawing("rows-from-one-draw", rows=5)),
        (12, Drawing("rows-from-own-draws", rows=10)),
    ],
    ids=lambda each: getattr(each, "release", None),
)
def test_two_categories_cost_what_their_worst_table_costs_at_that_very_delta(
    records: int, drawing: Drawing
) -> None:
    """At four times this δ, another table is the worst one: of no less than 5 % less ε at this."""
    part, at = Histogram((0,), (), (2,), (), Fraction(10), records), 1e-3
    tables = [drawing.drawn.between(*part.cells.pair(n)) for n in range(1, records + 1)]
    costs = [epsilon_at(each, at) for each in tables]
    elsewhere = [epsilon_at(each, 4 * at) for each in tables]
    assert costs[int(np.argmax(elsewhere))] < 0.95 * max(costs)
    assert plan_epsilon(drawing, [part], at) == pytest.approx(max(costs), rel=1e-6)
    assert epsilon_at(curve(drawing, [part], at), at) == pytest.approx(max(costs), rel=1e-6)


@pytest.mark.parametrize("used", [400, 200])
def test_a_noised_mode_costs_the_epsilon_of_its_noise(
    used: int, schema: Schema, planned: Planned
) -> None:
    plan = planned(release="noised-mode", used=used)
    found = guarantee(plan, schema)
    assert found.record == Budget(math.log1p(used / 400 * math.expm1(plan.epsilon)))
    assert {part.cost for part in found.parts} == {Budget(plan.epsilon)}


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
