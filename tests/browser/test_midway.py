"""A run outlives its page: closed midway, it is found again, and can be cancelled."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.custodian import Custodian
from tests.browser.serving import Server


@pytest.mark.thorough(
    "dashboard/views/test_generate_page.py::test_a_run_under_way_is_found_again_from_a_fresh_page"
)
def test_a_run_is_found_again_after_a_reload_and_cancelled(
    person: Custodian, server: Server
) -> None:
    person.open_sample()
    person.as_published()
    person.enter("N · attempts, exactly", "50000000")
    expect(person.main.get_by_text("50,000,000 attempts").first).to_be_visible()
    person.go("Generate")
    person.start()
    expect(person.main.get_by_text(re.compile("^[1-9].* of 50,000,000$"))).to_be_visible()
    person.page.reload()
    person.at("Generate")
    expect(person.main.get_by_text("Under way")).to_be_visible()
    person.press("Cancel")
    expect(person.main.get_by_text("Nothing was released.")).to_be_visible()
    person.unfold("Recent runs (1)")
    listed = person.main.get_by_text(re.compile("50,000,000 attempts .* cancelled$"))
    expect(listed).to_have_count(2)
    person.go("Release")
    expect(person.main.get_by_text("This run has released nothing")).to_be_visible()
    assert not list(server.home.rglob("*.csv"))
