"""Five hundred codes are put into groups from a suggestion, and mended with a search."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.custodian import Custodian
from tests.browser.grouper import grouped, trades
from tests.browser.test_widths import too_wide


@pytest.mark.thorough(
    "dashboard/parts/buckets/test_group_editor.py::"
    "test_five_hundred_codes_are_grouped_and_split_in_ten_clicks"
)
def test_a_stranger_groups_five_hundred_codes_from_a_suggestion_in_ten_clicks(
    person: Custodian, tmp_path: Path
) -> None:
    table = tmp_path / "trades.csv"
    table.write_bytes(trades(2_000))
    _, taken, ahead = grouped(person, table)
    assert (taken.page, ahead.page) == ("Buckets", "Privacy")
    assert taken.clicks < ahead.clicks <= 10
    person.go("Buckets")
    expect(person.main.get_by_text("500 codes shown")).to_be_visible()
    expect(person.main.get_by_text("Group these columns first")).to_have_count(0)
    search = person.main.get_by_label("Search codes, labels and groups")
    person.ready(search).fill("11-109")
    search.press("Enter")
    expect(person.main.get_by_text("1 code shown")).to_be_visible()
    person.settled()
    into = person.main.get_by_label("Into the group")
    person.ready(into).fill("Chiefs")
    into.press("Enter")
    person.press("Move 1 code")
    expect(person.main.get_by_text("Chiefs").first).to_be_visible()
    assert too_wide(person, widths=(900, 1280)) == []
