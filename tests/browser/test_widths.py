"""Pages fit a tablet, a laptop and a projector: nothing is wider than the window, and no legend and
no hint in a box is cut."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import pytest
from playwright.sync_api import TimeoutError as TooLong

from tests.browser.custodian import Custodian
from tests.browser.everywhere import a_finished_run, every_page, every_slide

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
