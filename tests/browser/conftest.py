"""A server for the session, a browser for each module, a fresh person at the page for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser import chromium
from tests.browser.custodian import Custodian, browsing, custodian
from tests.browser.serving import Server, serving


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


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A Chromium. Not for the session: other modules' tests want no event loop running."""
    with browsing(chromium.NEED.demand()) as opened:
        yield opened


@pytest.fixture
def person(server: Server, browser: Browser, tmp_path: Path) -> Iterator[Custodian]:
    """Somebody who has just opened the page; no run was made yet."""
    server.forget_runs()
    with custodian(browser, server, tmp_path) as someone:
        someone.arrive()
        yield someone
    server.forget_runs()
