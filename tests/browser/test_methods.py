"""A table of numbers through each method beside seedbased synthesis, to a packet that verifies."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser.command_line import understudy
from tests.browser.custodian import Custodian

_ROWS = 3_000


def people() -> bytes:
    """Ages and hours that depend on one another, and a category."""
    random = np.random.default_rng(5)
    age = random.normal(41, 12, _ROWS).round().clip(17, 90).astype(int)
    hours = (20 + 0.4 * age + random.normal(0, 8, _ROWS)).round().clip(1, 99).astype(int)
    kind = random.integers(0, 3, _ROWS)
    rows = [f"{a},{h},{'xyz'[k]}" for a, h, k in zip(age, hours, kind, strict=True)]
    return "\n".join(["age,hours,kind", *rows]).encode()


@pytest.mark.thorough(
    "dashboard/methods/test_any_method.py::test_from_its_settings_to_a_packet_that_verifies"
)
@pytest.mark.parametrize("method", ["Bayesian imputation", "pMSE mechanism"])
def test_from_a_table_of_numbers_to_a_verified_packet(person: Custodian, method: str) -> None:
    person.upload("people.csv", people())
    expect(person.main.get_by_text("3,000 records, 3 columns")).to_be_visible()
    person.answer_questions()
    person.tick("is public knowledge: it comes from a form")
    person.press("Confirm")
    expect(person.main.get_by_text("goes to the board")).to_be_visible()
    person.go("Privacy")
    person.press("Choose another method")
    person.pick_in_popover(method)
    expect(person.main.get_by_text(f"Method: {method}")).to_be_visible()
    person.go("Generate")
    public = person.main.get_by_role("checkbox", name="It is public knowledge that the table has")
    expect(public).to_be_attached()
    if not public.is_checked():
        person.tick("It is public knowledge that the table has")
    person.generate()
    person.go("Inspect")
    expect(person.main.get_by_text("INTERNAL").first).to_be_visible()
    person.go("Release")
    person.write("Title", "Ages and hours, simulated")
    person.settled()
    person.write("Your name and role", "A. Custodian, data office")
    person.press("Make the packet")
    expect(person.main.get_by_text("It is a draft until you issue it.")).to_be_visible()
    checked = understudy("verify", str(person.download("Download the packet")))
    assert checked.status == 0, checked.out
    assert person.traffic.abroad == []
    assert person.traffic.errors == []
