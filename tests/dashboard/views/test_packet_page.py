"""Making a packet on the Release page, looking into it, and handing it over. The page that puts a
run on a wall. What a finished run shows: internal figures on one page, the release on the other.
"""

from __future__ import annotations

import io
import json
import os
import re
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from shutil import copytree

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import understudy_dashboard
from tests.engine.report.conftest import CANARY, made
from understudy.report import shelf
from understudy.report.packet_process import find_making
from understudy.report.shelf import list_packets
from understudy.report.verify import verify
from understudy.runs.control import list_runs, wait
from understudy.runs.folder import RunFolder
from understudy.table.buckets import EachValue
from understudy.table.encoding import encode
from understudy.table.schema import Schema
from understudy.table.sources.reading import read_table
from understudy_dashboard.session import Session

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home folder with a finished run."""
    place = tmp_path_factory.mktemp("finished-home")
    made(place, "seedless", runs=".")
    return place


@pytest.fixture
def packet_page_run(home: Path, original: Path, monkeypatch: pytest.MonkeyPatch) -> RunFolder:
    """A finished run of the home folder. No browser is there to print."""
    monkeypatch.setenv("UNDERSTUDY_CHROMIUM", "/nowhere/chromium")
    copytree(original, home)
    (run,) = list_runs(home)
    return run


def make(page: AppTest, title: str = "Survey of things") -> AppTest:
    page.text_input(key="packet-title").set_value(title).run()
    page.text_input(key="packet-by").set_value("A. Custodian, data office").run()
    page.button(key="packet-make").click().run()
    home = Path(os.environ["UNDERSTUDY_HOME"])
    (run,) = list_runs(home)
    making = find_making(run, home / "packets")
    if making is not None:
        wait(making)
    return page.run()


@pytest.mark.process
def test_a_packet_is_made_looked_into_and_issued(
    opened: Opened, said: Said, packet_page_run: RunFolder, home: Path
) -> None:
    page = opened("release")
    assert "is public" in said(page)
    assert not page.exception
    page.button(key="packet-make").click().run()
    assert [each.value for each in page.error] != []
    assert "The packet has no title." in page.error[0].value
    assert list_packets(home / "packets") == ()
    make(page)
    assert not page.error
    assert not page.exception
    assert "It is a draft until you issue it." in said(page)
    (packet,) = list_packets(home / "packets")
    assert packet.cover.title == "Survey of things"
    assert packet.shelved.run == packet_page_run.identity
    assert verify(packet.path).passed
    assert "synthetic.parquet" in said(page)
    assert "HTML only" in said(page)
    page.button(key="packet-issue").click().run()
    assert "The packet is issued." in said(page)
    (issued,) = list_packets(home / "packets")
    assert issued.issued is not None
    assert issued.issued.by == "A. Custodian, data office"
    assert not any(each.key in ("packet-issue", "packet-discard") for each in page.button)
    assert CANARY not in said(page)


def test_what_was_typed_is_still_there_after_another_page(
    opened: Opened, packet_page_run: RunFolder
) -> None:
    page = opened("release")
    page.text_input(key="packet-title").set_value("Half a title").run()
    page.text_area(key="packet-note").set_value("A note").run()
    page.switch_page("views/ledger.py").run()
    page.switch_page("views/release.py").run()
    assert page.text_input(key="packet-title").value == "Half a title"
    assert page.text_area(key="packet-note").value == "A note"


def test_what_is_printed_is_shown_before_it_is_handed_over(
    opened: Opened, said: Said, packet_page_run: RunFolder
) -> None:
    page = opened("release")
    page.text_area(key="packet-note").set_value("For *teaching*\nonly").run()
    page = make(page)
    assert "Printed in this packet, word for word" in said(page)
    assert "- Note: For *teaching* · only" in said(page)
    assert "- Data: *nothing*" in said(page)


def test_the_checks_are_shown_and_a_changed_draft_is_not_handed_on(
    opened: Opened, said: Said, packet_page_run: RunFolder, home: Path
) -> None:
    page = make(opened("release"))
    (packet,) = list_packets(home / "packets")
    page.session_state[f"packet-tabs-{packet.identity}"] = "Is it sound?"
    page.run()
    assert "Every check passed." in said(page)
    assert "The stated total follows from the stated settings" in said(page)
    plan = packet.path / "plan.json"
    plan.write_text(plan.read_text() + " ")
    page.run()
    assert "not those that were made" in said(page)
    assert not any(each.key == "packet-download" for each in page.download_button)
    assert not any(each.key == "packet-issue" for each in page.button)


def test_a_draft_can_be_deleted_and_made_again(
    opened: Opened, packet_page_run: RunFolder, home: Path
) -> None:
    page = make(opened("release"))
    page.button(key="packet-discard").click().run()
    assert list_packets(home / "packets") == ()
    assert page.text_input(key="packet-title").value == "Survey of things"
    make(page, "Another")
    assert [each.cover.title for each in list_packets(home / "packets")] == ["Another"]


def test_the_download_is_the_packet(packet_page_run: RunFolder, home: Path, opened: Opened) -> None:
    from understudy.report.packet import packet_as_zip

    make(opened("release"))
    (packet,) = list_packets(home / "packets")
    with zipfile.ZipFile(io.BytesIO(packet_as_zip(packet))) as archive:
        names = {each.filename.split("/")[1] for each in archive.infolist()}
    assert names == {path.name for path in packet.path.iterdir()}


def test_a_reviewer_sees_the_issued_packet_and_can_check_it(
    packet_page_run: RunFolder,
    home: Path,
    opened: Opened,
    said: Said,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    make(opened("release")).button(key="packet-issue").click().run()
    found = list_packets(home / "packets")
    monkeypatch.setattr(shelf, "list_issued", lambda: found)
    view = Path(understudy_dashboard.__file__).with_name("views") / "packets.py"
    # The process that checks packets loads what it needs the first time.
    page = AppTest.from_file(str(view), default_timeout=60).run()
    assert not page.exception
    assert "Survey of things" in [each.value for each in page.subheader]
    assert "Issued by A. Custodian, data office on " in said(page)
    assert [each.key for each in page.download_button] == ["packet-download"]
    page.button(key="check").click().run()
    assert [each.value for each in page.success] == ["Every check passed."]


def press(page: AppTest, label: str) -> AppTest:
    return next(each for each in page.button if each.label == label).click().run()


def test_without_a_run_it_says_what_is_shown_here(opened: Opened, said: Said) -> None:
    page = opened("present")
    assert "There is none to show yet" in said(page)
    assert not page.exception


def test_slides_are_turned_and_taken_off_the_wall(
    opened: Opened, said: Said, run: RunFolder, session: Session
) -> None:
    page = opened("present", session)
    page.text_input(key="present-title").set_value("For the board").run()
    page = press(page, "Start presenting")
    assert [each.value for each in page.title] == ["For the board"]
    assert "1 / 12" in said(page)
    page = press(page, "Next")
    assert page.title[0].value == "Why not the real table?"
    page = press(press(page, "Back"), "Back")
    assert "1 / 12" in said(page)
    page.session_state["presentation"] = replace(page.session_state["presentation"], at=10)
    for _ in range(2):
        page = press(page, "Next")
        assert "12 / 12" in said(page)
    page = press(page, "End the presentation")
    assert page.title[0].value == "Present"
    assert not page.exception


def test_internal_slides_wear_the_mark_and_can_be_left_out(
    opened: Opened, said: Said, run: RunFolder, session: Session
) -> None:
    page = press(opened("present", session), "Start presenting")
    marked = []
    for _ in range(12):
        if "INTERNAL" in said(page):
            marked.append(page.title[0].value)
        page = press(page, "Next")
    fit = ["What it is fit for", "What it is not fit for"]
    assert marked == ["What was kept", *fit, "What was lost"]
    page = press(page, "End the presentation")
    page.toggle(key="present-public").set_value(True).run()
    page = press(page, "Start presenting")
    for _ in range(8):
        assert "INTERNAL" not in said(page)
        page = press(page, "Next")
    assert "8 / 8" in said(page)


@pytest.mark.parametrize("name", ["present", "release"])
def test_a_run_whose_files_are_damaged_is_refused_in_words(
    opened: Opened, said: Said, run: RunFolder, session: Session, name: str
) -> None:
    kept = run.guarantee.read_text(encoding="utf-8")
    run.guarantee.write_text("{", encoding="utf-8")
    try:
        page = opened(name, session)
    finally:
        run.guarantee.write_text(kept, encoding="utf-8")
    assert "damaged" in said(page)
    assert not page.exception


def tab(page: AppTest, section: str, part: str) -> AppTest:
    page.session_state["inspect-tab"] = section
    page.session_state[f"inspect-{section}"] = part
    return page.run()


def test_before_any_run_both_pages_lead_back(opened: Opened) -> None:
    for name in ("inspect", "release"):
        page = opened(name)
        assert len(page.info) == 1
        assert not page.exception


def test_inspect_tells_the_story_and_marks_it_internal(
    opened: Opened, said: Said, run: RunFolder, session: Session
) -> None:
    page = opened("inspect", session)
    text = said(page)
    assert not page.exception
    assert "typical pair of columns, released records differ" in text
    assert "as many other real records by" in text
    assert "expected to pass" in text or "Every candidate passes" in text
    assert "not measured yet" in text
    assert ":orange-badge[:material/visibility_lock: INTERNAL]" in text


def test_inspect_needs_the_table_for_one_pair_only(
    opened: Opened, said: Said, run: RunFolder, session: Session
) -> None:
    page = tab(opened("inspect", session), "Distances", "One pair")
    assert "This needs" not in said(page)
    assert any(str(each.key).startswith("table-pair-") for each in page.toggle)
    page = tab(opened("inspect"), "Distances", "One pair")
    assert "This needs the confidential table" in said(page)
    assert not page.error


def test_what_it_is_fit_for_stands_first_and_is_internal(
    opened: Opened, said: Said, run: RunFolder, session: Session
) -> None:
    text = said(opened("inspect", session))
    assert text.index("Fit for") < text.index("Not fit for") < text.index("typical pair of")
    assert "Finding or counting single people" in text
    assert "Measured beside as many other real records" in text


def test_a_column_is_looked_at_in_the_real_and_in_the_released_table(
    opened: Opened, said: Said, run: RunFolder, session: Session
) -> None:
    page = tab(opened("inspect", session), "Distances", "Single columns")
    keys = [str(each.key) for each in page.toggle]
    assert sorted(keys) == ["table-column-0", "table-column-1", "table-column-2"]
    page = tab(opened("inspect"), "Distances", "Single columns")
    assert "Open the confidential table" in said(page)


def test_inspect_does_not_compare_with_a_table_described_otherwise(
    opened: Opened, said: Said, run: RunFolder, session: Session
) -> None:
    assert session.settings.schema is not None
    age = session.settings.schema.column("age").with_buckets(EachValue())
    session.describe(session.settings.schema.replace(age))
    page = tab(opened("inspect", session), "Distances", "One pair")
    assert "This needs the confidential table" in said(page)


def test_k_moves_the_pass_rates_without_another_run(
    opened: Opened, run: RunFolder, session: Session
) -> None:
    page = tab(opened("inspect", session), "Privacy test", "Pass rate")
    first = [metric.value for metric in page.metric if metric.label.startswith("ω = 2")]
    page.select_slider(key="inspect-k").set_value(500).run()
    second = [metric.value for metric in page.metric if metric.label.startswith("ω = 2")]
    assert first != second
    assert len(list_runs(run.path.parent)) == 1


def test_every_chart_can_be_read_as_a_table(
    opened: Opened, run: RunFolder, session: Session
) -> None:
    page, toggled = opened("inspect", session), 0
    for section, part in (
        ("Overview", "Foreseen and found"),
        ("Distances", "Single columns"),
        ("Distances", "Spread"),
        ("Distances", "Pairs"),
        ("Distances", "One pair"),
        ("Privacy test", "Pass rate"),
        ("Models", "Dependencies"),
    ):
        tab(page, section, part)
        assert not page.dataframe
        for each in page.toggle:
            each.set_value(True)
            toggled += 1
        page.run()
        assert len(page.dataframe) == len(page.toggle)
        assert not page.error
    assert toggled == 11


def test_release_offers_table_and_guarantee_and_nothing_internal(
    opened: Opened, said: Said, run: RunFolder, session: Session, schema: Schema
) -> None:
    page = opened("release", session)
    text = said(page)
    guarantee = json.loads(run.guarantee.read_text(encoding="utf-8"))
    assert guarantee["guarantee"]["statement"] in text.replace("\n\n", " ")
    assert "\n\nThe probability of any conclusion" in text
    assert re.search(r"\*\*Declared public\*\* on \d{1,2} [A-Z][a-z]+ \d{4}", text)
    assert {each.key for each in page.download_button} >= {
        "download-table", "download-guarantee", "download-sav", "download-dta"
    }  # fmt: skip
    assert text.count("INTERNAL") == 1  # the mark of the annex, which is no part of the release
    assert "passed so far" not in text
    released = encode(read_table(run.table), schema)
    assert len(released) == guarantee["table"]["rows"]
    shown: pd.DataFrame = page.dataframe[0].value
    assert list(shown.columns) == list(schema.names)


def test_release_says_what_is_promised_with_the_formulas_one_click_away(
    opened: Opened, said: Said, run: RunFolder, session: Session
) -> None:
    page = opened("release", session)
    guarantee = json.loads(run.guarantee.read_text(encoding="utf-8"))["guarantee"]
    text = said(page)
    assert guarantee["protects"] in text
    assert f"**Compared are** {guarantee['compares']}." in text
    for each in (*guarantee["reader_sees"], *guarantee["assumes"], *guarantee["not_covered"]):
        assert each in text
    assert not page.code
    page.toggle(key=f"formula-{run.identity}").set_value(True).run()
    assert [each.value for each in page.code] == [each["text"] for each in guarantee["formula"]]


def test_a_statement_of_an_earlier_version_is_still_shown(
    opened: Opened, said: Said, run: RunFolder
) -> None:
    text = run.guarantee.read_text(encoding="utf-8")
    earlier = json.loads(text)
    for name in ("protects", "reader_sees", "not_covered", "formula"):
        del earlier["guarantee"][name]
    try:
        run.guarantee.write_text(json.dumps(earlier), encoding="utf-8")
        page = opened("release")
        assert not page.exception
        assert not page.error
        assert earlier["guarantee"]["assumes"][0] in said(page)
    finally:
        run.guarantee.write_text(text, encoding="utf-8")


def test_the_other_test_can_be_looked_at_without_another_run(
    opened: Opened, run: RunFolder, session: Session
) -> None:
    page = tab(opened("inspect", session), "Privacy test", "Pass rate")
    page.toggle(key="table-passing").set_value(True).run()
    first: pd.DataFrame = page.dataframe[0].value
    page.radio(key="inspect-test").set_value("relative-sensitivity").run()
    assert not page.error
    second: pd.DataFrame = page.dataframe[0].value
    hidden = "Share of attempts that pass, ω = 2–3"
    assert (first[hidden] - second[hidden]).abs().max() > 0.01
    assert "ω = 2–3" in [metric.label for metric in page.metric]


def test_a_stained_release_wears_its_stain(
    opened: Opened, said: Said, run: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = run.guarantee.read_text(encoding="utf-8")
    try:
        run.guarantee.write_text(json.dumps({**json.loads(text), "stain": "NOT PRIVATE"}))
        page = opened("release")
        assert "NOT PRIVATE" in said(page)
        assert not any(metric.label == "ε" for metric in page.metric)
    finally:
        run.guarantee.write_text(text, encoding="utf-8")
