"""The sample census, all of it, from the first click to the release."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.checks import released
from tests.browser.custodian import BY_HAND, Custodian
from tests.browser.serving import Server
from understudy.samples import census

_CHART = re.compile("^stVegaLiteChart$")
_WITHIN = """
() => window.innerWidth === 900
    && [...document.querySelectorAll('[data-testid=stVegaLiteChart] svg')]
      .filter(each => each.checkVisibility())
      .every(each => each.getBoundingClientRect().right <= window.innerWidth)
"""


@pytest.fixture(scope="module")
def server(whole_sample: Server) -> Server:
    """The dashboard as it is."""
    return whole_sample


def drawn(place: Locator, name: str, *words: str) -> None:
    """A chart is there, by what is said of it to who cannot see it, and has these words in it."""
    named = place.get_by_label(re.compile(name, re.IGNORECASE))
    chart = place.get_by_test_id(_CHART).and_(named)
    expect(chart).to_be_visible()
    for word in words:
        expect(chart.get_by_text(word, exact=True).first).to_be_visible()


def seen_whole(person: Custodian) -> None:
    """Charts side by side are not cut off in a small window."""
    before = person.page.viewport_size
    assert before is not None
    person.page.set_viewport_size({"width": 900, "height": before["height"]})
    person.until(_WITHIN)
    person.page.set_viewport_size(before)
    person.settled()


def inspected(person: Custodian) -> None:
    """Every figure of the Inspect page, one tab after another."""
    expect(person.main.get_by_text("In a typical pair of columns")).to_be_visible()
    panel, tables = person.main.get_by_role("tabpanel"), ("other real records", "released")
    person.turn_to("Overview", "Foreseen and found")
    drawn(panel, "further off than other real records pairs", "released")
    person.turn_to("Distances", "Single columns")
    panel.get_by_text("All 11 columns").click()
    drawn(panel, "shares of the values of Occupation", "real", "synthetic")
    person.turn_to("Distances", "Spread")
    drawn(panel, "distance of columns", *tables)
    person.turn_to("Distances", "Pairs")
    drawn(panel, "distance of pairs", *tables)
    drawn(panel, "every pair of columns, released", "Age", "Occupation")
    person.turn_to("Distances", "One pair")
    drawn(panel, "shares of .* and .*, real and synthetic", "Real records", "Synthetic records")
    seen_whole(person)
    person.turn_to("Privacy test", "Pass rate")
    drawn(panel, "share of attempts", "ω = 11", "ω = 10")
    person.turn_to("Models", "Dependencies")
    drawn(panel, "columns as points, with arrows", "Age", "Occupation")


@pytest.mark.thorough("browser/test_keyboard.py::test_from_the_sample_to_a_finished_run")
def test_from_data_to_release_without_leaving_the_machine(person: Custodian) -> None:
    person.open_sample()
    person.follow("Next: Buckets", "Buckets")
    drawn(person.main, "how many records fall in each bucket of AGEP", "records")
    person.follow("Next: Privacy", "Privacy")
    expect(person.total_epsilon).to_have_text("1")
    person.look_into(BY_HAND)
    person.press("As published")
    expect(person.main.get_by_text("next to nothing is promised")).to_be_visible()
    before = person.total_epsilon.inner_text()
    person.main.get_by_role("slider", name="N · attempts").press("ArrowLeft")
    expect(person.total_epsilon).not_to_have_text(before)
    person.settled()
    person.look_into("How the total comes about")
    person.turn_to("ε and the number of attempts")
    drawn(person.main, "total ε", "Number of attempts")
    person.follow("Next: Generate", "Generate")
    person.generate()
    person.follow("See what was kept and what was lost", "Inspect")
    inspected(person)
    person.follow("Next: Release", "Release")
    table = person.download("Download the table")
    guarantee = person.download("Download its guarantee")
    assert (table.name, guarantee.name) == ("synthetic.csv", "guarantee.json")
    _, said = released(table, guarantee, census.schema())
    assert said["guarantee"]["strength"] != "none"
    assert "stain" not in said
    assert person.traffic.abroad == []
    assert person.traffic.errors == []
