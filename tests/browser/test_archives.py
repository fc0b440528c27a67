"""Three tables as archives have them, from the upload to a verified packet, with clicks and words
counted: nothing is edited in the files.
"""

from __future__ import annotations

import csv
import re
from decimal import Decimal
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.custodian import Custodian
from tests.browser.walk import Walk, list_rows
from understudy.samples import archives
from understudy.table.schema import Schema


def _list_left_out(files: dict[str, str]) -> set[str]:
    """The columns that the data dictionary names as left out."""
    return {row["column"] for row in list_rows(files, "dictionary.csv") if row["left out"]}


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
    rows = list_rows(files, "synthetic.csv")
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
    rows = list_rows(files, "synthetic.csv")
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
    assert [*list_rows(files, "synthetic.csv")[0]] == used
    assert _list_left_out(files) == {*archives.questionnaire_columns()} - {*used}
    _check_codes(files, codes, *used)
