"""The JSON Schema of published plans follows from the declaration of each plan."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest
from pydantic import Field

from tests.engine.mechanisms.opening import open_plan
from tests.support import category_schema
from understudy.mechanisms.plan import CONFIDENTIAL, TAG, MechanismPlan
from understudy.mechanisms.registry import mechanisms
from understudy.mechanisms.seedbased.plan import Plan
from understudy.report.plan_schema import describe_plan


def _errors(plan: type[MechanismPlan], published: dict[str, Any]) -> list[str]:
    schema, definitions = describe_plan(plan)
    checker = jsonschema.Draft202012Validator({**schema, "$defs": definitions})
    return [each.json_path for each in checker.iter_errors(published)]


@pytest.mark.parametrize("kind", sorted(mechanisms()))
def test_what_a_method_begins_with_is_valid(kind: str) -> None:
    method = mechanisms()[kind]
    published = open_plan(kind)[1].published()
    assert _errors(method.plan, published) == []
    assert _errors(method.plan, {**published, "unknown": 1}) == ["$"]
    assert _errors(method.plan, {**published, "domain": "x"}) == ["$.domain"]


@pytest.mark.parametrize("kind", sorted(mechanisms()))
def test_nothing_confidential_is_described(kind: str) -> None:
    schema, _ = describe_plan(mechanisms()[kind].plan)
    assert not CONFIDENTIAL & schema["properties"].keys()


class Rounded(MechanismPlan, what="the plan"):
    """A plan with one setting.

    Attributes:
        decimals: how many decimals
            are kept.
    """

    kind = "rounded"
    decimals: int = Field(default=2, ge=0, le=9)


def test_a_setting_is_described_where_it_is_declared() -> None:
    schema, _ = describe_plan(Rounded)
    assert schema["description"] == "A plan with one setting."
    assert schema["properties"]["decimals"] == {
        "type": "integer",
        "minimum": 0,
        "maximum": 9,
        "description": "how many decimals are kept.",
    }
    assert schema["required"] == [TAG, "domain"]


def test_a_statement_from_before_a_setting_stays_valid() -> None:
    plan = Plan.of(category_schema(2, 3, 4)).published()
    assert _errors(Plan, {name: plan[name] for name in ("domain", "omega")}) == []
    assert _errors(Plan, {"domain": plan["domain"]}) == ["$"]
