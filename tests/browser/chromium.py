"""Find a Chromium for the browser tests, or install one, or say how.

`python -m tests.browser.chromium` prints its path. The tests never go without one silently.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from engine.report.browser import chromium

HOW = """\
No Chromium was found, and none could be installed here. Do one of:
  - install Debian's or Ubuntu's package:   sudo apt-get install chromium
  - let Playwright fetch its own:           .venv/bin/playwright install --with-deps chromium
  - name one you have:                      export UNDERSTUDY_CHROMIUM=/path/to/chromium
and run `make test` again."""


def find() -> str | None:
    """The path of a Chromium on this machine."""
    named = os.environ.get("UNDERSTUDY_CHROMIUM")
    return chromium() or (None if named else _playwrights_own())


def _playwrights_own() -> str | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


def install() -> str | None:
    """Install one, by Debian's package where that may be done, else by Playwright's download."""
    if shutil.which("apt-get") and os.geteuid() == 0:
        _try(["apt-get", "update", "-qq"])
        _try(["apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium"])
    if find() is None:
        _try([sys.executable, "-m", "playwright", "install", "chromium"])
    return find()


def _try(command: list[str]) -> None:
    print("installing a browser:", " ".join(command), file=sys.stderr)
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(command, check=False, env=quiet, stdout=subprocess.DEVNULL)


def main() -> int:
    """Print the path of a Chromium, installed if need be."""
    named = os.environ.get("UNDERSTUDY_CHROMIUM")
    if named and find() is None:
        print(f"UNDERSTUDY_CHROMIUM names {named}, and there is nothing there.", file=sys.stderr)
        return 1
    path = find() or install()
    if path is None:
        print(HOW, file=sys.stderr)
        return 1
    print(f"browser: {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
