from __future__ import annotations

import subprocess
import sys

import pytest

from understudy.mechanisms import companions
from understudy.studies import reproduction
from understudy.studies.seedbased.reproductions import Census


def test_what_methods_bring_is_found_by_name() -> None:
    found = reproduction.reproductions()
    assert found["census"] == Census()
    assert all(name == each.name and each.title for name, each in found.items())


def test_what_is_installed_comes_after_and_replaces_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = Census(name="other")
    monkeypatch.setattr(
        companions, "installed", lambda group: [("other", other), ("census", other)]
    )
    reproduction.reproductions.cache_clear()
    try:
        found = reproduction.reproductions()
    finally:
        reproduction.reproductions.cache_clear()
    assert found["other"] is other
    assert found["census"] == Census()


def test_listing_them_loads_no_library_of_numbers() -> None:
    code = (
        "import sys; from understudy.studies.reproduction import reproductions; reproductions(); "
        "print([name for name in ('numpy', 'pandas', 'altair', 'pydantic') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
