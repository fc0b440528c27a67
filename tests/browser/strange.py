"""Somebody else’s server on this machine, and what its page gets of the dashboard: nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Final
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, Page

from tests.browser.serving import HOST

_OPENS: Final = """
address => new Promise(answer => {
    const socket = new WebSocket(address, ["streamlit", "PLACEHOLDER_AUTH_TOKEN"]);
    socket.onopen = () => { socket.close(); answer("opened"); };
    socket.onerror = () => answer("refused");
})
"""
_FETCHES: Final = """
address => fetch(address, {credentials: "include", mode: "no-cors"})
    .then(answer => answer.text(), () => "")
"""


@dataclass(frozen=True)
class Strange:
    """A strange server that answers.

    Attributes:
        address: where.
        cookies: what it was sent as such, request by request.
    """

    address: str
    cookies: list[str] = field(default_factory=list)


@contextmanager
def strange() -> Iterator[Strange]:
    """One, until the block ends."""
    cookies: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            cookies.append(self.headers.get("Cookie", ""))
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>Strange</title>")

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer((HOST, 0), Handler) as other:
        Thread(target=other.serve_forever, daemon=True).start()
        yield Strange(f"http://{HOST}:{other.server_port}", cookies)
        other.shutdown()


def nothing_is_got(context: BrowserContext, address: str) -> None:
    """A strange server's page can neither open the socket of a dashboard nor read an answer, in a
    browser that holds its cookies; and it is sent none of them.

    Args:
        context: the browser.
        address: the dashboard's.
    """
    parts = urlsplit(address)
    with strange() as other:
        page = context.new_page()
        page.goto(other.address)
        for path in {parts.path, ""}:
            assert not opens(page, f"{address.removesuffix(parts.path)}{path}")
            found = page.evaluate(_FETCHES, f"http://{parts.netloc}{path}/_stcore/host-config")
            assert found == ""
        page.close()
        assert other.cookies
        assert not any("understudy" in cookie for cookie in other.cookies)


def opens(page: Page, address: str) -> bool:
    """Whether the socket of a dashboard can be opened from where a page is."""
    parts = urlsplit(address)
    said = page.evaluate(_OPENS, f"ws://{parts.netloc}{parts.path}/_stcore/stream")
    return bool(said == "opened")
