"""Every page of a finished run, gone through once: it fits a tablet, and axe finds nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser import axe
from tests.browser.beforehand import sample_released
from tests.browser.custodian import PAGES, Custodian
from tests.browser.everywhere import every_method, every_page
from tests.browser.test_accessibility import a_term_explains_itself, none_found
from tests.browser.test_methods import people
from tests.browser.test_widths import WIDTHS, too_wide

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
