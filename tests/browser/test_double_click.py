"""Whoever presses twice has asked once: a second run would be a second spend."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Locator, expect

from engine.projects.catalogue import all_projects, every_run
from tests.browser.custodian import Custodian
from tests.browser.serving import Server

_TABLE = "age,sex\n" + "".join(f"{age},{'fm'[age % 2]}\n" for age in range(20, 80))
_AGAIN = """
one => {
  one.click();
  for (const after of [20, 60, 120, 240]) setTimeout(() => one.click(), after);
}
"""
_READING = "I have read what this run spends"


def test_a_run_is_started_once(person: Custodian, server: Server) -> None:
    person.open_sample()
    person.go("Generate")
    person.tick(_READING)
    _twice(person.ready(person.main.get_by_role("button", name="Generate", exact=True)))
    expect(person.main.get_by_text("The table and its guarantee are ready.")).to_be_visible()
    assert len(every_run(server.home)) == 1


def test_a_table_makes_one_project(person: Custodian, server: Server, tmp_path: Path) -> None:
    table = tmp_path / "ages.csv"
    table.write_text(_TABLE)
    person.ready(person.main.get_by_role("tab", name="A file on this machine")).click()
    box = person.ready(person.main.get_by_label("The path of a file on this machine", exact=True))
    box.fill(str(table))
    _twice(person.ready(person.main.get_by_role("button", name="Open this path")))
    # The last press may find the page of projects still there, or Data already.
    expect(person.main.get_by_text("ages.csv").first).to_be_visible()
    person.settled()
    assert len(all_projects(server.home / "projects")) == 1


def _twice(button: Locator) -> None:
    """Press a button again and again while what it set off is under way."""
    button.evaluate(_AGAIN)
