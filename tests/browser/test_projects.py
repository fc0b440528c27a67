"""A project outlives its server: reopened, it asks for its table and has everything as it was."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.custodian import Custodian, custodian
from tests.browser.serving import Server, serving

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
