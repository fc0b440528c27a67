"""Work in a process of its own: its answer, its bounds, and whatever may end it."""

from __future__ import annotations

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import BinaryIO

import pytest

from understudy.core.refusal import Refusal
from understudy.core.sandbox import Ended, SandboxBounds, run_in_sandbox

ROOT = Path(__file__).resolve().parents[3]
_AMPLE = SandboxBounds(memory=1 << 28, seconds=60)


@pytest.fixture(autouse=True)
def deeds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the limited process find the module of these tests."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


def asked(name: str, content: bytes = b"", bounds: SandboxBounds = _AMPLE) -> bytes:
    return run_in_sandbox("tests.engine.deeds", (name, content), bounds, _whole)


def _whole(pipe: BinaryIO) -> bytes:
    found = pipe.read()
    if found == b"half of":
        raise EOFError
    return found


def test_what_is_asked_and_answered_may_be_large() -> None:
    content = os.urandom(1 << 20) * 8
    assert asked("echo", content) == content


def test_a_refusal_comes_back_whole() -> None:
    with pytest.raises(Refusal) as caught:
        asked("refuse")
    assert (caught.value.problem, caught.value.field) == ("It is odd.", "table")


@pytest.mark.parametrize(
    ("deed", "bounds", "why"),
    [
        ("grow", _AMPLE, "memory"),
        ("stop", SandboxBounds(memory=1 << 28, seconds=0.2), "time"),
        ("break", _AMPLE, "crash"),
        ("break off", _AMPLE, "crash"),
        ("fail", _AMPLE, "crash"),
    ],
)
def test_whatever_ends_it_ends_nothing_else(deed: str, bounds: SandboxBounds, why: str) -> None:
    with pytest.raises(Ended) as caught:
        asked(deed, b"CANARY-4711", bounds)
    assert caught.value.why == why
    assert "CANARY" not in str(caught.value)
    assert asked("echo", b"still there") == b"still there"


def test_one_that_forks_begins_once_and_again_where_it_was_ended() -> None:
    first = int(asked("tell"))
    assert int(asked("tell")) == first
    os.kill(first, signal.SIGKILL)
    again = int(asked("tell"))
    assert again not in (first, os.getpid())


def test_several_threads_may_ask_at_once() -> None:
    contents = [str(each).encode() * 1000 for each in range(8)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda each: asked("echo", each), contents)) == contents
