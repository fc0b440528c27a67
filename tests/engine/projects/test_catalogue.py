"""Projects made, listed, copied, put away and deleted."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.support import category_schema
from understudy.core.refusal import Refusal
from understudy.mechanisms.seedbased.plan import Plan
from understudy.projects import state, table_copy
from understudy.projects.catalogue import Catalogue, list_every_run, list_projects
from understudy.projects.project import Project
from understudy.projects.state import ProjectState, load_state, save_state
from understudy.runs.folder import RunFolder
from understudy.runs.work_folder import Progress
from understudy.table.sources.reading import read_table


@pytest.fixture
def catalogue(tmp_path: Path) -> Catalogue:
    return Catalogue(place=tmp_path)


def names(catalogue: Catalogue) -> list[str]:
    return [each.about.name for each in catalogue.list_projects()]


def used(project: Project, at: float) -> None:
    for name in ("project.json", "state.json", "runs"):
        if (project.path / name).exists():
            os.utime(project.path / name, (at, at))


def run(project: Project, name: str, progress: Progress, purpose: str = "release") -> RunFolder:
    folder = RunFolder(project.runs / name)
    folder.path.mkdir()
    about = {"at": "2026-01-01T00:00:00+00:00", "purpose": purpose, "stained": False}
    folder.write_text("run.json", json.dumps(about))
    folder.report(progress)
    return folder


def under_way() -> Progress:
    return Progress("attempting", 1, process=os.getpid())


def test_the_newest_used_comes_first(catalogue: Catalogue) -> None:
    for at, name in enumerate(("first", "second", "third"), 1):
        used(catalogue.create(name), 1000.0 * at)
    assert names(catalogue) == ["third", "second", "first"]
    first = catalogue.find_project("FIRST")
    assert first is not None
    first.touch()
    assert names(catalogue) == ["first", "third", "second"]


@pytest.mark.parametrize("name", ["", "  ", "\n", "x" * 81])
def test_a_name_that_is_none_is_refused(catalogue: Catalogue, name: str) -> None:
    with pytest.raises(Refusal) as caught:
        catalogue.create(name)
    assert caught.value.field == "name"
    assert catalogue.list_projects() == ()


def test_two_projects_cannot_have_one_name(catalogue: Catalogue) -> None:
    one, other = catalogue.create("Clinic"), catalogue.create("Survey")
    for taken in ("clinic", " CLINIC "):
        with pytest.raises(Refusal, match="already"):
            catalogue.create(taken)
        with pytest.raises(Refusal, match="already"):
            catalogue.rename(other, taken)
    catalogue.rename(one, "clinic")
    catalogue.archive(one)
    with pytest.raises(Refusal, match="archived"):
        catalogue.create("Clinic")
    assert catalogue.free_name("clinic") == "clinic 2"


def test_a_renamed_project_stays_in_its_folder(catalogue: Catalogue) -> None:
    project = catalogue.create("Clinic")
    catalogue.rename(project, "Survey of  2026")
    assert names(catalogue) == ["Survey of 2026"]
    assert project.exists


def test_a_strange_name_makes_a_plain_folder(catalogue: Catalogue) -> None:
    project = catalogue.create("../Ärzte & Co: 50 %")
    assert project.path.parent == catalogue.place
    assert project.identity.startswith("arzte-co-50-")
    assert catalogue.create("患者").identity.startswith("project-")


def test_a_project_is_taken_back_only_where_no_run_is_in_it(catalogue: Catalogue) -> None:
    empty, full = catalogue.create("Clinic"), catalogue.create("Survey")
    run(full, "one", under_way())
    for each in (empty, full):
        catalogue.take_back(each)
    assert names(catalogue) == ["Survey"]
    assert not empty.path.exists()
    assert full.packets.exists()


def test_everybody_sees_their_own(tmp_path: Path) -> None:
    mine, hers = Catalogue("me", tmp_path), Catalogue("her", tmp_path)
    project = mine.create("Clinic")
    hers.create("Clinic")
    assert names(mine) == names(hers) == ["Clinic"]
    assert hers.find(project.identity) is None
    assert mine.find(project.identity) == project
    assert Catalogue("", tmp_path).list_projects() == ()


def test_a_duplicate_has_the_decisions_and_nothing_else(catalogue: Catalogue) -> None:
    schema = category_schema(3, 4)
    project = catalogue.create("Clinic", called="clinic", source="clinic.csv", tables=("f1",))
    project.change(dataset="d-1")
    decided = ProjectState(frame=schema, policies={"c0": "missing"}, belongs_to="clinic")
    save_state(project, decided, since=0)
    state.keep_plan(project, "cautious", Plan.of(schema))
    table_copy.keep_table(project, read_table(b"a,b\n1,2\n3,4\n", name="clinic.csv"), "clinic.csv")
    run(project, "20260101T000000-release-aa", Progress("finished", 1))
    (project.packets / "p").mkdir()
    copy = catalogue.duplicate(project)
    about = copy.about()
    assert (about.name, about.dataset, about.tables) == ("Clinic copy", "d-1", ("f1",))
    assert load_state(copy).says_the_same(decided)
    assert [each.name for each in state.list_plans(copy)] == ["cautious"]
    assert not table_copy.keeps_table(copy)
    assert not list(copy.runs.iterdir())
    assert not list(copy.packets.iterdir())
    assert catalogue.duplicate(project).about().name == "Clinic copy 2"


def test_only_what_is_archived_and_idle_is_deleted(catalogue: Catalogue) -> None:
    project = catalogue.create("Clinic")
    with pytest.raises(Refusal, match="not archived"):
        catalogue.delete(project)
    working = run(project, "20260101T000000-release-aa", under_way())
    with pytest.raises(Refusal, match="under way"):
        catalogue.archive(project)
    working.report(Progress("finished", 1))
    catalogue.archive(project)
    working.report(under_way())
    with pytest.raises(Refusal, match="under way"):
        catalogue.delete(project)
    working.report(Progress("cancelled", 1))
    catalogue.delete(project)
    assert catalogue.list_projects() == ()
    assert not list(catalogue.place.iterdir())


def test_what_was_archived_comes_back(catalogue: Catalogue) -> None:
    project = catalogue.create("Clinic")
    catalogue.archive(project)
    assert project.about().archived
    assert catalogue.about_table("f") == ()
    catalogue.archive(project, away=False)
    assert not project.about().archived


def test_a_folder_of_another_version_is_named_and_hurts_nobody(
    catalogue: Catalogue, tmp_path: Path
) -> None:
    good, bad = catalogue.create("good"), catalogue.create("bad")
    about = json.loads((bad.path / "project.json").read_text()) | {"version": 7}
    (bad.path / "project.json").write_text(json.dumps(about))
    assert names(catalogue) == ["good"]
    assert catalogue.unreadable() == (bad.identity,)
    # People who sign in are not told what somebody else's project is called.
    (mark,) = Catalogue("her", tmp_path).unreadable()
    assert bad.identity == f"bad-{mark.removeprefix('…')}"
    with pytest.raises(Refusal, match="another version"):
        bad.about()
    assert good.exists


def test_the_projects_of_a_table_are_found(catalogue: Catalogue) -> None:
    one = catalogue.create("one", tables=("f1", "f2"))
    other = catalogue.create("other", tables=("f2",))
    used(one, 2000.0)
    used(other, 1000.0)
    assert [each.project for each in catalogue.about_table("f2")] == [one, other]
    assert [each.project for each in catalogue.about_table("f1")] == [one]
    other.recognise("f3", "newer.csv")
    assert other.about().source == "newer.csv"
    assert [each.project for each in catalogue.about_table("f3")] == [other]


def test_every_run_is_found_in_projects_and_outside(catalogue: Catalogue, tmp_path: Path) -> None:
    project = catalogue.create("Clinic")
    inside = run(project, "20260102T000000-release-aa", Progress("finished", 1))
    outside = RunFolder(tmp_path / "20260101T000000-release-bb")
    outside.path.mkdir()
    outside.write_text("run.json", "{}")
    assert list_every_run(tmp_path) == (inside, outside)
    assert list_projects(tmp_path / "projects") == (project,)
    assert list_projects(tmp_path / "nowhere") == ()


def test_two_changes_at_once_are_both_kept(catalogue: Catalogue) -> None:
    project = catalogue.create("Clinic")
    project.change(dataset="d-1")
    project.change(source="clinic.csv")
    about = project.about()
    assert (about.dataset, about.source, about.name) == ("d-1", "clinic.csv", "Clinic")


def test_a_home_that_cannot_be_written_is_said_in_words(tmp_path: Path) -> None:
    (tmp_path / "projects").write_text("a file is in the way")
    with pytest.raises(Refusal, match="cannot be written"):
        Catalogue(place=tmp_path).create("Clinic")
