"""The server of the pages: what it loads, whom it lets in, and what it never says."""

from __future__ import annotations

import asyncio
import base64
import gc
import hashlib
import logging
import re
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager, suppress
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import streamlit
from streamlit.web.server.starlette import App

from understudy_dashboard import methods, parts
from understudy_dashboard.browser_auth import BrowserKeys, Door, SignOutDoor, read_claims
from understudy_dashboard.people import SignIn
from understudy_dashboard.sign_in import sign_outs_of
from understudy_dashboard.silence_output import be_quiet, describe_error

if TYPE_CHECKING:
    from starlette.middleware import Middleware
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


def load_pages() -> None:
    """Load the parts of all pages, and have no search for garbage look at them again.

    What is there by now stays for as long as the process lives, so this comes before any table is
    opened.
    """
    for room in (parts, methods):
        for part in walk_packages(room.__path__, f"{room.__name__}."):
            import_module(part.name)
    # One method asks for it as late as it can, as whoever does without should not wait for it.
    import_module("scipy.stats")
    gc.collect()
    gc.freeze()


_log = logging.getLogger("understudy.dashboard")

SWEEP: Final = 5.0
"""Seconds between two looks at which closed pages can be forgotten."""

_UNSAVED = ("/media", "/_stcore", "/oauth2callback", "/auth")
_NEEDLESS = ("/_stcore/metrics", "/_stcore/agent")


def serve(
    script: Path,
    settings: Mapping[str, Any],
    sign_in: SignIn | None,
    origins: Collection[str],
    keys: BrowserKeys | None,
) -> None:
    """Serve the page until interrupted.

    Args:
        script: the page.
        settings: Streamlit's, by their names with dots.
        sign_in: how people sign in, where they do.
        origins: scheme, host and port of the pages that may open the page's socket.
        keys: what opens the page, where nobody signs in.
    """
    from starlette.middleware import Middleware

    be_quiet(settings["server.maxUploadSize"])
    _ask_nobody_for_addresses()
    load_pages()
    below = "" if keys is None else f"/{keys.path}"
    App(
        script,
        secrets=None if sign_in is None else _load_secrets(sign_in),
        lifespan=_forget_in_time,
        middleware=[
            Middleware(Guard, headers=list_headers(), below=below),
            Middleware(Door, origins=origins, keys=keys),
            *_make_sign_out_door(sign_in),
        ],
        on_script_error=_report_unforeseen,
    ).run(config={**settings, "server.baseUrlPath": below})


def _make_sign_out_door(sign_in: SignIn | None) -> list[Middleware]:
    """Return what is run before the address that clears the cookie of a sign-in, if people sign
    in."""
    ended = sign_outs_of()
    if sign_in is None or ended is None:
        return []
    from starlette.middleware import Middleware

    secret = sign_in.cookie_secret
    return [Middleware(SignOutDoor, ended=ended, secret=secret, claims=read_claims)]


def public_address_settings(address: str) -> dict[str, Any]:
    """Return the settings for an address that a proxy serves, such as https://understudy.example.org."""
    parts = urlsplit(address)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    return {
        "browser.serverAddress": parts.hostname,
        "browser.serverPort": port,
        "server.allowedHosts": [parts.hostname],
    }


def list_headers() -> dict[str, str]:
    """Return what every answer tells the browser: other sites are no part of this page."""
    return {
        "Content-Security-Policy": "; ".join(
            (
                "default-src 'self'",
                # The charts are compiled in the browser, hence the evaluation.
                f"script-src 'self' blob: 'unsafe-eval' {_hash_scripts()}",
                "style-src 'self' 'unsafe-inline'",
                "img-src 'self' data: blob:",
                "font-src 'self' data:",
                "connect-src 'self' data: blob:",
                "worker-src 'self' blob:",
                "frame-src 'self' blob: data:",
                "object-src 'none'",
                "base-uri 'self'",
                "frame-ancestors 'self'",
            )
        ),
        "X-Frame-Options": "SAMEORIGIN",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
    }


class Guard:
    """Puts the headers on every answer, and answers nothing at places that nobody needs."""

    def __init__(self, app: ASGIApp, headers: Mapping[str, str], below: str = "") -> None:
        """Stand before an app.

        Args:
            app: what is behind.
            headers: what every answer says.
            below: the path that the app lives under, with a slash before it; "" for none.
        """
        self._app = app
        self._headers = [(name.encode(), value.encode()) for name, value in headers.items()]
        self._below = below

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path = scope["path"].removeprefix(self._below)

        async def guard_response(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": self._add_headers(path, message["headers"])}
            await send(message)

        if path.startswith(_NEEDLESS):
            from starlette.responses import PlainTextResponse

            await PlainTextResponse("Not here.", status_code=404)(scope, receive, guard_response)
            return
        await self._app(scope, receive, guard_response)

    def _add_headers(self, path: str, before: Any) -> list[tuple[bytes, bytes]]:
        """Return the headers, and for what comes from a table, that no browser keeps it on disk."""
        added = list(self._headers)
        if path.startswith(_UNSAVED):
            added.append((b"Cache-Control", b"no-store"))
        named = {name.lower() for name, _ in added}
        return [*((name, value) for name, value in before if name.lower() not in named), *added]


def _hash_scripts() -> str:
    """Return the script that stands in Streamlit's own page, named by its hash."""
    page = Path(streamlit.__file__).with_name("static") / "index.html"
    found = re.findall(r"<script>(.*?)</script>", page.read_text(encoding="utf-8"), re.DOTALL)
    digests = (hashlib.sha256(each.encode()).digest() for each in found)
    return " ".join(f"'sha256-{base64.b64encode(each).decode()}'" for each in digests)


def _load_secrets(sign_in: SignIn) -> dict[str, Any]:
    """Return what Streamlit signs people in with; held in memory only."""
    return {
        "auth": {
            "redirect_uri": f"{sign_in.address}/oauth2callback",
            "cookie_secret": sign_in.cookie_secret,
            "client_id": sign_in.client_id,
            "client_secret": sign_in.client_secret,
            "server_metadata_url": sign_in.metadata,
        }
    }


def _report_unforeseen(error: Exception) -> bool:
    """Say that something unforeseen happened outside of a page, and quote nothing of it."""
    from understudy_dashboard.frame import show_unforeseen

    show_unforeseen(error)
    return True


def _ask_nobody_for_addresses() -> None:
    """Keep Streamlit from asking an outside server for this machine's address when a page of
    another site knocks. No such page is let in, so nothing is lost."""
    from streamlit import net_util

    net_util.get_external_ip = lambda: None
    net_util.get_internal_ip = lambda: None


@asynccontextmanager
async def _forget_in_time(app: App) -> AsyncIterator[None]:
    """Forget closed pages in time, as long as the server runs."""
    asyncio.get_running_loop().set_exception_handler(_log_failed_task)
    task = asyncio.create_task(_sweep())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def _log_failed_task(loop: asyncio.AbstractEventLoop, context: Mapping[str, Any]) -> None:
    error = context.get("exception")
    _log.error("%s", "a task failed" if error is None else describe_error(error))


async def _sweep() -> None:
    """Empty closed pages again and again. Streamlit keeps one for a while, in case it comes back,
    and then until another is closed; its table must not lie in memory until then."""
    from streamlit.runtime import get_instance

    from understudy_dashboard.access_control import is_left_alone

    while True:
        await asyncio.sleep(SWEEP)
        manager: Any = get_instance()._session_mgr
        closed = [kept.session for _, kept in manager._session_storage._cache.expire()]
        for each in closed:
            _empty_closed_page(each)
        if closed:
            del each, closed
            release_memory()
        for active in manager.list_active_sessions():
            if is_left_alone(active.session.session_state):
                # Drawn anew, the page finds that out and forgets its table.
                active.session.request_rerun(None)
        active = None


def _empty_closed_page(page: Any) -> None:
    """Take from a closed page what it knew. Streamlit's own loop goes on referring to the page
    that was closed last."""
    from streamlit.runtime.state import SessionState

    page.shutdown()
    known = page.session_state
    if "session" in known:
        known["session"].close()
    page._session_state = SessionState()
    page._fragment_storage.clear()


def release_memory() -> None:
    """Give memory that nothing refers to any more back to the system."""
    import pyarrow

    gc.collect()
    pyarrow.default_memory_pool().release_unused()
