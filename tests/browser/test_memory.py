"""What a page knew is gone when it is closed, and an upload never touches the disk."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.custodian import custodian
from tests.browser.serving import Server, serving
from tests.browser.test_proxy import knock
from tests.dashboard.conftest import tiny_csv

_PATIENCE, _POLL = 60.0, 0.2
_CANARY = "zebrawood"


@dataclass(frozen=True)
class Watched:
    """A server and what is known of its inside."""

    server: Server
    folder: Path

    def counted(self) -> dict[str, int]:
        """How many tables and so on are in its memory now."""
        place = self.folder / "counted.json"
        place.unlink(missing_ok=True)
        os.kill(self.server.process, signal.SIGUSR1)
        _until(place.exists)
        found: dict[str, int] = json.loads(place.read_text(encoding="utf-8"))
        return found

    def noted(self, kind: str) -> list[str]:
        """What was written down so far."""
        place = self.folder / kind
        return place.read_text(encoding="utf-8").splitlines() if place.exists() else []


def _until(happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _PATIENCE
    while not happened():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(_POLL)


@pytest.fixture(
    scope="module",
    params=[
        False,
        pytest.param(
            True,
            marks=pytest.mark.thorough("dashboard/test_session.py::test_loading_speaks_to_nobody"),
        ),
    ],
    ids=["forked", "afresh"],
)
def watched(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Watched]:
    """A server that is watched from inside; where there is more time, also while it loads."""
    folder, home = tmp_path_factory.mktemp("watched"), tmp_path_factory.mktemp("served")
    environment = {"WATCHED": str(folder), "TMPDIR": str(tmp_path_factory.mktemp("temporary"))}
    with serving(
        home, afresh=request.param, module="tests.browser.watched", environment=environment
    ) as server:
        yield Watched(server, folder)


def test_a_closed_page_is_forgotten_and_left_nothing_on_disk(
    watched: Watched, browser: Browser, tmp_path: Path
) -> None:
    # Large enough for the web server to put it on disk, if it were let.
    large = tiny_csv(120_000)
    assert len(large) > 1 << 20
    with custodian(browser, watched.server, tmp_path) as someone:
        someone.arrive()
        someone.upload(f"{_CANARY}.csv", large)
        expect(someone.main.get_by_text(f"{_CANARY}.csv is open")).to_be_visible()
        assert watched.counted()["RawTable"] > 0
    _until(lambda: not any(watched.counted().values()))
    _nothing_is_on_disk(watched)


def _nothing_is_on_disk(watched: Watched) -> None:
    home = str(watched.server.home.parent)
    elsewhere = [each for each in watched.noted("written") if not each.startswith(home)]
    strange = [each for each in elsewhere if not each.startswith("/dev/")]
    assert strange == []


def test_the_server_speaks_to_nobody(watched: Watched) -> None:
    """Neither at its start nor after a page of another site knocked. It asks only itself, whether
    it answers, before it prints its address."""
    host = urlsplit(watched.server.address).netloc
    name, port = host.split(":")
    assert knock(watched.server.address, host, "https://elsewhere.example") == 403
    asked = watched.noted("asked")
    assert [each for each in asked if f"('{name}', {port}" not in each] == []
