"""No serious violation of accessibility, on any page, in either theme: as axe sees it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Final, Literal

import pytest
from playwright.sync_api import Locator, expect

from tests.browser import axe
from tests.browser.custodian import Custodian
from tests.browser.everywhere import a_finished_run, every_page, every_place, every_slide

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
