"""axe-core, the accessibility check, from the npm registry at one version.

It is installed into build/, which git ignores.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Page

from tests.outside import Need, attempt, packages

VERSION: Final = "4.14.1"
_PLACE: Final = Path(__file__).resolve().parents[2] / "build" / "axe"
_SCRIPT: Final = _PLACE / "node_modules" / "axe-core" / "axe.min.js"
_ABOUT: Final = _SCRIPT.with_name("package.json")
_OF_COLOUR: Final = ("color-contrast", "link-in-text-block")
_SERIOUS: Final = ("serious", "critical")
_RUN: Final = """
async ([serious, only]) => {
  const {rules, tagExclude} = axe._audit;
  const usual = each => each.enabled && !each.tags.some(tag => tagExclude.includes(tag));
  // What a rule finds is as serious as the rule: the others would be run for nothing.
  const values = rules.filter(each => usual(each) && serious.includes(each.impact))
    .map(each => each.id).filter(id => !only.length || only.includes(id));
  return await axe.run(
      document, {resultTypes: ['violations'], runOnly: {type: 'rule', values}});
}
"""


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


def _find() -> Path | None:
    try:
        found = json.loads(_ABOUT.read_text(encoding="utf-8"))["version"]
    except (OSError, ValueError, KeyError):
        return None
    return _SCRIPT if found == VERSION and _SCRIPT.exists() else None


def _install() -> None:
    """By npm, and npm itself by Debian's package where that may be done."""
    if shutil.which("npm") is None:
        packages("npm")
    _PLACE.mkdir(parents=True, exist_ok=True)
    attempt(
        ["npm", "install", "--prefix", str(_PLACE), "--no-audit", "--no-fund",
         "--ignore-scripts", f"axe-core@{VERSION}"]
    )  # fmt: skip


NEED: Final = Need(
    "axe-core",
    _find,
    _install,
    f"""\
axe-core {VERSION} is not here, and could not be installed. Do one of:
  - install npm (Debian, Ubuntu):  sudo apt-get install npm
  - then, in this folder:          npm install --prefix build/axe axe-core@{VERSION}
and run `make test` again.""",
)


def violations(page: Page, *, colours_only: bool = False) -> list[Violation]:
    """What axe finds on a page as it stands that is serious or critical.

    Args:
        page: the page.
        colours_only: leave out the rules to which a theme makes no difference.
    """
    script = NEED.demand()
    if not page.evaluate("typeof axe !== 'undefined'"):
        page.evaluate(script.read_text(encoding="utf-8"))
    said: Mapping[str, Any] = page.evaluate(_RUN, [_SERIOUS, _OF_COLOUR if colours_only else ()])
    return [each for found in said["violations"] for each in _of(found)]


def _of(found: Mapping[str, Any]) -> Iterator[Violation]:
    for node in found["nodes"]:
        if (node["impact"] or found["impact"]) in _SERIOUS:
            place = " ".join(str(each) for each in node["target"])
            yield Violation(found["id"], place, " ".join(node["failureSummary"].split()))
