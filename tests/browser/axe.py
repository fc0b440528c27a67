"""axe-core, the accessibility check, from the npm registry at one version.

`python -m tests.browser.axe` installs it into build/, which git ignores, and prints its path. The
tests never go without it silently.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Page

VERSION: Final = "4.14.1"
_PLACE: Final = Path(__file__).resolve().parents[2] / "build" / "axe"
_SCRIPT: Final = _PLACE / "node_modules" / "axe-core" / "axe.min.js"
_ABOUT: Final = _SCRIPT.with_name("package.json")
_SERIOUS: Final = ("serious", "critical")
HOW: Final = f"""\
axe-core {VERSION} is not here, and could not be installed. Do one of:
  - install npm (Debian, Ubuntu):  sudo apt-get install npm
  - then, in this folder:          npm install --prefix build/axe axe-core@{VERSION}
and run `make test` again."""


@dataclass(frozen=True)
class Violation:
    """Something a person who cannot see, hear or point well would stumble over.

    Attributes:
        rule: axe's name of the rule.
        at: where, as a CSS selector.
        why: what is wrong there.
    """

    rule: str
    at: str
    why: str


def find() -> Path | None:
    """Where axe-core is, at the version wanted."""
    try:
        found = json.loads(_ABOUT.read_text(encoding="utf-8"))["version"]
    except (OSError, ValueError, KeyError):
        return None
    return _SCRIPT if found == VERSION and _SCRIPT.exists() else None


def install() -> Path | None:
    """Install it by npm; npm itself by Debian's package where that may be done."""
    if shutil.which("npm") is None and shutil.which("apt-get") and os.geteuid() == 0:
        _try(["apt-get", "update", "-qq"])
        _try(["apt-get", "install", "-y", "-qq", "--no-install-recommends", "npm"])
    if shutil.which("npm") is not None:
        _PLACE.mkdir(parents=True, exist_ok=True)
        _try(
            ["npm", "install", "--prefix", str(_PLACE), "--no-audit", "--no-fund",
             "--ignore-scripts", f"axe-core@{VERSION}"]
        )  # fmt: skip
    return find()


def violations(page: Page) -> list[Violation]:
    """What axe finds on a page as it stands that is serious or critical.

    Raises:
        AssertionError: axe-core is not installed.
    """
    script = find()
    assert script is not None, HOW
    if not page.evaluate("typeof axe !== 'undefined'"):
        page.evaluate(script.read_text(encoding="utf-8"))
    said: Mapping[str, Any] = page.evaluate(
        "async () => await axe.run(document, {resultTypes: ['violations']})"
    )
    return [each for found in said["violations"] for each in _of(found)]


def _of(found: Mapping[str, Any]) -> Iterator[Violation]:
    for node in found["nodes"]:
        if (node["impact"] or found["impact"]) in _SERIOUS:
            place = " ".join(str(each) for each in node["target"])
            yield Violation(found["id"], place, " ".join(node["failureSummary"].split()))


def _try(command: list[str]) -> None:
    print("installing axe-core:", " ".join(command), file=sys.stderr)
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(command, check=False, env=quiet, stdout=subprocess.DEVNULL)


def main() -> int:
    """Print where it is, installed if need be."""
    path = find() or install()
    if path is None:
        print(HOW, file=sys.stderr)
        return 1
    print(f"axe-core: {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
