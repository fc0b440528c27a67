"""The tour for a first visit."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from tests.dashboard.builders import answer_all, session_of
from tests.support import few_people
from understudy.table.schema import Schema
from understudy.table.sources.reading import read_table
from understudy_dashboard.loaded_table import LoadedTable
from understudy_dashboard.open_project import save_decisions, take_table
from understudy_dashboard.questions import list_open_questions
from understudy_dashboard.session import Session
from understudy_dashboard.tour import STOPS, Tour, has_ended_tour, keep_seen, write_spotlight

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]


@pytest.fixture(scope="module", autouse=True)
def few(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with few_people(tmp_path_factory.mktemp("few")):
        yield


def keys(page: AppTest) -> set[str]:
    return {str(each.key) for each in page.button}


@given(st.lists(st.sampled_from([-1, 1]), max_size=30))
def test_moving_stays_on_the_stops_and_ends_only_past_the_last(moves: list[int]) -> None:
    tour, place = Tour(offered=True).begin(), 0
    for by in moves:
        tour, place = tour.move(by), max(0, place + by)
        if place == len(STOPS):
            assert tour == Tour()
            return
        assert tour.at == place
        assert tour.stop == STOPS[place]


def test_it_follows_who_leaves_it_for_another_of_its_pages() -> None:
    tour = Tour().begin()
    assert tour.on("privacy").stop is STOPS[2]
    assert tour.on("ledger") == tour
    assert Tour().on("privacy").stop is None


def test_who_has_seen_it_is_remembered_one_by_one(tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert not has_ended_tour(home, "")
    keep_seen(home, "")
    keep_seen(home, "kim")
    assert has_ended_tour(home, "")
    assert has_ended_tour(home, "kim")
    assert not has_ended_tour(home, "alex")


@pytest.mark.parametrize("content", ["", "{", '{"kim": 1}', "[3]", "null"])
def test_a_damaged_memory_means_that_nobody_has_seen_it(tmp_path: Path, content: str) -> None:
    (tmp_path / "tour.json").write_text(content)
    assert not has_ended_tour(tmp_path, "kim")
    keep_seen(tmp_path, "kim")
    assert json.loads((tmp_path / "tour.json").read_text()) == ["kim"]


def test_where_nothing_can_be_written_the_visit_goes_on(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file where the folder should be")
    keep_seen(tmp_path / "home", "")
    assert not has_ended_tour(tmp_path / "home", "")


def test_a_frame_is_drawn_round_what_a_stop_is_about() -> None:
    for stop in STOPS:
        assert write_spotlight(stop).count(stop.shown) == 3
        assert "outline" in write_spotlight(stop)


def test_it_is_offered_once_and_then_from_the_side(opened: Opened, home: Path) -> None:
    page = opened("data")
    assert "tour-start" in keys(page)
    page.button(key="tour-no").click().run()
    assert "tour-start" not in keys(page)
    assert has_ended_tour(home, "")
    again = opened("data")
    assert "tour-start" not in keys(again)
    again.button(key="tour-again").click().run()
    assert "tour-next" in keys(again)


def test_whoever_has_found_their_way_is_not_offered_it(opened: Opened, session: Session) -> None:
    assert "tour-start" not in keys(opened("ledger"))
    assert "tour-start" not in keys(opened("data", session))


def test_each_stop_stands_above_its_page(opened: Opened, said: Said, session: Session) -> None:
    page = opened("data", session)
    page.button(key="tour-again").click().run()
    for place, stop in enumerate(STOPS):
        page.switch_page(f"views/{stop.page}.py").run()
        assert f"Tour, stop {place + 1} of {len(STOPS)}: {stop.name}" in said(page)
        assert ("tour-back" in keys(page)) == (place > 0)
        assert ("tour-end" in keys(page)) == (place < len(STOPS) - 1)
    page.button(key="tour-next").click().run()
    assert not {"tour-next", "tour-start"} & keys(page)


def test_on_other_pages_there_is_a_way_back(opened: Opened, session: Session) -> None:
    page = opened("data", session)
    page.button(key="tour-again").click().run()
    page.switch_page("views/ledger.py").run()
    assert "tour-back-to" in keys(page)
    assert "tour-next" not in keys(page)


def test_a_stop_without_anything_to_show_says_what_comes_there(opened: Opened, said: Said) -> None:
    page = opened("data")
    page.button(key="tour-start").click().run()
    assert session_of(page).data.simulated
    page.switch_page("views/inspect.py").run()
    assert "once a run has finished" in said(page)


def test_a_demonstration_begins_with_it(
    opened: Opened, said: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNDERSTUDY_DEMO", "1")
    page = opened("data")
    assert "Tour, stop 1" in said(page)


def test_it_shows_the_sample_and_gives_back_what_was_open(
    opened: Opened, said: Said, csv: bytes, schema: Schema
) -> None:
    """A confidential table is never called the sample's, and nothing is started on it."""
    session = Session()
    take_table(session, LoadedTable("tiny.csv", read_table(csv, name="tiny.csv")), schema)
    answer_all(session)
    save_decisions(session)
    project, table = session.project, session.data.table
    page = opened("privacy", session)
    page.button(key="tour-again").click().run()
    assert not page.exception
    assert "Tour, stop 1" in said(page)
    assert session.data.simulated
    assert session.project != project
    page.switch_page("views/generate.py").run()
    assert "Tour, stop 4" in said(page)
    assert session.data.simulated
    page.button(key="tour-end").click().run()
    assert not page.exception
    assert "is open again, as you left it" in said(page)
    assert (session.project, session.data.table) == (project, table)
    assert list_open_questions(session) == ()
    assert "tour-aside" not in page.session_state


def test_whoever_opens_a_table_of_their_own_has_left_it(
    opened: Opened, said: Said, session: Session
) -> None:
    page = opened("generate", session, state={"tour-state": Tour(at=3)})
    assert not page.exception
    assert "Tour, stop" not in said(page)
    assert "tour-again" in keys(page)
