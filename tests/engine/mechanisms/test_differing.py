"""In which settings plans differ."""

from __future__ import annotations

from collections.abc import Sequence

from understudy.mechanisms.plan import Differing, MechanismPlan, list_settings
from understudy.mechanisms.seedbased.plan import Plan
from understudy.models.omega import Omega
from understudy.privacy.plausibility.privacy_test import PlausibleDeniability, RelativeSensitivity
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.schema import Schema

SCHEMA = Schema(
    columns=tuple(Column(name=name, domain=Categories(values=("x", "y"))) for name in "abc")
)
PLAN = Plan.of(SCHEMA, test=PlausibleDeniability(k=50, gamma=4.0, epsilon0=1.0))


def differing(plans: Sequence[MechanismPlan]) -> tuple[Differing, ...]:
    return tuple(each for each in list_settings(plans) if not each.alike)


def test_equal_plans_differ_in_nothing() -> None:
    assert differing([PLAN, PLAN, PLAN]) == ()
    assert differing([]) == ()


def test_settings_are_named_as_in_the_file_with_a_value_for_each_plan() -> None:
    other = PLAN.change(SCHEMA, attempts=7, omega=Omega(low=1, high=3))
    found = differing([PLAN, other, PLAN])
    assert found == (
        Differing("omega.low", (2, 1, 2)),
        Differing("attempts", (5000, 7, 5000)),
    )


def test_a_setting_that_a_plan_has_not_is_none_there() -> None:
    other = PLAN.change(SCHEMA, test=RelativeSensitivity(k=50, epsilon0=1.0))
    found = {each.setting: each.values for each in differing([PLAN, other])}
    assert found["test.gamma"] == (4.0, None)
    assert found["test.kind"] == ("plausible-deniability", "relative-sensitivity")
