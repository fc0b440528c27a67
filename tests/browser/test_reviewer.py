"""A shared server: a reviewer sees issued packets, and nothing else at any address."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.custodian import at_a_tab
from tests.browser.serving import HOST
from tests.browser.signing_in import Shared, shared, sign_in
from tests.browser.strange import nothing_is_got
from tests.browser.test_proxy import knock
from tests.browser.window import PATIENCE, Opened, Window
from tests.engine.runs.asked import SCHEMA, seedless, table
from tests.identity_provider import CUSTODIAN, REVIEWER, STRANGER
from tests.support import started
from understudy.ledger.ledger import Ledger
from understudy.projects.catalogue import Catalogue
from understudy.report.cover import Cover
from understudy.report.packet import make_packet
from understudy.report.shelf import issue_packet
from understudy.report.verify import verify
from understudy.runs.control import wait
from understudy.runs.work import Job
from understudy.table.records import Records

ISSUED, DRAFT, PROJECT = "Survey of the valley", "Not for anybody yet", "Somebody’s project"


@pytest.fixture(scope="module")
def server(signing_in: Shared) -> Shared:
    """A shared server on which one packet was issued, and another is a draft."""
    home = signing_in.server.home
    ledger = Ledger(home / "ledger.sqlite")
    project = Catalogue("somebody", home).create(PROJECT)
    records = Records(SCHEMA.declare_public(), table().codes)
    run = started(Job(records, seedless(), figures=False), project.runs, ledger=ledger)
    assert wait(run).state == "finished"
    for title in (ISSUED, DRAFT):
        packet = make_packet(run, project.packets, Cover(title=title), ledger=ledger, pdf=False)
        if title == ISSUED:
            issue_packet(packet, "A custodian")
    return signing_in


@pytest.fixture
def page(server: Shared, window_of: Callable[[Opened], Window], tmp_path: Path) -> Iterator[Page]:
    """Somebody at the server who has not signed in."""
    window = window_of(server)
    with at_a_tab(window.context, server.address, tmp_path) as someone:
        someone.page.goto(server.address)
        yield someone.page
    window.forget()
    at_home = (server.address, server.provider.address)
    assert [url for url in someone.traffic.abroad if not url.startswith(at_home)] == []


def heading(page: Page, name: str) -> None:
    expect(page.get_by_role("heading", name=name, exact=True, level=1)).to_be_visible()


@pytest.mark.parametrize(
    "addresses",
    [
        ("data", "?demo=1"),
        pytest.param(
            ("data", "generate", "inspect", "ledger", "start", "packets", "?demo=1"),
            marks=pytest.mark.thorough("test_a_reviewer_sees_packets_only"),
        ),
    ],
    ids=["a few addresses", "every address"],
)
def test_a_reviewer_sees_packets_only(
    server: Shared, page: Page, tmp_path: Path, addresses: Sequence[str]
) -> None:
    heading(page, "Understudy")
    sign_in(page, REVIEWER)
    heading(page, "Packets")
    main = page.get_by_role("main")
    expect(main.get_by_role("heading", name=ISSUED)).to_be_visible()
    expect(main.frame_locator("iframe").get_by_role("heading").first).to_be_visible()
    expect(page.get_by_test_id("stSidebarNavLink")).to_have_count(0)

    nothing_is_got(page.context, server.address)
    _knocks(server)

    main.get_by_role("tab", name="Checks").click()
    main.get_by_role("button", name="Check this packet").click()
    expect(main.get_by_text("Every check passed.")).to_be_visible()

    with page.expect_download() as download:
        main.get_by_role("button", name="Download the packet").click()
    archive = tmp_path / download.value.suggested_filename
    download.value.save_as(archive)
    assert zipfile.is_zipfile(archive)
    assert verify(archive).passed

    for address in addresses:
        page.goto(f"{server.address}/{address}")
        heading(page, "Packets")
        everything = page.inner_text("body")
        assert not re.search(f"{DRAFT}|{PROJECT}|Upload|sample census", everything), address


def _knocks(served: Shared) -> None:
    host = urlsplit(served.address).netloc
    assert knock(served.address, host, served.address) == 101
    for origin in (None, f"http://{HOST}:1", "http://localhost", f"https://{host}", "null"):
        assert knock(served.address, host, origin) == 403, origin


@pytest.mark.thorough("dashboard/test_gate.py::test_a_stranger_is_told_so_and_sees_nothing")
def test_a_stranger_gets_nowhere(server: Shared, page: Page) -> None:
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.get_by_role("link", name=STRANGER.name).click()
    expect(page.get_by_text("nobody has given you a part here")).to_be_visible()
    page.goto(f"{server.address}/packets")
    expect(page.get_by_text("nobody has given you a part here")).to_be_visible()
    assert ISSUED not in page.inner_text("body")


@pytest.mark.thorough("dashboard/test_gate.py::test_a_page_left_alone_is_forgotten")
def test_a_page_left_alone_closes_by_itself(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with shared(tmp_path_factory.mktemp("idle"), idle_minutes=0.1) as served:
        context = browser.new_context(locale="en-GB")
        context.set_default_timeout(PATIENCE)
        opened = context.new_page()
        opened.goto(served.address)
        sign_in(opened, CUSTODIAN)
        heading(opened, "You have signed out")
        context.close()
