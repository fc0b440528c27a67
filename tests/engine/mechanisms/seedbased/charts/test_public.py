"""How near a plan will come, as a picture that packets hold."""

from __future__ import annotations

from tests.support import category_schema
from understudy.charts.public import public_pictures
from understudy.mechanisms.registry import plan_run
from understudy.mechanisms.seedbased.plan import ModelPlan
from understudy.mechanisms.seedbased.proposal import Wanted, whole_table

SCHEMA = category_schema(900, 8, 5, 12, 4)
PLAN = whole_table(SCHEMA, Wanted(epsilon=1.0, records=10_000)).plan


def test_columns_stand_worst_first_and_what_is_lost_is_named() -> None:
    (picture,) = public_pictures(plan_run(PLAN, SCHEMA))
    assert picture.table["Column"].tolist()[0] == "c0"
    together = picture.table["Expected together (%)"].tolist()
    assert together == sorted(together, reverse=True)
    assert "“c0” will be unrelated to every other column" in picture.said
    picture.export()
    assert picture.foresees
    assert "“c0” will be unrelated" in picture.in_short


def test_a_model_of_columns_alone_says_so() -> None:
    plan = PLAN.change(SCHEMA, model=ModelPlan(kind="marginals", epsilon=1.0))
    (picture,) = public_pictures(plan_run(plan, SCHEMA))
    assert "relations between columns are lost" in picture.said
    assert "unrelated" not in picture.said


def test_where_nobody_said_how_many_records_are_public_there_is_none() -> None:
    plan = PLAN.change(SCHEMA, public_records=None)
    assert public_pictures(plan_run(plan, SCHEMA)) == ()
