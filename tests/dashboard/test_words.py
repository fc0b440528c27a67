"""Numbers and explanations as a person reads them. Sentences about what a plan promises. Letters
on slides are large enough to be read at half their size, without drawing one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tests.browser.legible import SMALLEST
from tests.dashboard.test_slides import told
from understudy.mechanisms.seedbased.plan import ModelPlan, Plan
from understudy.mechanisms.seedbased.promise import Promise, promise
from understudy.mechanisms.seedbased.proposal import shares_for
from understudy.models.omega import Omega
from understudy.privacy.budget import Budget
from understudy.table.schema import Schema
from understudy_dashboard import words
from understudy_dashboard.methods.seedbased import words as own
from understudy_dashboard.slides import WALL_CSS, list_slides


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (1e-9, "1 in a billion"),
        (2e-9, "1 in 500 million"),
        (1e-6, "1 in a million"),
        (1e-3, "1 in 1,000"),
        (1e-20, "1 in 1.0e20"),
        (0, "never"),
    ],
)
def test_small_chances_are_said_as_one_in_so_many(value: float, said: str) -> None:
    assert words.one_in(value) == said


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.12341, "0.1235"),
        (0.99994, "1"),
        (5911.2, "5,912"),
        (7_612_345.0, "7.62e6"),
        (float("inf"), "∞"),
        (float("nan"), "–"),
    ],
)
def test_epsilon_is_short_never_understated_and_never_called_none(value: float, said: str) -> None:
    assert words.epsilon(value) == said


def test_delta_has_no_leading_zero_in_its_exponent() -> None:
    assert words.delta(1e-9) == "1e-9"
    assert words.delta(0.05) == "0.05"
    assert words.delta(1.21e-9) == "1.3e-9"
    assert words.delta(0.0) == "0"


def test_text_from_a_file_is_not_read_as_markdown() -> None:
    assert words.escape("**a** [b](c) $d$ :red[e] :smile:") == (
        r"\*\*a\*\* \[b\](c) \$d\$ \:red\[e\] \:smile:"
    )
    assert words.escape("- one\ntwo") == r"\- one two"


def test_an_unbounded_budget_is_no_figure() -> None:
    assert words.format_budget(Budget.unbounded()) == "nothing promised"
    assert words.format_budget(Budget(1.5, 1e-9)) == "ε = 1.5, δ = 1e-9"


def test_counts_know_their_plural() -> None:
    assert words.count(1, "category", "categories") == "1 category"
    assert words.count(1200, "attempt") == "1,200 attempts"


def test_what_is_left_is_never_overstated() -> None:
    assert words.show_left(0.50009) == "0.5"


def test_a_range_of_omega_has_a_dash() -> None:
    assert words.print_range("ω = 6-11") == "ω = 6–11"
    assert words.print_range("well-being") == "well-being"


def test_a_number_stays_with_its_per_cent() -> None:
    assert words.percent(0.5) == f"50{words.FIXED}%"
    assert words.escape("Nearly 100 % of them") == f"Nearly 100{words.FIXED}% of them"


def test_a_name_from_a_file_shows_what_is_not_seen() -> None:
    assert words.escape("a\u202eb\x1b*") == "a\\\\u202eb\\\\x1b\\*"  # Markdown shows one


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
    one = words.format_budget(made.record)
    assert any(f"For one record that is {one}" in each for each in own.list_steps(plan, made))
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
    assert "ε = 0.01026, " in of_population
    assert "says nothing about who is in the table" in of_population
    assert words.describe_population(promise(plan, schema).population) is None


def test_how_the_total_comes_about_names_what_was_learned_from_what(schema: Schema) -> None:
    def said(**settings: Any) -> str:
        plan = Plan.of(schema, **settings)
        return "\n".join(own.list_steps(plan, promise(plan, schema))).replace(NBSP, " ")

    whole = said(omega=Omega(low=3, high=3), shares=shares_for("calibrated", 0.0))
    assert "The model is learned from 90 % of the records, for ε = 1, " in whole
    assert "Nothing is copied from a record" in whole
    assert "a secret coin of its own" in whole
    assert "comes to ε = 0.9348, a mean of them" in whole
    assert "The records held out, 10 %, are only compared with" in whole
    seeded = said(omega=Omega(low=1, high=1), attempts=1)
    assert "The model is learned from 60 % of the records" in seeded
    assert "a secret coin of its own" in seeded
    published = said(omega=Omega(low=3, high=3), model=ModelPlan(kind="network"))
    assert "Which columns depend on which is learned from 30 % of the records" in published
    assert "The same noise by the published formula: ε = " in published
    assert "corrected from" in published
    assert "a secret coin of its own" in published


def test_how_evenly_the_weights_lie_is_said_where_there_are_any() -> None:
    assert "100 weighted rows say as much as 83 that all weigh the same" in own.describe_weights(
        0.834
    )
    assert own.describe_weights(None) == ""


_PIXELS = 16
"""Of one rem, as browsers have it."""


def letters(part: Any) -> Iterator[float]:
    """Every size of letters in a chart."""
    if isinstance(part, dict):
        for name, value in part.items():
            if name.lower().endswith("fontsize") and isinstance(value, int | float):
                yield value
            elif name != "datasets":
                yield from letters(value)
    elif isinstance(part, list):
        for each in part:
            yield from letters(each)


def test_letters_of_slides_are_large_enough(schema: Schema) -> None:
    sizes = [
        float(each) * _PIXELS for each in re.findall(r"font-size: (?:clamp\()?([\d.]+)", WALL_CSS)
    ]
    drawn = [
        each.chart()[0] for each in list_slides(told(schema, public_records=9_000)) if each.chart
    ]
    assert len(drawn) == 3
    for chart in drawn:
        found = list(letters(chart.to_dict(validate=False)))
        assert {"labelFontSize", "titleFontSize"} <= chart.to_dict(validate=False)["config"][
            "axis"
        ].keys()
        sizes += found
    assert np.min(sizes) / 2 >= SMALLEST
