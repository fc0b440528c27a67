"""The door, asked directly."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from understudy_dashboard.browser_auth import COOKIE, Door, Keys, list_local_origins

ADDRESS = "http://127.0.0.1:8600"
ORIGINS = list_local_origins("127.0.0.1", 8600)


def keys() -> tuple[Keys, list[str]]:
    """Keys, and the links that they announced."""
    announced: list[str] = []
    return Keys(ADDRESS, announced.append), announced


def answer(door: Door, path: str, *, query: str = "", **headers: str) -> tuple[int, dict[str, str]]:
    """What a request is answered: 299 where it was let through."""
    return _asked(door, {"type": "http", "method": "GET"}, path, query, headers)


def _asked(
    door: Door, kind: dict[str, str], path: str, query: str, headers: dict[str, str]
) -> tuple[int, dict[str, str]]:
    sent: list[dict[str, Any]] = []
    scope = {
        **kind,
        "path": path,
        "query_string": query.encode(),
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }

    async def receive() -> dict[str, Any]:
        return {"type": f"{kind['type']}.connect"}

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(door(scope, receive, send))  # type: ignore[arg-type]
    first = sent[0]
    if first["type"] == "websocket.close":
        return 403, {}
    return first["status"], {name.decode(): value.decode() for name, value in first["headers"]}


async def _behind(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 299, "headers": []})


def cookie_of(found: Keys) -> str:
    return found.given.partition(";")[0]


def test_the_link_gives_the_cookie_once_and_announces_the_next() -> None:
    found, announced = keys()
    door, query = Door(_behind, ORIGINS, found), found.link.partition("?")[2]
    status, headers = answer(door, f"/{found.path}/", query=query)
    assert status == 200
    assert headers["set-cookie"] == found.given
    assert announced == [found.link]
    assert found.link.startswith(f"{ADDRESS}/{found.path}/?key=")
    assert answer(door, f"/{found.path}/", query=query)[0] == 403
    # Whoever is in already is not turned away for opening it again.
    status, _ = answer(door, f"/{found.path}/", query=query, cookie=cookie_of(found))
    assert status == 200
    assert len(announced) == 1


def test_nothing_is_answered_outside_the_path() -> None:
    found, _ = keys()
    door = Door(_behind, ORIGINS, found)
    inside = f"/{found.path}"
    strange = ("/", "/data", "/_stcore/health", inside[:-1], f"{inside}x", f"/..{inside}")
    for path in (*strange, f"x{inside}", f"%2f{inside}", f"/{inside}"):
        assert answer(door, path, cookie=cookie_of(found))[0] == 403, path
    for path in (inside, f"{inside}/", f"{inside}/data", f"{inside}/_stcore/health"):
        assert answer(door, path, cookie=cookie_of(found))[0] == 299


@pytest.mark.parametrize(
    "cookie",
    ["", "none", f"{COOKIE}=", f"{COOKIE}=wrong", f'{COOKIE}="', f"{COOKIE}=é", "=;=;", "a[]=1"],
)
def test_nor_inside_it_without_the_cookie(cookie: str) -> None:
    found, _ = keys()
    door = Door(_behind, ORIGINS, found)
    for path in ("", "/", "/data", "/media/x", "/_stcore/host-config"):
        assert answer(door, f"/{found.path}{path}", cookie=cookie)[0] == 403
    for query in ("key=", "key=wrong", f"key=a&{found.link.partition('?')[2]}", "key=%ff"):
        assert answer(door, f"/{found.path}/", query=query, cookie=cookie)[0] == 403
    assert answer(door, f"/{found.path}/_stcore/health", cookie=cookie)[0] == 299


@pytest.mark.parametrize("signing_in", [False, True])
def test_a_socket_is_opened_from_its_own_pages_only(signing_in: bool) -> None:
    found, _ = keys()
    door = Door(_behind, ORIGINS, None if signing_in else found)
    path = f"/{found.path}/_stcore/stream"

    def opened(**headers: str) -> bool:
        given = {"cookie": cookie_of(found), **headers}
        return _asked(door, {"type": "websocket"}, path, "", given)[0] == 299

    assert all(opened(origin=each) for each in ORIGINS)
    for strange in (
        "http://127.0.0.1:8601",
        "http://127.0.0.1",
        "https://127.0.0.1:8600",
        "http://127.0.0.1:8600.elsewhere.example",
        "null",
        "",
    ):
        assert not opened(origin=strange), strange
    assert not opened()
    assert opened(origin=ORIGINS[0], cookie="x") is signing_in


def test_changes_come_from_its_own_pages_only() -> None:
    door = Door(_behind, ORIGINS)
    for method in ("PUT", "POST", "DELETE"):
        kind = {"type": "http", "method": method}
        assert _asked(door, kind, "/x", "", {"origin": ORIGINS[0]})[0] == 299
        assert _asked(door, kind, "/x", "", {"origin": "http://127.0.0.1:1"})[0] == 403


def test_every_start_has_keys_of_its_own_and_they_are_not_shown() -> None:
    one, other = keys()[0], keys()[0]
    assert len({one.path, other.path, one.link, other.link, one.given, other.given}) == 6
    assert cookie_of(one).partition("=")[2] not in repr(one)
    # A browser keeps both: the cookie of the one is not sent to the other, nor put in its place.
    for each in (one, other):
        assert f"; Path=/{each.path};" in each.given
    assert "Secure" not in one.given
    assert "Secure" in Keys("https://understudy.example.org", lambda link: None).given
