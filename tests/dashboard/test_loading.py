"""By the time a page is asked for, all it needs is loaded, and out of the search for garbage."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

from understudy_dashboard import methods, parts

ROOT = Path(__file__).parents[2]
_AFTER = """
import gc, json, sys
asked = []
ways = ("socket.connect", "socket.getaddrinfo", "socket.sendto")
sys.addaudithook(lambda event, given: asked.append(str(given)) if event in ways else None)
from understudy_dashboard import __main__
from understudy_dashboard.server import load_pages
load_pages()
print(json.dumps({"modules": sorted(sys.modules), "set_aside": gc.get_freeze_count(),
                  "left": len(gc.get_objects()), "asked": asked}))
"""


@cache
def after() -> dict[str, Any]:
    """What a fresh process says of itself once it has loaded the pages."""
    said = subprocess.run(
        [sys.executable, "-c", _AFTER], cwd=ROOT, check=True, capture_output=True, text=True
    )
    found: dict[str, Any] = json.loads(said.stdout)
    return found | {"warned": said.stderr}


def test_everything_that_pages_are_made_of_is_loaded() -> None:
    made_of = {
        each.name
        for room in (parts, methods)
        for each in walk_packages(room.__path__, f"{room.__name__}.")
    }
    assert {
        "understudy_dashboard.methods.seedbased.method_settings",
        "understudy_dashboard.parts.columns",
    } <= made_of
    assert made_of - set(after()["modules"]) == set()
    assert "scipy.stats" in after()["modules"]


def test_nothing_is_said_in_the_terminal_meanwhile() -> None:
    assert after()["warned"] == ""


def test_nearly_all_of_it_is_set_aside() -> None:
    assert after()["set_aside"] > 20 * after()["left"]


def test_loading_speaks_to_nobody() -> None:
    assert after()["asked"] == []


def test_no_page_waits_for_scikit_learn() -> None:
    assert "sklearn" not in after()["modules"]
