"""Five hundred codes are put into groups from a suggestion, and mended with a search."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.custodian import Custodian
from tests.browser.test_widths import too_wide

_BEGINNINGS = ("MGR", "BUS", "FIN", "ENG", "SCI")


def trades() -> bytes:
    """Trades and pay of people who do not exist, ten of each trade."""
    codes = [f"{_BEGINNINGS[place // 100]}-{place:03}" for place in range(500)]
    lines = [f"{code},{'low' if n % 3 else 'high'}" for code in codes for n in range(10)]
    return "\n".join(["trade,pay", *lines]).encode()


@pytest.mark.thorough(
    "dashboard/parts/buckets/test_group_suggestions.py::"
    "test_five_hundred_codes_are_grouped_and_split_in_ten_clicks"
)
def test_five_hundred_codes_are_grouped_from_a_suggestion(person: Custodian) -> None:
    person.go("Data")
    person.upload("trades.csv", trades())
    person.go("Buckets")
    person.choose("Column (", "trade")
    person.settled()
    person.ready(person.main.get_by_role("button", name="Take these groups").first).click()
    expect(person.main.get_by_text("500 codes shown")).to_be_visible()
    search = person.main.get_by_label("Search codes, labels and groups")
    person.ready(search).fill("MGR-09")
    search.press("Enter")
    expect(person.main.get_by_text("10 codes shown")).to_be_visible()
    person.settled()
    into = person.main.get_by_label("Into the group")
    person.ready(into).fill("Chiefs")
    into.press("Enter")
    person.press("Move 10 codes")
    expect(person.main.get_by_text("Chiefs").first).to_be_visible()
    assert too_wide(person, widths=(900, 1280)) == []
