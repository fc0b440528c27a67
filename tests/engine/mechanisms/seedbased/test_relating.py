"""To how many columns each can be related: what the plan's own forecast counts, and no record."""

from __future__ import annotations

import numpy as np

from tests.support import category_schema
from understudy.mechanisms.seedbased.foresight import count_related, predict_table, related_in
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import promise
from understudy.table.buckets import ByGroups, EachValue, Group

SCHEMA = category_schema(500, 4, 8, 3)
HALVES = ByGroups(
    groups=(Group(label="first", values=SCHEMA.columns[0].domain.texts[:250]),), rest="others"
)


def test_it_counts_the_pairs_that_the_forecast_of_the_plan_counts() -> None:
    plan = Plan.of(SCHEMA)
    made = promise(plan, SCHEMA)
    found = predict_table(plan, SCHEMA, made, 5000, plan.attempts)
    assert found is not None
    counts = np.isfinite(found.pairs).sum(axis=1) - 1
    assert count_related(plan, SCHEMA, made, 5000) == dict(zip(SCHEMA.names, counts, strict=True))


def test_a_long_list_is_related_to_more_once_it_is_grouped() -> None:
    plan = Plan.of(SCHEMA)
    choices = [SCHEMA.columns[0].with_buckets(each) for each in (EachValue(), HALVES)]
    found = related_in(plan, SCHEMA, promise(plan, SCHEMA), choices, 20_000)
    assert found is not None
    assert found[0] < found[1] == 3


def test_marginals_relate_nothing() -> None:
    plan = Plan.of(SCHEMA, model={"kind": "marginals"})
    found = count_related(plan, SCHEMA, promise(plan, SCHEMA))
    assert found is not None
    assert set(found.values()) == {0}
