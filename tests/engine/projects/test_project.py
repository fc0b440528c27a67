"""What was decided survives whatever happens, whole. Plans under names of their own. The readable
extract of the ledger, and how many rehearsals stay. A copy of the table, only where somebody asks
for it.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support import SIMULATED, category_schema
from understudy.core.refusal import Refusal
from understudy.ledger.book import Dataset
from understudy.ledger.events import Debited, Released
from understudy.ledger.ledger import Debit, Ledger
from understudy.ledger.likeness import measure_likeness
from understudy.mechanisms.seedbased.plan import Plan
from understudy.privacy.budget import Budget
from understudy.projects import state, table_copy
from understudy.projects.catalogue import Catalogue, list_rehearsals, prune_rehearsals
from understudy.projects.payment import write_extract
from understudy.projects.project import Project
from understudy.projects.state import LeftOut, ProjectState, Sizes, load_state, save_state
from understudy.runs.folder import RunFolder
from understudy.runs.work_folder import Progress
from understudy.table.buckets import ByCuts
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.declared_reading import usual
from understudy.table.grid import Grid
from understudy.table.missing_codes import unlabelled
from understudy.table.raw import TEXTS, Labels, RawTable, table_of, text_column
from understudy.table.schema import Schema
from understudy.table.sources.reading import read_table

_ROOT = Path(__file__).resolve().parents[3]
_TEXTS = st.text(min_size=1, max_size=12)
_NUMBERS = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
_SETTINGS = st.dictionaries(_TEXTS, _NUMBERS | st.booleans() | _TEXTS | st.none(), max_size=6)
_AGE = Column(
    name="age",
    title="Age “in years”",
    domain=Grid(kind="numbers", minimum=Decimal("0.5"), maximum=Decimal("99.5"), step="0.25"),
    missing=True,
    missing_codes=unlabelled(("NA", "")),
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
    assert saved.revision == state.read_revision(project) == before + 1
    assert load_state(project) == saved
    assert saved.says_the_same(decided)


def test_a_project_begins_with_nothing_decided(project: Project) -> None:
    assert load_state(project) == ProjectState()
    assert state.read_revision(project) == 0


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
        assert state.read_revision(project) == 1
    # A file that somebody put in another order is read whole.
    path = project.path / "state.json"
    settings = json.loads(path.read_text())
    path.write_text(json.dumps(dict(sorted(settings.items(), reverse=True))))
    assert state.read_revision(project) == 1


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


SCHEMA = category_schema(3, 4)
PLAN = Plan.of(SCHEMA)


def test_a_plan_comes_back_as_it_was_kept(project: Project) -> None:
    policed = Plan.of(SCHEMA, attempts=9, policies={"c0": "missing"})
    state.keep_plan(project, "Cautious", policed)
    (found,) = state.list_plans(project)
    assert (found.name, found.plan) == ("Cautious", policed)


def test_a_name_that_is_taken_is_refused_unless_it_is_meant(project: Project) -> None:
    state.keep_plan(project, "Cautious", PLAN)
    other = Plan.of(SCHEMA, attempts=9)
    with pytest.raises(Refusal) as caught:
        state.keep_plan(project, "cautious ", other)
    assert caught.value.field == "name"
    state.keep_plan(project, "cautious", other, instead=True)
    assert [each.plan for each in state.list_plans(project)] == [other]
    with pytest.raises(Refusal):
        state.keep_plan(project, " ", other)


def test_a_kept_plan_can_be_forgotten(project: Project) -> None:
    state.keep_plan(project, "one", PLAN)
    state.keep_plan(project, "two", PLAN)
    state.forget_plan(project, "ONE")
    state.forget_plan(project, "never there")
    assert [each.name for each in state.list_plans(project)] == ["two"]


def test_a_damaged_file_leaves_the_others(project: Project) -> None:
    state.keep_plan(project, "one", PLAN)
    (project.path / "plans" / "x.json").write_text("{")
    assert [each.name for each in state.list_plans(project)] == ["one"]


def run(project: Project, name: str, purpose: str, progress: Progress) -> RunFolder:
    folder = RunFolder(project.runs / name)
    folder.path.mkdir()
    about = {"at": "2026-01-01T00:00:00+00:00", "purpose": purpose, "stained": False}
    folder.write_text("run.json", json.dumps(about))
    folder.internal.mkdir()
    folder.report(progress)
    return folder


def debit(run: str, epsilon: float, dataset: Dataset) -> Debit:
    what = Debited(
        purpose="release", plan={}, protocol="attempts", count=9, record=Budget(epsilon, 1e-9)
    )
    return Debit(run, dataset, what)


def test_the_extract_has_the_runs_of_the_project_and_the_balance_of_their_people(
    project: Project, tmp_path: Path
) -> None:
    ledger = Ledger(tmp_path / "ledger.sqlite")
    ledger.budget("clinic", Budget(5.0, 1e-6))
    people = Dataset("d-9", "clinic", table="f" * 64, said=SIMULATED)
    run(project, "mine", "release", Progress("finished", 1))
    ledger.debit(debit("mine", 0.5, people))
    ledger.note("mine", Released(artefacts={"synthetic.csv": "00"}))
    ledger.debit(debit("elsewhere", 0.25, people))
    write_extract(ledger.book(), project)
    text = (project.path / "ledger.json").read_text()
    said = json.loads(text)
    (found,), (balance,) = said["runs"], said["datasets"]
    assert (found["run"], found["state"]) == ("mine", "released")
    assert found["promised"] == {"epsilon": 0.5, "delta": 1e-9}
    assert project.about().dataset == balance["dataset"]
    # What another project spent on the same people counts too.
    assert balance["runs"] == 2
    assert balance["spent"]["epsilon"] == 0.75
    assert balance["budget"]["epsilon"] == 5.0
    assert said["ledger"]["head"] == ledger.head
    assert "f" * 64 not in text


def test_a_project_without_runs_has_an_extract_that_says_so(
    project: Project, tmp_path: Path
) -> None:
    write_extract(Ledger(tmp_path / "ledger.sqlite").book(), project)
    said = json.loads((project.path / "ledger.json").read_text())
    assert said["runs"] == said["datasets"] == []


def test_the_newest_rehearsals_stay_and_every_run(project: Project) -> None:
    done = Progress("finished", 1)
    made = [run(project, f"2026010{day}T0-rehearsal-a", "rehearsal", done) for day in range(1, 6)]
    kept = run(project, "20250101T0-release-a", "release", done)
    prune_rehearsals(project, most=2)
    assert list_rehearsals(project) == (made[4], made[3])
    assert kept.path.exists()


def test_a_rehearsal_that_is_worked_on_stays(project: Project) -> None:
    done, working = Progress("finished", 1), Progress("attempting", 1, process=os.getpid())
    busy = run(project, "20260101T0-rehearsal-a", "rehearsal", working)
    asked = run(project, "20260102T0-rehearsal-a", "rehearsal", done)
    idle = run(project, "20260103T0-rehearsal-a", "rehearsal", done)
    (asked.internal / "pools").mkdir()
    (asked.internal / "pools" / "progress.json").write_text(
        json.dumps({"state": "evaluating", "attempts": 1, "process": os.getpid()})
    )
    prune_rehearsals(project, most=0)
    assert busy.path.exists()
    assert asked.path.exists()
    assert not idle.path.exists()


_KEY = b"k" * 32


def raw(rows: int = 7) -> RawTable:
    lines = [f"{row};{'äö,'[row % 3]};" for row in range(rows)]
    return read_table("\n".join(["n;kind;empty", *lines]).encode(), name="c.csv", separator=";")


def test_the_copy_is_the_very_table(project: Project) -> None:
    words = Labels({"kind": "Kind"}, {"kind": {"ä": "A"}}, {"n": ("0", "1")})
    before = replace(raw(), labels=words)
    table_copy.keep_table(project, before, "clinic.csv")
    name, after = table_copy.take_back_table(project)
    assert name == "clinic.csv"
    assert after.names == before.names
    assert (after.reading, after.notes) == (before.reading, before.notes)
    assert after.labels == words
    assert measure_likeness(after, _KEY).fingerprint == measure_likeness(before, _KEY).fingerprint
    assert all(each.type == TEXTS and each.num_chunks == 1 for each in after.arrow.columns)
    for column in before.names:
        texts, places = after.distinct(column)
        olds, old = before.distinct(column)
        assert [texts[at] for at in places] == [olds[at] for at in old]


def test_many_records_come_back_in_one_piece(project: Project) -> None:
    rows = 2_500_000  # past the rows of one group of a Parquet file
    codes = np.arange(rows) * 3 // rows  # each text in a row group of its own
    columns = [text_column(codes, ["a", "b", "c"]), text_column(codes[::-1], ["x", "y", "z"])]
    before = RawTable(table_of(["one", "other"], columns), usual("parquet"))
    table_copy.keep_table(project, before, "big.parquet")
    _, after = table_copy.take_back_table(project)
    assert after.arrow.column("one").num_chunks == 1
    assert measure_likeness(after, _KEY).fingerprint == measure_likeness(before, _KEY).fingerprint


def test_its_name_and_a_note_beside_it_say_what_it_is(project: Project) -> None:
    assert not table_copy.keeps_table(project)
    table_copy.keep_table(project, raw(), "clinic.csv")
    folder = project.path / "table"
    assert sorted(path.name for path in folder.iterdir()) == [table_copy.NAME, "README.txt"]
    assert "CONFIDENTIAL" in table_copy.NAME
    note = (folder / "README.txt").read_text()
    assert table_copy.NAME in note
    assert "every\nrecord" in note
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}


def test_it_is_erased_with_everything_around_it(project: Project) -> None:
    table_copy.keep_table(project, raw(), "clinic.csv")
    table_copy.keep_table(project, raw(8), "clinic.csv")
    assert table_copy.keeps_table(project)
    table_copy.erase_table(project)
    table_copy.erase_table(project)
    assert not table_copy.keeps_table(project)
    assert not (project.path / "table").exists()


def test_a_damaged_copy_is_refused_without_quoting_it(project: Project) -> None:
    table_copy.keep_table(project, raw(), "clinic.csv")
    place = project.path / "table" / table_copy.NAME
    place.write_bytes(place.read_bytes()[:-40] + b"SECRET")
    with pytest.raises(Refusal) as caught:
        table_copy.take_back_table(project)
    assert "SECRET" not in str(caught.value)
    pq.write_table(pa.table({"SECRET": [1]}), place)
    with pytest.raises(Refusal):
        table_copy.take_back_table(project)


def test_a_copy_that_cannot_be_written_leaves_nothing(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "no room")

    monkeypatch.setattr(pq, "write_table", full)
    with pytest.raises(Refusal) as caught:
        table_copy.keep_table(project, raw(), "clinic.csv")
    assert caught.value.field == "keep"
    assert not (project.path / "table").exists()
