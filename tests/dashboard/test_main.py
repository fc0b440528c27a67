"""Starting the page: settings that must hold wherever it is started from."""

from __future__ import annotations

import socket
import tomllib
from pathlib import Path

import pytest

from dashboard import __main__ as starting

ROOT = Path(__file__).resolve().parents[2]


def test_both_settings_files_say_the_same() -> None:
    """One is found by `streamlit run` in this folder, the other travels with the package."""
    found = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert tomllib.loads(starting.SETTINGS.read_text(encoding="utf-8")) == found


def test_nothing_leaves_the_machine_and_no_traceback_is_shown() -> None:
    flags = starting.flags(8600)
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
    assert all(name.replace("_", ".") in known for name in starting.flags(8600))


def test_a_port_in_use_is_refused_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert starting.main(["--port", str(port), "--no-browser"]) == 2
    assert "--port" in capsys.readouterr().err


def test_a_free_port_is_found_past_a_taken_one() -> None:
    first = starting.free_port()
    assert first is not None
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", first))
        taken.listen()
        following = starting.free_port()
    assert following is not None
    assert following > first
