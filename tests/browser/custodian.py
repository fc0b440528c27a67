"""What a person does at the page: opening, following links, generating, downloading."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    FilePayload,
    Locator,
    Page,
    expect,
    sync_playwright,
)

from tests.browser.resting import RESTS
from tests.browser.window import PATIENCE, Opened, let_in

PAGES = (
    "Projects",
    "Data",
    "Buckets",
    "Privacy",
    "Generate",
    "Inspect",
    "Release",
    "Ledger",
    "Present",
    "Glossary",
)
BY_HAND = "Set every parameter yourself"
MANY = "Many plans at once"
MEASURING = 300_000
"""Milliseconds to wait for everything to be measured: a minute or two, on a machine that is not."""

_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # What one page compiled, the next one of that server has compiled.
    "--process-per-site",
    # A request to anywhere else fails at once rather than leave this machine.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
_LOOK_EVERY = 40
"""Milliseconds."""

_HEADED = """
name => [...document.querySelectorAll('h1')]
    .some(each => each.textContent.trim() === name && each.checkVisibility())
"""
_TABS = 3
"""How often the Tab key is pressed from one field to the next, past a button between them."""
_READING = "I have read what this run spends"

expect.set_options(timeout=PATIENCE)


@contextmanager
def browsing(path: Path) -> Iterator[Browser]:
    """The Chromium at a path, without a window."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=_FLAGS)
        try:
            yield browser
        finally:
            browser.close()


@dataclass(frozen=True)
class Traffic:
    """What a page asked for, and what its console complained about.

    Attributes:
        address: the server's.
        asked: every address it sent a request to or opened a socket with.
        errors: errors in its console, and exceptions nobody caught.
    """

    address: str
    asked: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def watch(self, page: Page) -> None:
        """Write down from now on."""
        page.on("request", lambda request: self.asked.append(request.url))
        page.on("websocket", lambda socket: self.asked.append(socket.url))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda message: self._hear(message))

    @property
    def abroad(self) -> list[str]:
        """What went to anywhere but the server; what the page made itself goes nowhere."""
        return [url for url in self.asked if not self._stays(url)]

    def _stays(self, url: str) -> bool:
        parts = urlsplit(url)
        return parts.scheme in ("data", "blob") or parts.netloc == urlsplit(self.address).netloc

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.errors.append(f"{message.text} ({message.location.get('url', '')})")


_PRESSES = 3


@dataclass(frozen=True)
class Custodian:
    """A person at the page.

    Attributes:
        page: the tab.
        address: the server's.
        folder: where downloads go.
        traffic: what the page asked for so far.
    """

    page: Page
    address: str
    folder: Path
    traffic: Traffic

    @property
    def main(self) -> Locator:
        """The page without the sidebar."""
        return self.page.get_by_role("main")

    @property
    def total_epsilon(self) -> Locator:
        """The meter's figure."""
        meter = self.page.get_by_test_id("stSidebar").get_by_test_id("stMetric")
        return meter.filter(has_text="Total ε").get_by_test_id("stMetricValue")

    def arrive(self) -> None:
        """Open the page's address: the projects or, where the sample is open at once, Data."""
        self.page.goto(self.address)
        self.sees(self.page.get_by_role("heading", level=1))
        self.settled()

    def at(self, step: str) -> None:
        """Wait until a page is there, drawn to its end."""
        self.until(_HEADED, step)
        expect(self.page.get_by_role("heading", name=step, exact=True, level=1)).to_be_visible()
        self.settled()

    def until(self, holds: str, said: str = "") -> None:
        """Wait until something holds in the page. `expect` looks once a second in the end, and a
        journey waits a hundred times."""
        self.page.wait_for_function(holds, arg=said, polling=_LOOK_EVERY, timeout=PATIENCE)

    def sees(self, thing: Locator) -> None:
        """Wait until something shows that takes a while. `expect` describes the whole page each
        time that it looks in vain."""
        thing.wait_for(timeout=PATIENCE)

    def settled(self) -> None:
        """Wait until the page is up to date with what can be seen to have happened."""
        self.until(RESTS)

    def ready(self, thing: Locator) -> Locator:
        """Something to act on. While the page is drawn, it may be there twice: old and new."""
        self.settled()
        return thing

    def go(self, step: str) -> None:
        """Go to a page by the list of pages."""
        steps = self.page.get_by_role("navigation")
        self.ready(steps.get_by_role("link", name=step, exact=True)).click()
        self.at(step)

    def follow(self, label: str, step: str) -> None:
        """Follow a link of the page to a step."""
        self.ready(self.main.get_by_role("link", name=label)).click()
        self.at(step)

    def by_hand(self) -> None:
        """Go to every parameter of a plan."""
        self.go("Privacy")
        self.look_into(BY_HAND)
        expect(self.main.get_by_role("heading", name="The promise", exact=True)).to_be_visible()

    def as_published(self) -> None:
        """Go to every parameter and take the published settings."""
        self.by_hand()
        self.press("As published")
        expect(self.page.get_by_label("k · plausible seeds needed, exactly")).to_have_value("50")
        self.settled()

    def figure(self, label: str) -> Locator:
        """A figure of the page, the meter left out."""
        named = self.main.get_by_test_id("stMetric").filter(has_text=label)
        return named.get_by_test_id("stMetricValue")

    def turn_to(self, tab: str, part: str = "") -> None:
        """Open a tab of the page, and one of its parts where it has several."""
        self._turn(self.main.get_by_role("tab", name=tab, exact=True), "aria-selected")
        if part:
            self._turn(self.main.get_by_role("radio", name=part, exact=True), "aria-checked")

    def look_into(self, detail: str) -> None:
        """Open one of the details of the Privacy page."""
        said = self.page.get_by_text(detail, exact=True)
        self.ready(self.main.locator("summary").filter(has=said)).click()
        expect(self.main.locator("details[open] > summary").filter(has=said)).to_be_visible()
        self.settled()

    def press(self, label: str | re.Pattern[str]) -> None:
        """Press a button by all its words, or by a pattern, once it can be pressed."""
        button = self.ready(self.main.get_by_role("button", name=label, exact=True))
        expect(button).to_be_enabled()
        button.click()

    def unfold(self, label: str | re.Pattern[str]) -> None:
        """Open a fold by its words, again where the page was drawn anew over it."""
        said = self.page.get_by_text(label, exact=True)
        fold = self.main.locator("details").filter(has=self.page.locator("summary", has=said)).last
        self.ready(fold)
        for _ in range(_PRESSES):
            if fold.get_attribute("open") is None:
                fold.locator("summary").first.click()
            self.settled()
        expect(fold).to_have_attribute("open", "")

    def tick(self, label: str) -> None:
        """Tick a box by its words."""
        self.ready(self.main.get_by_text(label)).click()
        expect(self.main.get_by_role("checkbox", name=label)).to_be_checked()

    def pick(self, label: str) -> None:
        """Pick one of several choices by its words."""
        self.ready(self.main.get_by_text(label, exact=True)).click()
        expect(self.main.get_by_role("radio", name=label)).to_be_checked()

    def write(self, label: str, text: str) -> None:
        """Fill in a field of a form, whose button comes next, and leave it.

        What is under a field moves when the hint on its Enter key goes away, and a click on the
        button that also leaves the field may then miss it.
        """
        box = self.ready(self.main.get_by_label(label, exact=True))
        box.fill(text)
        box.press("Tab")

    def enter(self, label: str, text: str) -> None:
        """Fill in a field and press Enter."""
        box = self.ready(self.main.get_by_label(label, exact=True))
        box.fill(text)
        box.press("Enter")

    def choose(self, label: str, option: str) -> None:
        """Choose from a list by typing; the caller waits for what that changes."""
        box = self.ready(self.main.get_by_role("combobox", name=label))
        box.fill(option)
        box.press("Enter")

    def pick_in_popover(self, label: str) -> None:
        """Pick one of the choices of the popover that is open, and close it."""
        popover = self.page.get_by_test_id("stPopoverBody")
        self.ready(popover.get_by_text(label, exact=True)).click()
        self.settled()
        self.page.keyboard.press("Escape")

    def upload(self, name: str, content: bytes) -> None:
        """Choose a file as one's own table, on Data or on the empty page of projects."""
        place = self.main.get_by_role("region", name="A CSV, Parquet, Excel, Stata")
        given: FilePayload = {"name": name, "mimeType": "text/csv", "buffer": content}
        self.ready(place.get_by_label("file upload")).set_input_files(given)

    def open_sample(self) -> None:
        """Open the sample census, from Data or the empty page of projects; Data shows it."""
        self.press("Try it with the sample census")
        self.at("Data")
        self.sees(self.main.get_by_text("Nobody in it exists."))

    def say_new_people(self) -> None:
        """Say, on the Data page, that nobody in one's own table was in one used before."""
        self.pick("Nobody in it is in a table that was used here before")

    def answer_questions(self) -> None:
        """Answer, on the Data page, that each row is another person's, that everybody may know how
        many records there are, and that the people are new."""
        self.pick("No, one row at most")
        self.press(re.compile("this number is public$"))
        self.say_new_people()
        self.sees(self.main.get_by_role("heading", name="What each column may contain"))

    def say_sources(self, line: str = "the form of this survey") -> None:
        """Write, on the Data page, where each group of columns is known from: one click into the
        first field, and by the Tab key from one to the next."""
        self.sees(self.main.locator(".st-key-origins"))
        self.settled()
        fields = self.main.locator(".st-key-origins input[type=text]:visible")
        first = True
        for place in range(fields.count()):
            field = self.ready(fields.nth(place))
            if field.input_value() or field.get_attribute("role"):
                continue
            if first:
                field.click()
            for _ in range(_TABS):
                if not field.evaluate("field => field === document.activeElement"):
                    self.page.keyboard.press("Tab")
            first = False
            field.fill(line)
            field.press("Tab")
            self.settled()

    def confirm_columns(self) -> None:
        """Say where columns are known from, and confirm all of it as public knowledge."""
        self.say_sources()
        self.tick("is public knowledge: it comes from a form")
        self.press("Confirm")

    def start(self) -> None:
        """Agree to the plan, on the Generate page, and start its run."""
        self.tick(_READING)
        self.press("Generate")

    def generate(self) -> None:
        """Start the run and wait until it has finished."""
        self.start()
        self.sees(self.main.get_by_text("The table and its guarantee are ready."))

    def measure_everything(self) -> None:
        """Ask for the full evaluation, on the Inspect page, and wait until it is there."""
        self.press("Measure everything")
        expect(self.main.get_by_role("progressbar")).to_be_visible()
        expect(self.main.get_by_text("Column predicted:")).to_be_visible(timeout=MEASURING)
        self.settled()

    def download(self, label: str) -> Path:
        """Press a download button; where the file is then."""
        self.settled()
        with self.page.expect_download() as download:
            # What is in a fold that floats stands outside of the page itself.
            self.page.get_by_role("button", name=label).click()
        place = self.folder / download.value.suggested_filename
        download.value.save_as(place)
        return place

    def _turn(self, one: Locator, state: str) -> None:
        self.ready(one).click()
        expect(one).to_have_attribute(state, "true")


@contextmanager
def at_a_tab(context: BrowserContext, address: str, folder: Path) -> Iterator[Custodian]:
    """A person with a fresh tab of a browser, who has not opened the page yet."""
    page, traffic = context.new_page(), Traffic(address)
    traffic.watch(page)
    try:
        yield Custodian(page, address, folder, traffic)
    finally:
        page.close()


@contextmanager
def custodian(browser: Browser, server: Opened, folder: Path) -> Iterator[Custodian]:
    """A person with a browser of their own, who has not opened the page yet."""
    context = let_in(browser, server)
    try:
        with at_a_tab(context, server.address, folder) as person:
            yield person
    finally:
        context.close()
