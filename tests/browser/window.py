"""A browser that was let in, and what the next person at it finds of the last one: nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol

from playwright.sync_api import Browser, BrowserContext, Page

from tests.browser.resting import WATCHING

PATIENCE: Final = 45_000
"""Milliseconds to wait for anything to appear, on a machine that is busy with other things."""
_PLAIN: Final = "/_stcore/health"
_FORGET: Final = "() => localStorage.clear()"


class Opened(Protocol):
    """A server that answers."""

    @property
    def address(self) -> str:
        """Where the page is, without a slash at the end."""

    @property
    def link(self) -> str | None:
        """What opens the page in one more browser; None where people sign in."""


def let_in(browser: Browser, server: Opened) -> BrowserContext:
    """A browser of its own, let in by the server's link."""
    context = browser.new_context(
        viewport={"width": 1440, "height": 900},
        color_scheme="light",
        # What moves is drawn again and again, and a test has nothing of it.
        reduced_motion="reduce",
        locale="en-GB",
    )
    context.set_default_timeout(PATIENCE)
    context.add_init_script(WATCHING)
    if server.link is not None:
        context.request.get(server.link)
    return context


@dataclass(frozen=True)
class Window:
    """A browser for one person after another.

    Attributes:
        context: the browser.
        link: what let it in; None where people sign in.
        kept: a tab with nothing in it. As long as it is open, so is the process that has compiled
            what pages are made of.
    """

    context: BrowserContext
    link: str | None
    kept: Page

    @classmethod
    def of(cls, browser: Browser, server: Opened) -> Window:
        """One that is let in by the server's link."""
        link, context = server.link, let_in(browser, server)
        kept = context.new_page()
        kept.goto(f"{server.address}{_PLAIN}")
        return cls(context, link, kept)

    def forget(self) -> None:
        """Forget what pages put down in the browser, and who signed in; not that it was let in."""
        self.kept.evaluate(_FORGET)
        if self.link is None:
            self.context.clear_cookies()
