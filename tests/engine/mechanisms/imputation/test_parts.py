"""What a plan takes a table apart into, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from understudy.core.refusal import Refusal
from understudy.mechanisms.imputation.parts import Histogram, Mean, parts
from understudy.mechanisms.imputation.plan import ImputationPlan
from understudy.table.grid import Grid
from understudy.table.schema import Schema

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
