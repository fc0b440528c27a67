"""Plans under names of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import category_schema
from understudy.core.refusal import Refusal
from understudy.mechanisms.seedbased.plan import Plan
from understudy.projects import state
from understudy.projects.catalogue import Catalogue
from understudy.projects.project import Project

SCHEMA = category_schema(3, 4)
PLAN = Plan.of(SCHEMA)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Catalogue(place=tmp_path).create("clinic")


def test_a_plan_comes_back_as_it_was_kept(project: Project) -> None:
    policed = Plan.of(SCHEMA, attempts=9, policies={"c0": "missing"})
    state.keep_plan(project, "Cautious", policed)
    (found,) = state.plans_of(project)
    assert (found.name, found.plan) == ("Cautious", policed)


def test_a_name_that_is_taken_is_refused_unless_it_is_meant(project: Project) -> None:
    state.keep_plan(project, "Cautious", PLAN)
    other = Plan.of(SCHEMA, attempts=9)
    with pytest.raises(Refusal) as caught:
        state.keep_plan(project, "cautious ", other)
    assert caught.value.field == "name"
    state.keep_plan(project, "cautious", other, instead=True)
    assert [each.plan for each in state.plans_of(project)] == [other]
    with pytest.raises(Refusal):
        state.keep_plan(project, " ", other)


def test_a_kept_plan_can_be_forgotten(project: Project) -> None:
    state.keep_plan(project, "one", PLAN)
    state.keep_plan(project, "two", PLAN)
    state.forget_plan(project, "ONE")
    state.forget_plan(project, "never there")
    assert [each.name for each in state.plans_of(project)] == ["two"]


def test_a_damaged_file_leaves_the_others(project: Project) -> None:
    state.keep_plan(project, "one", PLAN)
    (project.path / "plans" / "x.json").write_text("{")
    assert [each.name for each in state.plans_of(project)] == ["one"]
