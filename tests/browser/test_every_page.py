"""Every page of a finished run, gone through once: it fits a tablet, and axe finds nothing."""

from __future__ import annotations

from collections.abc import Iterator

from tests.browser.custodian import Custodian
from tests.browser.everywhere import a_finished_run, every_page
from tests.browser.test_accessibility import none_found
from tests.browser.test_widths import WIDTHS, too_wide


def test_every_page_of_a_finished_run(person: Custodian) -> None:
    a_finished_run(person)
    wide: list[str] = []
    none_found(person, _fitting(person, every_page(person), wide))
    assert wide == []


def _fitting(person: Custodian, pages: Iterator[str], wide: list[str]) -> Iterator[str]:
    """Note what sticks out of each page on a tablet, then go on as before."""
    usual = person.page.viewport_size
    assert usual is not None
    for page in pages:
        wide += [f"{page}, {each}" for each in too_wide(person, widths=WIDTHS[:1])]
        person.page.set_viewport_size(usual)
        person.settled()
        yield page
