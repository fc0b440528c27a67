"""Servers and a browser for the session, a fresh person at the page for each test."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser import chromium
from tests.browser.custodian import Custodian, at_a_tab, browsing
from tests.browser.serving import Server, serving
from tests.browser.signing_in import Shared, shared
from tests.browser.window import Opened, Window


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The dashboard, served, with fewer people in its sample census and shorter evaluations."""
    with serving(tmp_path_factory.mktemp("served"), module="tests.browser.small") as served:
        yield served


@pytest.fixture(scope="session")
def whole_sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The dashboard as it is, for what depends on how many people there are."""
    with serving(tmp_path_factory.mktemp("whole")) as served:
        yield served


@pytest.fixture(scope="session")
def signing_in(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shared]:
    """A shared server, where people sign in."""
    with shared(tmp_path_factory.mktemp("shared")) as served:
        yield served


@pytest.fixture(scope="session")
def chromium_and_its_loop() -> Iterator[tuple[Browser, asyncio.AbstractEventLoop]]:
    """A Chromium, and the event loop by which it is driven, which is not running between calls."""
    with browsing(chromium.NEED.demand()) as opened:
        loop = asyncio.get_running_loop()
        asyncio._set_running_loop(None)
        yield opened, loop
        asyncio._set_running_loop(loop)


@pytest.fixture(scope="module")
def browser(
    chromium_and_its_loop: tuple[Browser, asyncio.AbstractEventLoop],
) -> Iterator[Browser]:
    """The Chromium. While it is used, an event loop counts as running, which other modules' tests
    cannot have."""
    opened, loop = chromium_and_its_loop
    asyncio._set_running_loop(loop)
    yield opened
    asyncio._set_running_loop(None)


@pytest.fixture(scope="session")
def windows() -> dict[str, Window]:
    """The window of each server, by its address; closed with the browser."""
    return {}


@pytest.fixture
def window_of(browser: Browser, windows: dict[str, Window]) -> Callable[[Opened], Window]:
    """Opens the window of a server, or finds it open."""

    def of(server: Opened) -> Window:
        if server.address not in windows:
            windows[server.address] = Window.of(browser, server)
        return windows[server.address]

    return of


@pytest.fixture
def nothing_made(server: Server) -> Iterator[None]:
    """No run was made yet, and none stays."""
    server.forget_runs()
    yield
    server.forget_runs()


@pytest.fixture
def at_its_home(
    server: Server, nothing_made: None, monkeypatch: pytest.MonkeyPatch, in_this_process: None
) -> None:
    """What this process makes is the server's, and runs of it are done here. What is there before
    somebody opens the page need not be drawn again: name this before `person`."""
    monkeypatch.setenv("UNDERSTUDY_HOME", str(server.home))


@pytest.fixture
def person(
    server: Server, nothing_made: None, window_of: Callable[[Opened], Window], tmp_path: Path
) -> Iterator[Custodian]:
    """Somebody who has just opened the page; no run was made yet, but where a test made one."""
    window = window_of(server)
    with at_a_tab(window.context, server.address, tmp_path) as someone:
        someone.arrive()
        yield someone
    window.forget()
