"""What is forked is as if it had been started afresh; and the process that forks ends in time."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests import forks
from tests.forks import Asked, Forked, Forks
from tests.support import until

_SAYS = """
import json, os, sys
held = [os.readlink(f"/proc/self/fd/{each}") for each in os.listdir("/proc/self/fd")
        if os.path.exists(f"/proc/self/fd/{each}")]
print(json.dumps({"arguments": sys.argv[1:], "environment": dict(os.environ), "name": __name__,
                  "session": os.getsid(0), "read": sys.stdin.read(), "held": held}))
"""
_STAYS = "import time; time.sleep(600)"


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Forks]:
    """A template of this test's own."""
    made = Forks()
    monkeypatch.setenv(forks.AT, str(tmp_path))
    monkeypatch.setattr(forks, "FORKS", made)
    yield made
    made.close()


def module(folder: Path, text: str) -> Asked:
    """A module of that text, as it is asked for."""
    (folder / "said.py").write_text(text, encoding="utf-8")
    place = {"PYTHONPATH": str(folder), "ONLY": "this"}
    return Asked("said", ("a", "b c"), place, ("json",))


@pytest.mark.usefixtures("own")
def test_it_has_what_it_was_given_and_nothing_of_others(tmp_path: Path) -> None:
    (tmp_path / "in").write_text("so")
    asked = module(tmp_path, _SAYS)
    with (
        (tmp_path / "in").open() as read,
        (tmp_path / "out").open("w") as written,
        (tmp_path / "lock").open("w") as lock,
    ):
        process = Forked(asked, [each.fileno() for each in (read, written, lock)])
        process.wait(60)
    said = json.loads((tmp_path / "out").read_text())
    assert said["arguments"] == ["a", "b c"]
    assert said["environment"] == asked.environment
    assert said["name"] == "__main__"
    assert said["session"] == process.pid
    assert said["read"] == "so"
    files = [each for each in said["held"] if each.startswith("/")]
    assert sorted(files) == sorted(str(tmp_path / name) for name in ("in", "out", "out", "lock"))


@pytest.mark.usefixtures("own")
def test_its_end_is_seen(tmp_path: Path) -> None:
    with Path(os.devnull).open("r+") as nowhere:
        process = Forked(module(tmp_path, _STAYS), [nowhere.fileno()] * 2)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0)
    process.terminate()
    process.wait(60)
    until(lambda: _gone(process.pid))


def test_the_template_ends_with_the_last_who_called_it_up(own: Forks, tmp_path: Path) -> None:
    asked = Asked("this", (), dict(os.environ), ())
    other = Forks()
    for each in (own, other):
        with Path(os.devnull).open("r+") as nowhere:
            each.fork(asked, [nowhere.fileno()] * 2)
    until(lambda: len(_templates(tmp_path)) == 1)  # what was forked is called the same
    (template,) = _templates(tmp_path)
    own.close()
    with Path(os.devnull).open("r+") as nowhere:
        other.fork(asked, [nowhere.fileno()] * 2)
    until(lambda: _templates(tmp_path) == [template])
    other.close()
    until(lambda: _gone(template))


def _templates(folder: Path) -> list[int]:
    """The processes that fork for a folder."""
    called = f"tests.forks\0{folder}/"
    found = []
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if called in each.read_text(errors="replace") and not _gone(int(each.parent.name)):
                found.append(int(each.parent.name))
    return found


def _gone(process: int) -> bool:
    """Whether it has ended, though nobody may have taken it away yet."""
    with suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2].startswith("Z")
    return True
