"""From grey pictures, uploaded by their custodian, to a verified packet of made ones."""

from __future__ import annotations

import io

import numpy as np
import pytest
from playwright.sync_api import FilePayload, expect

from tests.browser.command_line import understudy
from tests.browser.custodian import Custodian
from tests.browser.test_widths import too_wide

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
    "dashboard/parts/test_table_opening.py::test_real_ones_stand_marked_beside_made_ones"
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
    person.tick("is public knowledge: it comes from a form")
    person.press("Confirm")
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
