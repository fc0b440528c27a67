"""Starting the page: settings that must hold wherever it is started from."""

from __future__ import annotations

import queue
import socket
import threading
import tomllib
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from tests.dashboard.test_server import GOOD
from understudy_dashboard import __main__ as starting
from understudy_dashboard.server import public_address_settings

ROOT = Path(__file__).resolve().parents[2]


def test_both_settings_files_say_the_same() -> None:
    """One is found by `streamlit run` in this folder, the other travels with the package."""
    found = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert tomllib.loads(starting.SETTINGS.read_text(encoding="utf-8")) == found


def test_nothing_leaves_the_machine_and_no_traceback_is_shown() -> None:
    flags = starting.list_flags(8600)
    assert flags["server_address"] == "127.0.0.1"
    assert flags["server_port"] == 8600
    assert flags["client_showErrorDetails"] == "none"
    assert flags["browser_gatherUsageStats"] is False
    assert flags["server_enableAgentApi"] is False
    assert flags["server_enableXsrfProtection"] is True
    assert flags["server_allowedHosts"] == ["localhost", "127.0.0.1"]


def test_the_settings_are_ones_streamlit_knows() -> None:
    from streamlit import config

    known = config.get_config_options()
    assert all(name.replace("_", ".") in known for name in starting.list_flags(8600))


def test_a_port_in_use_is_refused_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert starting.main(["--port", str(port), "--no-browser"]) == 2
    assert "--port" in capsys.readouterr().err


def test_a_free_port_is_found_past_a_taken_one() -> None:
    first = starting.find_free_port()
    assert first is not None
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", first))
        taken.listen()
        following = starting.find_free_port()
    assert following is not None
    assert following > first


@pytest.mark.parametrize(("said", "limit"), [("", 500), ("1", 1), ("2000", 2000)])
def test_the_limit_of_uploads_is_one_setting(
    monkeypatch: pytest.MonkeyPatch, said: str, limit: int
) -> None:
    monkeypatch.setenv(starting.UPLOAD_LIMIT, said)
    assert starting.list_flags(8600)["server_maxUploadSize"] == limit


@pytest.mark.parametrize("said", ["0", "-1", "many", "1e3", "99999999", "٣"])
def test_a_limit_of_uploads_that_is_none_is_refused_in_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], said: str
) -> None:
    monkeypatch.setenv(starting.UPLOAD_LIMIT, "")
    assert starting.main(["--upload-limit", said, "--no-browser"]) == 2
    assert "megabytes" in capsys.readouterr().err


def test_what_else_a_page_with_confidential_records_is_served_with() -> None:
    flags = starting.list_flags(8600)
    assert flags["server_enableStaticServing"] is False
    assert flags["server_enableCORS"] is True
    assert flags["server_xsrfCookieSameSite"] == "strict"
    assert flags["client_showErrorLinks"] is False
    assert flags["client_toolbarMode"] == "minimal"
    assert flags["client_disableDataExport"] is True
    assert flags["logger_hideWelcomeMessage"] is True
    assert flags["logger_enableRich"] is False
    assert 0 < flags["server_disconnectedSessionTTL"] <= 120


def test_behind_a_proxy_it_knows_the_public_address_only() -> None:
    settings = public_address_settings("https://understudy.example.org")
    assert settings["server.allowedHosts"] == ["understudy.example.org"]
    assert settings["browser.serverAddress"] == "understudy.example.org"
    assert settings["browser.serverPort"] == 443
    assert public_address_settings("https://a.example:8443")["browser.serverPort"] == 8443
    assert "server.address" not in settings


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--sign-in", "none.toml"], "cannot be read"),
        (["--sign-in", "none.toml", "--demo"], "Nobody signs in"),
        (["--public-address", "http://understudy.example.org"], "with https"),
        (["--sign-in", "sign-in.toml", "--public-address", "https://b.example"], "is not the one"),
    ],
)
def test_a_sign_in_that_cannot_be_is_refused_in_words(
    options: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sign-in.toml").touch(mode=0o600)
    (tmp_path / "sign-in.toml").write_text(GOOD, encoding="utf-8")
    assert starting.main([*options, "--no-browser"]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert "Traceback" not in told


class _Answering(BaseHTTPRequestHandler):
    """Answers at one address, and tells what was asked for."""

    asked: queue.Queue[str]
    here: str

    def do_GET(self) -> None:
        self.send_response(200 if self.path.startswith(f"{self.here}/") else 403)
        self.end_headers()
        self.asked.put(self.path)

    def log_message(self, *_: object) -> None:
        pass


def test_the_address_is_said_once_the_page_answers(capsys: pytest.CaptureFixture[str]) -> None:
    """A port that is taken, and that nobody answers at yet, is none that can be opened; and one
    that another server answers at does not open this page."""
    asked = queue.Queue[str]()

    _Answering.asked, _Answering.here = asked, "/another"
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        port = bound.getsockname()[1]
        saying = threading.Thread(
            target=starting._announce,
            args=("the-address", port, "/this"),
            kwargs={"shown": False},
            daemon=True,
        )
        saying.start()
        saying.join(timeout=3 * starting._MOMENT)
        assert saying.is_alive()
        assert capsys.readouterr().out == ""
    with HTTPServer(("127.0.0.1", port), _Answering) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        # Whoever asks for the second time was not content with the first answer.
        assert [asked.get(timeout=10).startswith("/this/") for _ in range(2)] == [True, True]
        assert capsys.readouterr().out == ""
        _Answering.here = "/this"
        saying.join(timeout=10)
        server.shutdown()
    assert capsys.readouterr().out.startswith("Understudy is at the-address")


def test_nothing_is_said_before_the_page_is_served(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said: list[str] = []
    monkeypatch.setattr(starting, "_serve", lambda *_: said.append(capsys.readouterr().out))
    monkeypatch.setattr(starting, "_is_answering", lambda *_: False)
    monkeypatch.setattr(starting, "_MOMENT", 3600.0)
    assert starting.main(["--no-browser"]) == 0
    assert said == [""]
