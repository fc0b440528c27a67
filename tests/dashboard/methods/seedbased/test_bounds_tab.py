"""The tab that says how much the test can have changed the table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from understudy.mechanisms.seedbased.evaluation.bounds import bounds, place
from understudy.mechanisms.seedbased.evaluation.figures import Figures
from understudy.mechanisms.seedbased.evaluation.pass_rate import ScoreSample
from understudy.mechanisms.seedbased.plan import ModelPlan, Plan
from understudy.models.omega import Omega
from understudy.privacy.plausibility.privacy_test import RelativeSensitivity
from understudy.table.schema import Schema
from understudy_dashboard.methods.seedbased.page import describe_bounds, describe_triangle

Said = Callable[[AppTest], str]

TEST = RelativeSensitivity(k=20, epsilon0=1.0)


def sample_of(counts: np.ndarray, omega: int = 2) -> ScoreSample:
    return ScoreSample(
        Omega(low=omega, high=omega), counts, np.full(len(counts), omega == 3, dtype=bool)
    )


def plan_of(schema: Schema) -> Plan:
    return Plan.of(
        schema, test=TEST, omega=Omega(low=2, high=2), attempts=20, delta=1e-4,
        seeds_at_least=500, model=ModelPlan(epsilon=1.0),
    )  # fmt: skip


def drawn(figures: Figures, plan: Plan, schema: Schema) -> AppTest:
    def page(figures, plan, schema):  # type: ignore[no-untyped-def]
        from understudy.mechanisms.seedbased.promise import promise
        from understudy_dashboard.methods.seedbased.page import draw_bounds

        draw_bounds(figures, plan, promise(plan, schema))

    return AppTest.from_function(
        page, default_timeout=30, kwargs={"figures": figures, "plan": plan, "schema": schema}
    ).run()


def figures_of(*samples: ScoreSample) -> Figures:
    return Figures(((), (), ()), (0, 1, 2), (), samples)


def test_the_tab_draws_everything_and_says_what_it_means(schema: Schema, said: Said) -> None:
    counts = np.repeat([5, 60], [40, 960])
    page = drawn(figures_of(sample_of(counts)), plan_of(schema), schema)
    text = said(page)
    assert not page.exception
    assert "has changed the table by at most" in text
    assert "percentage points" in text
    assert "1,000 candidates" in text
    assert [each.label for each in page.expander] == [
        "How many candidates score low",
        "Privacy, change, and how much one record matters",
    ]
    assert len(page.toggle) == 3
    for toggle in page.toggle:
        toggle.set_value(True)
    page.run()
    assert len(page.dataframe) == 3


def test_the_sample_of_the_plans_own_omega_is_looked_at(schema: Schema, said: Said) -> None:
    other, own = sample_of(np.full(300, 1), 1), sample_of(np.full(300, 900))
    text = said(drawn(figures_of(other, own), plan_of(schema), schema))
    assert "next to nothing" in text


def test_without_a_sample_it_says_so(schema: Schema, said: Said) -> None:
    page = drawn(figures_of(), plan_of(schema), schema)
    assert not page.exception
    assert "nothing to tell from" in said(page)
    assert not page.toggle


def test_without_noise_there_is_a_bound_and_no_triangle_point(schema: Schema, said: Said) -> None:
    plan = plan_of(schema).change(schema, test=RelativeSensitivity(k=20, epsilon0=None))
    page = drawn(figures_of(sample_of(np.full(400, 60))), plan, schema)
    assert not page.exception
    assert "at most" in said(page)


def test_the_number_said_is_the_smallest_bound() -> None:
    found = bounds(sample_of(np.repeat([5, 60], [40, 960])), TEST)
    text = " ".join(describe_bounds(found))
    assert f"{100 * found.best.value:.3g} %" in text
    assert f"{100 * found.distance:.3g} %" in text


@pytest.mark.parametrize(
    ("value", "distance", "expected"),
    [
        (0.01, 0.005, "next to nothing"),
        (0.1, 0.05, "A smaller k"),
        (0.5, 0.1, "wide margin"),
        (0.5, 0.4, "That is a lot"),
    ],
)
def test_the_verdict_goes_with_the_numbers(value: float, distance: float, expected: str) -> None:
    found = bounds(sample_of(np.full(300, 900)), TEST)
    found = replace(found, best=replace(found.best, value=value), distance=distance)
    assert expected in " ".join(describe_bounds(found))


def test_the_triangle_is_said_in_words() -> None:
    found = bounds(sample_of(np.repeat([5, 60], [40, 960])), TEST)
    here = place(found, TEST, True, 1.1)
    text = " ".join(describe_triangle(here))
    assert f"a score of {here.t:,} or more" in text
    assert f"by at most a factor of {here.alpha:.3g}" in text
    nothing = " ".join(describe_triangle(replace(here, alpha=float("inf"), gamma=1.0)))
    assert "does not bound" in nothing
    assert "inf" not in nothing
