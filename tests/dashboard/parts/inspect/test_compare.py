"""Runs side by side on the Inspect page."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.evaluated import evaluation, put
from understudy.acceptance.statistics import AcceptanceTest
from understudy.core.numerals import FIXED
from understudy.mechanisms.seedbased.plan import Plan
from understudy.runs.control import runs, start, wait
from understudy.runs.folder import RunFolder
from understudy.runs.work import Job
from understudy.table.buckets import ByWidth
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.schema import Schema
from understudy_dashboard.methods.seedbased.method_settings import plan_choice
from understudy_dashboard.parts import run_list
from understudy_dashboard.parts.inspect.compare import settings_table
from understudy_dashboard.session import Session
from understudy_dashboard.spending import dataset_of

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home folder that the first test of this module fills with two releases."""
    return tmp_path_factory.mktemp("compared-home")


@pytest.fixture
def two(
    finished: Path,
    tmp_path: Path,
    sessions: Callable[..., Session],
    monkeypatch: pytest.MonkeyPatch,
) -> tuple[RunFolder, RunFolder]:
    """Two finished releases of the tiny table, which differ in k; the newer first."""
    if not runs(finished):
        monkeypatch.setenv("UNDERSTUDY_HOME", str(finished))
        session = sessions()
        for k in (20, 30):
            plan_choice(session).use(plan_choice(session).draft.copy(k=k))
            job = Job(session.records(), session.settings.plan())
            assert wait(start(job, finished, dataset=dataset_of(session))).state == "finished"
    home = tmp_path / "compared"
    shutil.copytree(finished, home)
    monkeypatch.setenv("UNDERSTUDY_HOME", str(home))
    newer, older = runs(home)
    return newer, older


def compared(page: AppTest, newer: RunFolder, *others: RunFolder) -> AppTest:
    """The tab, these runs chosen."""
    page.session_state["inspect-tab"] = "Compare"
    page.run()
    chosen = page.multiselect(key=f"beside-{newer.identity}")
    return chosen.set_value([each.identity for each in others]).run()


def test_one_run_alone_says_what_comparing_needs(
    opened: Opened, said: Said, two: tuple[RunFolder, RunFolder], session: Session
) -> None:
    shutil.rmtree(two[1].path)
    page = opened("inspect", session)
    page.session_state["inspect-tab"] = "Compare"
    page.run()
    assert not page.exception
    assert "Comparing needs a second run" in said(page)
    assert not page.multiselect


def test_settings_totals_and_what_was_kept_stand_side_by_side(
    opened: Opened, said: Said, two: tuple[RunFolder, RunFolder], session: Session
) -> None:
    page = compared(opened("inspect", session), *two)
    assert not page.exception
    assert not page.error
    totals, settings, further, numbers = (each.value for each in page.table[-4:])
    assert list(further.index) == ["Typical column", "Typical pair", "Worst column", "Worst pair"]
    names = list(totals.columns)
    assert [name[0] for name in names] == ["A", "B"]
    assert settings.loc["k, plausible seeds needed"].tolist() == ["30", "20"]
    assert len(settings) == 1
    assert {"Total ε", "Total δ", "Candidates passed", "Share expected to pass"} <= set(
        totals.index
    )
    assert "Total variation of pairs of columns" in numbers.index
    assert "Not everything was measured of" in said(page)


def test_other_buckets_are_said_where_no_setting_differs(
    opened: Opened,
    said: Said,
    two: tuple[RunFolder, RunFolder],
    sessions: Callable[..., Session],
    schema: Schema,
) -> None:
    coarser = schema.column("age").with_buckets(ByWidth(width=Decimal(24)))
    columns = [coarser if each.name == "age" else each for each in schema.columns]
    session = sessions(schema=schema.with_columns(columns).declare_public())
    plan_choice(session).use(plan_choice(session).draft.copy(k=20))
    job = Job(session.records(), session.settings.plan())
    newest = start(job, two[1].path.parent, dataset=dataset_of(session))
    assert wait(newest).state == "finished"
    page = compared(opened("inspect", session), newest, two[1])
    assert not page.exception
    assert "Nowhere:" not in said(page)
    assert "described in other ways" in said(page)
    found = page.table[1].value
    assert list(found.index) == ["age: buckets"]
    assert found.iloc[0].tolist() == [
        "3: 18 to 41, 42 to 65, 66 to 89",
        "6: 18 to 29, 30 to 41, 42 to 53, …",
    ]


def test_evaluated_runs_are_compared_by_every_measure(
    opened: Opened, said: Said, two: tuple[RunFolder, RunFolder], session: Session
) -> None:
    for each in two:
        put(each, evaluation())
    page = compared(opened("inspect", session), *two)
    numbers = page.table[-1].value
    assert "Accuracy of prediction" in numbers.index
    assert "Not everything was measured" not in said(page)
    page.toggle(key="table-beside").set_value(True).run()
    assert not page.exception


def test_other_targets_leave_prediction_out_and_say_so(
    opened: Opened, said: Said, two: tuple[RunFolder, RunFolder], session: Session
) -> None:
    put(two[0], evaluation())
    put(two[1], replace(evaluation(), target="job"))
    page = compared(opened("inspect", session), *two)
    assert "Different columns were predicted" in said(page)
    assert "Accuracy of prediction" not in page.table[-1].value.index


def test_a_run_with_other_columns_is_refused_by_name(
    opened: Opened, two: tuple[RunFolder, RunFolder], session: Session
) -> None:
    newer, older = two
    first, _, *others = Schema.from_json(older.read_text("schema.json")).columns
    other = Column(name="job", domain=Categories(values=("clerk", "doctor")))
    schema = Schema.from_json(Schema(columns=(first, other, *others)).to_json())
    plan = json.loads(older.read_text("plan.json"))
    older.write_text("schema.json", schema.to_json())
    older.write_text("plan.json", json.dumps({**plan, "domain": schema.fingerprint}))
    page = compared(opened("inspect", session), newer, older)
    (error,) = page.error
    assert "The columns of “B" in error.value.replace("\\", "")
    assert not page.table or "k, plausible" not in str(page.table[-1].value.index)


def test_a_damaged_run_is_said_to_be(
    opened: Opened, two: tuple[RunFolder, RunFolder], session: Session
) -> None:
    newer, older = two
    (older.internal / "figures.json").write_text("{", encoding="utf-8")
    page = compared(opened("inspect", session), newer, older)
    (error,) = page.error
    assert "are damaged" in error.value
    assert not page.exception


def test_what_of_accuracy_is_released_differs_by_its_title(schema: Schema) -> None:
    distance = {"kind": "distance", "columns": ("age", "job"), "limit": 0.1}
    test = AcceptanceTest.read({"epsilon": 0.5, "statistics": [distance]})
    plain = Plan.of(schema)
    more = plain.change(schema, acceptance=test, noisy_tables=True)
    rows = settings_table({"A": plain, "B": more}).set_index("Setting")
    assert rows.to_dict("index") == {
        "Acceptance test, what is measured": {
            "A": "none",
            "B": f"Distance of “age” with “job”, limit 10{FIXED}%",
        },
        "Acceptance test, ε of all figures together": {"A": "none", "B": "0.5"},
        "Acceptance test, confidence of its intervals": {"A": "none", "B": f"95{FIXED}%"},
        "Noisy tables are released": {"A": "no", "B": "yes"},
    }


def test_runs_that_look_alike_are_told_apart(
    monkeypatch: pytest.MonkeyPatch, sessions: Callable[..., Session]
) -> None:
    """A list knows what was chosen by its text."""
    monkeypatch.setattr(run_list, "title_of_run", lambda session, run: "two of one second")
    newer, older = RunFolder(Path("b")), RunFolder(Path("a"))
    titles = run_list.list_titles(sessions(), (newer, older))
    assert titles == {"a": "two of one second", "b": "two of one second (2)"}
