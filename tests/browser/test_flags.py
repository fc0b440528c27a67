"""A table of flags through a latent model, to a packet that verifies."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser import axe
from tests.browser.command_line import understudy
from tests.browser.custodian import Custodian
from tests.browser.test_accessibility import none_found
from tests.browser.test_widths import too_wide

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
    person.tick("is public knowledge: it comes from a form")
    person.press("Confirm")
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
