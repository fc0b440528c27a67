"""What is typed stays typed, whatever else the page redraws."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.custodian import Custodian


@pytest.mark.thorough(
    "dashboard/methods/seedbased/test_staying_put.py::"
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
