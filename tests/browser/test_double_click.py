"""Whoever presses twice has asked once: a second run would be a second spend, and a second project
a second table. That one run is started is seen at the end of `test_keyboard`'s way to it."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Locator

from tests.browser.custodian import Custodian
from tests.browser.serving import Server
from understudy.projects.catalogue import list_projects

_TABLE = "age,sex\n" + "".join(f"{age},{'fm'[age % 2]}\n" for age in range(20, 80))
_AGAIN = """
one => one.addEventListener('click', () => {
  for (const after of [0, 20, 60, 120, 240]) setTimeout(() => one.click(), after);
}, {once: true})
"""


def pressed_again(button: Locator) -> None:
    """Whoever presses this button, in whatever way, presses it again and again while what that set
    off is under way."""
    button.evaluate(_AGAIN)


def test_a_table_makes_one_project(person: Custodian, server: Server, tmp_path: Path) -> None:
    table = tmp_path / "ages.csv"
    table.write_text(_TABLE)
    person.ready(person.main.get_by_role("tab", name="A file on this machine")).click()
    box = person.ready(person.main.get_by_label("The path of a file on this machine", exact=True))
    box.fill(str(table))
    button = person.ready(person.main.get_by_role("button", name="Open this path"))
    pressed_again(button)
    button.dispatch_event("click")
    # The last press may find the page of projects still there, or Data already.
    person.sees(person.main.get_by_text("ages.csv").first)
    person.settled()
    assert len(list_projects(server.home / "projects")) == 1
