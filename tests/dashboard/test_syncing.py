"""Two tabs on one project, as plain sessions: what one decides, the other takes over."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support import new_people
from understudy.core.refusal import Refusal
from understudy.ledger.events import Debited
from understudy.ledger.ledger import Debit
from understudy.privacy.budget import Budget
from understudy.projects.state import load_state
from understudy.runs.control import home_ledger
from understudy.table.schema import Schema
from understudy.table.sources.reading import read_table
from understudy_dashboard.loaded_table import LoadedTable
from understudy_dashboard.methods.seedbased.method_settings import plan_choice
from understudy_dashboard.methods.seedbased.planner import Draft, Wish
from understudy_dashboard.open_project import (
    apply_decisions,
    confirm_same_people,
    enter_project,
    open_catalogue,
    read_decisions,
    refresh,
    save_decisions,
    take_table,
)
from understudy_dashboard.session import Session

Tabs = Callable[[], Session]


@pytest.fixture
def table(csv: bytes) -> LoadedTable:
    return LoadedTable("tiny.csv", read_table(csv, name="tiny.csv"))


@pytest.fixture
def tab(table: LoadedTable, schema: Schema) -> Tabs:
    """Opens another tab on the tiny table's project."""

    def opened() -> Session:
        session = Session()
        take_table(session, table, schema)
        if session.question is not None:
            (found,) = session.question.projects
            enter_project(session, found.project)
            take_table(session, table)
        save_decisions(session)
        return session

    return opened


def test_what_is_decided_survives_the_page(tab: Tabs, table: LoadedTable) -> None:
    session = tab()
    session.leave_out("job")
    session.settings.policies["age"] = "clip"
    plan_choice(session).hand.k = 31
    plan_choice(session).wish.epsilon = 0.25
    save_decisions(session)
    assert session.project is not None
    again = Session()
    enter_project(again, session.project)
    assert again.data.table is None
    assert again.settings.schema == session.settings.schema
    assert again.left_out == session.left_out
    assert (again.settings.policies, plan_choice(again).draft, plan_choice(again).wish) == (
        session.settings.policies,
        plan_choice(session).draft,
        plan_choice(session).wish,
    )
    take_table(again, table)
    assert again.data.table is not None
    assert again.data.table.raw is table.raw
    assert again.question is None
    assert read_decisions(again).says_the_same(read_decisions(session))


def test_what_packets_of_a_project_say_stays_with_that_project(tab: Tabs) -> None:
    session = tab()
    session.cover = {"title": "Wages", "note": "Not for the press"}
    save_decisions(session)
    first = session.project
    assert first is not None
    other = open_catalogue().create("clinic")
    enter_project(session, other)
    assert session.cover == {}
    session.cover = {"title": "Clinic"}
    enter_project(session, first)
    assert session.cover == {"title": "Wages", "note": "Not for the press"}
    assert load_state(other).cover == {"title": "Clinic"}


def test_what_a_packet_says_is_forgotten_with_a_table_of_no_project(
    table: LoadedTable, schema: Schema
) -> None:
    session = Session()
    session.open(table, schema)
    session.cover = {"title": "Wages"}
    session.open(table, schema)
    assert session.cover == {}


def test_a_change_in_one_tab_is_taken_over_in_the_other(tab: Tabs) -> None:
    one, other = tab(), tab()
    plan_choice(one).hand.k = 31
    save_decisions(one)
    before = other.revision
    refresh(other)
    assert plan_choice(other).draft.k == 31
    assert other.revision > before
    assert other.notices
    assert not other.cautions
    assert not save_decisions(other)
    assert load_state(one.project).revision == one.saved.revision  # type: ignore[union-attr, arg-type]


def test_nothing_new_is_neither_said_nor_saved(tab: Tabs) -> None:
    one, other = tab(), tab()
    before = load_state(one.project).revision  # type: ignore[arg-type]
    for session in (one, other, one):
        session.notices.clear()
        refresh(session)
        save_decisions(session)
        assert not session.notices
    assert load_state(one.project).revision == before  # type: ignore[arg-type]


@pytest.mark.parametrize("when", ["at the start", "at the end"])
def test_where_both_changed_the_disk_wins_and_it_is_said(tab: Tabs, when: str) -> None:
    one, other = tab(), tab()
    plan_choice(one).hand.k = 31
    other.leave_out("job")
    save_decisions(one)
    if when == "at the start":
        refresh(other)
    else:
        assert save_decisions(other)
    assert plan_choice(other).draft.k == 31
    assert other.settings.schema is not None
    assert "job" in other.settings.schema.names
    assert any("not kept" in said for said in other.cautions)
    assert not save_decisions(other)


def test_a_project_that_was_deleted_is_left(tab: Tabs) -> None:
    one, other = tab(), tab()
    assert one.project is not None
    open_catalogue().archive(one.project)
    open_catalogue().delete(one.project)
    assert not save_decisions(other)
    refresh(other)
    assert other.project is None
    assert other.data.table is None
    assert other.cautions


def test_a_project_that_became_unreadable_is_left_in_words(tab: Tabs) -> None:
    session = tab()
    assert session.project is not None
    (session.project.path / "state.json").write_text("{}")
    with pytest.raises(Refusal, match="cannot be read"):
        refresh(session)
    assert session.project is None


def test_a_tab_with_an_older_table_puts_it_away(tab: Tabs, csv: bytes) -> None:
    one, other = tab(), tab()
    header, *lines = csv.decode().split("\n")
    wider = "\n".join([f"{header},town", *(f"{line},{i % 2}" for i, line in enumerate(lines))])
    take_table(one, LoadedTable("newer.csv", read_table(wider.encode(), name="newer.csv")))
    confirm_same_people(one)
    one.bring_back("town")
    save_decisions(one)
    refresh(other)
    assert other.data.table is None
    assert other.settings.schema == one.settings.schema
    assert other.cautions


def test_settings_of_another_kind_than_expected_are_left_at_the_usual(
    tab: Tabs, session: Session
) -> None:
    one = tab()
    state = read_decisions(one)
    odd = {
        **plan_choice(one).draft.read_widgets(),
        "k": "many",
        "delta": 1,
        "unheard": 3,
        "noiseless": 1,
    }
    apply_decisions(
        session,
        state.model_copy(
            update={"settings": {"seedbased": {"draft": odd, "wish": {"epsilon": True}}}}
        ),
    )
    usual = Draft.of_plan(one.settings.plan())
    assert (
        plan_choice(session).draft.k
        == Draft.of_plan(type(one.settings.plan()).of(one.settings.schema)).k
    )
    assert plan_choice(session).draft.delta == 1
    assert plan_choice(session).draft.noiseless is usual.noiseless
    assert plan_choice(session).wish.epsilon == Wish().epsilon


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    k=st.integers(2, 10**6),
    floats=st.floats(allow_nan=False, allow_infinity=False),
    flags=st.booleans(),
    seeds=st.none() | st.integers(1, 10**7),
)
def test_any_settings_come_back_equal(
    session: Session, k: int, floats: float, flags: bool, seeds: int | None
) -> None:
    plan_choice(session).planned.draft = plan_choice(session).draft.copy(
        k=k,
        epsilon0=floats,
        delta=floats,
        t_by_hand=flags,
        noiseless=flags,
    )
    plan_choice(session).planned.wish = replace(
        plan_choice(session).wish, seeds_at_least=seeds, epsilon=floats
    )
    state = read_decisions(session)
    other = Session()
    apply_decisions(other, type(state).read(json.loads(state.model_dump_json())))
    assert (plan_choice(other).draft, plan_choice(other).wish) == (
        plan_choice(session).draft,
        plan_choice(session).wish,
    )


def run_of(session: Session) -> str:
    """Has the open project a run that was paid for; the id of its dataset."""
    assert session.project is not None
    assert session.data.table is not None
    found = new_people(session.data.table.raw, "tiny")
    what = Debited(
        purpose="release", plan={}, protocol="attempts", count=9, record=Budget(0.5, 1e-9)
    )
    home_ledger().debit(Debit("r-1", found, what))
    (session.project.runs / "r-1").mkdir()
    (session.project.runs / "r-1" / "run.json").write_text("{}")
    return found.id


def test_what_the_ledger_says_is_put_down_in_the_project(tab: Tabs) -> None:
    session = tab()
    project = session.project
    assert project is not None
    assert project.about().dataset is None
    dataset = run_of(session)
    save_decisions(session)
    assert project.about().dataset == dataset
    said = json.loads((project.path / "ledger.json").read_text())
    assert [run["run"] for run in said["runs"]] == ["r-1"]


def test_what_the_ledger_came_to_say_while_no_page_was_open_is_put_down_when_one_is(
    tab: Tabs,
) -> None:
    session = tab()
    project = session.project
    assert project is not None
    run_of(session)
    save_decisions(session)
    home_ledger().budget("tiny", Budget(3.0, 1e-8))
    later = Session()
    enter_project(later, project)
    save_decisions(later)
    said = json.loads((project.path / "ledger.json").read_text())
    assert said["datasets"][0]["budget"] == {"epsilon": 3.0, "delta": 1e-8}
    assert said["ledger"]["head"] == home_ledger().head
