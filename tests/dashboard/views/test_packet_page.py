"""Making a packet on the Release page, looking into it, and handing it over."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from shutil import copytree

import pytest
from streamlit.testing.v1 import AppTest

import understudy_dashboard
from tests.engine.report.conftest import CANARY, made
from understudy.report import shelf
from understudy.report.making import find_making
from understudy.report.shelf import list_packets
from understudy.report.verify import verify
from understudy.runs.control import runs, wait
from understudy.runs.folder import RunFolder

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home folder with a finished run."""
    place = tmp_path_factory.mktemp("finished-home")
    made(place, "seedless", runs=".")
    return place


@pytest.fixture
def run(home: Path, original: Path, monkeypatch: pytest.MonkeyPatch) -> RunFolder:
    """A finished run of the home folder. No browser is there to print."""
    monkeypatch.setenv("UNDERSTUDY_CHROMIUM", "/nowhere/chromium")
    copytree(original, home)
    (run,) = runs(home)
    return run


def make(page: AppTest, title: str = "Survey of things") -> AppTest:
    page.text_input(key="packet-title").set_value(title).run()
    page.text_input(key="packet-by").set_value("A. Custodian, data office").run()
    page.button(key="packet-make").click().run()
    home = Path(os.environ["UNDERSTUDY_HOME"])
    (run,) = runs(home)
    making = find_making(run, home / "packets")
    if making is not None:
        wait(making)
    return page.run()


@pytest.mark.process
def test_a_packet_is_made_looked_into_and_issued(
    opened: Opened, said: Said, run: RunFolder, home: Path
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
    assert packet.shelved.run == run.identity
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


def test_what_was_typed_is_still_there_after_another_page(opened: Opened, run: RunFolder) -> None:
    page = opened("release")
    page.text_input(key="packet-title").set_value("Half a title").run()
    page.text_area(key="packet-note").set_value("A note").run()
    page.switch_page("views/ledger.py").run()
    page.switch_page("views/release.py").run()
    assert page.text_input(key="packet-title").value == "Half a title"
    assert page.text_area(key="packet-note").value == "A note"


def test_what_is_printed_is_shown_before_it_is_handed_over(
    opened: Opened, said: Said, run: RunFolder
) -> None:
    page = opened("release")
    page.text_area(key="packet-note").set_value("For *teaching*\nonly").run()
    page = make(page)
    assert "Printed in this packet, word for word" in said(page)
    assert "- Note: For *teaching* · only" in said(page)
    assert "- Data: *nothing*" in said(page)


def test_the_checks_are_shown_and_a_changed_draft_is_not_handed_on(
    opened: Opened, said: Said, run: RunFolder, home: Path
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


def test_a_draft_can_be_deleted_and_made_again(opened: Opened, run: RunFolder, home: Path) -> None:
    page = make(opened("release"))
    page.button(key="packet-discard").click().run()
    assert list_packets(home / "packets") == ()
    assert page.text_input(key="packet-title").value == "Survey of things"
    make(page, "Another")
    assert [each.cover.title for each in list_packets(home / "packets")] == ["Another"]


def test_the_download_is_the_packet(run: RunFolder, home: Path, opened: Opened) -> None:
    from understudy.report.packet import packet_as_zip

    make(opened("release"))
    (packet,) = list_packets(home / "packets")
    with zipfile.ZipFile(io.BytesIO(packet_as_zip(packet))) as archive:
        names = {each.filename.split("/")[1] for each in archive.infolist()}
    assert names == {path.name for path in packet.path.iterdir()}


def test_a_reviewer_sees_the_issued_packet_and_can_check_it(
    run: RunFolder, home: Path, opened: Opened, said: Said, monkeypatch: pytest.MonkeyPatch
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
