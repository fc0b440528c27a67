"""The door: a page that some other port of this machine serves gets nothing, and whoever holds the
link gets in. Where people sign in, `test_reviewer` knocks at it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from tests.browser.custodian import custodian
from tests.browser.serving import Server, serving
from tests.browser.strange import nothing_is_got, opens
from tests.browser.test_proxy import knock
from tests.browser.window import PATIENCE, Opened, Window
from tests.dashboard.conftest import tiny_csv

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
