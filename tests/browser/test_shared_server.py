"""Two browsers at one server: neither sees a value, a name or a count of the other's table. A
shared server: a reviewer sees issued packets, and nothing else at any address.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.custodian import PAGES, Custodian, at_a_tab, custodian
from tests.browser.serving import HOST
from tests.browser.signing_in import Shared, shared, sign_in
from tests.browser.strange import nothing_is_got
from tests.browser.test_server import knock
from tests.browser.window import PATIENCE, Opened, Window
from tests.dashboard.test_isolation import ROWS
from tests.dashboard.test_isolation import table as own_table
from tests.engine.runs.asked import SCHEMA, seedless
from tests.engine.runs.asked import table as reviewed
from tests.identity_provider import ANOTHER, CUSTODIAN, REVIEWER, STRANGER, Someone
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

_STEPS = tuple(page for page in PAGES if page != "Present")


@contextmanager
def signed_in(
    server: Shared, browser: Browser, folder: Path, someone: Someone
) -> Iterator[Custodian]:
    """Somebody who has signed in, in a browser of their own."""
    with custodian(browser, server, folder) as person:
        person.page.goto(server.address)
        sign_in(person.page, someone)
        person.settled()
        yield person


def opens(person: Custodian, name: str) -> None:
    person.go("Data")
    person.upload(f"{name}.csv", own_table(name))
    expect(person.main.get_by_text(f"{name}.csv").first).to_be_visible()
    person.answer_questions()
    person.settled()


def seen(person: Custodian, steps: Sequence[str]) -> str:
    """All that can be read in some pages, and all that fields hold."""
    everything = []
    for step in steps:
        person.go(step)
        everything.append(person.page.inner_text("body"))
        everything += person.page.locator("input, textarea").evaluate_all(
            "all => all.map(each => each.value)"
        )
    return "\n".join(everything)


@pytest.mark.thorough("dashboard/test_isolation.py::test_neither_of_two_sees_anything_of_the_other")
def test_two_custodians_at_once(signing_in: Shared, browser: Browser, tmp_path: Path) -> None:
    with (
        signed_in(signing_in, browser, tmp_path / "1", CUSTODIAN) as one,
        signed_in(signing_in, browser, tmp_path / "2", ANOTHER) as other,
    ):
        opens(one, "zebrawood")
        opens(other, "quillfeather")
        for person, own, strange in (
            (one, "zebrawood", "quillfeather"),
            (other, "quillfeather", "zebrawood"),
        ):
            text = seen(person, _STEPS)
            assert own in text.lower()
            assert f"{ROWS[own]:,}" in text
            assert strange not in text.lower()
            assert not re.search(f"{ROWS[strange]:,}|{ROWS[strange]}", text)
    _the_log_tells_nothing_of_either(signing_in)


def _the_log_tells_nothing_of_either(server: Shared) -> None:
    said = server.server.log.read_text(encoding="utf-8")
    assert "signed in: a custodian" in said
    assert not re.search("|".join((*ROWS, CUSTODIAN.name, ANOTHER.email, "Traceback")), said)


ISSUED, DRAFT, PROJECT = "Survey of the valley", "Not for anybody yet", "Somebody’s project"


@pytest.fixture(scope="module")
def server(signing_in: Shared) -> Shared:
    """A shared server on which one packet was issued, and another is a draft."""
    home = signing_in.server.home
    ledger = Ledger(home / "ledger.sqlite")
    project = Catalogue("somebody", home).create(PROJECT)
    records = Records(SCHEMA.declare_public(), reviewed().codes)
    run = started(Job(records, seedless(), figures=False), project.runs, ledger=ledger)
    assert wait(run).state == "finished"
    for title in (ISSUED, DRAFT):
        packet = make_packet(run, project.packets, Cover(title=title), ledger=ledger, pdf=False)
        if title == ISSUED:
            issue_packet(packet, "A custodian")
    return signing_in


@pytest.fixture
def page_of(
    server: Shared, window_of: Callable[[Opened], Window], tmp_path: Path
) -> Iterator[Page]:
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
    server: Shared, page_of: Page, tmp_path: Path, addresses: Sequence[str]
) -> None:
    heading(page_of, "Understudy")
    sign_in(page_of, REVIEWER)
    heading(page_of, "Packets")
    main = page_of.get_by_role("main")
    expect(main.get_by_role("heading", name=ISSUED)).to_be_visible()
    expect(main.frame_locator("iframe").get_by_role("heading").first).to_be_visible()
    expect(page_of.get_by_test_id("stSidebarNavLink")).to_have_count(0)

    nothing_is_got(page_of.context, server.address)
    _knocks(server)

    main.get_by_role("tab", name="Checks").click()
    main.get_by_role("button", name="Check this packet").click()
    expect(main.get_by_text("Every check passed.")).to_be_visible()

    with page_of.expect_download() as download:
        main.get_by_role("button", name="Download the packet").click()
    archive = tmp_path / download.value.suggested_filename
    download.value.save_as(archive)
    assert zipfile.is_zipfile(archive)
    assert verify(archive).passed

    for address in addresses:
        page_of.goto(f"{server.address}/{address}")
        heading(page_of, "Packets")
        everything = page_of.inner_text("body")
        assert not re.search(f"{DRAFT}|{PROJECT}|Upload|sample census", everything), address


def _knocks(served: Shared) -> None:
    host = urlsplit(served.address).netloc
    assert knock(served.address, host, served.address) == 101
    for origin in (None, f"http://{HOST}:1", "http://localhost", f"https://{host}", "null"):
        assert knock(served.address, host, origin) == 403, origin


@pytest.mark.thorough("dashboard/test_gate.py::test_a_stranger_is_told_so_and_sees_nothing")
def test_a_stranger_gets_nowhere(server: Shared, page_of: Page) -> None:
    page_of.get_by_role("button", name="Sign in", exact=True).click()
    page_of.get_by_role("link", name=STRANGER.name).click()
    expect(page_of.get_by_text("nobody has given you a part here")).to_be_visible()
    page_of.goto(f"{server.address}/packets")
    expect(page_of.get_by_text("nobody has given you a part here")).to_be_visible()
    assert ISSUED not in page_of.inner_text("body")


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
