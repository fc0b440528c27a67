from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def replaced(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, list[str], dict[str, str]]]:
    """What the process would have been replaced by."""
    calls: list[tuple[str, list[str], dict[str, str]]] = []
    monkeypatch.setattr(os, "execve", lambda *arguments: calls.append(arguments))
    return calls


def test_hands_over_to_the_page(
    understudy: Callable[..., Any], replaced: list[tuple[str, list[str], dict[str, str]]]
) -> None:
    understudy("dashboard", "--demo", "--sample", "--port", 8600, "--no-browser")
    (program, arguments, environment) = replaced[0]
    assert program == sys.executable
    assert arguments[1:] == [
        "-P", "-m", "understudy_dashboard", "--demo", "--sample", "--no-browser", "--port", "8600",
    ]  # fmt: skip
    first = environment["PYTHONPATH"].split(os.pathsep)[0]
    assert (Path(first) / "understudy_dashboard" / "__main__.py").is_file()


def test_without_options(
    understudy: Callable[..., Any], replaced: list[tuple[str, list[str], dict[str, str]]]
) -> None:
    understudy("dashboard")
    assert replaced[0][1][1:] == ["-P", "-m", "understudy_dashboard"]


def test_hands_over_how_people_sign_in(
    understudy: Callable[..., Any],
    replaced: list[tuple[str, list[str], dict[str, str]]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By a path that is whole, whatever folder the page is started in."""
    monkeypatch.chdir(tmp_path)
    understudy("dashboard", "--sign-in", "a.toml", "--public-address", "https://a.example")
    assert replaced[0][1][4:] == [
        "--sign-in", str(tmp_path / "a.toml"), "--public-address", "https://a.example",
    ]  # fmt: skip


@pytest.mark.parametrize("port", [0, 70_000, -1])
def test_refuses_what_is_no_port(
    understudy: Callable[..., Any],
    replaced: list[tuple[str, list[str], dict[str, str]]],
    port: int,
) -> None:
    assert understudy("dashboard", "--port", port).refusal.startswith("--port: ")
    assert replaced == []
