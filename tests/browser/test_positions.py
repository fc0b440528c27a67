"""From positions as phones give them, uploaded by their custodian, to a verified packet of days."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.command_line import understudy
from tests.browser.custodian import Custodian
from tests.browser.test_widths import WIDTHS, too_wide
from understudy.samples.city import EDGE, write_positions

_EDGES = {"Southern edge": 0, "Northern edge": EDGE, "Western edge": 0, "Eastern edge": EDGE}


@pytest.mark.thorough(
    "dashboard/methods/traces/test_traces_page.py::test_a_run_is_looked_at_and_goes_into_a_packet"
)
def test_uploaded_positions_become_a_verified_packet(person: Custodian, tmp_path: Path) -> None:
    place = tmp_path / "positions.csv"
    write_positions(200, place)
    person.upload("positions.csv", place.read_bytes())
    person.at("Data")
    person.pick("Yes, where people were and when")
    for label, degrees in _EDGES.items():
        person.enter(label, str(degrees))
    expect(person.main.get_by_text("of 200 people became")).to_be_visible()
    before = person.page.viewport_size
    assert before is not None
    assert too_wide(person, widths=WIDTHS[:1]) == []
    person.page.set_viewport_size(before)
    person.settled()
    person.press("Make days on this map of them")
    expect(person.main.get_by_text("These rows are days on a map")).to_be_visible()
    person.say_new_people()
    person.tick("is public knowledge: it comes from a form")
    person.press("Confirm")
    expect(person.main.get_by_text("goes to the board")).to_be_visible()
    person.go("Privacy")
    person.press("Choose another method")
    person.pick_in_popover("Made traces")
    expect(person.main.get_by_text("Method: Made traces")).to_be_visible()
    person.go("Generate")
    person.generate()
    person.go("Release")
    person.write("Title", "Days of few people")
    person.settled()
    person.write("Your name and role", "A. Custodian, data office")
    person.press("Make the packet")
    expect(person.main.get_by_text("It is a draft until you issue it.")).to_be_visible()
    checked = understudy("verify", str(person.download("Download the packet")))
    assert checked.status == 0, checked.out
    assert person.traffic.abroad == []
    assert person.traffic.errors == []
