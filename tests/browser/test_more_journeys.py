"""A table of flags through a latent model, to a packet that verifies. From grey pictures, uploaded
by their custodian, to a verified packet of made ones. From positions as phones give them, uploaded
by their custodian, to a verified packet of days. From the simulated city to a verified packet of
made days, by a new user in a real browser.
"""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import FilePayload, expect

from tests.browser import axe
from tests.browser.command_line import understudy
from tests.browser.custodian import MEASURING, Custodian
from tests.browser.everywhere import every_method, every_place, every_slide
from tests.browser.test_every_page import WIDTHS, none_found, too_wide
from understudy.samples.city import EDGE, write_positions

_ROWS, _FLAGS = 6_000, 10


def illnesses() -> bytes:
    """Ten flags, behind which two numbers stand."""
    random = np.random.default_rng(6)
    hidden = np.repeat(random.normal(size=(_ROWS, 2)), _FLAGS // 2, axis=1)
    flags = hidden + random.normal(size=(_ROWS, _FLAGS)) > 1.4
    lines = [",".join(f"illness{place}" for place in range(_FLAGS))]
    lines += [",".join("yes" if each else "no" for each in row) for row in flags]
    return "\n".join(lines).encode()


@pytest.mark.thorough(
    "dashboard/methods/test_method_pages.py::test_from_the_settings_to_a_packet_that_verifies"
)
def test_from_flags_to_a_verified_packet(person: Custodian) -> None:
    axe.NEED.demand()
    person.upload("illnesses.csv", illnesses())
    expect(person.main.get_by_text("6,000 records, 10 columns")).to_be_visible()
    person.answer_questions()
    person.confirm_columns()
    expect(person.main.get_by_text("goes to the board")).to_be_visible()
    person.go("Privacy")
    person.press("Choose another method")
    person.pick_in_popover("Latent model")
    expect(person.main.get_by_text("Method: Latent model")).to_be_visible()
    expect(person.main.get_by_text("a relation is kept from a correlation")).to_be_visible()
    person.go("Generate")
    person.generate()
    person.go("Inspect")
    person.turn_to("Hidden numbers", "What they carry")
    expect(person.main.get_by_text("INTERNAL").first).to_be_visible()
    expect(person.main.get_by_text("keeps what of it they carry")).to_be_visible()
    person.turn_to("Hidden numbers", "Records and what is kept")
    expect(person.main.get_by_text("without any noise")).to_be_visible()
    assert too_wide(person, widths=(900,)) == []
    none_found(person, iter(["Records and what is kept"]))
    person.turn_to("Hidden numbers", "A map of records")
    expect(person.main.get_by_text("Made records", exact=True)).to_be_visible()
    person.go("Release")
    person.write("Title", "Illnesses, simulated")
    person.settled()
    person.write("Your name and role", "A. Custodian, data office")
    person.press("Make the packet")
    expect(person.main.get_by_text("It is a draft until you issue it.")).to_be_visible()
    checked = understudy("verify", str(person.download("Download the packet")))
    assert checked.status == 0, checked.out
    assert person.traffic.abroad == []
    assert person.traffic.errors == []


_WALKS = "Walks from one made picture to another"


def pictures() -> bytes:
    """Grounds of some grey with a noise of their own, 8 × 8 pixels."""
    random = np.random.default_rng(6)
    light = random.integers(0, 128, (3_000, 1, 1))
    packed = io.BytesIO()
    grey = (light + random.integers(0, 128, (3_000, 8, 8))).astype(np.uint8)
    np.savez_compressed(packed, pictures=grey)
    return packed.getvalue()


@pytest.mark.thorough(
    "dashboard/parts/test_table_sources.py::test_real_ones_stand_marked_beside_made_ones"
)
def test_uploaded_pictures_become_a_verified_packet(person: Custodian) -> None:
    person.turn_to("Pictures")
    place = person.main.get_by_role("region", name="An NPZ file or a ZIP archive")
    given: FilePayload = {"name": "p.npz", "mimeType": "application/zip", "buffer": pictures()}
    person.ready(place.get_by_label("file upload")).set_input_files(given)
    for label, number in (("Rows of pixels", 4), ("Pixels in a row", 4)):
        person.write(label, str(number))
    person.write("Pixels taken together, each way", "2")
    person.press("Open these pictures")
    person.at("Data")
    expect(person.main.get_by_text("3,000 records, 16 columns")).to_be_visible()
    person.answer_questions()
    person.confirm_columns()
    expect(person.main.get_by_text("goes to the board")).to_be_visible()
    person.go("Privacy")
    person.press("Choose another method")
    person.pick_in_popover("Latent model")
    expect(person.main.get_by_text("Method: Latent model")).to_be_visible()
    person.go("Generate")
    person.generate()
    person.go("Inspect")
    person.turn_to("Pictures")
    for each in ("real", "made"):
        expect(person.main.get_by_alt_text(f"The first {each} pictures")).to_be_visible()
    person.go("Release")
    expect(person.main.get_by_alt_text("The first made pictures")).to_be_visible()
    person.pick(_WALKS)
    expect(person.main.get_by_alt_text(_WALKS)).to_be_visible()
    assert too_wide(person, widths=(900,)) == []
    person.write("Title", "Grounds of some grey, simulated")
    person.settled()
    person.write("Your name and role", "A. Custodian, data office")
    person.press("Make the packet")
    expect(person.main.get_by_text("It is a draft until you issue it.")).to_be_visible()
    checked = understudy("verify", str(person.download("Download the packet")))
    assert checked.status == 0, checked.out
    assert person.traffic.abroad == []
    assert person.traffic.errors == []


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
    person.confirm_columns()
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
