"""The door of the page: whose browser is let in, and which pages may open its socket.

Without sign-in, whoever reaches the page is the custodian, so reaching it takes more than the
port. The page lives below a secret path, and answers only a browser that holds a secret cookie. A
link puts the cookie there, once; whoever sees the link later can do nothing with it, and whoever
sees the path can do nothing without the cookie. Browsers send cookies to every port of a host, but
only below the path that a cookie is for, so a server that does not know the path is not sent it.

With sign-in, the door asks for neither: only where a socket is opened from is looked at.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from html import escape
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qs

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

COOKIE: Final = "understudy"
HEALTH: Final = "/_stcore/health"
"""Answers whoever knows the path; it says only that the server runs."""

_BYTES: Final = 24
_ALTERING: Final = ("POST", "PUT", "PATCH", "DELETE")
_LOCKED: Final = (
    "This page opens by its link",
    "Open the newest link in the terminal where Understudy was started. Each link works in one "
    "browser, once; then the next one is printed.",
)
_ENTERING: Final = ("Opening Understudy", "The page follows at once.")


def _secret() -> str:
    return secrets.token_urlsafe(_BYTES)


@dataclass
class Keys:
    """What opens the page, made afresh at every start and kept in memory only.

    Attributes:
        address: what people type: scheme, host and port, without a slash at the end.
        announce: is told the next link whenever one was used.
        path: below which the page lives, without a slash at either end.
    """

    address: str
    announce: Callable[[str], None]
    path: str = field(default_factory=_secret)
    _cookie: str = field(default_factory=_secret, repr=False)
    _link: str = field(default_factory=_secret, repr=False)

    @property
    def link(self) -> str:
        """The address that opens the page in one browser, once."""
        return f"{self.address}/{self.path}/?key={self._link}"

    @property
    def given(self) -> str:
        """The cookie as a browser is told to keep it, until it is closed."""
        secure = "; Secure" if self.address.startswith("https:") else ""
        return f"{COOKIE}={self._cookie}; Path=/{self.path}; HttpOnly; SameSite=Strict{secure}"

    def holds(self, cookie: str | None) -> bool:
        """Return whether this is the cookie."""
        return cookie is not None and _same(cookie, self._cookie)

    def take(self, key: str) -> bool:
        """Return whether this is the key of the link; if so, it is used up, and the next
        announced."""
        if not _same(key, self._link):
            return False
        self._link = _secret()
        self.announce(self.link)
        return True


class Door:
    """Lets in who holds the cookie or the link, and sockets and changes from its own pages only."""

    def __init__(self, app: ASGIApp, origins: Collection[str], keys: Keys | None = None) -> None:
        """Stand before an app.

        Args:
            app: what is behind.
            origins: scheme, host and port of the pages that may open a socket or change something.
            keys: what opens the page; None where people sign in.
        """
        self._app = app
        self._origins = frozenset(origins)
        self._keys = keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or let it pass."""
        if scope["type"] == "lifespan" or (self._from_here(scope) and self._open(scope)):
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})
        else:
            await self._answer(scope, receive, send)

    def _from_here(self, scope: Scope) -> bool:
        """Return whether a page of ours asks. A browser always says which page opens a socket; what
        it asks for without saying, it may have been told to by an address or a link."""
        origin = _header(scope, b"origin")
        if scope["type"] == "websocket":
            return origin in self._origins
        return scope["method"] not in _ALTERING or origin is None or origin in self._origins

    def _open(self, scope: Scope) -> bool:
        """Return whether the page is open to whoever asks."""
        if self._keys is None:
            return True
        below = f"/{self._keys.path}"
        path = scope["path"]
        if path == below + HEALTH:
            return True
        entering = path.rstrip("/") == below and _key(scope) is not None
        inside = path == below or path.startswith(below + "/")
        return inside and not entering and self._keys.holds(_cookie(scope))

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand the cookie to whoever has the link, and say to anybody else where to find it."""
        from starlette.responses import HTMLResponse

        keys = self._keys
        if keys is not None and scope["path"].rstrip("/") == f"/{keys.path}":
            key = _key(scope)
            if key is not None and (keys.holds(_cookie(scope)) or keys.take(key)):
                # A redirect that began at another site would be followed without the cookie.
                page = _page(*_ENTERING, to=f"/{keys.path}/")
                given = {"Set-Cookie": keys.given, "Cache-Control": "no-store"}
                await HTMLResponse(page, headers=given)(scope, receive, send)
                return
        await HTMLResponse(_page(*_LOCKED), status_code=403)(scope, receive, send)


def local_origins(host: str, port: int) -> tuple[str, ...]:
    """Return where pages of a server of this machine come from, by each name of the machine."""
    return tuple(f"http://{name}:{port}" for name in (host, "localhost"))


def _same(one: str, other: str) -> bool:
    """Return whether two texts are equal, found out in a time that does not tell how far they
    are."""
    return hmac.compare_digest(one.encode(), other.encode())


def _header(scope: Scope, name: bytes) -> str | None:
    """Return a header that stands once; None where it is absent or stands several times."""
    found = [value.decode("latin-1") for key, value in scope["headers"] if key.lower() == name]
    return found[0] if len(found) == 1 else None


def _cookie(scope: Scope) -> str | None:
    jar: SimpleCookie = SimpleCookie()
    for name, value in scope["headers"]:
        if name.lower() == b"cookie":
            try:
                jar.load(value.decode("latin-1"))
            except CookieError:
                return None
    return jar[COOKIE].value if COOKIE in jar else None


def _key(scope: Scope) -> str | None:
    """Return the key in the address; None where there is none, or it is no single one."""
    found = parse_qs(scope["query_string"].decode("latin-1")).get("key", [])
    return found[0] if len(found) == 1 else None


def _page(title: str, text: str, to: str | None = None) -> str:
    """Return a page of one sentence, which goes on to another where one is named."""
    onward = "" if to is None else f'<meta http-equiv="refresh" content="0; url={escape(to)}">'
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>{onward}
<meta name="color-scheme" content="light dark">
<style>
body {{ font: 1.1rem/1.5 system-ui, sans-serif }}
main {{ max-width: 34rem; margin: 18vh auto; padding: 0 1rem }}
</style></head>
<body><main><h1>{escape(title)}</h1><p>{escape(text)}</p></main></body></html>
"""
