"""What was decided survives whatever happens, whole."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support import category_schema
from understudy.core.refusal import Refusal
from understudy.projects import state
from understudy.projects.catalogue import Catalogue
from understudy.projects.project import Project
from understudy.projects.state import LeftOut, ProjectState, Sizes, load_state, save_state
from understudy.table.buckets import ByCuts
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.schema import Schema

_ROOT = Path(__file__).resolve().parents[3]
_TEXTS = st.text(min_size=1, max_size=12)
_NUMBERS = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
_SETTINGS = st.dictionaries(_TEXTS, _NUMBERS | st.booleans() | _TEXTS | st.none(), max_size=6)
_AGE = Column(
    name="age",
    title="Age “in years”",
    domain=Grid(kind="numbers", minimum=Decimal("0.5"), maximum=Decimal("99.5"), step="0.25"),
    missing=True,
    missing_values=("NA", ""),
    buckets=ByCuts(cuts=("10.1", 50)),
)
_NAME = Column(name="näme", domain=Categories(values=("ä", "b\n"), labels=("A", "=B")))
_FRAMES = st.sampled_from(
    [
        None,
        category_schema(3, 4, 5, halves=frozenset({2})),
        category_schema(2, 2).declare_public("the codebook"),
        Schema(columns=(_AGE, _NAME)),
    ]
)
_STATES = st.builds(
    ProjectState,
    frame=_FRAMES,
    notes=st.dictionaries(_TEXTS, st.lists(_TEXTS, max_size=2).map(tuple), max_size=3),
    left_out=st.dictionaries(
        _TEXTS, st.builds(LeftOut, column=st.sampled_from([None, _AGE, _NAME]), why=_TEXTS)
    ),
    policies=st.dictionaries(_TEXTS, st.sampled_from(["refuse", "missing", "clip"]), max_size=3),
    method=_TEXTS,
    settings=st.dictionaries(_TEXTS, _SETTINGS, max_size=2),
    belongs_to=st.none() | _TEXTS,
)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Catalogue(place=tmp_path).create("clinic")


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(_STATES)
def test_any_state_saved_is_loaded_equal(project: Project, decided: ProjectState) -> None:
    before = load_state(project).revision
    saved = save_state(project, decided, since=before)
    assert saved is not None
    assert saved.revision == state.revision_of(project) == before + 1
    assert load_state(project) == saved
    assert saved.says_the_same(decided)


def test_a_project_begins_with_nothing_decided(project: Project) -> None:
    assert load_state(project) == ProjectState()
    assert state.revision_of(project) == 0


def test_of_two_who_save_from_the_same_revision_the_first_wins(project: Project) -> None:
    first, second = ProjectState(belongs_to="one"), ProjectState(belongs_to="other")
    assert save_state(project, first, since=0) is not None
    assert save_state(project, second, since=0) is None
    assert load_state(project).belongs_to == "one"
    assert save_state(project, second, since=1) is not None
    assert load_state(project).belongs_to == "other"


def test_the_revision_is_read_without_all_the_rest(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_state(project, ProjectState(belongs_to='"revision": 7, "version": 1'), since=0)
    with monkeypatch.context() as patched:
        patched.setattr(state, "load_state", lambda _: pytest.fail("all of it was read"))
        assert state.revision_of(project) == 1
    # A file that somebody put in another order is read whole.
    path = project.path / "state.json"
    settings = json.loads(path.read_text())
    path.write_text(json.dumps(dict(sorted(settings.items(), reverse=True))))
    assert state.revision_of(project) == 1


def test_nobody_else_may_read_it(project: Project) -> None:
    save_state(project, ProjectState(), since=0)
    assert project.path.stat().st_mode & 0o777 == 0o700
    for path in project.path.iterdir():
        assert path.stat().st_mode & 0o077 == 0, path.name


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"version": 2, "revision": 1}', "another version"),
        ("not JSON", "cannot be read"),
        ('{"revision": 1}', "cannot be read"),
        ('{"version": 1, "revision": -1}', "revision"),
        ('{"version": 1, "unheard": "SECRET"}', "unheard"),
        ("[1]", "cannot be read"),
    ],
)
def test_a_file_that_is_none_of_ours_is_refused_in_words(
    project: Project, text: str, said: str
) -> None:
    (project.path / "state.json").write_text(text)
    with pytest.raises(Refusal, match=said) as caught:
        load_state(project)
    assert "SECRET" not in str(caught.value)
    assert caught.value.remedy


_KILLED = """
import os, signal, sys
from pathlib import Path
from understudy.projects.project import Project
from understudy.projects.state import ProjectState, Sizes, save_state

project, at, count = Project(Path(sys.argv[1])), sys.argv[2], 0

def killed(*arguments, **named):
    os.kill(os.getpid(), signal.SIGKILL)

setattr(os, at, killed)
save_state(project, ProjectState(belongs_to="new"), since=1)
"""


@pytest.mark.parametrize("at", ["fsync", "replace", "fdopen"])
def test_killed_in_the_middle_of_a_save_the_old_state_stays_whole(
    project: Project, at: str
) -> None:
    save_state(project, ProjectState(belongs_to="old"), since=0)
    done = subprocess.run(
        [sys.executable, "-c", _KILLED, str(project.path), at], cwd=_ROOT, check=False
    )
    assert done.returncode == -signal.SIGKILL
    assert load_state(project) == ProjectState(belongs_to="old", revision=1)
    # The lock went with the process, so the next one can save_state.
    assert save_state(project, ProjectState(belongs_to="newer"), since=1) is not None


def test_a_disk_that_refuses_is_said_in_words(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "no room")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(Refusal, match="cannot be written"):
        save_state(project, ProjectState(), since=0)
    monkeypatch.undo()
    assert load_state(project) == ProjectState()


def test_settings_that_stand_under_no_method_are_of_the_first_there_was(project: Project) -> None:
    old = {"version": 1, "revision": 3, "wish": {"rows": 5}, "draft": {"k": 7}}
    (project.path / state.STATE).write_text(json.dumps(old))
    found = load_state(project)
    assert found.settings == {"seedbased": {"wish": {"rows": 5}, "draft": {"k": 7}}}
    assert found.sizes == Sizes(rows=5)
    assert save_state(project, found, since=3) is not None
    assert load_state(project).says_the_same(found)


@pytest.mark.parametrize(
    ("wish", "sizes"),
    [
        ({"records_at_least": 70_000, "rows": 9}, Sizes(records=70_000, rows=9)),
        ({"records_at_least": None, "rows": 0}, Sizes()),
        ({"records_at_least": "many", "rows": True}, Sizes()),
    ],
)
def test_how_many_records_there_are_stood_among_the_settings_once(
    project: Project, wish: dict[str, Any], sizes: Sizes
) -> None:
    old = {"version": 1, "revision": 3, "settings": {"seedbased": {"wish": wish, "draft": {}}}}
    (project.path / state.STATE).write_text(json.dumps(old))
    found = load_state(project)
    assert found.sizes == sizes
    assert save_state(project, found, since=3) is not None
    assert load_state(project).sizes == sizes


def test_as_many_rows_are_made_as_there_are_records_unless_it_is_said() -> None:
    assert Sizes(records=7, rows=3).to_make == 3
    assert Sizes(records=7).to_make == 7
    assert Sizes().to_make == state.USUAL_ROWS
