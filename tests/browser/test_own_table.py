"""A table of one's own: described, confirmed, stood in for; and files that are none."""

from __future__ import annotations

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser.checks import released
from tests.browser.custodian import Custodian
from understudy.table.grid import Grid
from understudy.table.schema import Schema

_ROWS = 4_000
_PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02"


def clinic() -> bytes:
    """Patients who do not exist: semicolons, NA for a missing age, a number that names each."""
    rng = np.random.default_rng(11)
    wards, stays = rng.integers(0, 4, _ROWS), rng.integers(1, 30, _ROWS)
    ages = np.clip(rng.normal(45 + 8 * wards, 12, _ROWS).round(), 18, 95).astype(int)
    unknown = rng.random(_ROWS) < 0.03
    names = ("surgery", "medicine", "maternity", "eyes and ears")
    lines = [
        f"P-{row:05d};{'NA' if unknown[row] else ages[row]};{names[wards[row]]};{stays[row]};"
        f"{'yes' if stays[row] + 5 * wards[row] > 20 else 'no'}"
        for row in range(_ROWS)
    ]
    return "\n".join(["patient;age;ward;nights;readmitted", *lines]).encode()


@pytest.mark.thorough(
    "dashboard/views/test_data_page.py::test_the_confirmation_is_asked_for_and_recorded"
)
def test_an_uploaded_table_is_described_and_confirmed(person: Custodian) -> None:
    described(person)
    person.follow("Next: Buckets", "Buckets")
    person.follow("Next: Privacy", "Privacy")
    expect(person.total_epsilon).to_have_text("1")


@pytest.mark.thorough(
    "dashboard/views/test_generate_page.py::"
    "test_generating_takes_a_confirmation_and_ends_in_a_release"
)
def test_an_uploaded_table_is_stood_in_for(person: Custodian) -> None:
    schema = described(person)
    person.go("Privacy")
    person.enter("ε at most, exactly", "2")
    expect(person.total_epsilon).to_have_text("2")
    person.follow("Next: Generate", "Generate")
    person.generate()
    person.go("Release")
    table = person.download("Download the table")
    records, said = released(table, person.download("Download its guarantee"), schema)
    assert said["guarantee"]["epsilon"] == 2
    ages = records.codes[:, schema.index("age")]
    assert 0 < np.mean(ages == schema.column("age").missing_code) < 0.2
    assert b"NA," in table.read_bytes()
    assert b"P-0" not in table.read_bytes()


def described(person: Custodian) -> Schema:
    """Upload a table, describe it, and confirm the description, which is returned."""
    person.upload("clinic.csv", clinic())
    expect(person.main.get_by_text("values separated by semicolon")).to_be_visible()
    expect(person.main.get_by_text("4,000 records, 5 columns")).to_be_visible()
    person.answer_questions()
    expect(person.main.get_by_role("button", name="Left out 1", exact=True)).to_be_visible()
    person.press(re.compile("^patient"))
    expect(person.main.get_by_text("patient is left out.")).to_be_visible()
    person.press(re.compile("^age"))
    person.choose("Column (", "ward")
    lines = person.main.get_by_role("textbox", name="Everything it may contain, one a line")
    expect(lines).to_have_value("eyes and ears\nmaternity\nmedicine\nsurgery")
    person.choose("Column (", "age")
    expect(person.main.get_by_label("Smallest", exact=True)).to_be_visible()
    person.settled()
    expect(person.main.get_by_role("checkbox", name="A value may be missing")).to_be_checked()
    person.enter("Smallest", "0")
    person.enter("Largest", "60")
    expect(person.main.get_by_text("above its maximum")).to_be_visible()
    person.enter("Largest", "120")
    expect(person.main.get_by_text("above its maximum")).to_have_count(0)
    person.tick("is public knowledge: it comes from a form")
    person.press("Confirm")
    expect(person.main.get_by_text("goes to the board")).to_be_visible()
    person.unfold("Schema file and codebook")
    schema = Schema.from_json(person.download("Save the schema file").read_text(encoding="utf-8"))
    assert schema.declared
    assert schema.names == ("age", "ward", "nights", "readmitted")
    age = schema.column("age")
    assert isinstance(age.domain, Grid)
    assert (age.domain.texts[0], age.domain.texts[-1], age.missing) == ("0", "120", True)
    return schema


@pytest.mark.thorough(
    "dashboard/views/test_data_page.py::test_a_bad_file_is_answered_in_words_and_can_be_replaced"
)
def test_a_file_that_is_no_table_is_answered_in_words_and_can_be_replaced(
    person: Custodian,
) -> None:
    answer = person.main.get_by_role("alert")
    person.upload("picture.csv", _PNG)
    expect(answer.filter(has_text="picture.csv")).to_be_visible()
    person.upload("empty.csv", b"")
    expect(answer.filter(has_text="empty.csv")).to_be_visible()
    expect(answer).to_have_count(1)
    expect(person.page.get_by_text("Traceback")).to_have_count(0)
    person.upload("clinic.csv", clinic())
    expect(person.main.get_by_text("4,000 records, 5 columns")).to_be_visible()
    assert person.traffic.errors == []
