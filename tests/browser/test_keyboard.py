"""From the sample to a finished run by the keyboard alone, its last key pressed again and again."""

from __future__ import annotations

from playwright.sync_api import Locator, expect

from tests.browser.custodian import Custodian
from tests.browser.serving import Server
from tests.browser.test_double_click import pressed_again
from understudy.projects.catalogue import list_every_run

_MOST = 120


def walk_to(person: Custodian, thing: Locator) -> None:
    """Press Tab until the thing, or what is in it, has the focus; it shows where it is."""
    person.settled()
    expect(thing).to_be_visible()
    for _ in range(_MOST):
        person.page.keyboard.press("Tab")
        if thing.evaluate("each => each.contains(document.activeElement)"):
            seen = person.page.evaluate(
                """() => {
                  const at = getComputedStyle(document.activeElement);
                  const box = document.activeElement.getBoundingClientRect();
                  return [at.outlineStyle, at.boxShadow, box.width];
                }"""
            )
            assert seen[0] != "none" or seen[1] != "none" or seen[2] < 2, "nothing shows the focus"
            return
    raise AssertionError("The Tab key does not lead there.")


def test_from_the_sample_to_a_finished_run(person: Custodian, server: Server) -> None:
    page, main = person.page, person.main
    steps = page.get_by_role("navigation")
    walk_to(person, steps.get_by_role("link", name="Data", exact=True))
    page.keyboard.press("Enter")
    person.at("Data")
    walk_to(person, main.get_by_role("button", name="Try it with the sample census"))
    page.keyboard.press("Enter")
    person.sees(main.get_by_text("Nobody in it exists."))
    walk_to(person, steps.get_by_role("link", name="Generate", exact=True))
    page.keyboard.press("Enter")
    person.at("Generate")
    agreed = main.get_by_role("checkbox", name="I have read what this run spends")
    walk_to(person, agreed)
    page.keyboard.press("Space")
    expect(agreed).to_be_checked()
    start = main.get_by_role("button", name="Generate", exact=True)
    expect(start).to_be_enabled()
    walk_to(person, start)
    pressed_again(start)
    page.keyboard.press("Enter")
    person.sees(main.get_by_text("The table and its guarantee are ready."))
    assert len(list_every_run(server.home)) == 1, "whoever presses again has asked once"
    assert person.traffic.errors == []
