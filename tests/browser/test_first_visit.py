"""The first visit: the tour walked to its end, in a demonstration, and its run put on a wall. A
project outlives its server: reopened, it asks for its table and has everything as it was.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from shutil import copytree

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.custodian import Custodian, custodian
from tests.browser.serving import Server, serving
from understudy_dashboard.tour import STOPS

_SLIDES = 12


@pytest.fixture(scope="module")
def demonstration(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that shows simulated people only."""
    place = tmp_path_factory.mktemp("demonstration")
    with serving(place, demo=True, module="tests.browser.small") as served:
        yield served


@pytest.fixture
def visitor(demonstration: Server, browser: Browser, tmp_path: Path) -> Iterator[Custodian]:
    """Somebody who opens the demonstration for the first time."""
    with custodian(browser, demonstration, tmp_path) as someone:
        someone.arrive()
        yield someone


def at_stop(visitor: Custodian, place: int) -> None:
    """The card says where one is, and what it is about is framed and not covered by it."""
    stop = STOPS[place]
    visitor.at(stop.name)
    said = visitor.main.get_by_text(f"Tour, stop {place + 1} of {len(STOPS)}: {stop.name}")
    expect(said).to_be_visible()
    framed = visitor.page.locator(stop.shown).first
    expect(framed).to_be_visible()
    expect(framed).to_have_css("outline-style", "solid")
    card = visitor.page.locator(".st-key-tour").bounding_box()
    shown = framed.bounding_box()
    assert card is not None
    assert shown is not None
    assert (
        shown["y"] >= card["y"] + card["height"] - 1 or shown["x"] + shown["width"] <= card["x"] + 1
    )


def onwards(visitor: Custodian, place: int) -> None:
    """Go to the next stop by the keyboard."""
    visitor.settled()
    button = visitor.main.get_by_role("button", name=f"Next stop: {STOPS[place].name}")
    button.focus()
    button.press("Enter")
    at_stop(visitor, place)


@pytest.mark.thorough("dashboard/test_tour.py::test_each_stop_stands_above_its_page")
def test_the_tour_leads_from_the_sample_to_a_release_and_onto_the_wall(
    visitor: Custodian,
) -> None:
    expect(visitor.main.get_by_text("Everybody in this table is simulated")).to_be_visible()
    at_stop(visitor, 0)
    for place in (1, 2, 3):
        onwards(visitor, place)
    visitor.generate()
    for place in (4, 5):
        onwards(visitor, place)
    visitor.press("Finish")
    expect(visitor.main.get_by_text("Tour, stop")).to_have_count(0)
    visitor.go("Present")
    presented(visitor)
    visitor.go("Data")
    expect(visitor.main.get_by_text("Your first time here?")).to_have_count(0)
    assert visitor.traffic.abroad == []
    assert visitor.traffic.errors == []


def presented(visitor: Custodian) -> None:
    """Turn every slide with the keys, and take them off the wall."""
    page, sidebar = visitor.page, visitor.page.get_by_test_id("stSidebar")
    visitor.press("Start presenting")
    expect(sidebar).to_be_hidden()
    titles = []
    for place in range(_SLIDES):
        expect(page.get_by_text(f"{place + 1} / {_SLIDES}", exact=True)).to_be_visible()
        visitor.settled()
        titles.append(page.get_by_role("heading", level=1).inner_text())
        page.keyboard.press("ArrowRight" if place % 2 else "Space")
    assert len(set(titles)) == _SLIDES
    page.keyboard.press("Home")
    expect(page.get_by_text(f"1 / {_SLIDES}", exact=True)).to_be_visible()
    page.keyboard.press("End")
    expect(page.get_by_text(f"{_SLIDES} / {_SLIDES}", exact=True)).to_be_visible()
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_text(f"{_SLIDES - 1} / {_SLIDES}", exact=True)).to_be_visible()
    page.keyboard.press("Escape")
    visitor.at("Present")
    expect(sidebar).to_be_visible()


@pytest.mark.thorough(
    "dashboard/views/test_start_page.py::test_a_demonstration_offers_no_way_to_a_table_of_ones_own"
)
def test_a_demonstration_offers_nothing_to_open(visitor: Custodian) -> None:
    visitor.go("Data")
    visitor.press("Close this table")
    expect(visitor.main.get_by_role("button", name="Try it with the sample census")).to_be_visible()
    expect(visitor.main.get_by_label("file upload")).to_have_count(0)
    expect(visitor.main.get_by_label("path", exact=False)).to_have_count(0)


_ROWS = 600


def survey(more: int = 0) -> bytes:
    """People who do not exist: an age and a town."""
    rows = [f"{20 + row * 7 % 50},{('north', 'south', 'east')[row % 3]}" for row in range(_ROWS)]
    return "\n".join(["age,town", *rows, *["33,north"] * more]).encode()


def _begins(person: Custodian) -> None:
    """A project from a table of one's own, with a setting that is not the usual one."""
    expect(person.main.get_by_text("A project begins with a table.")).to_be_visible()
    person.upload("survey.csv", survey())
    person.at("Data")
    person.answer_questions()
    person.go("Privacy")
    person.unfold("Further conditions")
    person.enter("δ at most", "1e-7")
    expect(person.main.get_by_label("δ at most", exact=True)).to_have_value("1e-7")
    person.go("Projects")
    expect(person.main.get_by_text("open now")).to_be_visible()


def _goes_on(person: Custodian) -> None:
    """The same project on a server that has its files only, with its table given again."""
    person.arrive()
    expect(person.main.get_by_text("asks for its table")).to_be_visible()
    person.press("Open")
    person.at("Data")
    expect(person.main.get_by_text("needs its table, survey.csv")).to_be_visible()
    person.upload("renamed.csv", survey())
    expect(person.main.get_by_text("everything stands as you left it")).to_be_visible()
    person.go("Privacy")
    person.unfold("Further conditions")
    expect(person.main.get_by_label("δ at most", exact=True)).to_have_value("1e-7")


def _is_asked(person: Custodian) -> None:
    """Another table under another name is not taken for the project's own without a word."""
    person.go("Data")
    person.press("Close this table")
    person.upload("survey-2027.csv", survey(more=1))
    asked = person.main.get_by_text("is not the table that “survey” was about")
    expect(asked).to_be_visible()
    expect(person.main.get_by_text("the same columns, and its records differ")).to_be_visible()
    person.press("The same people, newer file")
    expect(person.main.get_by_text("goes on counting")).to_be_visible()
    expect(person.main.get_by_text("601 records, 2 columns")).to_be_visible()
    assert person.traffic.errors == []
    person.page.reload()
    person.at("Data")
    expect(person.main.get_by_text("needs its table, survey-2027.csv")).to_be_visible()


@pytest.mark.parametrize(
    "asked",
    [
        pytest.param(
            False,
            marks=pytest.mark.thorough(
                "dashboard/test_recognising.py::"
                "test_its_own_table_opens_as_it_was_left_whatever_the_file_is_called"
            ),
        ),
        pytest.param(
            True,
            marks=pytest.mark.thorough(
                "dashboard/test_recognising.py::"
                "test_a_renamed_file_of_other_records_is_asked_about_and_not_opened"
            ),
        ),
    ],
)
def test_a_project_is_reopened_by_another_server(
    person: Custodian, server: Server, browser: Browser, tmp_path: Path, asked: bool
) -> None:
    _begins(person)
    home = tmp_path / "home"
    copytree(server.home, home)
    with (
        serving(tmp_path, keep=True) as another,
        custodian(browser, another, tmp_path) as later,
    ):
        _goes_on(later)
        if asked:
            _is_asked(later)
    held = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    assert survey().split(b"\n", 1)[1][:60] not in held
