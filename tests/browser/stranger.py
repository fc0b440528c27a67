"""Walk through the page as somebody who has never seen it: `python -m tests.browser.stranger`.

It knows no name of any page or control. It reads what is on the screen: it ticks the sentence that
a greyed-out button waits for, answers a question with its first answer or a round number, presses
the button that stands out, fills in empty boxes where that does not help, and follows the arrow to
the next page. In the end it opens the pages of the list that it did not come to. What is counted on
the way (words, controls, screens to scroll) is what a person has before their eyes without opening
a fold.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

from playwright.sync_api import Locator, Page
from playwright.sync_api import TimeoutError as TooLong

from tests.browser import chromium
from tests.browser.command_line import understudy
from tests.browser.custodian import Custodian, browsing, custodian
from tests.browser.serving import serving

THEMES: Final = ("light", "dark")
WIDTHS: Final = (900, 1280, 1920)
_HEIGHT: Final = 900
_STEPS: Final = 60
_ANSWERS: Final = 5
"""How often questions of one page are answered."""
_MANY: Final = "1000"
"""What they write where a number is asked for."""
_SETTING_OFF: Final = 3_000
"""Milliseconds in which it shows that something was set off."""
_LONGEST_RUN: Final = 600_000
"""Milliseconds that a run, or a measurement, may keep the page busy."""

_SEEN: Final = """
() => {
  const main = document.querySelector('[data-testid=stMain]');
  const shown = what => [...main.querySelectorAll(what)].filter(each => each.checkVisibility());
  const block = document.querySelector('[data-testid=stMainBlockContainer]');
  return {
    title: shown('h1').map(each => each.innerText.trim()).join(' '),
    words: main.innerText.split(/\\s+/).filter(each => /[\\p{L}\\p{N}]/u.test(each)).length,
    buttons: shown('button').length,
    fields: shown('input, textarea, [role=slider]').length,
    links: shown('a').length,
    screens: Math.round(10 * block.scrollHeight / window.innerHeight) / 10,
  };
}
"""
_LINES_ABOVE: Final = """
button => {
  const before = (one, other) =>
      one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING;
  const main = document.querySelector('[data-testid=stMain]');
  const heading = [...main.querySelectorAll('h2, h3')].filter(each => before(each, button)).pop();
  return [...main.querySelectorAll('input[type=text]:not([role])')].filter(each =>
      heading && before(heading, each) && before(each, button) && each.checkVisibility()
      && !each.value);
}
"""
_BUSY: Final = "() => !!document.querySelector('[data-testid=stMain] [role=progressbar]')"
_IDLE: Final = "() => !document.querySelector('[data-testid=stMain] [role=progressbar]')"
_STANDS_OUT: Final = "[data-testid=stBaseButton-primary]"
_ONWARD: Final = "[data-testid=stPageLink-NavLink]"


@dataclass(frozen=True)
class Seen:
    """What is on one page before anything is opened.

    Attributes:
        title: the page's heading.
        words: how many words it has.
        buttons: how many buttons.
        fields: how many boxes, sliders and choices.
        links: how many links.
        screens: how many windows high it is.
    """

    title: str
    words: int
    buttons: int
    fields: int
    links: int
    screens: float


@dataclass
class Stranger:
    """Somebody who reads the screen.

    Attributes:
        person: the browser they sit at.
        shots: where screenshots go; None takes none.
        method: the one that they were told to take, as pages call it; "" takes what is offered.
        records: how many records they know the table to have.
        clicks: how often they clicked, so far.
        pressed: how often each button was pressed, by page and words.
    """

    person: Custodian
    shots: Path | None
    method: str = ""
    records: str = _MANY
    clicks: int = 0
    pressed: dict[tuple[str, str], int] = field(default_factory=dict)

    @property
    def _page(self) -> Page:
        return self.person.page

    def walk(self, table: Path | str) -> Iterator[Seen]:
        """Give a table to the first place that takes a file, and go on until there is no way on.

        Args:
            table: a file, or the words of a button that opens a sample.

        Yields every page when they first come to it.
        """
        self.person.arrive()
        yield self._look()
        if isinstance(table, Path):
            self.give(table)
        else:
            self.seek(*table.split())
        known: set[str] = set()
        for _ in range(_STEPS):
            self.person.settled()
            title = self.title()
            if title not in known and self.method and self._choose():
                continue
            if title not in known:
                known.add(title)
                yield self._look()
            if not (self.press() or self.leave()):
                break
        yield from self._others(known)

    def _choose(self) -> bool:
        """Choose the method where that can be done, and is not done yet."""
        if self.method in self.person.main.inner_text() or not self.seek("another", "method"):
            return False
        choices = self._page.get_by_test_id("stPopoverBody")
        choices.get_by_text(self.method, exact=True).first.click()
        self.clicks += 1
        self.person.settled()
        self._page.keyboard.press("Escape")
        self.person.settled()
        return True

    def carry_away(self) -> Path | None:
        """Go to the page with a packet, and download it; None where there is none."""
        links = self._page.get_by_role("navigation").get_by_role("link")
        for place in range(links.count()):
            self.person.ready(links.nth(place)).click()
            self.person.settled()
            found = self.person.main.get_by_role("button", name=re.compile("packet", re.IGNORECASE))
            for one in found.all():
                if one.get_attribute("data-testid") is not None and "ownload" in one.inner_text():
                    self.clicks += 1
                    return self.person.download(one.inner_text().splitlines()[-1])
        return None

    def _others(self, known: set[str]) -> Iterator[Seen]:
        links = self._page.get_by_role("navigation").get_by_role("link")
        for place in range(links.count()):
            self.person.ready(links.nth(place)).click()
            self.person.settled()
            if self.title() not in known:
                known.add(self.title())
                yield self._look()

    def title(self) -> str:
        """The heading of the page they are on."""
        return self.person.main.locator("h1").first.inner_text().strip()

    def _look(self) -> Seen:
        """Count what is there, and take the pictures."""
        self.person.settled()
        seen = Seen(**self._page.evaluate(_SEEN))
        if self.shots is not None:
            self._photograph(seen.title)
        return seen

    def _photograph(self, title: str) -> None:
        assert self.shots is not None
        for width in WIDTHS:
            self._page.set_viewport_size({"width": width, "height": _HEIGHT})
            for theme in THEMES:
                self._page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
                self.person.settled()
                self._page.screenshot(path=self.shots / f"{title}-{width}-{theme}.png")
        self._page.emulate_media(color_scheme="light")
        self._page.set_viewport_size({"width": 1440, "height": _HEIGHT})

    def press(self) -> bool:
        """Press what stands out; where it is greyed out, say first what it waits for."""
        out = self.person.main.locator(f"{_STANDS_OUT}:visible")
        wanted = [each for each in out.all() if "tour" not in each.inner_text()]
        if not wanted:
            return self.reply()
        one, words = wanted[-1], wanted[-1].inner_text()
        times = self.pressed[self.title(), words] = 1 + self.pressed.get((self.title(), words), 0)
        if times > 2:
            return False
        if times > 1:
            self._fill()
        if one.is_disabled():
            self._write_lines(one)
        for answer in self._unanswered() if one.is_disabled() else ():
            answer.click()
            self.clicks += 1
            self.person.settled()
            if one.is_enabled():
                break
        if one.is_disabled():
            return False
        one.click()
        self.clicks += 1
        self.person.settled()
        self._wait()
        return True

    def reply(self) -> bool:
        """Where nothing stands out, answer what is asked: pick the first answer of each question
        without one, and write a number into the first empty box for one; not for ever."""
        times = self.pressed[self.title(), ""] = 1 + self.pressed.get((self.title(), ""), 0)
        answered = False
        if times > _ANSWERS:
            return False
        while (one := next(self._questions(), None)) is not None:
            one.click()
            self.clicks += 1
            self.person.settled()
            answered = True
        for box in self.person.main.locator("input[type=number]:visible").all()[:1]:
            if not box.input_value() and box.is_editable():
                box.fill(self.records)
                box.press("Tab")
                self.clicks += 1
                self.person.settled()
                answered = True
        return answered

    def seek(self, *spoken: str) -> bool:
        """Press the first button whose words hold all of these."""
        every = self.person.main.get_by_role("button")
        for one in self.person.ready(every).all():
            if one.is_visible() and one.is_enabled() and _holds(one.inner_text(), spoken):
                one.click()
                self.clicks += 1
                self.person.settled()
                return True
        return False

    def give(self, table: Path) -> None:
        """Choose a file at the first place that takes one, and wait for the next page."""
        here = self.title()
        self.person.main.locator("input[type=file]").first.set_input_files(str(table))
        self._page.wait_for_function(
            "was => document.querySelector('[data-testid=stMain] h1')?.innerText.trim() !== was",
            arg=here,
            timeout=_LONGEST_RUN,
        )
        self.clicks += 1
        self.person.settled()

    def _wait(self) -> None:
        """Watch what the button set off, if it goes on by itself."""
        with suppress(TooLong):
            self._page.wait_for_function(_BUSY, timeout=_SETTING_OFF)
        self._page.wait_for_function(_IDLE, timeout=_LONGEST_RUN)
        self.person.settled()

    def _fill(self) -> None:
        """Write into every empty box what it asks for."""
        for box in self.person.main.locator("input[type=text]:visible, textarea:visible").all():
            if not box.input_value() and box.is_editable() and not box.get_attribute("role"):
                box.fill(box.get_attribute("aria-label") or "x")
                box.press("Tab")
                self.person.settled()

    def _write_lines(self, button: Locator) -> None:
        """Write into every empty line between a button and the heading above it, a click each."""
        lines = button.evaluate_handle(_LINES_ABOVE)
        for line in lines.get_properties().values():
            box = line.as_element()
            assert box is not None
            box.click()
            box.fill(f"{box.get_attribute('aria-label')}: the form")
            box.press("Tab")
            self.clicks += 1
            self.person.settled()

    def _unanswered(self) -> Iterator[Locator]:
        """Long sentences with a box to tick, last first; then questions without an answer."""
        boxes = self.person.main.locator("[data-testid=stCheckbox]:visible").all()
        for box in reversed(boxes):
            if len(box.inner_text().split()) > 5 and not box.locator("input").is_checked():
                yield box.locator("label").first
        yield from self._questions()

    def _questions(self) -> Iterator[Locator]:
        """The first answer of each question without one."""
        for group in self.person.main.locator("[data-testid=stRadio]:visible").all():
            if not group.locator("input:checked").count():
                yield group.locator("[data-testid=stRadioOption]").first

    def leave(self) -> bool:
        """Follow the last arrow of the page."""
        onward = self.person.main.locator(f"{_ONWARD}:visible")
        if not onward.count():
            return False
        was = self.title()
        onward.last.click()
        self.clicks += 1
        self.person.settled()
        return self.title() != was


def _holds(said: str, words: Sequence[str]) -> bool:
    return all(word.casefold() in said.casefold() for word in words)


def main(arguments: Sequence[str] | None = None) -> int:
    """Walk once, and print what was on each page."""
    parser = argparse.ArgumentParser(prog="python -m tests.browser.stranger", description=__doc__)
    parser.add_argument("table", help="a CSV file, or words on a button that opens a sample")
    parser.add_argument("--shots", type=Path, help="a folder for screenshots")
    parser.add_argument("--method", default="", help="the method to take, as pages call it")
    parser.add_argument("--records", default=_MANY, help="how many records the table is known for")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    asked = parser.parse_args(arguments)
    path = chromium.NEED.find()
    if path is None:
        print(chromium.NEED.how, file=sys.stderr)
        return 1
    if asked.shots is not None:
        asked.shots.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder)) as server,
        browsing(path) as browser,
        custodian(browser, server, Path(folder)) as person,
    ):
        stranger = Stranger(person, asked.shots, asked.method, asked.records)
        file = Path(asked.table)
        seen = list(stranger.walk(file.resolve() if file.is_file() else asked.table))
        packet = stranger.carry_away()
        checked = None if packet is None else understudy("verify", str(packet))
    print(_json(seen, stranger.clicks) if asked.json else _table(seen, stranger.clicks))
    if checked is None:
        print("No packet came of it.", file=sys.stderr)
        return 1
    print(checked.out.strip().splitlines()[-1], file=sys.stderr)
    return checked.status


def _json(seen: Sequence[Seen], clicks: int) -> str:
    return json.dumps({"pages": [asdict(each) for each in seen], "clicks": clicks}, indent=2)


def _table(seen: Sequence[Seen], clicks: int) -> str:
    lines = ["| page | words | buttons | fields | links | screens |", "|---|---|---|---|---|---|"]
    lines += [
        f"| {each.title} | {each.words} | {each.buttons} | {each.fields} | {each.links} "
        f"| {each.screens} |"
        for each in seen
    ]
    return "\n".join([*lines, "", f"{clicks} clicks"])


if __name__ == "__main__":
    sys.exit(main())
