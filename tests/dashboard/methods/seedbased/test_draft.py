"""Settings as widgets hold them, and the plan they make."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from understudy.acceptance.statistics import AcceptanceTest, MeanOf
from understudy.core.refusal import Refusal
from understudy.mechanisms.seedbased.plan import ModelPlan, Plan
from understudy.models.omega import Omega
from understudy.privacy.plausibility.privacy_test import PlausibleDeniability, RelativeSensitivity
from understudy.table.schema import Schema
from understudy.table.split import Shares
from understudy_dashboard.methods.seedbased.method_settings import plan_choice
from understudy_dashboard.methods.seedbased.planner import Draft
from understudy_dashboard.session import Session


def test_a_plan_survives_being_drafted(schema: Schema) -> None:
    plan = Plan.of(
        schema,
        test=PlausibleDeniability(k=33, gamma=2.5, epsilon0=0.3),
        omega=Omega(low=1, high=2, reading="announced"),
        attempts=123,
        delta=1e-7,
        seeds_at_least=500,
        t=9,
        model=ModelPlan(kind="marginals", epsilon=0.7, estimate="sampled"),
        shares=Shares(seeds=0.4, structure=0.2, parameters=0.2, held_out=0.2),
        sampling=0.05,
        policies={"age": "clip"},
        acceptance=AcceptanceTest(epsilon=0.5, statistics=(MeanOf(column="age", limit=3.0),)),
    )
    assert Draft.of_plan(plan).plan(schema, dict(plan.policies)) == plan


def test_a_plan_that_hides_its_attempts_survives_being_drafted(schema: Schema) -> None:
    plan = Plan.of(
        schema,
        test=RelativeSensitivity(k=33, epsilon0=0.3),
        omega=Omega(low=2, high=2),
        protocol="releases",
        pass_floor=0.25,
        records_per_person=3,
        attempts=123,
    )
    assert Draft.of_plan(plan).plan(schema, {}) == plan


def test_a_number_that_only_one_choice_has_is_kept_for_it(schema: Schema) -> None:
    draft = Draft.of_plan(Plan.of(schema, test=PlausibleDeniability(k=9, gamma=2.5, epsilon0=1.0)))
    draft.test = "relative-sensitivity"
    assert not hasattr(draft.plan(schema, {}).test, "gamma")
    draft.test = "plausible-deniability"
    assert draft.plan(schema, {}).test == PlausibleDeniability(k=9, gamma=2.5, epsilon0=1.0)
    draft.pass_floor = 0.7
    assert draft.plan(schema, {}).pass_floor is None


def test_a_plan_without_noise_survives_being_drafted(schema: Schema) -> None:
    plan = Plan.of(
        schema,
        test=PlausibleDeniability(k=33, gamma=2.5, epsilon0=None),
        omega=Omega(low=2, high=2),
        model=ModelPlan(epsilon=None),
    )
    assert Draft.of_plan(plan).plan(schema, {}) == plan


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"k": 0}, "k"),
        ({"k": 61}, "k"),
        ({"gamma": 1.0}, "gamma"),
        ({"epsilon0": 0.0}, "epsilon0"),
        ({"epsilon0": -1.0}, "epsilon0"),
        ({"omega_high": 4}, "omega"),
        ({"omega_low": 3, "omega_high": 1}, "omega"),
        ({"omega_low": -1}, "omega"),
        ({"attempts": 0}, "attempts"),
        ({"delta": 1 / 60}, "delta"),
        ({"delta": 0.0}, "delta"),
        ({"seeds_at_least": 0}, "seeds_at_least"),
        ({"t_by_hand": True, "t": 20}, "t"),
        ({"model_epsilon": 0.0}, "model_epsilon"),
        ({"seeds": 0.9}, "shares"),
        ({"protocol": "releases", "pass_floor": 0.0}, "pass_floor"),
        ({"protocol": "releases", "reading": "announced"}, "reading"),
        ({"records_per_person": 0}, "records_per_person"),
        ({"sampled": True, "sampling": 0.0}, "sampling"),
    ],
)
def test_what_cannot_be_used_is_refused_at_its_field(
    sessions: Callable[..., Session], settings: dict[str, Any], field: str
) -> None:
    session = sessions()
    for name, value in settings.items():
        setattr(plan_choice(session).draft, name, value)
    with pytest.raises(Refusal) as caught:
        plan_choice(session).promise()
    assert caught.value.field == field


def test_a_switched_off_setting_is_not_looked_at(session: Session) -> None:
    plan_choice(session).draft.deterministic, plan_choice(session).draft.epsilon0 = True, -1.0
    plan_choice(session).draft.t = 10**6
    assert session.settings.plan().test.epsilon0 is None
    assert session.settings.plan().t is None
