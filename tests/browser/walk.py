"""From the upload of a table to a verified packet, with clicks and words counted."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Locator, expect

from tests.browser.command_line import understudy
from tests.browser.custodian import Custodian

_MOST_CLICKS = 20
_MOST_WORDS = 2_400
"""On the four pages, each as it is when its work is done."""
_UPLOAD = 1
"""Choosing the file, which no event of the page shows."""
_TABS = 6
"""How often the Tab key is pressed to come to a field, before it is clicked."""
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

    def click(self, thing: Locator) -> None:
        """Click something once it can be clicked, and wait for what that changes."""
        self.person.ready(thing).click()
        self.person.settled()

    def reach(self, field: Locator) -> None:
        """Go to a field by the Tab key, or by a click where that leads elsewhere."""
        self.person.ready(field)
        for _ in range(_TABS):
            if field.evaluate("field => field === document.activeElement"):
                return
            self.person.page.keyboard.press("Tab")
        field.click()

    def type_option(self, label: str | re.Pattern[str], *options: str) -> None:
        """Go to a list and choose from it by typing."""
        box = self.person.main.get_by_role("combobox", name=label)
        self.reach(box)
        for option in options:
            box.fill(option)
            box.press("Enter")
            self.person.settled()
        if self.person.page.get_by_role("listbox").count():
            # A list of which several can be chosen stays open, over all else.
            box.press("Escape")

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

    def finish(
        self, title: str, clicks_at_most: int = _MOST_CLICKS, words_at_most: int = _MOST_WORDS
    ) -> dict[str, str]:
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
        assert 10 < clicks <= clicks_at_most
        assert 500 < self.words <= words_at_most
        checked = understudy("verify", str(packet))
        assert checked.status == 0, checked.out
        assert person.traffic.abroad == []
        assert person.traffic.errors == []
        return read_packet(packet)

    def _read(self) -> None:
        self.person.settled()
        self.words += len(self.person.main.inner_text().split())


def read_packet(packet: Path) -> dict[str, str]:
    with zipfile.ZipFile(packet) as held:
        return {
            Path(name).name: held.read(name).decode()
            for name in held.namelist()
            if name.endswith((".csv", ".json", ".txt"))
        }


def list_rows(files: dict[str, str], name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(files[name])))
