"""A table of one's own, a run, and the packet of it, which checks out until it is changed."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.beforehand import table_released
from tests.browser.command_line import understudy
from tests.browser.custodian import Custodian
from tests.browser.test_own_table import clinic
from understudy.table.sources.reading import read_table
from understudy_dashboard.loaded_table import LoadedTable


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
def released(at_its_home: None) -> None:
    """There is a project of a table of one's own with a finished run."""
    table_released(LoadedTable("clinic.csv", read_table(clinic(), name="clinic.csv")))


def test_a_packet_is_made_downloaded_verified_and_issued(released: None, person: Custodian) -> None:
    person.press("Open")
    person.at("Data")
    person.upload("clinic.csv", clinic())
    person.sees(person.main.get_by_text("everything stands as you left it"))
    person.go("Release")
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
    for hidden in (b"clinic.csv", b"P-0", b"patient"):
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
