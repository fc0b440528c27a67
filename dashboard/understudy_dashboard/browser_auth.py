"""Whose browser is let in: one-time links, and sign-outs that the provider reports."""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import threading
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from html import escape
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qs

from understudy.core.files import make_private, read_small_file, replace_text
from understudy.core.refusal import Refusal

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


def _make_secret() -> str:
    return secrets.token_urlsafe(_BYTES)


@dataclass
class BrowserKeys:
    """What opens the page, made afresh at every start and kept in memory only.

    Attributes:
        address: what people type: scheme, host and port, without a slash at the end.
        announce: is told the next link whenever one was used.
        path: below which the page lives, without a slash at either end.
    """

    address: str
    announce: Callable[[str], None]
    path: str = field(default_factory=_make_secret)
    _cookie: str = field(default_factory=_make_secret, repr=False)
    _link: str = field(default_factory=_make_secret, repr=False)

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
        return cookie is not None and _are_same(cookie, self._cookie)

    def take(self, key: str) -> bool:
        """Return whether this is the key of the link; if so, it is used up, and the next
        announced."""
        if not _are_same(key, self._link):
            return False
        self._link = _make_secret()
        self.announce(self.link)
        return True


class Door:
    """Lets in who holds the cookie or the link, and sockets and changes from its own pages only."""

    def __init__(
        self, app: ASGIApp, origins: Collection[str], keys: BrowserKeys | None = None
    ) -> None:
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
        if scope["type"] == "lifespan" or (self._is_from_here(scope) and self._is_open_to(scope)):
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})
        else:
            await self._answer(scope, receive, send)

    def _is_from_here(self, scope: Scope) -> bool:
        """Return whether a page of ours asks. A browser always says which page opens a socket; what
        it asks for without saying, it may have been told to by an address or a link."""
        origin = _read_header(scope, b"origin")
        if scope["type"] == "websocket":
            return origin in self._origins
        return scope["method"] not in _ALTERING or origin is None or origin in self._origins

    def _is_open_to(self, scope: Scope) -> bool:
        """Return whether the page is open to whoever asks."""
        if self._keys is None:
            return True
        below = f"/{self._keys.path}"
        path = scope["path"]
        if path == below + HEALTH:
            return True
        entering = path.rstrip("/") == below and _read_key(scope) is not None
        inside = path == below or path.startswith(below + "/")
        return inside and not entering and self._keys.holds(_read_cookie(scope))

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand the cookie to whoever has the link, and say to anybody else where to find it."""
        from starlette.responses import HTMLResponse

        keys = self._keys
        if keys is not None and scope["path"].rstrip("/") == f"/{keys.path}":
            key = _read_key(scope)
            if key is not None and (keys.holds(_read_cookie(scope)) or keys.take(key)):
                # A redirect that began at another site would be followed without the cookie.
                page = _write_page(*_ENTERING, to=f"/{keys.path}/")
                given = {"Set-Cookie": keys.given, "Cache-Control": "no-store"}
                await HTMLResponse(page, headers=given)(scope, receive, send)
                return
        await HTMLResponse(_write_page(*_LOCKED), status_code=403)(scope, receive, send)


def list_local_origins(host: str, port: int) -> tuple[str, ...]:
    """Return where pages of a server of this machine come from, by each name of the machine."""
    return tuple(f"http://{name}:{port}" for name in (host, "localhost"))


def _are_same(one: str, other: str) -> bool:
    """Return whether two texts are equal, found out in a time that does not tell how far they
    are."""
    return hmac.compare_digest(one.encode(), other.encode())


def _read_header(scope: Scope, name: bytes) -> str | None:
    """Return a header that stands once; None where it is absent or stands several times."""
    found = [value.decode("latin-1") for key, value in scope["headers"] if key.lower() == name]
    return found[0] if len(found) == 1 else None


def _read_cookie(scope: Scope) -> str | None:
    jar: SimpleCookie = SimpleCookie()
    for name, value in scope["headers"]:
        if name.lower() == b"cookie":
            try:
                jar.load(value.decode("latin-1"))
            except CookieError:
                return None
    return jar[COOKIE].value if COOKIE in jar else None


def _read_key(scope: Scope) -> str | None:
    """Return the key in the address; None where there is none, or it is no single one."""
    found = parse_qs(scope["query_string"].decode("latin-1")).get("key", [])
    return found[0] if len(found) == 1 else None


def _write_page(title: str, text: str, to: str | None = None) -> str:
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


ADDRESS: Final = "/auth/logout"
"""Where Streamlit clears the cookie."""

_KEPT: Final = 31 * 86_400.0
"""Seconds for which an end is kept: longer than a browser keeps the cookie."""
_OF_ONE: Final = ("iss", "sub", "iat", "exp", "auth_time", "nonce", "jti", "sid", "at_hash")
"""The claims that tell one sign-in from others, of the same person too."""
_MOST_BYTES: Final = 64 << 20
_MOST_TOKEN: Final = 4096


def hash_sign_in(claims: Mapping[str, Any]) -> str:
    """Return a hash that identifies one sign-in."""
    named = {name: claims.get(name) for name in _OF_ONE}
    return hashlib.sha256(json.dumps(named, sort_keys=True, default=str).encode()).hexdigest()


class SignOuts:
    """The sign-ins that have ended, in a file that only its owner may read."""

    def __init__(self, place: Path, now: Callable[[], float] = time.time) -> None:
        """Read what was noted before.

        Args:
            place: the file.
            now: seconds since 1970.

        Raises:
            OSError, ValueError: there is such a file, and it cannot be read.
        """
        self._place, self._now, self._lock = place, now, threading.Lock()
        self._ended: dict[str, float] = {}
        if place.exists():
            found = json.loads(read_small_file(place, _MOST_BYTES))
            self._ended = {str(mark): float(at) for mark, at in found.items()}

    def has_ended(self, claims: Mapping[str, Any]) -> bool:
        """Return True if this sign-in has ended."""
        return hash_sign_in(claims) in self._ended

    def end(self, claims: Mapping[str, Any]) -> None:
        """Note that a sign-in has ended; it counts at once, whether or not the disk takes it.

        Raises:
            OSError: it cannot be written down, so that it would not outlive a restart.
        """
        with self._lock:
            oldest = self._now() - _KEPT
            kept = {mark: at for mark, at in self._ended.items() if at > oldest}
            self._ended = {**kept, hash_sign_in(claims): self._now()}
            make_private(self._place.parent)
            replace_text(self._place, json.dumps(self._ended))


def read_sign_outs(place: Path) -> SignOuts:
    """Return the sign-ins that have ended, as noted in a file, which may not be there yet.

    Raises:
        Refusal: it cannot be read, so that who signed out would be signed in again.
    """
    try:
        return SignOuts(place)
    except (OSError, ValueError, AttributeError, TypeError):
        raise Refusal(
            f"{place}, which says which sign-ins have ended, cannot be read.",
            "Put it back from a copy; or remove it and change the cookie secret, which ends every "
            "sign-in.",
        ) from None


class SignOutDoor:
    """Stands before the address that clears the cookie: it is reached only by a sign-in that has
    ended, or ends by this very request."""

    def __init__(
        self,
        app: ASGIApp,
        ended: SignOuts,
        secret: str,
        claims: Callable[[Mapping[str, str]], Mapping[str, Any]],
    ) -> None:
        """Stand before an app.

        Args:
            app: what is behind.
            ended: the sign-ins that have ended.
            secret: what tokens are made with.
            claims: of the sign-in that cookies are of; nothing for none.
        """
        self._app, self._ended, self._claims = app, ended, claims
        self._secret = secret.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or let it pass."""
        if scope["type"] != "http" or scope["path"].rstrip("/") != ADDRESS:
            await self._app(scope, receive, send)
            return
        from starlette.requests import Request
        from starlette.responses import HTMLResponse, RedirectResponse

        request = Request(scope, receive)
        claims = self._claims(request.cookies)
        if not claims or self._ended.has_ended(claims):
            await self._app(scope, receive, send)
            return
        if request.method == "POST" and await self._has_token(request, claims):
            self._ended.end(claims)
            await RedirectResponse(ADDRESS, status_code=303)(scope, receive, send)
            return
        page = _PAGE.format(address=escape(ADDRESS), token=self.make_token(claims))
        status = 200 if request.method == "GET" else 403
        saved = {"Cache-Control": "no-store"}
        await HTMLResponse(page, status_code=status, headers=saved)(scope, receive, send)

    def make_token(self, claims: Mapping[str, Any]) -> str:
        """Return what shows that a request to end a sign-in comes from its own page."""
        said = f"sign out\0{hash_sign_in(claims)}".encode()
        return hmac.new(self._secret, said, hashlib.sha256).hexdigest()

    async def _has_token(self, request: Any, claims: Mapping[str, Any]) -> bool:
        body = b""
        async for piece in request.stream():
            body += piece
            if len(body) > _MOST_TOKEN:
                return False
        return hmac.compare_digest(body, f"token={self.make_token(claims)}".encode())


def read_claims(cookies: Mapping[str, str]) -> Mapping[str, Any]:
    """Return the claims of the sign-in that a browser's cookies are of; nothing for none, or for a
    cookie that this server has not signed."""
    from streamlit.web.server.starlette import starlette_websocket
    from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

    try:
        found = starlette_websocket._get_signed_cookie_with_chunks(dict(cookies), USER_COOKIE_NAME)
        claims = None if found is None else json.loads(found)
    except ValueError:
        return {}
    return claims if isinstance(claims, dict) else {}


_PAGE: Final = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Sign out</title>
<meta name="color-scheme" content="light dark">
<style>
body {{ font: 1.1rem/1.5 system-ui, sans-serif }}
main {{ max-width: 34rem; margin: 18vh auto; padding: 0 1rem }}
button {{ font: inherit; padding: .4rem 1rem }}
</style></head>
<body><main><h1>Sign out?</h1>
<form method="post" action="{address}"><input type="hidden" name="token" value="{token}">
<button>Sign out</button></form></main></body></html>
"""
