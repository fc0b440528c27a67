"""Signing out: which sign-ins have ended, and the address that clears the cookie of one.

A cookie that somebody copied is as good as the browser's own, and signing out takes only the
browser's. So the server notes each sign-in that ended, until its cookie would have run out, and
refuses it from then on, after a restart too. Nothing ends a sign-in but the page's own button,
whose click comes through the page's socket with its token, or a POST with the token of that very
sign-in: a GET that another site makes a browser send changes nothing.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import threading
import time
from collections.abc import Callable, Mapping
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from understudy.core.files import make_private, replace_text, small_file
from understudy.core.refusal import Refusal

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

ADDRESS: Final = "/auth/logout"
"""Where Streamlit clears the cookie."""

_KEPT: Final = 31 * 86_400.0
"""Seconds for which an end is kept: longer than a browser keeps the cookie."""
_OF_ONE: Final = ("iss", "sub", "iat", "exp", "auth_time", "nonce", "jti", "sid", "at_hash")
"""The claims that tell one sign-in from others, of the same person too."""
_MOST_BYTES: Final = 64 << 20
_MOST_TOKEN: Final = 4096


def mark_of(claims: Mapping[str, Any]) -> str:
    """Return what one sign-in is known by."""
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
            found = json.loads(small_file(place, _MOST_BYTES))
            self._ended = {str(mark): float(at) for mark, at in found.items()}

    def has_ended(self, claims: Mapping[str, Any]) -> bool:
        """Return True if this sign-in has ended."""
        return mark_of(claims) in self._ended

    def end(self, claims: Mapping[str, Any]) -> None:
        """Note that a sign-in has ended; it counts at once, whether or not the disk takes it.

        Raises:
            OSError: it cannot be written down, so that it would not outlive a restart.
        """
        with self._lock:
            oldest = self._now() - _KEPT
            kept = {mark: at for mark, at in self._ended.items() if at > oldest}
            self._ended = {**kept, mark_of(claims): self._now()}
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
        page = _PAGE.format(address=escape(ADDRESS), token=self.token(claims))
        status = 200 if request.method == "GET" else 403
        saved = {"Cache-Control": "no-store"}
        await HTMLResponse(page, status_code=status, headers=saved)(scope, receive, send)

    def token(self, claims: Mapping[str, Any]) -> str:
        """Return what shows that a request to end a sign-in comes from its own page."""
        said = f"sign out\0{mark_of(claims)}".encode()
        return hmac.new(self._secret, said, hashlib.sha256).hexdigest()

    async def _has_token(self, request: Any, claims: Mapping[str, Any]) -> bool:
        body = b""
        async for piece in request.stream():
            body += piece
            if len(body) > _MOST_TOKEN:
                return False
        return hmac.compare_digest(body, f"token={self.token(claims)}".encode())


def claims_in(cookies: Mapping[str, str]) -> Mapping[str, Any]:
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
