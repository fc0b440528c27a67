"""What a board is shown on a wall can be read from the back: at half the size it is drawn at."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.beforehand import sample_released
from tests.browser.custodian import Custodian
from tests.browser.everywhere import every_slide
from tests.browser.legible import WIDE, Trouble, troubles

_HIGH = 768
_LENGTH = "() => document.querySelector('[data-testid=stMainBlockContainer]').scrollHeight"
_SPOIL = """
() => {
  const made = document.createElement('div');
  made.style = 'position: relative; background: white; height: 40px';
  made.innerHTML = '<b style="position: absolute; font-size: 12px">Small</b>'
      + '<b style="position: absolute; color: #ccc; font-size: 30px">Faint</b>';
  document.querySelector('[data-testid=stMainBlockContainer]').prepend(made);
}
"""


@pytest.mark.usefixtures("at_its_home")
@pytest.mark.thorough("dashboard/test_words.py::test_letters_of_slides_are_large_enough")
def test_slides_the_decision_and_the_report_can_be_read_at_half_size(
    person: Custodian, tmp_path: Path
) -> None:
    sample_released(tmp_path)
    person.go("Projects")
    person.press("Open")
    person.at("Data")
    person.page.set_viewport_size({"width": WIDE, "height": _HIGH})
    found = dict(_decided(person))
    found |= {title: troubles(person.page, ".st-key-slide") for title in every_slide(person)}
    found["Report"] = _report(person, tmp_path)
    assert {place: wrong for place, wrong in found.items() if wrong} == {}
    assert {"What was kept", "What was lost"} <= set(found)


def _decided(person: Custodian) -> Iterator[tuple[str, list[Trouble]]]:
    """The decision screen, for a whole table and for records like given ones."""
    person.go("Privacy")
    for purpose in ("Records like given ones", "A whole table"):
        person.page.set_viewport_size({"width": WIDE, "height": _HIGH})
        person.pick(purpose)
        person.settled()
        # What is behind letters is only known of what is within the window.
        long = person.page.evaluate(_LENGTH)
        person.page.set_viewport_size({"width": WIDE, "height": long + _HIGH})
        person.settled()
        yield purpose, troubles(person.page, "[data-testid=stMain]")
    person.page.evaluate(_SPOIL)
    said = {each.text: each.why for each in troubles(person.page, "[data-testid=stMain]")}
    assert {"Small", "Faint"} <= said.keys()  # a check that finds nothing anywhere would be none
    person.page.set_viewport_size({"width": WIDE, "height": _HIGH})


def _report(person: Custodian, folder: Path) -> list[Trouble]:
    """The first page of the report of a packet."""
    person.go("Release")
    person.write("Title", "The census, simulated")
    person.settled()
    person.write("Your name and role", "A. Custodian, data office")
    person.press("Make the packet")
    expect(person.main.get_by_text("It is a draft until you issue it.")).to_be_visible()
    with zipfile.ZipFile(person.download("Download the packet")) as packet:
        name = next(each for each in packet.namelist() if each.endswith("report.html"))
        packet.extract(name, folder)
    person.page.goto((folder / name).as_uri())
    return troubles(person.page, "header.title")
