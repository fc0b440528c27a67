"""A hospital's table as archives have it, from its upload to a verified packet, with the clicks
counted: nothing is edited in the file.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
from decimal import Decimal
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.command_line import understudy
from tests.browser.custodian import Custodian
from understudy.samples import archives
from understudy.table.schema import Schema

_MOST_CLICKS = 22
_UPLOAD = 1
"""Choosing the file, which no event of the page shows."""
_COUNTING = """
() => {
  window.clicks = 0;
  window.addEventListener('pointerdown', event => { if (event.isTrusted) window.clicks += 1; },
                          { capture: true });
}
"""
_MEANS = "-1 = not measured\n-2 = refused\n999 = unknown"


def type_into(person: Custodian, field: Locator, text: str) -> None:
    """Click into a field, as a person does, and type; the Tab key leaves it."""
    box = person.ready(field)
    box.click()
    box.fill(text)
    box.press("Tab")
    person.settled()


def say_whose(person: Custodian) -> None:
    """Answer what the promise is about: two stays of each patient at most, by their order."""
    person.pick("Yes, several")
    most = person.main.get_by_label("Most rows kept of one person", exact=True)
    type_into(person, most, "2")
    expect(person.main.get_by_text("in the order of “admitted_at”")).to_be_visible()
    person.press(re.compile("this number is public$"))
    person.say_new_people()


def name_codes(person: Custodian) -> None:
    """Say what the codes for missing mean, in all columns at once."""
    expect(person.main.get_by_text("missing?").first).to_be_visible()
    person.ready(person.main.get_by_label("Choose all that are shown")).click()
    box = person.ready(person.main.get_by_role("combobox", name="What to change in all of them"))
    box.click()
    box.fill("Meanings of codes for missing")
    box.press("Enter")
    person.settled()
    type_into(person, person.main.locator(".st-key-bulk-meanings textarea"), _MEANS)
    person.press(re.compile("^(done_all )?Change 18 columns$"))
    person.settled()


def derive_total(person: Custodian) -> None:
    """Follow the suggestion that the total adds up."""
    person.unfold("2 columns that seem to follow from others")
    person.ready(person.main.locator(".st-key-derive-list-total_cost button")).click()
    person.settled()
    formula = "total_cost: “ward_cost” + “drug_cost” + “theatre_cost”"
    expect(person.main.get_by_text(formula)).to_be_visible()
    expect(person.main.get_by_text("rows of the table hold what the formula")).to_be_visible()


@pytest.mark.thorough("dashboard/test_archives.py::test_an_archive_is_described_and_confirmed")
def test_a_hospital_goes_to_a_verified_packet_in_few_clicks(person: Custodian) -> None:
    person.page.evaluate(_COUNTING)
    person.upload("hospital.csv", archives.HOSPITAL.read_bytes())
    person.at("Data")
    say_whose(person)
    name_codes(person)
    derive_total(person)
    person.confirm_columns()
    expect(person.main.get_by_text("Confirmed on")).to_be_visible()
    person.go("Generate")
    person.generate()
    person.go("Release")
    title = person.main.get_by_label("Title", exact=True)
    type_into(person, title, "Stays in a hospital, simulated")
    person.write("Your name and role", "A. Custodian, data office")
    person.press("Make the packet")
    expect(person.main.get_by_text("It is a draft until you issue it.")).to_be_visible()
    packet = person.download("Download the packet")
    clicks = _UPLOAD + int(person.page.evaluate("() => window.clicks"))
    assert 10 < clicks <= _MOST_CLICKS
    checked = understudy("verify", str(packet))
    assert checked.status == 0, checked.out
    _as_in_the_file(packet)
    assert person.traffic.abroad == []
    assert person.traffic.errors == []


def _as_in_the_file(packet: Path) -> None:
    """Columns have their names, spellings and codes, and those that are left out are named."""
    with zipfile.ZipFile(packet) as held:
        files = {Path(name).name: held.read(name).decode() for name in held.namelist()
                 if name.endswith((".csv", ".json"))}  # fmt: skip
    rows = list(csv.DictReader(io.StringIO(files["synthetic.csv"])))
    away = {"encounter_no", "patient_no", "surname", "forename"}
    assert [*rows[0]] == [each for each in archives.HOSPITAL_COLUMNS if each not in away]
    parts = ("ward_cost", "drug_cost", "theatre_cost")
    assert all(
        Decimal(row["total_cost"]) == sum(Decimal(row[part]) for part in parts) for row in rows
    )
    told = {row["column"]: row for row in csv.DictReader(io.StringIO(files["dictionary.csv"]))}
    assert {name for name, row in told.items() if row["left out"]} == away
    assert all(re.fullmatch(r"\d\d\.\d\d\.\d{4} \d\d:\d\d", row["admitted_at"]) for row in rows)
    assert all(re.fullmatch(r"\d\d\.\d\d\.\d{4}", row["birth_date"]) for row in rows)
    schema = Schema.from_json(files["schema.json"])
    for name in ("systolic", "weight_kg", "smoker"):
        codes = {each.written: each.label for each in schema.column(name).missing_codes}
        assert codes == dict(archives.HOSPITAL_CODES)
