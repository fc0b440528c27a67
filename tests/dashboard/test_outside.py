"""A plan for an outside model on the Privacy page."""

from __future__ import annotations

from dashboard.draft import Draft
from engine.models.omega import Omega
from engine.models.outside.claim import Claim
from engine.synthesis.plan import ModelPlan, Plan
from tests.support import category_schema

SCHEMA = category_schema(3, 4, 2, 5)
CLAIM = Claim(name="toy", source="The authors of the toy", covers="One record, added or removed.")
MODEL = ModelPlan(kind="outside", epsilon=0.75, outside=CLAIM)


def test_the_page_keeps_it_while_it_is_chosen() -> None:
    plan = Plan.of(SCHEMA, model=MODEL, omega=Omega(low=4, high=4))
    draft = Draft.of(plan)
    assert draft.plan(SCHEMA, {}) == plan
    draft.kind = "calibrated"
    assert draft.plan(SCHEMA, {}).model == ModelPlan(epsilon=0.75)
