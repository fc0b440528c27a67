"""Three tables as archives have them, from the upload to a verified packet, with clicks and words
counted: nothing is edited in the files.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.command_line import understudy
from tests.browser.custodian import Custodian
from understudy.samples import archives
from understudy.table.schema import Schema

_MOST_CLICKS = 20
_MOST_WORDS = 2_400
"""On the four pages, each as it is when its work is done."""
_UPLOAD = 1
"""Choosing the file, which no event of the page shows."""
_COUNTING = """
() => {
  window.clicks = 0;
  window.addEventListener('pointerdown', event => { if (event.isTrusted) window.clicks += 1; },
                          { capture: true });
}
"""


@dataclass
class Walk:
    """A custodian's way through the pages.

    Attributes:
        person: who walks.
        words: how many words were on the pages so far.
    """

    person: Custodian
    words: int = 0

    def upload(self, name: str, content: bytes) -> None:
        """Open a table; clicks count from here on."""
        self.person.page.evaluate(_COUNTING)
        self.person.upload(name, content)
        self.person.at("Data")

    def type_into(self, field: Locator, text: str) -> None:
        """Click into a field, as a person does, and type; the Tab key leaves it."""
        box = self.person.ready(field)
        box.click()
        box.fill(text)
        box.press("Tab")
        self.person.settled()

    def say_size(self) -> None:
        """Say that the number of records is public and nobody in the table was met before."""
        self.person.press(re.compile("this number is public$"))
        self.person.say_new_people()
        self.person.settled()

    def say_whose(self, most: int, order: str) -> None:
        """Answer what the promise is about: so many rows of a person at most, by their order."""
        self.person.pick("Yes, several")
        field = self.person.main.get_by_label("Most rows kept of one person", exact=True)
        self.type_into(field, str(most))
        expect(self.person.main.get_by_text(f"in the order of “{order}”")).to_be_visible()
        self.say_size()

    def choose_all(self) -> None:
        """Choose all columns that the list shows."""
        self.person.ready(self.person.main.get_by_label("Choose all that are shown")).click()
        self.person.settled()

    def search_and_choose(self, pattern: str, columns: int) -> None:
        """Click into the search, type a pattern and choose by Enter all columns that fit."""
        search = self.person.ready(self.person.main.get_by_label("Search columns"))
        search.click()
        search.fill(pattern)
        search.press("Enter")
        expect(self.person.main.get_by_text(f"{columns} columns chosen")).to_be_visible()
        self.person.settled()

    def choose_change(self, label: str, what: str) -> None:
        """Click into a list of changes and choose one by typing."""
        box = self.person.ready(self.person.main.get_by_role("combobox", name=label))
        box.click()
        box.fill(what)
        box.press("Enter")
        self.person.settled()

    def name_codes(self, codes: dict[str, str], columns: int) -> None:
        """Say what the codes for missing mean, in all chosen columns at once."""
        lines = "\n".join(f"{code} = {meaning}" for code, meaning in codes.items())
        self.type_into(self.person.main.locator(".st-key-bulk-meanings textarea"), lines)
        self.person.press(re.compile(f"^(done_all )?Change {columns} columns$"))
        self.person.settled()

    def finish(self, title: str) -> dict[str, str]:
        """Confirm, generate and make the packet, and check all of it; the packet's files."""
        person = self.person
        person.confirm_columns()
        expect(person.main.get_by_text("Confirmed on")).to_be_visible()
        self._read()
        person.go("Generate")
        self._read()
        person.generate()
        person.go("Release")
        self._read()
        self.type_into(person.main.get_by_label("Title", exact=True), title)
        person.write("Your name and role", "A. Custodian, data office")
        person.press("Make the packet")
        expect(person.main.get_by_text("It is a draft until you issue it.")).to_be_visible()
        self._read()
        packet = person.download("Download the packet")
        clicks = _UPLOAD + int(person.page.evaluate("() => window.clicks"))
        assert 10 < clicks <= _MOST_CLICKS
        assert 500 < self.words <= _MOST_WORDS
        checked = understudy("verify", str(packet))
        assert checked.status == 0, checked.out
        assert person.traffic.abroad == []
        assert person.traffic.errors == []
        return _read_files(packet)

    def _read(self) -> None:
        self.person.settled()
        self.words += len(self.person.main.inner_text().split())


def _read_files(packet: Path) -> dict[str, str]:
    with zipfile.ZipFile(packet) as held:
        return {
            Path(name).name: held.read(name).decode()
            for name in held.namelist()
            if name.endswith((".csv", ".json", ".txt"))
        }


def _rows(files: dict[str, str], name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(files[name])))


def _list_left_out(files: dict[str, str]) -> set[str]:
    """The columns that the data dictionary names as left out."""
    return {row["column"] for row in _rows(files, "dictionary.csv") if row["left out"]}


def _check_codes(files: dict[str, str], codes: dict[str, str], *names: str) -> None:
    """Columns have these codes for missing, and their meanings."""
    schema = Schema.from_json(files["schema.json"])
    for name in names:
        given = {each.written: each.label for each in schema.column(name).missing_codes}
        assert given == codes


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
    walk, codes = Walk(person), dict(archives.HOSPITAL_CODES)
    walk.upload("hospital.csv", archives.HOSPITAL.read_bytes())
    walk.say_whose(2, "admitted_at")
    walk.choose_all()
    walk.name_codes(codes, 18)
    derive_total(person)
    files = walk.finish("Stays in a hospital, simulated")
    rows = _rows(files, "synthetic.csv")
    away = {"encounter_no", "patient_no", "surname", "forename"}
    assert [*rows[0]] == [each for each in archives.HOSPITAL_COLUMNS if each not in away]
    parts = ("ward_cost", "drug_cost", "theatre_cost")
    assert all(
        Decimal(row["total_cost"]) == sum(Decimal(row[part]) for part in parts) for row in rows
    )
    assert _list_left_out(files) == away
    assert all(re.fullmatch(r"\d\d\.\d\d\.\d{4} \d\d:\d\d", row["admitted_at"]) for row in rows)
    assert all(re.fullmatch(r"\d\d\.\d\d\.\d{4}", row["birth_date"]) for row in rows)
    _check_codes(files, codes, "systolic", "weight_kg", "smoker")


@pytest.mark.thorough("dashboard/test_archives.py::test_an_archive_is_described_and_confirmed")
def test_a_panel_goes_to_a_verified_packet_with_its_weight(person: Custodian) -> None:
    walk, codes = Walk(person), dict(archives.PANEL_CODES)
    walk.upload("panel.csv", archives.PANEL.read_bytes())
    walk.say_whose(3, "wave")
    person.ready(person.main.get_by_text("survey_weight", exact=True).first).click()
    person.ready(person.main.get_by_text("Yes, use it", exact=True)).click()
    person.settled()
    walk.choose_all()
    walk.name_codes(codes, 12)
    files = walk.finish("A panel, simulated")
    rows = _rows(files, "synthetic.csv")
    assert [*rows[0]] == [each for each in archives.PANEL_COLUMNS if each != "person"]
    assert _list_left_out(files) == {"person"}
    assert all(re.fullmatch(r"\d,\d{4}", row["survey_weight"]) for row in rows)
    weights = [float(row["survey_weight"].replace(",", ".")) for row in rows]
    with archives.PANEL.open(encoding="utf-8", newline="") as file:
        real = [float(row["survey_weight"].replace(",", "."))
                for row in csv.DictReader(file, delimiter=";")]  # fmt: skip
    assert sum(weights) / len(weights) == pytest.approx(sum(real) / len(real), rel=0.1)
    assert "“survey_weight” is a survey weight" in " ".join(files["README.txt"].split())
    _check_codes(files, codes, "income", "rent", "hours_per_week")


@pytest.mark.thorough("dashboard/test_archives.py::test_an_archive_is_described_and_confirmed")
def test_a_questionnaire_of_2500_columns_goes_to_a_verified_packet(
    person: Custodian, tmp_path: Path
) -> None:
    walk, codes = Walk(person), dict(archives.QUESTIONNAIRE_CODES)
    archives.write_questionnaire(1_000, tmp_path / "q.csv")
    walk.upload("questionnaire.csv", (tmp_path / "q.csv").read_bytes())
    person.pick("No, one row at most")
    walk.say_size()
    walk.search_and_choose("q7_*", 50)
    walk.choose_change("What to change in all of them", "Use only these")
    person.press(re.compile("^(done_all )?Use only 50 columns$"))
    walk.choose_change("Change something else in them", "Meanings of codes for missing")
    walk.name_codes(codes, 50)
    files = walk.finish("Block 7 of a questionnaire, simulated")
    used = [each for each in archives.questionnaire_columns() if each.startswith("q7_")]
    assert [*_rows(files, "synthetic.csv")[0]] == used
    assert _list_left_out(files) == {*archives.questionnaire_columns()} - {*used}
    _check_codes(files, codes, *used)
