"""From simulated people to a point of the trade-off, and from that point to the settings."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.custodian import BY_HAND, MANY, Custodian
from tests.support import PEOPLE

_INTERNAL = "Computed from confidential records without noise."
_WITHIN = """
  point => {
    const [at, all] = [point, point.closest("svg")].map(each => each.getBoundingClientRect())
    return at.left >= all.left && at.right <= all.right && at.top >= all.top
  }
"""
_POINT = "[data-testid=stVegaLiteChart] path[aria-roledescription='point']"


def _at_many_plans(person: Custodian) -> None:
    """Open the sample, ask for records like given ones, and try many plans of that kind."""
    person.open_sample()
    person.go("Privacy")
    person.pick("Records like given ones")
    person.look_into(MANY)
    person.unfold("How many candidates pass")


def points(person: Custodian) -> Locator:
    """The points that can be clicked."""
    found = person.main.locator(_POINT)
    expect(found.nth(5)).to_be_visible()
    person.settled()
    return found


def chosen(person: Custodian) -> str:
    """The settings of the point that was chosen."""
    said = person.main.get_by_text(re.compile(r"^k = .*ε of the model = "))
    expect(said).to_be_visible()
    return said.inner_text()


def _cheapest(person: Custodian) -> str:
    """Click the point of the smallest total; its settings."""
    found = points(person)
    within = [each for each in range(found.count()) if found.nth(each).evaluate(_WITHIN)]
    left = "point => point.getBoundingClientRect().left"
    cheapest = min(within, key=lambda each: found.nth(each).evaluate(left))
    found.nth(cheapest).click(force=True)
    person.settled()
    return chosen(person)


@pytest.mark.thorough(
    "dashboard/methods/seedbased/test_explore_page.py::test_choosing_from_the_frontier_and_adopting_changes_the_settings"
)
def test_a_point_of_the_trade_off_becomes_the_plan(person: Custodian) -> None:
    _at_many_plans(person)
    expect(person.main.get_by_text("There are no scores of these columns yet")).to_be_visible()
    person.press(f"Rehearse on {PEOPLE:,} simulated people")
    expect(person.main.get_by_text("none of whom exists")).to_be_visible()
    points(person)
    expect(person.main.get_by_text(_INTERNAL)).to_have_count(0)
    person.unfold("What is drawn, and which plans are tried")
    person.ready(person.main.get_by_role("button", name="Remove 11", exact=True)).click()
    settings = _cheapest(person)
    person.press("Adopt these settings")
    expect(person.main.get_by_text("The settings are adopted.")).to_be_visible()
    k = re.match(r"k = ([\d,]+),", settings)
    assert k is not None
    total = person.main.get_by_text(re.compile("^In all that is ε = "))
    expect(total).to_be_visible()
    person.settled()
    said = total.inner_text().replace("\N{NO-BREAK SPACE}", " ")
    promised = re.match(r"In all that is ε = ([^,]+),", said)
    assert promised is not None, said
    expect(person.total_epsilon).to_have_text(promised[1])
    person.look_into(BY_HAND)
    exactly = person.page.get_by_label("k · plausible seeds needed, exactly")
    expect(exactly).to_have_value(k[1].replace(",", ""))
    assert person.traffic.abroad == []
    assert person.traffic.errors == []


@pytest.mark.thorough(
    "dashboard/methods/seedbased/test_explore_page.py::test_scores_of_the_confidential_table_are_warned_of_and_marked"
)
def test_without_a_mouse_the_frontier_is_a_list_and_the_own_table_is_warned_of(
    person: Custodian,
) -> None:
    _at_many_plans(person)
    person.press("Rehearse now on my table")
    expect(person.main.get_by_text("are not covered by the guarantee:")).to_be_visible()
    expect(person.main.get_by_text(_INTERNAL)).to_be_visible()
    points(person)
    frontier = person.main.get_by_role("combobox", name="Or choose from the frontier")
    for key in ("ArrowDown", "ArrowDown", "Enter"):
        frontier.press(key)
    assert "ω = " in chosen(person)
    person.ready(person.main.get_by_text("As a table", exact=True).last).click()
    expect(person.main.get_by_test_id("stDataFrame")).to_be_visible()
    assert person.traffic.errors == []
