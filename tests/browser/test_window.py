"""The window that tests take turns at: what one of them puts down there, no other finds."""

from __future__ import annotations

from playwright.sync_api import Browser

from tests.browser.serving import Server
from tests.browser.window import Window

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
