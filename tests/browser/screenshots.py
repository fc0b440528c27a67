"""Take the README's screenshots: `python -m tests.browser.screenshots`.

One walk over the sample census, on a server of its own with a home folder of its own.
"""

from __future__ import annotations

import io
import re
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import expect

from tests.browser import chromium
from tests.browser.custodian import MANY, Custodian, browsing, custodian
from tests.browser.serving import ROOT, serving

PLACE = ROOT / "docs" / "screenshots"
_ATTEMPTS, _LONG = 20_000, 50_000_000
_WIDTH, _LEAST_HEIGHT, _MARGIN = 1440, 900, 40

_BOTTOM = """
() => {
  document.querySelector('[data-testid=stMain]').scrollTo(0, 0);
  return Math.max(...[...document.querySelectorAll('[data-testid=stMainBlockContainer] > *')]
      .map(each => each.getBoundingClientRect().bottom));
}
"""
_DRAWN = """
() => {
  const every = (what, test) => [...document.querySelectorAll(what)]
      .filter(each => each.checkVisibility()).every(test);
  return document.fonts.status === 'loaded'
      && !document.querySelector('[data-testid=stSkeleton], [data-testid=stSpinner]')
      && every('[data-testid=stVegaLiteChart]', each => each.querySelector('svg, canvas'))
      && every('[data-testid=stPlotlyChart]', each => each.querySelector('.main-svg'))
      && every('[data-testid=stDataFrame]', each => each.querySelector('canvas'));
}
"""


def main() -> int:
    """Take them all."""
    path = chromium.NEED.find()
    if path is None:
        print(chromium.NEED.how, file=sys.stderr)
        return 1
    PLACE.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder), sample=True) as server,
        browsing(path) as browser,
        custodian(browser, server, Path(folder)) as person,
    ):
        _walk(person)
    return 0


def _walk(person: Custodian) -> None:
    person.arrive()
    person.go("Privacy")
    expect(person.main.get_by_text("What will be kept, and what not?")).to_be_visible()
    _take(person, "privacy")
    person.pick("Records like given ones")
    person.look_into(MANY)
    person.unfold("How many candidates pass")
    person.press("Rehearse on 60,000 simulated people")
    expect(person.main.get_by_text("none of whom exists")).to_be_visible()
    _take(person, "trade-off")
    person.pick("A whole table")
    person.go("Data")
    person.enter("Rows in the synthetic table", str(_ATTEMPTS))
    _take(person, "data")
    person.go("Buckets")
    _in_both_themes(person, "buckets")
    person.go("Generate")
    person.generate()
    person.go("Inspect")
    person.turn_to("Distances", "Pairs")
    _in_both_themes(person, "inspect")
    person.turn_to("Overview")
    person.measure_everything()
    _in_both_themes(person, "evaluation")
    person.go("Release")
    _in_both_themes(person, "release")
    _presented(person)
    for step, name in (("Ledger", "ledger"), ("Projects", "projects")):
        person.go(step)
        _take(person, name)
    _under_way(person)


def _in_both_themes(person: Custodian, name: str) -> None:
    _take(person, name)
    person.page.emulate_media(color_scheme="dark")
    _take(person, f"{name}-dark")
    person.page.emulate_media(color_scheme="light")


def _presented(person: Custodian) -> None:
    """Two slides, as they are on a wall."""
    person.go("Present")
    person.press("Start presenting")
    for slide in ("How it was made", "What was kept"):
        while not person.main.get_by_role("heading", name=slide, level=1).is_visible():
            person.press("Next")
            person.settled()
        _in_both_themes(person, "present-" + slide.split()[-1])
    person.press("End the presentation")


def _plan(person: Custodian, attempts: int) -> None:
    person.by_hand()
    person.enter("Rows in the synthetic table, exactly", str(attempts))
    slider = person.main.get_by_role("slider", name="Rows in the synthetic table")
    expect(slider).to_have_attribute("aria-valuetext", f"{min(attempts, 10_000_000):,}")


def _under_way(person: Custodian) -> None:
    """A run long enough to be caught halfway, on any machine; cancelled then."""
    _plan(person, _LONG)
    person.go("Generate")
    person.press("Plan another run")
    person.start()
    expect(person.main.get_by_text(re.compile(f"^[1-9].* of {_LONG:,}$"))).to_be_visible()
    _take(person, "generate")
    person.press("Cancel")
    expect(person.main.get_by_text("Nothing was released.")).to_be_visible()


def _take(person: Custodian, name: str) -> None:
    """A picture of the page to its end, in few enough colours to be small."""
    page = person.page
    page.mouse.move(_WIDTH - 1, 1)
    _fit(person)
    _fit(person)  # a taller window may have shown more, and moved what was there
    picture = Image.open(io.BytesIO(page.screenshot(animations="disabled"))).convert("RGB")
    small = picture.quantize(256, Image.Quantize.MAXCOVERAGE, kmeans=1, dither=Image.Dither.NONE)
    small.save(PLACE / f"{name}.png", optimize=True)
    page.set_viewport_size({"width": _WIDTH, "height": _LEAST_HEIGHT})


def _fit(person: Custodian) -> None:
    """Make the window as tall as what is drawn."""
    person.settled()
    person.page.wait_for_function(_DRAWN)
    height = max(_LEAST_HEIGHT, round(person.page.evaluate(_BOTTOM)) + _MARGIN)
    person.page.set_viewport_size({"width": _WIDTH, "height": height})


if __name__ == "__main__":
    sys.exit(main())
