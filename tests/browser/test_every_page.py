"""Every page of a finished run, gone through once: it fits a tablet, and axe finds nothing. No
serious violation of accessibility, on any page, in either theme: as axe sees it. Pages fit a
tablet, a laptop and a projector: nothing is wider than the window, and no legend and no hint in a
box is cut. What a board is shown on a wall can be read from the back: at half the size it is drawn
at.
"""

from __future__ import annotations

import zipfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Final, Literal

import pytest
from playwright.sync_api import Locator, expect
from playwright.sync_api import TimeoutError as TooLong

from tests.browser import axe
from tests.browser.beforehand import sample_released
from tests.browser.custodian import PAGES, Custodian
from tests.browser.everywhere import (
    a_finished_run,
    every_method,
    every_page,
    every_place,
    every_slide,
)
from tests.browser.legible import WIDE, Trouble, troubles
from tests.browser.test_journeys import people

_TITLES = ("Bayesian imputation", "Scored candidates", "Seedbased synthesis", "pMSE mechanism")
_MAIN = frozenset(
    {"Data", "Privacy", "Privacy, Bayesian imputation", "Generate", "Inspect", "Release"}
)
"""The pages that are looked at in both themes; all of them are where there is more time."""

_SPOIL = """
() => {
  const wide = document.createElement('div');
  wide.style = 'width: 3000px; height: 1px';
  wide.append(document.createElement('button'));
  document.querySelector('[data-testid=stMainBlockContainer]').append(wide);
}
"""
"""Makes the page wider than its window, by something with a button that says nothing."""
_SPOIL_TEXTS = """
() => {
  const block = document.querySelector('[data-testid=stMainBlockContainer]');
  block.insertAdjacentHTML('beforeend', `<div id=spoilt><input style="width: 60px"
    placeholder="to the next position"><svg class=marks width=90 height=20 viewBox="0 0 90 20"
    style="overflow: hidden"><g class=role-legend><text x=40 y=12>A draw for each row</text></g>
    </svg></div>`);
}
"""
"""Puts a legend and a hint on the page that have not enough room."""


@pytest.fixture
def released(at_its_home: None, tmp_path: Path) -> None:
    """There is a project of the sample with a finished run."""
    sample_released(tmp_path)


def test_every_page_of_a_finished_run(released: None, person: Custodian) -> None:
    wide: list[str] = []
    pages = chain(
        _opening_it(person),
        every_page(person, PAGES[2:]),
        every_method(person, ("Privacy",), ("Bayesian imputation",)),
    )
    none_found(person, _fitting(person, pages, wide), both=_MAIN)
    assert wide == []
    a_term_explains_itself(person)
    _both_checks_can_see(person)


def _opening_it(person: Custodian) -> Iterator[str]:
    """The pages on the way to a project."""
    yield PAGES[0]
    person.press("Open")
    person.at("Data")
    yield PAGES[1]


def _both_checks_can_see(person: Custodian) -> None:
    """A check that finds nothing anywhere would be none."""
    person.page.evaluate(_SPOIL_TEXTS)
    cut = too_wide(person, patience=500, widths=WIDTHS[:1])
    assert [each.split()[1] for each in cut] == ["legend", "hint"]
    person.page.evaluate("document.getElementById('spoilt').remove()")
    person.page.evaluate(_SPOIL)
    assert "button-name" in {each.rule for each in axe.violations(person.page)}
    assert too_wide(person, patience=500, widths=WIDTHS[:1])


@pytest.mark.thorough("test_every_page_of_a_finished_run")
def test_every_page_that_changes_with_the_method_whichever_it_is(person: Custodian) -> None:
    walked = _walked(person, ("Privacy", "Buckets", "Generate", "Present"))
    assert {f"Privacy, {title}" for title in _TITLES} <= set(walked)


def _walked(person: Custodian, pages: Sequence[str]) -> list[str]:
    """Where pages were looked at, with a table of numbers open and each method chosen."""
    person.upload("people.csv", people())
    expect(person.main.get_by_text("3,000 records, 3 columns")).to_be_visible()
    person.answer_questions()
    wide: list[str] = []
    walked: list[str] = []
    none_found(person, _fitting(person, _noted(every_method(person, pages), walked), wide))
    assert wide == []
    return walked


def _noted(pages: Iterator[str], walked: list[str]) -> Iterator[str]:
    for page in pages:
        walked.append(page)
        yield page


def _fitting(person: Custodian, pages: Iterator[str], wide: list[str]) -> Iterator[str]:
    """Note what sticks out of each page on a tablet, on which all of them are looked at."""
    for page in pages:
        wide += [f"{page}, {each}" for each in too_wide(person, widths=WIDTHS[:1])]
        yield page


_LOOKS = 3
_HAS_BACKGROUND = """
colour => getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor === colour
"""
Theme = Literal["light", "dark"]
_BACKGROUND: Final[Mapping[Theme, str]] = {"light": "rgb(255, 255, 255)", "dark": "rgb(18, 22, 27)"}


@pytest.fixture(autouse=True)
def installed() -> None:
    """There is an axe to look with."""
    axe.NEED.demand()


def none_found(
    person: Custodian, places: Iterator[str], both: Collection[str] | None = None
) -> None:
    """Axe finds nothing in any of these places, in either theme.

    Args:
        person: whose page it is.
        places: goes to one place after another.
        both: the places to look at in both themes; all of them, if left out. The others are looked
            at in the theme that the one before was last seen in.
    """
    said: list[str] = []
    seen: set[str] = set()
    themes: list[Theme] = ["light", "dark"]
    # What is on its way from one theme to the other has the colours of neither.
    person.page.add_style_tag(content="* { transition: none !important; }")
    for place in places:
        expect(person.main.get_by_text("did not foresee")).to_have_count(0)
        shown = person.page.inner_text("body")
        if shown in seen:
            continue  # such as each part that is not measured yet
        seen.add(shown)
        # Each place in the theme of the last one, then in the other: a turn draws all of it again.
        said += _found(person, f"{place}, {themes[0]}")
        if both is not None and place not in both:
            continue
        themes.reverse()
        _turn(person, themes[0])
        said += _found(person, f"{place}, {themes[0]}", colours_only=True)
    assert not said, "\n".join(said)
    assert person.traffic.errors == []


def _found(person: Custodian, place: str, *, colours_only: bool = False) -> list[str]:
    """What is still found when nothing fades any more because it is about to be drawn again."""
    for _ in range(_LOOKS):
        expect(person.page.locator("[data-stale=true]")).to_have_count(0)
        person.settled()
        found = axe.violations(person.page, colours_only=colours_only)
        if not found:
            break
    return [f"{place}: {each.rule} at {each.at}: {each.why}" for each in found]


def _turn(person: Custodian, theme: Theme) -> None:
    person.page.emulate_media(color_scheme=theme)
    person.until(_HAS_BACKGROUND, _BACKGROUND[theme])
    person.settled()


@pytest.mark.thorough("browser/test_every_page.py::test_every_page_of_a_finished_run")
def test_empty_pages(person: Custodian) -> None:
    none_found(person, every_page(person))


@pytest.mark.thorough("browser/test_every_page.py::test_every_page_of_a_finished_run")
def test_everything_there_is_to_see_of_a_finished_run(person: Custodian) -> None:
    a_finished_run(person)
    none_found(person, every_place(person))
    none_found(person, every_slide(person))


def a_term_explains_itself(person: Custodian) -> None:
    """To the keyboard and to a screen reader."""
    person.go("Present")
    term = person.main.get_by_role("link", name="statement")
    reached(person, term)
    shown = term.evaluate("each => getComputedStyle(each, '::after').content")
    assert shown.startswith('"The text and figures of a guarantee')
    assert "The text and figures" in term.aria_snapshot()


def reached(person: Custodian, thing: Locator) -> None:
    """Press Tab until the thing has the focus, and see that this shows."""
    for _ in range(60):
        person.page.keyboard.press("Tab")
        if thing.evaluate("each => each === document.activeElement"):
            ring = thing.evaluate(
                "each => [getComputedStyle(each).outlineStyle, getComputedStyle(each).boxShadow]"
            )
            assert ring[0] != "none" or ring[1] != "none"
            return
    raise AssertionError("The Tab key does not lead there.")


WIDTHS = (820, 1280, 1920)
_FITTING_TAKES = 15_000
"""Milliseconds that charts have to follow a window, on a machine that is busy with other things."""

_TOO_WIDE = """
() => {
  const main = document.querySelector('[data-testid=stMain]');
  const cut = [];
  for (const each of main.querySelectorAll('svg .role-legend text')) {
    const chart = each.closest('svg.marks') || each.closest('svg');
    if (!each.checkVisibility() || !each.getBoundingClientRect().width) continue;
    if (each.textContent.endsWith('…')
        || each.getBoundingClientRect().right > chart.getBoundingClientRect().right + 1)
      cut.push(`legend “${each.textContent}”`);
  }
  const paint = document.createElement('canvas').getContext('2d');
  for (const each of main.querySelectorAll('input[placeholder]')) {
    if (each.value || !each.clientWidth) continue;
    const style = getComputedStyle(each);
    paint.font = style.font;
    const room = each.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    const wide = paint.measureText(each.placeholder).width;
    if (wide > room + 1) cut.push(`hint “${each.placeholder}”`);
  }
  if (cut.length) return cut;
  if (main.scrollWidth <= main.clientWidth
      && document.documentElement.scrollWidth <= window.innerWidth) return [];
  return [...main.querySelectorAll('*')]
    .filter(each => each.getBoundingClientRect().right > main.getBoundingClientRect().right + 1)
    .slice(0, 5)
    .map(each => `${each.tagName} ${each.dataset.testid || each.className}`);
}
"""


def too_wide(
    person: Custodian, patience: float = _FITTING_TAKES, widths: Sequence[int] = WIDTHS
) -> list[str]:
    """What goes on sticking out, or being cut, at each width."""
    return [f"{width}: {each}" for width in widths for each in _at(person, width, patience)]


def _at(person: Custodian, width: int, patience: float) -> list[str]:
    person.page.set_viewport_size({"width": width, "height": 1000})
    person.settled()
    with suppress(TooLong):
        person.page.wait_for_function(f"({_TOO_WIDE})().length === 0", timeout=patience)
    found: list[str] = person.page.evaluate(_TOO_WIDE)
    return found


@pytest.mark.thorough("browser/test_every_page.py::test_every_page_of_a_finished_run")
@pytest.mark.parametrize("made", [False, True], ids=["empty", "a finished run"])
def test_nothing_is_wider_than_the_window(person: Custodian, made: bool) -> None:
    if made:
        a_finished_run(person)
    found = {page: too_wide(person) for page in every_page(person)}
    if made:
        found |= {title: too_wide(person) for title in every_slide(person)}
    assert {place: wide for place, wide in found.items() if wide} == {}


_HIGH = 768
_LENGTH = "() => document.querySelector('[data-testid=stMainBlockContainer]').scrollHeight"
_PROJECTOR_SPOIL = """
() => {
  const made = document.createElement('div');
  made.style = 'position: relative; background: white; height: 40px';
  made.innerHTML = '<b style="position: absolute; font-size: 12px">Small</b>'
      + '<b style="position: absolute; color: #ccc; font-size: 30px">Faint</b>';
  document.querySelector('[data-testid=stMainBlockContainer]').prepend(made);
}
"""


@pytest.mark.usefixtures("at_its_home")
@pytest.mark.thorough("dashboard/test_words.py::test_letters_of_slides_are_large_enough")
def test_slides_the_decision_and_the_report_can_be_read_at_half_size(
    person: Custodian, tmp_path: Path
) -> None:
    sample_released(tmp_path)
    person.go("Projects")
    person.press("Open")
    person.at("Data")
    person.page.set_viewport_size({"width": WIDE, "height": _HIGH})
    found = dict(_decided(person))
    found |= {title: troubles(person.page, ".st-key-slide") for title in every_slide(person)}
    found["Report"] = _report(person, tmp_path)
    assert {place: wrong for place, wrong in found.items() if wrong} == {}
    assert {"What was kept", "What was lost"} <= set(found)


def _decided(person: Custodian) -> Iterator[tuple[str, list[Trouble]]]:
    """The decision screen, for a whole table and for records like given ones."""
    person.go("Privacy")
    for purpose in ("Records like given ones", "A whole table"):
        person.page.set_viewport_size({"width": WIDE, "height": _HIGH})
        person.pick(purpose)
        person.settled()
        # What is behind letters is only known of what is within the window.
        long = person.page.evaluate(_LENGTH)
        person.page.set_viewport_size({"width": WIDE, "height": long + _HIGH})
        person.settled()
        yield purpose, troubles(person.page, "[data-testid=stMain]")
    person.page.evaluate(_PROJECTOR_SPOIL)
    said = {each.text: each.why for each in troubles(person.page, "[data-testid=stMain]")}
    assert {"Small", "Faint"} <= said.keys()  # a check that finds nothing anywhere would be none
    person.page.set_viewport_size({"width": WIDE, "height": _HIGH})


def _report(person: Custodian, folder: Path) -> list[Trouble]:
    """The first page of the report of a packet."""
    person.go("Release")
    person.write("Title", "The census, simulated")
    person.settled()
    person.write("Your name and role", "A. Custodian, data office")
    person.press("Make the packet")
    expect(person.main.get_by_text("It is a draft until you issue it.")).to_be_visible()
    with zipfile.ZipFile(person.download("Download the packet")) as packet:
        name = next(each for each in packet.namelist() if each.endswith("report.html"))
        packet.extract(name, folder)
    person.page.goto((folder / name).as_uri())
    return troubles(person.page, "header.title")
