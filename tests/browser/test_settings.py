"""The settings of a page that holds confidential records, as the running server shows them."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from http.client import HTTPMessage
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser

from tests.browser.serving import Server
from tests.browser.test_proxy import listening
from tests.browser.window import PATIENCE


def ask(
    server: Server, path: str, method: str = "GET", headers: Mapping[str, str] | None = None
) -> tuple[int, HTTPMessage, bytes]:
    """What the server answers to somebody it let in: status, headers, content."""
    opener = urllib.request.build_opener(
        urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor()
    )
    assert server.link is not None
    opener.open(server.link, timeout=30).close()
    request = urllib.request.Request(
        f"{server.address}{path}", method=method, headers=dict(headers or {})
    )
    try:
        with opener.open(request, timeout=30) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as refused:
        return refused.code, refused.headers, refused.read()


def test_it_listens_on_this_machine_only(server: Server) -> None:
    assert listening(int(urlsplit(server.address).port or 0)) == {"127.0.0.1"}


@pytest.mark.parametrize("path", ["/", "/data", "/_stcore/health", "/media/none", "/nowhere"])
def test_every_answer_closes_the_page_off(server: Server, path: str) -> None:
    _, headers, _ = ask(server, path)
    policy = headers["Content-Security-Policy"]
    for rule in ("default-src 'self'", "object-src 'none'", "frame-ancestors 'self'"):
        assert rule in policy
    assert "http" not in policy
    assert "unsafe-inline" not in policy.split("style-src")[0]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "SAMEORIGIN"


def test_what_comes_from_a_table_is_kept_by_no_browser(server: Server) -> None:
    for path in ("/media/none", "/_stcore/health", "/_stcore/upload_file/a/b"):
        assert ask(server, path)[1]["Cache-Control"] == "no-store"


def test_nobody_else_can_drive_the_page(server: Server) -> None:
    for path in ("/_stcore/agent/interact", "/_stcore/agent/mcp", "/_stcore/agent/openapi.json"):
        for method in ("GET", "POST"):
            assert ask(server, path, method)[0] == 404
    assert ask(server, "/_stcore/metrics")[0] == 404


def test_no_folder_is_served(server: Server) -> None:
    for path in ("/app/static/session.py", "/static/../../dashboard/app.py", "/media/../app.py"):
        status, _, content = ask(server, path)
        assert status in (400, 403, 404) or b"<!DOCTYPE html>" in content
        assert b"import" not in content.split(b"<script", 1)[0]


def test_an_upload_without_the_token_is_refused(server: Server) -> None:
    assert ask(server, "/_stcore/upload_file/a/b", "PUT")[0] == 403
    _, headers, _ = ask(server, "/_stcore/health")
    assert "_streamlit_xsrf" in headers["Set-Cookie"]
    assert "SameSite=Strict" in headers["Set-Cookie"]


def test_other_sites_are_told_nothing(server: Server) -> None:
    for path in ("/_stcore/health", "/_stcore/host-config", "/media/none"):
        headers = ask(server, path, headers={"Origin": "https://elsewhere.example"})[1]
        assert headers["Access-Control-Allow-Origin"] is None
    content = json.loads(ask(server, "/_stcore/host-config")[2])
    assert content.get("useExternalAuthToken") is False


def test_another_site_cannot_show_the_page(server: Server, browser: Browser) -> None:
    context = browser.new_context()
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    # The page of another site, for which no server is needed.
    other = "http://127.0.0.1:19999/"
    body = f"<iframe src='{server.address}'></iframe>"
    page.route(other, lambda route: route.fulfill(content_type="text/html", body=body))
    page.goto(other, wait_until="load")
    assert len(page.frames) == 2
    assert page.frames[1].url.startswith("chrome-error:")
    context.close()
