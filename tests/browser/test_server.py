"""The documented proxy, as it is documented: TLS, sign-in, the page's socket and an upload through
it; and nothing of the server behind it to be reached from elsewhere. The door: a page that some
other port of this machine serves gets nothing, and whoever holds the link gets in. Where people
sign in, `test_reviewer` knocks at it. The settings of a page that holds confidential records, as
the running server shows them. What a page knew is gone when it is closed, and an upload never
touches the disk. The window that tests take turns at: what one of them puts down there, no other
finds.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import ssl
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPMessage
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from tests.browser.custodian import custodian
from tests.browser.nginx import proxying
from tests.browser.serving import HOST, ROOT, Server, free_port, serving
from tests.browser.signing_in import Shared, shared, sign_in
from tests.browser.strange import nothing_is_got, opens
from tests.browser.window import PATIENCE, Opened, Window
from tests.dashboard.conftest import tiny_csv
from tests.identity_provider import CUSTODIAN
from understudy.projects.catalogue import Catalogue
from understudy_dashboard.sign_in_file import read_sign_in

DOCUMENTS = ROOT / "docs" / "shared-server"
_ANOTHERS = "Somebody’s project"


@dataclass(frozen=True)
class Proxied:
    """A shared server, and the folder of the proxy in front of it."""

    shared: Shared
    proxy: Path


@pytest.fixture(scope="module")
def proxied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxied]:
    """A shared server behind the documented proxy."""
    port = free_port()
    address = f"https://{HOST}:{port}"
    folder = tmp_path_factory.mktemp("proxy")
    with shared(tmp_path_factory.mktemp("shared"), address=address) as served:
        upstream = served.server.address.removeprefix("http://")
        with proxying(folder, port, upstream):
            yield Proxied(served, folder)


def test_a_custodian_works_through_the_proxy_and_can_leave(
    proxied: Proxied, browser: Browser
) -> None:
    large = tiny_csv(40_000)
    Catalogue("somebody", proxied.shared.server.home).create(_ANOTHERS)
    context = browser.new_context(ignore_https_errors=True, locale="en-GB")
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.goto(proxied.shared.address)
    sign_in(page, CUSTODIAN)
    expect(page.get_by_test_id("stSidebarNavLink").first).to_be_visible()
    cookies = {each["name"]: each for each in context.cookies()}
    assert {"_streamlit_user", "_streamlit_xsrf"} <= set(cookies)
    assert all(each["secure"] for each in cookies.values())
    assert cookies["_streamlit_user"]["httpOnly"]
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    assert _ANOTHERS not in page.inner_text("body")
    page.get_by_role("region", name="A CSV").get_by_label("file upload").set_input_files(
        {"name": "through.csv", "mimeType": "text/csv", "buffer": large}
    )
    expect(page.get_by_role("main").get_by_text("through.csv").first).to_be_visible()
    copied = context.cookies()
    asked = context.request.get(f"{proxied.shared.address}/auth/logout", max_redirects=0)
    assert "Sign out?" in asked.text()
    page.get_by_test_id("stSidebar").get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="You have signed out")).to_be_visible()
    page.goto(f"{proxied.shared.address}/data")
    expect(page.get_by_role("heading", name="Understudy", exact=True, level=1)).to_be_visible()
    context.close()
    thief = browser.new_context(ignore_https_errors=True, locale="en-GB")
    thief.set_default_timeout(PATIENCE)
    thief.add_cookies(copied)
    page = thief.new_page()
    page.goto(proxied.shared.address)
    expect(page.get_by_text("this sign-in counts no more")).to_be_visible()
    assert "through.csv" not in page.inner_text("body")
    thief.close()

    left = [path for path in proxied.proxy.glob("temporary-*/**/*") if path.is_file()]
    assert left == []
    said = "".join(path.read_text() for path in proxied.proxy.glob("*.log"))
    assert "a client request body is buffered" not in said
    assert "/oauth2callback" in said
    assert "code=" not in said
    assert "through" not in said


def test_the_answers_close_the_page_off(proxied: Proxied) -> None:
    trusted = ssl.create_default_context(cafile=str(proxied.proxy / "certificate.pem"))
    opener = urllib.request.build_opener(
        urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=trusted)
    )
    with opener.open(proxied.shared.address) as answer:
        headers = answer.headers
    assert "frame-ancestors 'self'" in headers["Content-Security-Policy"]
    assert headers["Strict-Transport-Security"]
    with pytest.raises(urllib.error.HTTPError, match="404"):
        opener.open(f"{proxied.shared.address}/_stcore/metrics")


def test_the_server_itself_listens_on_this_machine_only(proxied: Proxied) -> None:
    port = int(proxied.shared.server.address.rpartition(":")[2])
    assert listening(port) == {"127.0.0.1"}


def test_whoever_goes_around_the_proxy_gets_no_page(proxied: Proxied) -> None:
    """The server knows the public address only, so a page of another site cannot use it."""
    for host, origin in (
        ("localhost", "http://localhost"),
        (HOST, "https://elsewhere.example"),
        ("elsewhere.example", "http://elsewhere.example"),
        (urlsplit(proxied.shared.address).netloc, None),
        (urlsplit(proxied.shared.address).netloc, f"https://{HOST}:1"),
    ):
        assert knock(proxied.shared.server.address, host, origin) == 403, (host, origin)


def knock(address: str, host: str, origin: str | None, cookie: str = "") -> int:
    """What a server answers to whoever would open the page's socket."""
    parts = urlsplit(address)
    connection = HTTPConnection(parts.netloc, timeout=30)
    headers = {
        "Host": host,
        **({} if origin is None else {"Origin": origin}),
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
        **({"Cookie": cookie} if cookie else {}),
    }
    connection.request("GET", f"{parts.path}/_stcore/stream", headers=headers)
    status = connection.getresponse().status
    connection.close()
    return status


def listening(port: int) -> set[str]:
    """The addresses at which something listens on a port, of either kind."""
    found = set()
    for name in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]:
            local, state = line.split()[1], line.split()[3]
            address, _, number = local.partition(":")
            if state == "0A" and int(number, 16) == port:
                parts = [str(each) for each in bytes.fromhex(address)[::-1]]
                found.add(".".join(parts) if name == "tcp" else address)
    return found


def test_the_documented_files_are_right(tmp_path: Path) -> None:
    for secret in ("client-secret", "cookie-secret"):
        (tmp_path / secret).touch(mode=0o600)
        (tmp_path / secret).write_text("x" * 64)
    text = (DOCUMENTS / "sign-in.toml").read_text().replace("/srv/tables", str(tmp_path))
    (tmp_path / "sign-in.toml").touch(mode=0o600)
    (tmp_path / "sign-in.toml").write_text(text)
    how = read_sign_in(tmp_path / "sign-in.toml")
    assert how.reviewers.groups == {"review-board"}


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd here")
def test_the_documented_unit_is_one(tmp_path: Path) -> None:
    unit = tmp_path / "understudy.service"
    text = (DOCUMENTS / "understudy.service").read_text()
    unit.write_text(text.replace("/opt/understudy/bin/understudy", shutil.which("true") or ""))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(unit)],
        capture_output=True,
        text=True,
        check=False,
    )
    complaints = [line for line in done.stderr.splitlines() if "understudy" in line]
    assert complaints == []


LOCKED = "This page opens by its link"


@contextmanager
def _context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(locale="en-GB")
    context.set_default_timeout(PATIENCE)
    yield context
    context.close()


def test_a_page_of_another_port_gets_nothing(
    server: Server, window_of: Callable[[Opened], Window]
) -> None:
    """In the browser that holds the cookie, which is sent to no other port."""
    window = window_of(server)
    assert opens(window.kept, server.address), "a page of its own can"
    nothing_is_got(window.context, server.address)


@pytest.mark.thorough(
    "dashboard/test_server.py::test_the_link_gives_the_cookie_once_and_announces_the_next"
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
    "dashboard/test_server.py::test_every_start_has_keys_of_its_own_and_they_are_not_shown"
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


_PUT_DOWN = "() => localStorage.setItem('zebrawood', '1')"
_FOUND = "() => localStorage.length"


def test_whoever_comes_next_finds_nothing_but_the_door_open(
    server: Server, browser: Browser
) -> None:
    window = Window.of(browser, server)
    let_in = window.context.cookies()
    first = window.context.new_page()
    first.goto(window.kept.url)
    first.evaluate(_PUT_DOWN)
    first.close()
    window.forget()
    second = window.context.new_page()
    second.goto(window.kept.url)
    assert second.evaluate(_FOUND) == 0
    assert {each["name"] for each in window.context.cookies()} == {each["name"] for each in let_in}
    window.context.close()
