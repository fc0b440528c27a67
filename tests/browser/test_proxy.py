"""The documented proxy, as it is documented: TLS, sign-in, the page's socket and an upload through
it; and nothing of the server behind it to be reached from elsewhere."""

from __future__ import annotations

import shutil
import ssl
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.nginx import proxying
from tests.browser.serving import HOST, ROOT, free_port
from tests.browser.signing_in import Shared, shared, sign_in
from tests.browser.window import PATIENCE
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
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxied]:
    """A shared server behind the documented proxy."""
    port = free_port()
    address = f"https://{HOST}:{port}"
    folder = tmp_path_factory.mktemp("proxy")
    with shared(tmp_path_factory.mktemp("shared"), address=address) as served:
        upstream = served.server.address.removeprefix("http://")
        with proxying(folder, port, upstream):
            yield Proxied(served, folder)


def test_a_custodian_works_through_the_proxy_and_can_leave(
    server: Proxied, browser: Browser
) -> None:
    large = tiny_csv(40_000)
    Catalogue("somebody", server.shared.server.home).create(_ANOTHERS)
    context = browser.new_context(ignore_https_errors=True, locale="en-GB")
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.goto(server.shared.address)
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
    asked = context.request.get(f"{server.shared.address}/auth/logout", max_redirects=0)
    assert "Sign out?" in asked.text()
    page.get_by_test_id("stSidebar").get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="You have signed out")).to_be_visible()
    page.goto(f"{server.shared.address}/data")
    expect(page.get_by_role("heading", name="Understudy", exact=True, level=1)).to_be_visible()
    context.close()
    thief = browser.new_context(ignore_https_errors=True, locale="en-GB")
    thief.set_default_timeout(PATIENCE)
    thief.add_cookies(copied)
    page = thief.new_page()
    page.goto(server.shared.address)
    expect(page.get_by_text("this sign-in counts no more")).to_be_visible()
    assert "through.csv" not in page.inner_text("body")
    thief.close()

    left = [path for path in server.proxy.glob("temporary-*/**/*") if path.is_file()]
    assert left == []
    said = "".join(path.read_text() for path in server.proxy.glob("*.log"))
    assert "a client request body is buffered" not in said
    assert "/oauth2callback" in said
    assert "code=" not in said
    assert "through" not in said


def test_the_answers_close_the_page_off(server: Proxied) -> None:
    trusted = ssl.create_default_context(cafile=str(server.proxy / "certificate.pem"))
    opener = urllib.request.build_opener(
        urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=trusted)
    )
    with opener.open(server.shared.address) as answer:
        headers = answer.headers
    assert "frame-ancestors 'self'" in headers["Content-Security-Policy"]
    assert headers["Strict-Transport-Security"]
    with pytest.raises(urllib.error.HTTPError, match="404"):
        opener.open(f"{server.shared.address}/_stcore/metrics")


def test_the_server_itself_listens_on_this_machine_only(server: Proxied) -> None:
    port = int(server.shared.server.address.rpartition(":")[2])
    assert listening(port) == {"127.0.0.1"}


def test_whoever_goes_around_the_proxy_gets_no_page(server: Proxied) -> None:
    """The server knows the public address only, so a page of another site cannot use it."""
    for host, origin in (
        ("localhost", "http://localhost"),
        (HOST, "https://elsewhere.example"),
        ("elsewhere.example", "http://elsewhere.example"),
        (urlsplit(server.shared.address).netloc, None),
        (urlsplit(server.shared.address).netloc, f"https://{HOST}:1"),
    ):
        assert knock(server.shared.server.address, host, origin) == 403, (host, origin)


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
