"""What a review board is told, slide by slide."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.support import stated
from understudy.evaluation.comparison import Compared, Distances
from understudy.evaluation.excess import excess_of_release, stakes_found
from understudy.evaluation.fitness import fitness
from understudy.evaluation.relative_score import aspects
from understudy.mechanisms.registry import plan_run
from understudy.mechanisms.seedbased.plan import ModelPlan, Plan
from understudy.models.omega import Omega
from understudy.privacy import wording
from understudy.table.schema import Schema
from understudy_dashboard import words
from understudy_dashboard.methods.page import page_of
from understudy_dashboard.slides import RunFacts, list_slides

PUBLIC = ["title", "why", "belief", "promise", "making", "not-promised", "signing"]
INTERNAL = ["kept", "fit", "unfit", "lost"]


def compared(name: str, distance: float) -> Compared:
    pairs = np.full((3, 3), distance)
    return Compared(name, 10_000, Distances(np.diag(pairs).copy(), pairs))


def told(schema: Schema, *, stained: bool = False, **settings: Any) -> RunFacts:
    plan = Plan.of(schema, **{"seeds_at_least": 500, "delta": 1e-6, **settings})
    said = stated(plan, schema, released=120, sha256="0" * 64, stained=stained)
    tables = tuple(
        compared(name, distance)
        for name, distance in (("released", 0.15), ("other real records", 0.05), ("marginals", 0.2))
    )
    made = plan_run(plan, schema)
    return RunFacts(
        "A table",
        made,
        said,
        aspects(tables, None),
        excess_of_release(tables),
        page_of(plan.kind).making(made),
    )


def text(told: RunFacts, *, public: bool = False) -> str:
    return "\n".join(
        "\n".join([each.title, each.big, each.text, *each.points, *(d.text for d in each.drawings)])
        for each in list_slides(told, public=public)
    )


def test_there_is_one_slide_for_each_thing_a_board_asks(schema: Schema) -> None:
    names = [each.name for each in list_slides(told(schema))]
    assert names == [*PUBLIC[:5], *INTERNAL, *PUBLIC[5:]]


def test_a_public_audience_sees_nothing_internal(schema: Schema) -> None:
    run = told(schema)
    assert [each.name for each in list_slides(run, public=True)] == PUBLIC
    assert [each.name for each in list_slides(run) if each.internal] == INTERNAL


def test_what_was_foreseen_from_public_numbers_may_be_shown_to_anybody(schema: Schema) -> None:
    run = told(schema, public_records=9_000)
    found = [each for each in list_slides(run, public=True) if each.name.startswith("foreseen")]
    (slide,) = found
    assert not slide.internal
    assert "no record was looked at" in slide.text
    assert slide.chart is not None
    _, table = slide.chart()
    assert len(table) == len(schema)
    stained = told(schema, public_records=9_000, stained=True)
    assert not any(each.name.startswith("foreseen") for each in list_slides(stained))


def test_what_is_not_marked_internal_does_not_depend_on_figures(schema: Schema) -> None:
    run = told(schema)
    bare = replace(run, excess=None, aspects=())
    assert list_slides(bare) == list_slides(run, public=True)


def test_the_promise_is_that_of_the_plan(schema: Schema) -> None:
    run = told(schema)
    slide = next(each for each in list_slides(run) if each.name == "promise")
    assert slide.big == f"ε = {words.epsilon(run.decided.guarantee.total.epsilon)}"
    assert "120 made-up records in 3 columns" in text(run)


def test_how_it_was_made_is_told_by_the_plan(schema: Schema) -> None:
    seeded = text(told(schema, omega=Omega(low=2, high=2), attempts=700))
    assert "1 of 3 columns are kept" in seeded
    assert "tried 700 times" in seeded
    ranged = text(told(schema, omega=Omega(low=1, high=2)))
    assert "1 to 2 of 3 columns are kept" in ranged
    seedless = text(told(schema, omega=Omega(low=3, high=3)))
    assert "Nothing is copied" in seedless
    assert "are kept" not in seedless


def test_a_run_that_promises_nothing_says_so_on_every_slide_that_would_promise(
    schema: Schema,
) -> None:
    run = told(schema, stained=True)
    names = [each.name for each in list_slides(run)]
    assert "belief" not in names
    said = text(run)
    assert "NOT PRIVATE" in said
    assert "must not be published" in said
    assert "ε =" not in said


def test_where_attempts_are_secret_no_slide_tells_them(schema: Schema) -> None:
    run = told(
        schema, protocol="releases", attempts=120, pass_floor=0.5, omega=Omega(low=2, high=2)
    )
    assert "until 120 records have passed" in text(run)
    assert "tried" not in text(run)


@pytest.mark.parametrize("name", ["kept", "lost"])
def test_each_chart_is_there_with_its_table_and_its_mark(schema: Schema, name: str) -> None:
    slide = next(each for each in list_slides(told(schema)) if each.name == name)
    assert slide.chart is not None
    figure, table = slide.chart()
    assert len(table)
    assert "INTERNAL" in json.dumps(figure.to_dict(validate=False), ensure_ascii=False)
    assert slide.alt


def test_what_it_is_fit_for_is_said_in_the_words_of_the_other_pages(schema: Schema) -> None:
    run = told(schema)
    assert run.excess is not None
    titles = [each.title or each.name for each in schema.columns]
    said = fitness(stakes_found(run.excess), titles)
    by_name = {each.name: each for each in list_slides(run)}
    for name, uses in (("fit", said.fit), ("unfit", said.unfit)):
        assert by_name[name].points == tuple(words.escape(str(each)) for each in uses)
    assert "should not be relied on" in by_name["lost"].text
    near = replace(run, excess=replace(run.excess, apart=0 * run.excess.apart))
    assert "can be relied on" in {each.name: each for each in list_slides(near)}["lost"].text


def test_a_title_is_shown_letter_by_letter(schema: Schema) -> None:
    first = list_slides(replace(told(schema), title="a *b* [c](d)"))[0]
    assert first.title == words.escape("a *b* [c](d)")


def test_the_belief_comes_before_the_promise_and_follows_its_figures(schema: Schema) -> None:
    for epsilon, reached in ((0.1, "10.7"), (1.0, "18.5"), (50.0, "all but certain")):
        run = told(schema, omega=Omega(low=3, high=3), model=ModelPlan(epsilon=epsilon))
        names = [each.name for each in list_slides(run)]
        assert names.index("belief") < names.index("promise")
        slide = next(each for each in list_slides(run) if each.name == "belief")
        assert slide.big.split(" → ")[1].startswith(reached)
        assert slide.text == words.keep_together(
            wording.belief_sentence(run.decided.guarantee.total)
        )


def test_what_was_made_without_noise_is_not_said_to_have_any(schema: Schema) -> None:
    free = text(told(schema, omega=Omega(low=3, high=3), model=ModelPlan(epsilon=None)))
    assert "without noise, to compare" in free
    assert "blurs what one record adds" not in free
    bare = {"k": 20, "gamma": 4.0, "epsilon0": None}
    assert "No noise blurs" in text(told(schema, omega=Omega(low=2, high=2), test=bare))
