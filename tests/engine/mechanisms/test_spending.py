"""From what may be spent on a person to a plan that spends it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support import category_schema
from understudy.charts.public import public_pictures
from understudy.core.refusal import Refusal
from understudy.mechanisms.registry import opening_plan, plan_run
from understudy.mechanisms.scored.plan import ScoredPlan
from understudy.mechanisms.spending import by_budget, follows, list_budgeted, spend

SCHEMA = category_schema(2, 2, 2).declare_public()
_SETTINGS: dict[str, dict[str, Any]] = {
    "imputation": {"records": 20_000, "rows": 100},
    "latent": {"public_records": 20_000},
    "pmse": {"public_records": 200_000},
    "scored": {"public_records": 200_000, "attempts": 10},
}


@pytest.mark.parametrize(
    ("kind", "epsilon", "records"),
    [
        *((kind, epsilon, 1) for kind in _SETTINGS for epsilon in (0.5, 1.7, 5.0)),
        *((kind, 5.0, 3) for kind in ("latent", "pmse", "scored")),
    ],
)
def test_a_plan_spends_what_may_be_spent_on_a_person_and_no_more(
    kind: str, epsilon: float, records: int
) -> None:
    plan = opening_plan(kind, SCHEMA, {**_SETTINGS[kind], "records_per_person": records})
    try:
        found = plan_run(spend(plan, SCHEMA, epsilon), SCHEMA)
    except Refusal:
        # A method may have nothing for so little, and says so; never for one record at much.
        assert records > 1 or epsilon < 1.5
        return
    assert by_budget(kind)
    assert follows(found)
    assert 0.9 * epsilon < found.guarantee.total.epsilon <= epsilon * (1 + 1e-9)
    changed = {name for name, each in found.plan.as_dict().items() if each != plan.as_dict()[name]}
    assert changed <= {name.split(".")[0] for name in list_budgeted(plan)}


@pytest.mark.parametrize("epsilon", [0.0, -1.0, 1e9, float("nan")])
def test_what_is_no_budget_is_refused_beside_it(epsilon: float) -> None:
    with pytest.raises(Refusal) as refused:
        spend(opening_plan("latent", SCHEMA), SCHEMA, epsilon)
    assert refused.value.field == "epsilon"


def test_noise_on_parameters_follows_where_some_records_are_used() -> None:
    given = {"records": 20_000, "used": 5_000, "release": "noised-mode"}
    plan = spend(opening_plan("imputation", SCHEMA, given), SCHEMA, 2.0)
    assert plan_run(plan, SCHEMA).guarantee.total.epsilon == pytest.approx(2.0)


def test_the_less_is_spent_the_more_others_a_row_has_to_be_like() -> None:
    plan = opening_plan("scored", SCHEMA, {"public_records": 200_000})
    (found,) = public_pictures(plan_run(plan, SCHEMA))
    needed = found.table["Needed for each row"]
    assert needed.is_monotonic_decreasing
    at = found.table.set_index("ε").loc[1.0, "Needed for each row"]
    other = spend(plan, SCHEMA, 1.0)
    assert isinstance(other, ScoredPlan)
    assert at == other.test.k
    assert found.figure.to_dict()["layer"]
