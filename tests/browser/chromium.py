"""A Chromium for the browser tests."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from tests.outside import Need, attempt, packages, variable
from understudy.report.browser import find_chromium

_NAMED = "UNDERSTUDY_CHROMIUM"


def _find() -> Path | None:
    found = find_chromium()
    if found is not None:
        return Path(found)
    return None if variable(_NAMED) else _playwrights_own()


def _playwrights_own() -> Path | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = Path(playwright.chromium.executable_path)
    return path if path.exists() else None


def _install() -> None:
    """By Debian's package where that may be done, else by Playwright's download."""
    if variable(_NAMED):
        return
    packages("chromium")
    if _find() is None:
        attempt([sys.executable, "-m", "playwright", "install", "chromium"])


NEED: Final = Need(
    "browser",
    _find,
    _install,
    """\
No Chromium was found, and none could be installed here. Do one of:
  - install Debian's or Ubuntu's package:   sudo apt-get install chromium
  - let Playwright fetch its own:           .venv/bin/playwright install --with-deps chromium
  - name one you have:                      export UNDERSTUDY_CHROMIUM=/path/to/chromium
and run `make test` again.""",
)
