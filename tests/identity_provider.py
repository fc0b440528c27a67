"""A small OpenID Connect provider on this machine: whoever presses a name is that person.

Authorisation code with PKCE, a client that proves itself with a secret, RS256 identity tokens.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

HOST = "127.0.0.1"
CLIENT, SECRET = "understudy", "what the server and the provider know"


@dataclass(frozen=True)
class Someone:
    """A person who does not exist."""

    subject: str
    name: str
    email: str
    groups: tuple[str, ...] = ()
    verified: bool = True

    def claims(self) -> dict[str, Any]:
        """What the provider vouches for."""
        return {
            "sub": self.subject,
            "name": self.name,
            "email": self.email,
            "email_verified": self.verified,
            "groups": list(self.groups),
        }


CUSTODIAN = Someone("s-1", "Custodian One", "one@example.org", ("data-custodians",))
ANOTHER = Someone("s-2", "Custodian Two", "TWO@example.org")
REVIEWER = Someone("s-3", "Reviewer Three", "three@example.org", ("board",))
STRANGER = Someone("s-4", "Stranger Four", "four@example.org")
EVERYBODY = (CUSTODIAN, ANOTHER, REVIEWER, STRANGER)


@dataclass
class Provider:
    """A provider that answers.

    Attributes:
        address: where.
        client: the only address that it sends people back to; "" until it is known.
    """

    address: str
    client: str = ""
    _key: RSAKey = field(
        default_factory=lambda: RSAKey.generate_key(2048, {"kid": "k", "use": "sig"})
    )
    _codes: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def metadata(self) -> str:
        """Where it describes itself."""
        return f"{self.address}/.well-known/openid-configuration"

    def discovery(self) -> dict[str, Any]:
        """Its description of itself."""
        return {
            "issuer": self.address,
            "authorization_endpoint": f"{self.address}/authorize",
            "token_endpoint": f"{self.address}/token",
            "jwks_uri": f"{self.address}/keys",
            "end_session_endpoint": f"{self.address}/end",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "code_challenge_methods_supported": ["S256"],
        }

    def keys(self) -> dict[str, Any]:
        """What its signatures are checked with."""
        return {"keys": [self._key.as_dict(private=False)]}

    def choose(self, asked: dict[str, str]) -> str:
        """A page with a link for each person."""
        if asked.get("client_id") != CLIENT or asked.get("redirect_uri") != self._back:
            return "<h1>Another client</h1>"
        links = "".join(
            f'<p><a href="/chosen?{escape(urlencode({**asked, "who": each.subject}))}">'
            f"{escape(each.name)}</a></p>"
            for each in EVERYBODY
        )
        return f"<!doctype html><title>Provider</title><h1>Who are you?</h1>{links}"

    def chosen(self, asked: dict[str, str]) -> str:
        """Where somebody is sent back to, with a code that can be used once."""
        code = secrets.token_urlsafe(16)
        self._codes[code] = dict(asked)
        return f"{self._back}?{urlencode({'code': code, 'state': asked['state']})}"

    def token(self, asked: dict[str, str], basic: str | None) -> dict[str, Any] | None:
        """The identity token for a code; None where the client or the code is not right."""
        granted = self._codes.pop(asked.get("code", ""), None)
        if granted is None or not _is_client(asked, basic) or not _is_same(granted, asked):
            return None
        someone = next(each for each in EVERYBODY if each.subject == granted["who"])
        now = int(time.time())
        claims = {
            "iss": self.address,
            "aud": CLIENT,
            "iat": now,
            "exp": now + 600,
            "nonce": granted["nonce"],
            **someone.claims(),
        }
        signed = jwt.encode({"alg": "RS256", "kid": "k"}, claims, self._key)
        return {"access_token": "unused", "token_type": "Bearer", "id_token": signed}

    @property
    def _back(self) -> str:
        return f"{self.client}/oauth2callback"


@contextmanager
def providing() -> Iterator[Provider]:
    """A provider on a free port, until the block ends."""
    server = ThreadingHTTPServer((HOST, 0), _Answering)
    provider = Provider(f"http://{HOST}:{server.server_address[1]}")
    server.provider = provider  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Answering(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        provider: Provider = self.server.provider  # type: ignore[attr-defined]
        parts = urlsplit(self.path)
        asked = _first(parts.query)
        match parts.path:
            case "/.well-known/openid-configuration":
                self._json(provider.discovery())
            case "/keys":
                self._json(provider.keys())
            case "/authorize":
                self._answer(200, "text/html; charset=utf-8", provider.choose(asked))
            case "/chosen":
                self._redirect(provider.chosen(asked))
            case "/end":
                self._answer(200, "text/html; charset=utf-8", "<h1>You have signed out</h1>")
            case _:
                self._answer(404, "text/plain", "nothing here")

    def do_POST(self) -> None:
        provider: Provider = self.server.provider  # type: ignore[attr-defined]
        body = self.rfile.read(int(self.headers.get("Content-Length", "0"))).decode()
        token = provider.token(_first(body), self.headers.get("Authorization"))
        self._json(token or {"error": "invalid_grant"}, 200 if token else 400)

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def _json(self, content: dict[str, Any], status: int = 200) -> None:
        self._answer(status, "application/json", json.dumps(content))

    def _redirect(self, to: str) -> None:
        self.send_response(302)
        self.send_header("Location", to)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _answer(self, status: int, kind: str, text: str) -> None:
        content = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def _first(query: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(query).items()}


def _is_client(asked: dict[str, str], basic: str | None) -> bool:
    given = (asked.get("client_id"), asked.get("client_secret"))
    if basic and basic.startswith("Basic "):
        name, _, secret = base64.b64decode(basic[6:]).decode().partition(":")
        given = (unquote(name), unquote(secret))
    return given == (CLIENT, SECRET)


def _is_same(granted: dict[str, str], asked: dict[str, str]) -> bool:
    """Whether whoever brings the code is whoever asked for it (PKCE)."""
    digest = hashlib.sha256(asked.get("code_verifier", "").encode()).digest()
    challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
    return granted.get("code_challenge") == challenge
