"""A demonstration shows simulated people, and opens nothing else. What goes wrong is answered in
words, and quotes nothing. Logs, warnings and unforeseen errors say what happened where, and quote
no value. Signing out: a sign-in that has ended counts no more, whoever has a copy of its cookie,
and no other site can end one. The file that says how people sign in: read, or refused in words
that quote no secret. The door, asked directly.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from understudy.core.debug import traceback_file
from understudy.core.refusal import Refusal
from understudy.table.raw import RawTable
from understudy.table.sources.reading import read_table
from understudy_dashboard import __main__ as starting
from understudy_dashboard.browser_auth import (
    ADDRESS,
    BrowserKeys,
    Door,
    SignOutDoor,
    SignOuts,
    hash_sign_in,
    list_local_origins,
    read_sign_outs,
)
from understudy_dashboard.browser_auth import COOKIE as BROWSER_AUTH_COOKIE
from understudy_dashboard.demo import FOLDER, begins_with_sample, is_demonstration, refuse_own
from understudy_dashboard.loaded_table import LoadedTable
from understudy_dashboard.session import Session
from understudy_dashboard.sign_in_file import is_safe_address, public_address, read_sign_in
from understudy_dashboard.silence_output import describe_error, silence_record

_NOT_HERE = ("packets", "sign_in")
"""Pages of a server that people sign in to."""
VIEWS = [
    path.stem
    for path in sorted((starting.APP.parent / "views").glob("*.py"))
    if path.stem not in _NOT_HERE
]


@pytest.fixture
def demo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNDERSTUDY_DEMO", "1")


@pytest.fixture
def raw(csv: bytes) -> RawTable:
    return read_table(csv, name="mine.csv")


def test_nothing_is_refused_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not is_demonstration()
    refuse_own()
    monkeypatch.setenv("UNDERSTUDY_SAMPLE", "1")
    assert begins_with_sample()
    assert not is_demonstration()


@pytest.mark.usefixtures("demo")
def test_a_table_of_ones_own_is_refused_at_the_door(raw: RawTable) -> None:
    session = Session()
    with pytest.raises(Refusal, match="demonstration"):
        session.open(LoadedTable("mine.csv", raw))
    assert session.data.table is None


@pytest.mark.usefixtures("demo")
def test_the_server_of_a_demonstration_takes_no_file() -> None:
    assert starting.list_flags(8600)["server_maxUploadSize"] == 0


def test_another_server_takes_files() -> None:
    assert starting.list_flags(8600)["server_maxUploadSize"] > 0


def test_a_demonstration_keeps_its_runs_apart(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # What the start sets has to be undone with everything else.
    monkeypatch.setattr(os, "environ", dict(os.environ))
    starting._set_environment(starting._read_options(["--demo"]))
    assert is_demonstration()
    assert os.environ["UNDERSTUDY_HOME"] == str(home / FOLDER)


def test_the_sample_can_be_opened_at_once_without_it(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "environ", dict(os.environ))
    starting._set_environment(starting._read_options(["--sample"]))
    assert begins_with_sample()
    assert not is_demonstration()
    assert os.environ["UNDERSTUDY_HOME"] == str(home)


@pytest.mark.usefixtures("demo")
def test_no_page_of_a_demonstration_offers_an_upload(opened: Callable[..., AppTest]) -> None:
    page = opened("data")
    for view in VIEWS:
        page.switch_page(f"views/{view}.py").run()
        assert not page.exception, view
        assert not page.file_uploader, view
        labels = [each.label.casefold() for each in page.text_input]
        assert not [each for each in labels if "path" in each or "connection" in each], view


@pytest.mark.usefixtures("demo")
def test_it_says_that_it_is_one(
    opened: Callable[..., AppTest], said: Callable[[AppTest], str]
) -> None:
    assert "Demonstration." in said(opened("data"))


def _breaks() -> None:
    from understudy_dashboard.frame import show_page

    def body(_: object) -> None:
        raise KeyError("Jane Doe, 47, of Example Street")

    show_page("Page", "About it.", body)


def _refuses() -> None:
    from understudy.core.refusal import Refusal
    from understudy_dashboard.frame import show_page

    def body(_: object) -> None:
        raise Refusal("The file *a_b* is empty.", "Choose another.")

    show_page("Page", "About it.", body)


def _beside() -> None:
    import streamlit as st

    from understudy.core.refusal import Refusal
    from understudy_dashboard.frame import FieldRefusals

    fields = FieldRefusals(Refusal("k is too large.", "Choose a smaller k.", field="k"))
    fields.beside("gamma")
    st.caption("after γ")
    fields.beside("k")
    st.caption("after k")
    fields.rest()


def test_an_unforeseen_error_is_never_quoted() -> None:
    page = AppTest.from_function(_breaks).run()
    assert not page.exception
    assert len(page.error) == 1
    assert "Jane" not in page.error[0].value
    assert "did not foresee" in page.error[0].value
    assert "UNDERSTUDY\\_DEBUG=1" in page.error[0].value
    assert not traceback_file().exists()


def test_the_traceback_of_a_page_is_written_if_it_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("UNDERSTUDY_DEBUG", "1")
    page = AppTest.from_function(_breaks).run()
    assert "Jane" not in page.error[0].value
    assert "debug.log" in page.error[0].value
    assert "Jane Doe" in traceback_file().read_text(encoding="utf-8")


def test_a_refusal_is_shown_with_its_remedy_letter_by_letter() -> None:
    page = AppTest.from_function(_refuses).run()
    assert page.error[0].value == r"**The file \*a\_b\* is empty.** Choose another."


def test_a_refusal_stands_beside_its_field_and_only_there() -> None:
    page = AppTest.from_function(_beside).run()
    kinds = [each.type for each in page.main if each.type in ("caption", "error")]
    assert kinds == ["caption", "error", "caption"]


ROOT = Path(__file__).resolve().parents[2]
CANARY = "zebrawood"


@pytest.fixture
def heard(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    before = logging.getLogRecordFactory()
    logging.setLogRecordFactory(silence_record)
    yield caplog
    logging.setLogRecordFactory(before)


def failing() -> None:
    raise ValueError(f"the value {CANARY} cannot be read")


def error() -> ValueError:
    with pytest.raises(ValueError, match=CANARY) as raised:
        failing()
    return raised.value


def test_an_error_is_its_kind_and_place() -> None:
    told = describe_error(error())
    assert told.startswith("ValueError at test_server.py:")
    assert describe_error(ValueError(CANARY)) == "ValueError"


def test_a_log_quotes_no_error(heard: pytest.LogCaptureFixture) -> None:
    log = logging.getLogger("streamlit.something")
    raised = error()
    try:
        failing()
    except ValueError:
        log.exception("it failed for %s of 100%%", "a page")
    log.warning("it failed: %s", raised)
    log.warning("it failed: %(why)s", {"why": raised})
    log.error(raised)
    log.error("without its argument: %s", exc_info=raised)
    heard.set_level(logging.INFO)
    log.info("3 runs, 100%")
    assert CANARY not in heard.text
    assert heard.text.count("ValueError at test_server.py") == 5
    assert "it failed for a page of 100% (ValueError" in heard.text
    assert "3 runs, 100%" in heard.text


WAYS = {
    "uncaught": "raise ValueError(CANARY)",
    "thread": "import threading; threading.Thread(target=lambda: {}[CANARY]).start()",
    "unraisable": ("class A:\n    def __del__(self): raise ValueError(CANARY)\na = A()\ndel a"),
    "warning": "import warnings; warnings.warn(CANARY)",
    "log": (
        "import logging\ntry: {}[CANARY]\n"
        "except KeyError: logging.getLogger('uvicorn.error').exception('no')"
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_process_says_nothing_of_a_value(way: str) -> None:
    script = (
        f"CANARY = '{CANARY[:4]}' + '{CANARY[4:]}'\n"
        "from understudy_dashboard.silence_output import be_quiet\nbe_quiet(1)\n"
        "import resource, os\n"
        "assert resource.getrlimit(resource.RLIMIT_CORE) == (0, 0)\n"
        "assert os.umask(0) == 0o077\n" + WAYS[way]
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )
    said = done.stdout + done.stderr
    assert CANARY not in said
    assert said.strip()
    assert "Assertion" not in said


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
        self.token = door.make_token(ONE)
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
    assert hash_sign_in(ONE) == hash_sign_in({**ONE, "is_logged_in": True})


SIGNIN_FILE_SECRET, COOKIE = "a-secret-nobody-may-see", "c" * 64
GOOD = f"""\
[provider]
metadata = "https://login.example.org/.well-known/openid-configuration"
client_id = "understudy"
client_secret = "{SIGNIN_FILE_SECRET}"

[page]
address = "https://Understudy.example.org/"
cookie_secret = "{COOKIE}"

[custodians]
emails = ["One@example.org "]
groups = ["data-custodians"]
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "sign-in.toml"
    path.touch(mode=0o600)
    path.write_text(GOOD, encoding="utf-8")
    return path


def refusal(path: Path) -> Refusal:
    with pytest.raises(Refusal) as refused:
        read_sign_in(path)
    assert SIGNIN_FILE_SECRET not in str(refused.value)
    assert COOKIE not in str(refused.value)
    return refused.value


def test_reads_a_whole_file(file: Path, tmp_path: Path) -> None:
    how = read_sign_in(file)
    assert how.address == "https://understudy.example.org"
    assert how.client_secret == SIGNIN_FILE_SECRET
    assert how.custodians.emails == {"one@example.org"}
    assert how.reviewers.groups == frozenset()
    assert (how.hours, how.idle_minutes, how.folders) == (8.0, 60.0, ())


def test_secrets_may_stand_in_files_beside_it(file: Path, tmp_path: Path) -> None:
    beside = tmp_path / "cookie"
    beside.touch(mode=0o600)
    beside.write_text(f"{COOKIE}\n", encoding="utf-8")
    file.write_text(
        GOOD.replace(f'cookie_secret = "{COOKIE}"', 'cookie_secret_file = "cookie"'), "utf-8"
    )
    assert read_sign_in(file).cookie_secret == COOKIE
    beside.chmod(0o640)
    assert "chmod 600" in refusal(file).remedy


def test_others_may_not_read_it(file: Path) -> None:
    for mode in (0o640, 0o604, 0o602, 0o666):
        file.chmod(mode)
        assert "chmod 600" in refusal(file).remedy


def test_folders_are_there(file: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path)
    file.write_text(GOOD.replace("[custodians]", f'folders = ["{link}"]\n[custodians]'), "utf-8")
    assert read_sign_in(file).folders == (tmp_path.resolve(),)
    for other in ("relative", "/no/such/folder"):
        text = GOOD.replace("[custodians]", f'folders = ["{other}"]\n[custodians]')
        file.write_text(text, "utf-8")
        assert other in refusal(file).problem


@pytest.mark.parametrize(
    ("before", "after", "field"),
    [
        ("https://Understudy", "http://Understudy", "page.address"),
        ("Understudy.example.org/", "understudy.example.org/a/path", "page.address"),
        ("https://login", "http://login", "provider.metadata"),
        (f'client_secret = "{SIGNIN_FILE_SECRET}"', "", "provider.client_secret"),
        (f'"{COOKIE}"', '"short"', "page.cookie_secret"),
        ("client_id", "client_name", "provider.client_id"),
        ("emails =", "addresses =", "custodians.addresses"),
        ("[page]", "[page]\nhours = 0", "page.hours"),
        ("[page]", "[page]\nhours = 'long'", "page.hours"),
        ('["data-custodians"]', '"data-custodians"', "custodians.groups"),
        ("[custodians]", "[reviewers]", "custodians"),
    ],
)
def test_names_the_setting_that_cannot_be_used(
    file: Path, before: str, after: str, field: str
) -> None:
    file.write_text(GOOD.replace(before, after, 1), "utf-8")
    assert refusal(file).field == field


def test_names_nobody_as_custodian(file: Path) -> None:
    empty = GOOD.replace('["One@example.org "]', "[]").replace('["data-custodians"]', "[]")
    file.write_text(empty, "utf-8")
    assert "no custodian" in refusal(file).problem


def test_says_which_line_is_no_toml(file: Path) -> None:
    file.write_text(GOOD.replace(f'"{SIGNIN_FILE_SECRET}"', f'"{SIGNIN_FILE_SECRET}'), "utf-8")
    assert "line 4" in refusal(file).remedy


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    assert "cannot be read" in refusal(tmp_path / "none.toml").problem


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(max_size=300))
def test_any_file_is_refused_in_words(file: Path, content: bytes) -> None:
    file.write_bytes(GOOD.encode() + content)
    told = ""
    try:
        read_sign_in(file)
    except Refusal as refused:
        told = str(refused)
    assert SIGNIN_FILE_SECRET not in told


@given(text=st.text(max_size=40) | st.from_regex(r"https?://[a-z\[\]:@/?#0-9.]{0,20}"))
def test_any_address_is_safe_or_refused(text: str) -> None:
    if not is_safe_address(text):
        with pytest.raises(Refusal):
            public_address(text)


def test_addresses() -> None:
    assert public_address("https://a.example:8443") == "https://a.example:8443"
    assert public_address("http://127.0.0.1:8501") == "http://127.0.0.1:8501"
    for other in ("http://a.example", "https://u:p@a.example", "ftp://a", "a.example", "https://["):
        assert not is_safe_address(other)


DOOR_ADDRESS = "http://127.0.0.1:8600"
ORIGINS = list_local_origins("127.0.0.1", 8600)


def keys() -> tuple[BrowserKeys, list[str]]:
    """Keys, and the links that they announced."""
    announced: list[str] = []
    return BrowserKeys(DOOR_ADDRESS, announced.append), announced


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


def cookie_of(found: BrowserKeys) -> str:
    return found.given.partition(";")[0]


def test_the_link_gives_the_cookie_once_and_announces_the_next() -> None:
    found, announced = keys()
    door, query = Door(_behind, ORIGINS, found), found.link.partition("?")[2]
    status, headers = answer(door, f"/{found.path}/", query=query)
    assert status == 200
    assert headers["set-cookie"] == found.given
    assert announced == [found.link]
    assert found.link.startswith(f"{DOOR_ADDRESS}/{found.path}/?key=")
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
    [
        "",
        "none",
        f"{BROWSER_AUTH_COOKIE}=",
        f"{BROWSER_AUTH_COOKIE}=wrong",
        f'{BROWSER_AUTH_COOKIE}="',
        f"{BROWSER_AUTH_COOKIE}=é",
        "=;=;",
        "a[]=1",
    ],
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
    assert "Secure" in BrowserKeys("https://understudy.example.org", lambda link: None).given
