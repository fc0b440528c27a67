"""Which methods there are, and a plan of any of them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.models.mobility import town
from tests.installed_mechanism.noisy_histogram import HistogramPlan
from tests.support import category_schema
from understudy.core.refusal import Refusal
from understudy.mechanisms import registry
from understudy.mechanisms.companions import companion
from understudy.mechanisms.registry import (
    mechanisms,
    method_named,
    opening_plan,
    plan_from_json,
    plan_run,
)
from understudy.privacy.plausibility.privacy_test import PrivacyTest
from understudy.table.schema import Schema

SCHEMA = category_schema(3, 4)


def taken(kind: str) -> Schema:
    """Columns that a method takes."""
    of_its_own = {
        "traces": town.schema(),
        "plausible-traces": town.schema(),
        "latent": category_schema(2, 2, 2),
    }
    return of_its_own.get(kind, SCHEMA)


@pytest.mark.usefixtures("installed")
def test_every_method_makes_an_opening_plan_that_promises_something_and_is_a_file() -> None:
    assert "noisy-histogram" in mechanisms()
    for kind, mechanism in mechanisms().items():
        schema = taken(kind)
        plan = opening_plan(kind, schema)
        assert plan_run(plan, schema).guarantee.total.bounded, kind
        assert plan_from_json(plan.to_json()) == plan
        assert mechanism.title
        assert mechanism.purpose
        assert mechanism.accepted_columns


@pytest.mark.usefixtures("installed")
def test_the_fields_of_every_method_lead_into_its_plan() -> None:
    for kind, mechanism in mechanisms().items():
        settings = set(opening_plan(kind, taken(kind)).as_dict()) - {"mechanism", "domain"}
        led = {place.path.split(".")[0] for each in mechanism.fields for place in each.places}
        assert settings - set(mechanism.fields.derived) <= led, kind


def test_what_is_given_changes_itself_alone() -> None:
    usual: Any = opening_plan("scored", SCHEMA)
    plan: Any = opening_plan("scored", SCHEMA, {"attempts": 7, "test": {"k": 60}})
    assert (plan.attempts, plan.delta) == (7, usual.delta)
    test: PrivacyTest = plan.test
    assert (test.k, test.epsilon0) == (60, usual.test.epsilon0)


def test_what_is_given_of_another_kind_takes_nothing_over() -> None:
    test = {"kind": "relative-sensitivity", "k": 60, "epsilon0": 1.0}
    plan: Any = opening_plan("scored", SCHEMA, {"test": test})
    assert plan.test.kind == "relative-sensitivity"
    with pytest.raises(Refusal, match="k"):
        opening_plan("scored", SCHEMA, {"test": {"kind": "relative-sensitivity"}})


def test_a_setting_that_is_unknown_is_refused() -> None:
    with pytest.raises(Refusal, match="heat"):
        opening_plan("scored", SCHEMA, {"heat": 1})


def test_a_method_that_is_not_installed_is_refused_by_name() -> None:
    with pytest.raises(Refusal, match="sorcery"):
        method_named("sorcery")


@pytest.mark.usefixtures("installed")
def test_a_schema_that_a_method_cannot_be_used_with_is_refused_before_anything_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plan = opening_plan("noisy-histogram", SCHEMA)

    def refuse(self: object, schema: Schema) -> None:
        raise Refusal("It takes three columns.", "Bring one more.")

    monkeypatch.setattr(type(method_named("noisy-histogram")), "check_schema", refuse)
    with pytest.raises(Refusal, match="three columns"):
        plan_run(plan, SCHEMA)
    with pytest.raises(Refusal, match="three columns"):
        opening_plan("noisy-histogram", SCHEMA)


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"domain": "0" * 64}, "another schema"),
        ({"policies": {"nothing": "refuse"}}, "“nothing”, which is no column"),
    ],
)
def test_no_method_takes_a_plan_that_was_made_for_another_schema(
    changed: dict[str, Any], said: str
) -> None:
    """Nor does one of another package, which need not look at it."""
    for kind in mechanisms():
        schema = taken(kind)
        plan = registry.plan_of(
            {"mechanism": kind, **opening_plan(kind, schema).as_dict(), **changed}
        )
        with pytest.raises(Refusal, match=said) as refused:
            plan_run(plan, schema)
        assert refused.value.field == next(iter(changed)), kind


def test_a_planned_run_carries_its_method() -> None:
    for kind, mechanism in mechanisms().items():
        schema = taken(kind)
        assert plan_run(opening_plan(kind, schema), schema).mechanism is mechanism


def test_an_account_of_another_method_is_handed_to_none() -> None:
    found = plan_run(opening_plan("scored", SCHEMA), SCHEMA)
    with pytest.raises(TypeError, match="another method"):
        found.guarantee.account_as(HistogramPlan)


@pytest.mark.usefixtures("installed")
def test_the_word_of_another_package_is_repeated_as_such() -> None:
    plan = HistogramPlan(domain=SCHEMA.fingerprint, column="c0")
    said = plan_run(plan, SCHEMA).guarantee.scope.assumes[-1]
    assert "not this program's promise" in said
    assert not any(
        "another package" in each
        for each in plan_run(opening_plan("scored", SCHEMA), SCHEMA).guarantee.scope.assumes
    )


def test_a_plan_without_a_tag_is_of_the_first_method_there_was() -> None:
    settings = opening_plan("seedbased", SCHEMA).as_dict()
    assert "mechanism" not in settings
    assert registry.plan_of(settings).kind == "seedbased"


def test_what_a_method_brings_is_found_by_name_and_nothing_else_is() -> None:
    mechanism = method_named("seedbased")
    assert companion(mechanism, "plan").__name__.endswith("seedbased.plan")  # type: ignore[union-attr]
    assert companion(mechanism, "no.such.module") is None
    assert companion(method_named("scored"), "report.papers") is None
