"""What is typed stays typed, whatever else the page redraws."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.custodian import Custodian


@pytest.mark.thorough(
    "dashboard/methods/seedbased/test_planner_page.py::"
    "test_a_refusal_moves_no_box_when_it_appears_nor_when_it_goes"
)
def test_a_refusal_that_appears_does_not_swallow_what_is_typed_next(person: Custodian) -> None:
    person.open_sample()
    person.as_published()
    k = person.page.get_by_label("k · plausible seeds needed, exactly")
    attempts = person.page.get_by_label("N · attempts, exactly")
    k.fill("0")
    attempts.click()
    attempts.press("ControlOrMeta+a")
    attempts.press_sequentially("77", delay=50)
    expect(person.main.get_by_text("k has to be a whole number")).to_be_visible()
    # Typed at whatever has the focus: a box that was built anew has lost it.
    person.page.keyboard.type("7777")
    person.page.keyboard.press("Enter")
    expect(person.main.get_by_text("800,000")).to_be_visible()
    person.settled()
    k.fill("60")
    k.press("Enter")
    expect(person.main.get_by_text("k has to be a whole number")).to_have_count(0)
    expect(attempts).to_have_value("777777")


def test_the_meter_moves_while_a_number_is_typed_and_nothing_of_it_is_lost(
    person: Custodian,
) -> None:
    person.open_sample()
    person.go("Privacy")
    box = person.page.get_by_label("ε at most, exactly")
    person.ready(box).click()
    box.press("ControlOrMeta+a")
    box.press_sequentially("2")
    expect(person.total_epsilon).to_have_text("2")
    person.settled()
    # Typed at whatever has the focus, with no Enter, and no other box gone to.
    person.page.keyboard.type(".05")
    expect(person.total_epsilon).to_have_text("2.05")
    expect(box).to_be_focused()
    person.settled()
    expect(box).to_have_value("2.05")
