"""The sample census, all of it, from the first click to the release. A table of one's own:
described, confirmed, stood in for; and files that are none. A table of one's own, a run, and the
packet of it, which checks out until it is changed. A table of numbers through each method beside
seedbased synthesis, to a packet that verifies. A table of a database and one of a statistics
program, opened at the page.
"""

from __future__ import annotations

import re
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Locator, expect

from tests.browser.beforehand import table_released
from tests.browser.checks import released
from tests.browser.command_line import understudy
from tests.browser.custodian import BY_HAND, Custodian
from tests.browser.serving import Server
from tests.engine.table.formats import Words, write
from understudy.samples import census
from understudy.table.grid import Grid
from understudy.table.schema import Schema
from understudy.table.sources.reading import read_table
from understudy_dashboard.loaded_table import LoadedTable

_CHART = re.compile("^stVegaLiteChart$")
_WITHIN = """
() => window.innerWidth === 900
    && [...document.querySelectorAll('[data-testid=stVegaLiteChart] svg')]
      .filter(each => each.checkVisibility())
      .every(each => each.getBoundingClientRect().right <= window.innerWidth)
"""


@pytest.fixture(scope="module")
def server(whole_sample: Server) -> Server:
    """The dashboard as it is."""
    return whole_sample


def drawn(place: Locator, name: str, *words: str) -> None:
    """A chart is there, by what is said of it to who cannot see it, and has these words in it."""
    named = place.get_by_label(re.compile(name, re.IGNORECASE))
    chart = place.get_by_test_id(_CHART).and_(named)
    expect(chart).to_be_visible()
    for word in words:
        expect(chart.get_by_text(word, exact=True).first).to_be_visible()


def seen_whole(person: Custodian) -> None:
    """Charts side by side are not cut off in a small window."""
    before = person.page.viewport_size
    assert before is not None
    person.page.set_viewport_size({"width": 900, "height": before["height"]})
    person.until(_WITHIN)
    person.page.set_viewport_size(before)
    person.settled()


def inspected(person: Custodian) -> None:
    """Every figure of the Inspect page, one tab after another."""
    expect(person.main.get_by_text("In a typical pair of columns")).to_be_visible()
    panel, tables = person.main.get_by_role("tabpanel"), ("other real records", "released")
    person.turn_to("Overview", "Foreseen and found")
    drawn(panel, "further off than other real records pairs", "released")
    person.turn_to("Distances", "Single columns")
    panel.get_by_text("All 12 columns").click()
    drawn(panel, "shares of the values of Occupation", "real", "synthetic")
    person.turn_to("Distances", "Spread")
    drawn(panel, "distance of columns", *tables)
    person.turn_to("Distances", "Pairs")
    drawn(panel, "distance of pairs", *tables)
    drawn(panel, "every pair of columns, released", "Age", "Occupation")
    person.turn_to("Distances", "One pair")
    drawn(panel, "shares of .* and .*, real and synthetic", "Real records", "Synthetic records")
    seen_whole(person)
    person.turn_to("Privacy test", "Pass rate")
    drawn(panel, "share of attempts", "ω = 11", "ω = 10")
    person.turn_to("Models", "Dependencies")
    drawn(panel, "columns as points, with arrows", "Age", "Occupation")


@pytest.mark.thorough("browser/test_runs.py::test_from_the_sample_to_a_finished_run")
def test_from_data_to_release_without_leaving_the_machine(person: Custodian) -> None:
    person.open_sample()
    person.follow("Next: Buckets", "Buckets")
    drawn(person.main, "how many records fall in each bucket of AGEP", "records")
    person.follow("Next: Privacy", "Privacy")
    expect(person.total_epsilon).to_have_text("1")
    person.look_into(BY_HAND)
    person.press("As published")
    expect(person.main.get_by_text("next to nothing is promised")).to_be_visible()
    before = person.total_epsilon.inner_text()
    person.main.get_by_role("slider", name="N · attempts").press("ArrowLeft")
    expect(person.total_epsilon).not_to_have_text(before)
    person.settled()
    person.look_into("How the total comes about")
    person.turn_to("ε and the number of attempts")
    drawn(person.main, "total ε", "Number of attempts")
    person.follow("Next: Generate", "Generate")
    person.generate()
    person.follow("See what was kept and what was lost", "Inspect")
    inspected(person)
    person.follow("Next: Release", "Release")
    table = person.download("Download the table")
    guarantee = person.download("Download its guarantee")
    assert (table.name, guarantee.name) == ("synthetic.csv", "guarantee.json")
    _, said = released(table, guarantee, census.schema(ruled=True))
    assert said["guarantee"]["strength"] != "none"
    assert "stain" not in said
    assert person.traffic.abroad == []
    assert person.traffic.errors == []


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
    assert said["guarantee"]["epsilon"] == pytest.approx(2, rel=1e-12)
    ages = records.codes[:, schema.index("age")]
    assert 0 < np.mean(ages == schema.column("age").unknown_code) < 0.2
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
    person.confirm_columns()
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


def changed(packet: Path) -> Path:
    """The same packet with the total of its guarantee halved."""
    other = packet.with_name("changed.zip")
    with zipfile.ZipFile(packet) as before, zipfile.ZipFile(other, "w") as after:
        for entry in before.infolist():
            content = before.read(entry)
            if entry.filename.endswith("/guarantee.json"):
                assert b'"epsilon": 1.0' in content
                content = content.replace(b'"epsilon": 1.0', b'"epsilon": 0.5')
            after.writestr(entry, content)
    return other


@pytest.fixture
def packet_released(at_its_home: None) -> None:
    """There is a project of a table of one's own with a finished run."""
    table_released(LoadedTable("clinic.csv", read_table(clinic(), name="clinic.csv")))


def test_a_packet_is_made_downloaded_verified_and_issued(
    packet_released: None, person: Custodian
) -> None:
    person.press("Open")
    person.at("Data")
    person.upload("clinic.csv", clinic())
    person.sees(person.main.get_by_text("everything stands as you left it"))
    person.go("Release")
    person.press("SPSS or Stata")
    for form, program in (("sav", "SPSS"), ("dta", "Stata")):
        table = read_table(person.download(f"Download for {program} (.{form})"))
        assert table.names == ("age", "ward", "nights", "readmitted")
    person.page.keyboard.press("Escape")
    person.press("Make the packet")
    person.sees(person.main.get_by_role("alert").filter(has_text="no title"))
    person.write("Title", "Clinic stays, simulated")
    person.settled()
    person.write("Your name and role", "A. Custodian, data office")
    person.press("Make the packet")
    person.sees(person.main.get_by_text("It is a draft until you issue it."))
    packet = person.download("Download the packet")
    checked = understudy("verify", str(packet))
    assert checked.status == 0, checked.out
    failed = understudy("verify", str(changed(packet)))
    assert failed.status == 1
    assert "FAILED" in failed.out
    with zipfile.ZipFile(packet) as archive:
        whole = b"".join(archive.read(entry) for entry in archive.infolist())
    assert b"patient" in whole  # as a column that is left out
    for hidden in (b"clinic.csv", b"P-0"):
        assert hidden not in whole
    person.turn_to("Is it sound?")
    person.sees(person.main.get_by_text("Every check passed."))
    person.turn_to("The report")
    report = person.main.frame_locator("iframe")
    person.sees(report.get_by_role("heading", name="Clinic stays, simulated"))
    expect(report.get_by_text("What the board should check").last).to_be_attached()
    person.press("Issue it")
    person.sees(person.main.get_by_text("The packet is issued."))
    annex = person.download("Internal annex (HTML)").read_text(encoding="utf-8")
    assert "INTERNAL — computed from confidential records without noise" in annex
    assert person.traffic.abroad == []


_METHODS_ROWS = 3_000


def people() -> bytes:
    """Ages and hours that depend on one another, and a category."""
    random = np.random.default_rng(5)
    age = random.normal(41, 12, _METHODS_ROWS).round().clip(17, 90).astype(int)
    hours = (20 + 0.4 * age + random.normal(0, 8, _METHODS_ROWS)).round().clip(1, 99).astype(int)
    kind = random.integers(0, 3, _METHODS_ROWS)
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
    person.confirm_columns()
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


_SECRET = "sesame-4711"


@pytest.mark.thorough(
    "dashboard/views/test_start_page.py::test_a_password_in_the_connection_string_is_moved_where_nobody_reads_it"
)
def test_a_table_of_a_database_is_opened_and_its_password_is_nowhere(
    person: Custodian, tmp_path: Path
) -> None:
    path = tmp_path / "clinic.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE people (age INTEGER, ward TEXT)")
        rows = [(18 + i % 60, f"ward {i % 3}") for i in range(600)]
        connection.executemany("INSERT INTO people VALUES (?, ?)", rows)
        connection.commit()
    person.go("Data")
    person.turn_to("A database")
    place = person.main.get_by_role("textbox", name="Connection string")
    person.ready(place).fill(f"sqlite://anna:{_SECRET}@/{path}")
    what = person.main.get_by_role("textbox", name="Table, or a query that begins with SELECT")
    person.ready(what).fill("nobody")
    person.press("Open from the database")
    expect(person.main.get_by_role("alert").filter(has_text="It has: people")).to_be_visible()
    # Moved to the field where nobody can read it, and what was typed is still there.
    expect(place).to_have_value(f"sqlite://anna@/{path}")
    expect(person.main.get_by_role("textbox", name="Password")).to_have_value(_SECRET)
    expect(what).to_have_value("nobody")
    person.ready(what).fill("people")
    person.press("Open from the database")
    expect(person.main.get_by_text("600 records, 2 columns")).to_be_visible()
    expect(person.main.get_by_text("read from a database")).to_be_visible()
    assert _SECRET not in person.page.content()
    assert person.traffic.errors == []


@pytest.mark.thorough(
    "dashboard/views/test_start_page.py::test_labels_of_a_statistics_file_stand_in_the_suggestion"
)
def test_labels_of_an_spss_file_are_suggested(person: Custodian, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {"sex": rng.integers(1, 3, 400).astype(float), "age": rng.integers(18, 95, 400) * 1.0}
    )
    words = Words(
        titles={"sex": "Sex of the person", "age": "Age in years"},
        values={"sex": {1: "male", 2: "female", 3: "neither"}},
        ranges={"age": [999]},
    )
    path = write("sav", frame, tmp_path / "survey.sav", words)
    person.go("Data")
    person.upload(path.name, path.read_bytes())
    expect(person.main.get_by_text("SPSS file")).to_be_visible()
    expect(person.main.get_by_text("400 records, 2 columns")).to_be_visible()
    person.answer_questions()
    person.unfold("Schema file and codebook")
    codebook = person.download("Save the codebook").read_text(encoding="utf-8")
    assert "sex,Sex of the person,string,1=male; 2=female; 3=neither," in codebook
    assert "age,Age in years,integer," in codebook
    assert person.traffic.errors == []
