"""Count what a custodian meets on a page: `python -m tests.browser.counted Privacy`.

On the sample census, on a server of its own with a home folder of its own. Words and buttons are
those that can be seen without opening anything, the sidebar left out; a button is whatever is
pressed: tabs and choices in a row, the steps of a number and signs of help too.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Final

from tests.browser import chromium
from tests.browser.custodian import PAGES, browsing, custodian
from tests.browser.serving import serving

_COUNT: Final = """
() => {
  const page = document.querySelector('[data-testid=stMain]');
  const seen = each => each.checkVisibility({visibilityProperty: true});
  const words = page.innerText.split(/\\s+/).filter(each => /[\\p{L}\\p{N}]/u.test(each));
  const all = what => [...page.querySelectorAll(what)].filter(seen);
  const buttons = all('button, [role=button], [role=tab], [role=radio]');
  const fields = all('input:not([type=hidden]), textarea, [role=combobox], [role=slider]');
  return [words.length, buttons.length, fields.length,
          Math.round(page.querySelector('[data-testid=stMainBlockContainer]').scrollHeight)];
}
"""


def main(pages: list[str]) -> int:
    """Count the pages that are named, and print a line for each."""
    path = chromium.NEED.find()
    if path is None:
        print(chromium.NEED.how, file=sys.stderr)
        return 1
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder), sample=True) as server,
        browsing(path) as browser,
        custodian(browser, server, Path(folder)) as person,
    ):
        person.arrive()
        person.press("No, thank you")
        for page in pages or PAGES:
            person.go(page)
            words, buttons, fields, height = person.page.evaluate(_COUNT)
            print(f"{page}: {words} words, {buttons} buttons, {fields} fields, {height} px long")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
