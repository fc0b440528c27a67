"""Everything there is to see, one thing after another: pages, tabs, folds, slides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from playwright.sync_api import Locator, expect

from tests.browser.custodian import PAGES, Custodian
from understudy.mechanisms.registry import mechanisms

_FOLDS = "details:not([open]) > summary"
_PRESSES = 12
_ANOTHER = "Choose another method"
_ASIDE = "Set the rules aside and use "


def a_finished_run(person: Custodian) -> None:
    """Make a run of the sample census, on the Generate page."""
    person.open_sample()
    person.go("Generate")
    person.generate()


def every_page(person: Custodian, pages: Sequence[str] = PAGES) -> Iterator[str]:
    """Go from page to page as they stand, all of them or these; yields where one is."""
    for page in pages:
        person.go(page)
        yield page


def every_place(person: Custodian) -> Iterator[str]:
    """Go to every page, and on it to every tab and part, all folds open; yields where one is."""
    for page in every_page(person):
        _unfolded(person)
        yield page
        yield from _tabs(person, page)
        if page == "Privacy":
            yield from _parts(person.main, person, page)
        yield from _popovers(person, page)


def every_method(
    person: Custodian, pages: Sequence[str], only: Sequence[str] = ()
) -> Iterator[str]:
    """Choose every method that the open table can be used with, in turn, or only some, and go to
    these pages, all folds open; yields where one is."""
    for method in only or _methods(person):
        person.go("Privacy")
        person.press(_ANOTHER)
        aside = person.page.get_by_role("button", name=f"{_ASIDE}{method}")
        person.settled()
        if aside.count():
            aside.click()
            person.settled()
            person.page.keyboard.press("Escape")
        else:
            person.pick_in_popover(method)
        expect(person.main.get_by_text(f"Method: {method}")).to_be_visible()
        for page in pages:
            person.go(page)
            _unfolded(person)
            yield f"{page}, {method}"


def _methods(person: Custodian) -> list[str]:
    """The titles of the methods that are offered, or once the rules are set aside."""
    person.go("Privacy")
    person.press(_ANOTHER)
    choices = person.page.get_by_test_id("stPopoverBody").get_by_role("radio")
    expect(choices.first).to_be_attached()
    found = {each.title for each in mechanisms().values()}
    popover = person.page.get_by_test_id("stPopoverBody")
    said = popover.get_by_test_id("stRadio").inner_text().splitlines()
    buttons = popover.get_by_role("button", name=_ASIDE).all_inner_texts()
    said += [line.removeprefix(_ASIDE) for text in buttons for line in text.splitlines()]
    person.page.keyboard.press("Escape")
    return sorted(found & set(said))


def every_slide(person: Custodian) -> Iterator[str]:
    """Put the newest run on the wall and turn all its slides; yields the title of each."""
    person.go("Present")
    person.press("Start presenting")
    number = person.main.get_by_text("1 / ")
    expect(number).to_be_visible()
    of = int(number.inner_text().split("/")[1])
    for place in range(1, of + 1):
        expect(person.main.get_by_text(f"{place} / {of}", exact=True)).to_be_visible()
        person.settled()
        yield person.main.get_by_role("heading", level=1).inner_text()
        person.page.keyboard.press("ArrowRight")
    person.page.keyboard.press("Escape")
    person.at("Present")


def _tabs(person: Custodian, page: str) -> Iterator[str]:
    tabs = person.main.get_by_role("tab")
    for place in range(tabs.count()):
        tab = tabs.nth(place)
        if _turned(person, tab, "aria-selected"):
            yield f"{page}, {tab.inner_text()}"
        if page == "Inspect":
            panel = person.main.get_by_role("tabpanel")
            yield from _parts(panel, person, f"{page}, {tab.inner_text()}")


def _parts(within: Locator, person: Custodian, where: str) -> Iterator[str]:
    """The parts of a tab of Inspect or of the Privacy page, told apart by a row of choices."""
    parts = within.get_by_test_id("stButtonGroup").get_by_role("radio")
    for place in range(parts.count()):
        part = parts.nth(place)
        if _turned(person, part, "aria-checked"):
            yield f"{where}, {part.inner_text()}"


def _turned(person: Custodian, choice: Locator, state: str) -> bool:
    """Turn to one of several choices, all folds open; whether another was chosen before."""
    if choice.get_attribute(state) == "true":
        return False
    _pressed(person, choice)
    expect(choice).to_have_attribute(state, "true")
    _unfolded(person)
    return True


def _popovers(person: Custodian, page: str) -> Iterator[str]:
    """One of each page's popovers, open."""
    button = person.main.get_by_test_id("stPopover").get_by_role("button").first
    if button.count() and button.is_enabled():
        _pressed(person, button)
        expect(person.page.get_by_test_id("stPopoverBody")).to_be_visible()
        yield f"{page}, {button.inner_text()} open"
        person.page.keyboard.press("Escape")


def _unfolded(person: Custodian) -> None:
    """Open all folds at once, and those that were inside them."""
    person.settled()
    folds = person.main.locator(_FOLDS)
    for _ in range(_PRESSES):
        # Between two presses the page may be drawn again, and what comes second be gone.
        folds.evaluate_all("each => each.forEach(fold => fold.click())")
        person.settled()
        if not folds.count():
            break
    expect(folds).to_have_count(0)


def _pressed(person: Custodian, thing: Locator) -> None:
    person.settled()
    thing.click()
    person.settled()
