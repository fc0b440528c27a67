"""A table of one's own, a run, and the packet of it, which checks out until it is changed."""

from __future__ import annotations

import zipfile
from pathlib import Path

from playwright.sync_api import expect

from tests.browser.command_line import understudy
from tests.browser.custodian import Custodian
from tests.browser.test_own_table import clinic


def changed(packet: Path) -> Path:
    """The same packet with the total of its guarantee halved."""
    other = packet.with_name("changed.zip")
    with zipfile.ZipFile(packet) as before, zipfile.ZipFile(other, "w") as after:
        for entry in before.infolist():
            content = before.read(entry)
            if entry.filename.endswith("/guarantee.json"):
                content = content.replace(b'"epsilon": 2.0', b'"epsilon": 1.0')
            after.writestr(entry, content)
    return other


def test_a_packet_is_made_downloaded_verified_and_issued(person: Custodian) -> None:
    person.upload("clinic.csv", clinic())
    expect(person.main.get_by_text("4,000 records, 5 columns")).to_be_visible()
    person.tick("is public knowledge: it comes from a form")
    person.press("Confirm")
    expect(person.main.get_by_text("goes to the board")).to_be_visible()
    person.go("Privacy")
    person.enter("ε at most, exactly", "2")
    expect(person.total_epsilon).to_have_text("2")
    person.go("Generate")
    person.say_new_people()
    person.generate()
    person.go("Release")
    person.press("Make the packet")
    expect(person.main.get_by_role("alert").filter(has_text="no title")).to_be_visible()
    person.write("Title", "Clinic stays, simulated")
    person.settled()
    person.write("Your name and role", "A. Custodian, data office")
    person.press("Make the packet")
    expect(person.main.get_by_text("It is a draft until you issue it.")).to_be_visible()
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
    expect(person.main.get_by_text("Every check passed.")).to_be_visible()
    person.turn_to("The report")
    report = person.main.frame_locator("iframe")
    expect(report.get_by_role("heading", name="Clinic stays, simulated")).to_be_visible()
    expect(report.get_by_text("What the board should check").last).to_be_attached()
    person.press("Issue it")
    expect(person.main.get_by_text("The packet is issued.")).to_be_visible()
    annex = person.download("Internal annex (HTML)").read_text(encoding="utf-8")
    assert "INTERNAL — computed from confidential records without noise" in annex
    assert person.traffic.abroad == []
