"""The page that puts a run on a wall."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from understudy.runs.folder import RunFolder
from understudy_dashboard.session import Session

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]


def press(page: AppTest, label: str) -> AppTest:
    return next(each for each in page.button if each.label == label).click().run()


def test_without_a_run_it_says_what_is_shown_here(opened: Opened, said: Said) -> None:
    page = opened("present")
    assert "There is none to show yet" in said(page)
    assert not page.exception


def test_slides_are_turned_and_taken_off_the_wall(
    opened: Opened, said: Said, run: RunFolder, session: Session
) -> None:
    page = opened("present", session)
    page.text_input(key="present-title").set_value("For the board").run()
    page = press(page, "Start presenting")
    assert [each.value for each in page.title] == ["For the board"]
    assert "1 / 12" in said(page)
    page = press(page, "Next")
    assert page.title[0].value == "Why not the real table?"
    page = press(press(page, "Back"), "Back")
    assert "1 / 12" in said(page)
    page.session_state["presentation"] = replace(page.session_state["presentation"], at=10)
    for _ in range(2):
        page = press(page, "Next")
        assert "12 / 12" in said(page)
    page = press(page, "End the presentation")
    assert page.title[0].value == "Present"
    assert not page.exception


def test_internal_slides_wear_the_mark_and_can_be_left_out(
    opened: Opened, said: Said, run: RunFolder, session: Session
) -> None:
    page = press(opened("present", session), "Start presenting")
    marked = []
    for _ in range(12):
        if "INTERNAL" in said(page):
            marked.append(page.title[0].value)
        page = press(page, "Next")
    fit = ["What it is fit for", "What it is not fit for"]
    assert marked == ["What was kept", *fit, "What was lost"]
    page = press(page, "End the presentation")
    page.toggle(key="present-public").set_value(True).run()
    page = press(page, "Start presenting")
    for _ in range(8):
        assert "INTERNAL" not in said(page)
        page = press(page, "Next")
    assert "8 / 8" in said(page)


@pytest.mark.parametrize("name", ["present", "release"])
def test_a_run_whose_files_are_damaged_is_refused_in_words(
    opened: Opened, said: Said, run: RunFolder, session: Session, name: str
) -> None:
    kept = run.guarantee.read_text(encoding="utf-8")
    run.guarantee.write_text("{", encoding="utf-8")
    try:
        page = opened(name, session)
    finally:
        run.guarantee.write_text(kept, encoding="utf-8")
    assert "damaged" in said(page)
    assert not page.exception
