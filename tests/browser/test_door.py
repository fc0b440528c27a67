"""The door: a page that some other port of this machine serves gets nothing, with or without
sign-in, and whoever holds the link gets in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.custodian import Custodian, at_a_tab, custodian
from tests.browser.serving import HOST, Server, serving
from tests.browser.signing_in import Shared, sign_in
from tests.browser.test_proxy import knock
from tests.browser.window import PATIENCE, Opened, Window
from tests.dashboard.conftest import tiny_csv
from tests.identity_provider import CUSTODIAN

LOCKED = "This page opens by its link"
_OPENS = """
address => new Promise(answer => {
    const socket = new WebSocket(address, ["streamlit", "PLACEHOLDER_AUTH_TOKEN"]);
    socket.onopen = () => answer("opened");
    socket.onerror = () => answer("refused");
})
"""
_FETCHES = """
address => fetch(address, {credentials: "include", mode: "no-cors"})
    .then(answer => answer.text(), () => "")
"""


class _Strange(BaseHTTPRequestHandler):
    """A server of somebody else on this machine, which notes the cookies that it is sent."""

    cookies: list[str]

    def do_GET(self) -> None:
        self.cookies.append(self.headers.get("Cookie", ""))
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>Strange</title>")

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def strange() -> Iterator[tuple[str, list[str]]]:
    """The address of a strange server, and the cookies it was sent."""
    cookies: list[str] = []
    handler = type("Handler", (_Strange,), {"cookies": cookies})
    with ThreadingHTTPServer((HOST, 0), handler) as other:
        Thread(target=other.serve_forever, daemon=True).start()
        yield f"http://{HOST}:{other.server_port}", cookies
        other.shutdown()


@contextmanager
def _context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(locale="en-GB")
    context.set_default_timeout(PATIENCE)
    yield context
    context.close()


def _nothing_is_got(page: Page, address: str) -> None:
    """A page elsewhere can neither open the socket nor read an answer."""
    parts = urlsplit(address)
    for path in {parts.path, ""}:
        socket = f"ws://{parts.netloc}{path}/_stcore/stream"
        assert page.evaluate(_OPENS, socket) == "refused"
        assert page.evaluate(_FETCHES, f"http://{parts.netloc}{path}/_stcore/host-config") == ""


def test_a_page_of_another_port_gets_nothing(
    person: Custodian, server: Server, strange: tuple[str, list[str]]
) -> None:
    """In the browser that holds the cookie, which is sent to no other port."""
    expect(person.page.get_by_role("heading", name="Projects")).to_be_visible()
    other = person.page.context.new_page()
    other.goto(strange[0])
    _nothing_is_got(other, server.address)
    other.close()
    assert strange[1]
    assert not any("understudy" in cookie for cookie in strange[1])


def test_nor_does_one_where_people_sign_in(
    signing_in: Shared,
    window_of: Callable[[Opened], Window],
    strange: tuple[str, list[str]],
    tmp_path: Path,
) -> None:
    window = window_of(signing_in)
    with at_a_tab(window.context, signing_in.address, tmp_path) as person:
        person.page.goto(signing_in.address)
        sign_in(person.page, CUSTODIAN)
        other = window.context.new_page()
        other.goto(strange[0])
        _nothing_is_got(other, signing_in.address)
        _knocks(signing_in)
        other.close()
    window.forget()


def _knocks(served: Shared) -> None:
    host = urlsplit(served.address).netloc
    assert knock(served.address, host, served.address) == 101
    for origin in (None, f"http://{HOST}:1", "http://localhost", f"https://{host}", "null"):
        assert knock(served.address, host, origin) == 403, origin


@pytest.mark.thorough(
    "dashboard/test_door.py::test_the_link_gives_the_cookie_once_and_announces_the_next"
)
def test_a_link_opens_the_page_once(server: Server, browser: Browser) -> None:
    link = str(server.link)
    with _context(browser) as one, _context(browser) as other:
        page = one.new_page()
        page.goto(link)
        expect(page.get_by_role("heading", name="Projects")).to_be_visible()
        assert "key=" not in page.url
        page.goto(link)
        expect(page.get_by_role("heading", name="Projects")).to_be_visible()

        late = other.new_page()
        late.goto(link)
        expect(late.get_by_role("heading", name=LOCKED)).to_be_visible()
        late.goto(server.address)
        expect(late.get_by_role("heading", name=LOCKED)).to_be_visible()
        late.goto(server.address.rpartition("/")[0])
        expect(late.get_by_role("heading", name=LOCKED)).to_be_visible()
        assert server.link != link
        late.goto(str(server.link))
        expect(late.get_by_role("heading", name="Projects")).to_be_visible()


@pytest.mark.thorough(
    "dashboard/test_door.py::test_every_start_has_keys_of_its_own_and_they_are_not_shown"
)
def test_two_dashboards_stand_side_by_side(
    server: Server, browser: Browser, tmp_path: Path
) -> None:
    """In one browser: what opens the one does nothing for the other, and both take files."""
    with serving(tmp_path, module="tests.browser.small") as second:
        with custodian(browser, server, tmp_path) as person:
            person.arrive()
            assert second.link is not None
            person.page.context.request.get(second.link)
            beside = person.page.context.new_page()
            beside.goto(second.address)
            expect(beside.get_by_role("heading", name="Projects")).to_be_visible()
            person.upload("first.csv", tiny_csv(300))
            expect(person.main.get_by_text("first.csv is open")).to_be_visible()
        server.forget_runs()
        assert knock(second.address, urlsplit(second.address).netloc, second.address) == 403
