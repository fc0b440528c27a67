"""Sentences about what a plan promises."""

from __future__ import annotations

import math
from typing import Any

from understudy.mechanisms.seedbased.plan import ModelPlan, Plan
from understudy.mechanisms.seedbased.promise import Promise, promise
from understudy.mechanisms.seedbased.proposal import shares_for
from understudy.models.omega import Omega
from understudy.privacy.budget import Budget
from understudy.table.schema import Schema
from understudy_dashboard import words
from understudy_dashboard.methods.seedbased import words as own

NBSP = "\N{NO-BREAK SPACE}"


def large(made: Promise) -> str | None:
    return words.warn_large(made.total, own.advise(made))


def test_a_large_total_is_called_so_and_advised_on(schema: Schema) -> None:
    plan = Plan.of(schema, attempts=10_000)
    said = large(promise(plan, schema))
    assert said is not None
    assert "fewer attempts" in said
    assert "seedless" in said


def test_a_large_model_is_advised_on_as_such(schema: Schema) -> None:
    seedless, seeded = Omega(low=3, high=3), Omega(low=1, high=1)
    for omega in (seedless, seeded):
        plan = Plan.of(schema, omega=omega, attempts=1, model=ModelPlan(epsilon=50.0))
        said = large(promise(plan, schema))
        assert said is not None
        assert "model a smaller ε" in said
        assert "fewer attempts" not in said


def test_where_delta_is_what_is_too_large_the_advice_is_about_delta(schema: Schema) -> None:
    settings: dict[str, Any] = {"omega": Omega(low=3, high=3), "model": ModelPlan(epsilon=0.5)}
    plan = Plan.of(schema, **settings, delta=1e-4, seeds_at_least=100)
    said = large(promise(plan, schema))
    assert said is not None
    assert "Choose a smaller δ" in said
    assert "smaller ε" not in said


def test_a_small_total_needs_no_advice(schema: Schema) -> None:
    plan = Plan.of(schema, omega=Omega(low=3, high=3))
    assert large(promise(plan, schema)) is None


def test_what_may_be_published_follows_the_plan(schema: Schema) -> None:
    seedless = Plan.of(schema, omega=Omega(low=3, high=3))
    seeded = Plan.of(schema, omega=Omega(low=1, high=1), attempts=77)
    nothing = Plan.of(schema, model=ModelPlan(epsilon=None))
    assert "any number" in own.describe_publishable(seedless, promise(seedless, schema))
    assert "77 candidates" in own.describe_publishable(seeded, promise(seeded, schema))
    assert own.describe_publishable(nothing, promise(nothing, schema)).startswith("nothing")


def test_hidden_attempts_stay_hidden_in_what_may_be_published(schema: Schema) -> None:
    plan = Plan.of(
        schema, omega=Omega(low=1, high=1), protocol="releases", pass_floor=0.5, attempts=77
    )
    made = promise(plan, schema)
    assert "its 77 records" in own.describe_publishable(plan, made)
    assert "number of attempts" in own.describe_publishable(plan, made)
    assert "must stay hidden" in own.cover_paragraph(plan, made)
    assert any(f"{made.attempts_at_most:,} attempts" in each for each in own.list_steps(plan, made))


def test_a_persons_total_is_told_from_one_records(schema: Schema) -> None:
    plan = Plan.of(schema, omega=Omega(low=3, high=3), records_per_person=4)
    made = promise(plan, schema)
    assert any("For one record that is ε = 1, " in each for each in own.list_steps(plan, made))
    assert "any one person, up to 4 of them," in words.explain_total(made.total, 4)


def test_the_meaning_of_a_total_names_the_factor() -> None:
    assert "at most e^1 (about 2.719) times" in words.explain_total(Budget(1.0, 1e-9))
    digits = int(5000 / math.log(10)) + 1
    assert f"{digits:,} digits" in words.explain_total(Budget(5000.0, 1e-9))
    assert words.explain_total(Budget.unbounded()).startswith("Nothing")


def test_a_sample_adds_a_sentence_of_its_own_and_changes_no_other(schema: Schema) -> None:
    plan = Plan.of(schema, omega=Omega(low=3, high=3))
    sampled = plan.change(schema, sampling=0.01)
    made = promise(sampled, schema)
    *same, of_population = own.list_steps(sampled, made)
    assert same == own.list_steps(plan, promise(plan, schema))
    assert of_population == words.describe_population(made.population)
    assert "ε = 0.01704, " in of_population
    assert "says nothing about who is in the table" in of_population
    assert words.describe_population(promise(plan, schema).population) is None


def test_how_the_total_comes_about_names_what_was_learned_from_what(schema: Schema) -> None:
    def said(**settings: Any) -> str:
        plan = Plan.of(schema, **settings)
        return "\n".join(own.list_steps(plan, promise(plan, schema))).replace(NBSP, " ")

    whole = said(omega=Omega(low=3, high=3), shares=shares_for("calibrated", 0.0))
    assert "The model is learned from 90 % of the records, for ε = 1, " in whole
    assert "Nothing is copied from a record" in whole
    assert "see different records" not in whole
    assert "The records held out, 10 %, are only compared with" in whole
    seeded = said(omega=Omega(low=1, high=1), attempts=1)
    assert "The model is learned from 60 % of the records" in seeded
    assert "see different records" in seeded
    published = said(omega=Omega(low=3, high=3), model=ModelPlan(kind="network"))
    assert "Which columns depend on which is learned from 30 % of the records" in published
    assert "The same noise by the published formula: ε = " in published
    assert "corrected from" in published
    assert "see different records" in published


def test_how_evenly_the_weights_lie_is_said_where_there_are_any() -> None:
    assert "100 weighted rows say as much as 83 that all weigh the same" in own.describe_weights(
        0.834
    )
    assert own.describe_weights(None) == ""
