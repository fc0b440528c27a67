"""From the simulated city to a verified packet of made days, by a new user in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.command_line import understudy
from tests.browser.custodian import MEASURING, Custodian
from tests.browser.everywhere import every_method, every_place, every_slide
from tests.browser.test_accessibility import none_found
from tests.browser.test_widths import too_wide


def open_the_city(person: Custodian) -> None:
    """Open the simulated city, and choose made traces with a map that its people carry."""
    person.press("Try it with the simulated city")
    person.at("Data")
    expect(person.main.get_by_text("Nobody in it exists.").first).to_be_visible()
    person.go("Privacy")
    person.press("Choose another method")
    person.pick_in_popover("Made traces")
    expect(person.main.get_by_text("Method: Made traces")).to_be_visible()
    expect(person.main.get_by_text("finer than 1,000 people can carry")).to_be_visible()
    person.press("Take 2 cells each way together: a map coarse enough for this many people")
    expect(person.main.get_by_text("100 places of 2 by 2 km.")).to_be_visible()


@pytest.mark.thorough(
    "dashboard/methods/traces/test_traces_page.py::test_a_run_is_looked_at_and_goes_into_a_packet"
)
def test_a_new_user_takes_the_city_to_a_verified_packet(person: Custodian) -> None:
    open_the_city(person)
    person.go("Generate")
    person.generate()
    person.go("Inspect")
    expect(person.main.get_by_text("as many other real people").first).to_be_visible()
    person.turn_to("Maps")
    expect(person.main.get_by_text("never to be shown or exported")).to_be_visible()
    person.turn_to("A made person")
    expect(person.main.get_by_text("Nobody you see here exists")).to_be_visible()
    person.turn_to("Overview")
    person.press("Measure everything")
    expect(person.main.get_by_text("Measure again")).to_be_visible(timeout=MEASURING)
    for tab in ("Places", "Moves", "Lives", "As others measure", "Distinguishing"):
        person.turn_to(tab)
        panel = person.main.get_by_role("tabpanel", name=tab)
        expect(panel.get_by_text("All of them")).to_be_visible()
    person.turn_to("Disclosure")
    expect(person.main.get_by_text("findings, not a guarantee")).to_be_visible()
    person.go("Release")
    person.write("Title", "A city, simulated")
    person.settled()
    person.write("Your name and role", "A. Custodian, data office")
    person.press("Make the packet")
    expect(person.main.get_by_text("It is a draft until you issue it.")).to_be_visible()
    checked = understudy("verify", str(person.download("Download the packet")))
    assert checked.status == 0, checked.out
    assert person.traffic.abroad == []
    assert person.traffic.errors == []


@pytest.mark.thorough(
    "dashboard/methods/traces/test_traces_page.py::test_a_run_is_looked_at_and_goes_into_a_packet"
)
def test_nothing_is_hard_to_reach_or_wider_than_a_tablet(person: Custodian) -> None:
    open_the_city(person)
    person.go("Generate")
    person.generate()
    for place in ("Privacy", "Inspect"):
        person.go(place)
        assert too_wide(person) == []
    none_found(person, every_method(person, ["Privacy", "Generate"], ["Made traces"]))
    none_found(person, (each for each in every_place(person) if each.startswith("Inspect")))
    none_found(person, every_slide(person))
