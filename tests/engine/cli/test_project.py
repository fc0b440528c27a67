"""`synthesize --project`: a run in a project, paid by the people that it is about."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from understudy.core.home import home
from understudy.privacy.budget import Budget
from understudy.projects.catalogue import Catalogue
from understudy.projects.state import load_state
from understudy.runs.control import home_ledger, runs
from understudy.table.schema import Schema

Synthesize = Callable[..., Any]
SMALL = (
    "--k",
    "25",
    "--attempts",
    "300",
    "--records",
    "1500",
    "--seeds-at-least",
    "300",
    "--delta",
    "1e-6",
)


@pytest.fixture
def synthesize(understudy: Callable[..., Any], census_schema: Path, tmp_path: Path) -> Synthesize:
    """Makes a run of a table in the project “Census”, into a folder of its own."""
    made = []

    def call(table: Path, *more: object, project: str = "Census") -> Any:
        made.append(table)
        out = tmp_path / f"out-{len(made)}"
        return understudy(
            "synthesize", table, "--schema", census_schema, "--out", out, *SMALL, "--quiet",
            "--project", project, *more,
        )  # fmt: skip

    return call


def test_a_run_is_made_in_a_new_project_and_the_next_one_joins_it(
    synthesize: Synthesize, census: Path, census_schema: Path
) -> None:
    first = synthesize(census, "--new-people", "--json")
    assert first.status == 0, first.err
    project = Catalogue().named("census")
    assert project is not None
    (run,) = runs(project.runs)
    assert json.loads(first.out)["run"] == run.identity
    assert runs(home()) == ()
    about, state = project.about(), load_state(project)
    assert (about.source, about.called) == (census.name, census.stem)
    assert state.frame == Schema.load(census_schema)
    assert about.dataset == home_ledger().book().runs[run.identity].dataset
    assert synthesize(census, project="CENSUS").status == 0
    assert len(Catalogue().listed()) == 1
    said = json.loads((project.path / "ledger.json").read_text())
    assert {each["run"] for each in said["runs"]} == {each.identity for each in runs(project.runs)}
    assert len(said["runs"]) == 2


def test_another_table_is_refused_unless_its_people_are_said_to_be_the_same(
    synthesize: Synthesize, census: Path, tmp_path: Path
) -> None:
    assert synthesize(census, "--new-people").status == 0
    newer = tmp_path / "renamed.csv"
    lines = census.read_text(encoding="utf-8").splitlines()
    newer.write_text("\n".join([*lines, lines[1]]), encoding="utf-8")
    refused = synthesize(newer)
    assert refused.status != 0
    assert "is not the one" in refused.err
    assert f"name their dataset too: “{census.stem}”." in " ".join(refused.err.split())
    assert len(home_ledger().book().runs) == 1
    said = synthesize(newer, "--dataset", census.stem)
    assert said.status == 0, said.err
    book = home_ledger().book()
    assert len(book.datasets) == 1
    assert len(book.runs) == 2
    # From now on it is one of the project's own.
    assert synthesize(newer).status == 0


def test_a_run_that_cannot_be_paid_for_makes_no_project(
    synthesize: Synthesize, census: Path
) -> None:
    ledger = home_ledger()
    ledger.budget(census.stem, Budget(1e-3, 1e-9))
    assert "The budget of" in synthesize(census, "--new-people").refusal
    assert Catalogue().listed() == ()
    # One that was there before stays.
    project = Catalogue().create("Census")
    assert "The budget of" in synthesize(census, "--new-people").refusal
    assert project.exists


def test_a_project_that_was_put_away_is_not_written_to(
    synthesize: Synthesize, census: Path
) -> None:
    Catalogue().archive(Catalogue().create("Census"))
    refused = synthesize(census)
    assert refused.status != 0
    assert "archived" in refused.err
    assert home_ledger().book().events == 0
