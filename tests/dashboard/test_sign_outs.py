"""Signing out: a sign-in that has ended counts no more, whoever has a copy of its cookie, and no
other site can end one."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from understudy.core.refusal import Refusal
from understudy_dashboard.browser_auth import (
    ADDRESS,
    SignOutDoor,
    SignOuts,
    hash_person,
    read_sign_outs,
)

ONE: Mapping[str, Any] = {"iss": "https://id", "sub": "one", "iat": 1000, "nonce": "a"}
SECRET = "a secret of thirty-two characters"


def test_a_sign_in_that_ended_has_ended_after_a_restart_too(tmp_path: Path) -> None:
    place = tmp_path / "home" / "sign-outs.json"
    ended = SignOuts(place)
    assert not ended.has_ended(ONE)
    ended.end({**ONE, "name": "One", "is_logged_in": True})
    for known in (ended, read_sign_outs(place)):
        assert known.has_ended(ONE)
        assert not known.has_ended({**ONE, "nonce": "b"})
        assert not known.has_ended({**ONE, "iat": 1001})
    assert place.stat().st_mode & 0o077 == 0
    assert "one" not in place.read_text()


def test_an_end_is_kept_for_longer_than_the_cookie(tmp_path: Path) -> None:
    now = [0.0]
    ended = SignOuts(tmp_path / "sign-outs.json", lambda: now[0])
    ended.end(ONE)
    now[0] = 30 * 86_400.0
    ended.end({**ONE, "iat": 2000})
    assert ended.has_ended(ONE)
    now[0] += 2 * 86_400.0
    ended.end({**ONE, "iat": 3000})
    assert not ended.has_ended(ONE)
    assert ended.has_ended({**ONE, "iat": 2000})


def test_what_was_noted_and_cannot_be_read_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "sign-outs.json"
    for text in ("no", "[1]", '{"a": []}'):
        place.write_text(text)
        with pytest.raises(Refusal, match="cannot be read"):
            read_sign_outs(place)


class Asked:
    """A request to the address that clears the cookie, and what came of it."""

    def __init__(
        self, ended: SignOuts, method: str, body: bytes = b"", path: str = ADDRESS
    ) -> None:
        self.passed, self.status, self.text = False, 0, ""
        self.headers: dict[bytes, bytes] = {}
        door = SignOutDoor(self._behind, ended, SECRET, lambda cookies: ONE if cookies else {})
        self.token = door.token(ONE)
        scope = {"type": "http", "method": method, "path": path, "query_string": b"",
                 "headers": [(b"cookie", b"_streamlit_user=x")]}  # fmt: skip
        messages = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> Any:
            return messages.pop(0)

        asyncio.run(door(scope, receive, self._send))

    async def _behind(self, scope: Any, receive: Any, send: Any) -> None:
        self.passed = True

    async def _send(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.status, self.headers = message["status"], dict(message["headers"])
        else:
            self.text += message.get("body", b"").decode()


@pytest.fixture
def ended(tmp_path: Path) -> SignOuts:
    return SignOuts(tmp_path / "sign-outs.json")


def test_a_get_ends_nothing_and_offers_a_form(ended: SignOuts) -> None:
    asked = Asked(ended, "GET")
    assert not asked.passed
    assert not ended.has_ended(ONE)
    assert (asked.status, asked.headers[b"cache-control"]) == (200, b"no-store")
    assert 'method="post"' in asked.text
    assert re.search(r'name="token" value="([0-9a-f]{64})"', asked.text)


@pytest.mark.parametrize("body", [b"", b"token=", b"token=" + b"0" * 64, b"x" * 5000])
def test_a_post_without_the_token_of_that_sign_in_ends_nothing(
    ended: SignOuts, body: bytes
) -> None:
    asked = Asked(ended, "POST", body)
    assert (asked.passed, asked.status) == (False, 403)
    assert not ended.has_ended(ONE)


def test_a_post_with_the_token_ends_it_and_then_the_cookie_is_cleared(ended: SignOuts) -> None:
    token = Asked(ended, "GET").token
    asked = Asked(ended, "POST", f"token={token}".encode())
    assert (asked.passed, asked.status) == (False, 303)
    assert asked.headers[b"location"] == ADDRESS.encode()
    assert ended.has_ended(ONE)
    assert Asked(ended, "GET").passed


def test_every_other_address_is_behind(ended: SignOuts) -> None:
    assert Asked(ended, "GET", path="/data").passed
    assert hash_person(ONE) == hash_person({**ONE, "is_logged_in": True})
