"""The locks that tell which runs have a process."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

from understudy.ledger.store import Underway


@pytest.fixture
def underway(tmp_path: Path) -> Underway:
    return Underway(tmp_path / "home" / "ledger.underway")


def test_a_run_has_a_process_as_long_as_its_lock_is_held(
    underway: Underway, tmp_path: Path
) -> None:
    with underway.claimed("r0", tmp_path / "place"):
        assert underway.runs() == ("r0",)
        with underway.orphan("r0") as found:
            assert found is None
    with underway.orphan("r0") as found:
        assert found is not None
        assert found.folder == tmp_path / "place"
    underway.forget("r0")
    underway.forget("r0")
    assert underway.runs() == ()


def test_one_who_looks_keeps_others_from_it(underway: Underway, tmp_path: Path) -> None:
    with underway.claimed("r0", tmp_path):
        pass
    with underway.orphan("r0") as first, underway.orphan("r0") as second:
        assert first is not None
        assert second is None


def test_a_run_without_a_file_has_no_process(underway: Underway) -> None:
    assert underway.runs() == ()
    with underway.orphan("r0") as found:
        assert found is not None
        assert found.folder is None


def test_a_file_whose_maker_got_no_further_names_no_folder(underway: Underway) -> None:
    with underway.claimed("r1", Path()):
        pass
    place = Path(underway._place)
    (place / "r0").write_bytes(b"")
    with underway.orphan("r0") as found:
        assert found is not None
        assert found.folder is None


def test_the_process_that_inherits_the_lock_holds_it_until_it_is_gone(
    underway: Underway, tmp_path: Path
) -> None:
    with underway.claimed("r0", tmp_path) as lock:
        process = subprocess.Popen(
            [sys.executable, "-c", "input()"], stdin=subprocess.PIPE, pass_fds=[lock]
        )
    with underway.orphan("r0") as found:
        assert found is None
    process.kill()
    process.wait()
    with underway.orphan("r0") as found:
        assert found is not None
    assert process.stdin is not None
    process.stdin.close()


def test_a_file_swept_away_under_its_maker_is_made_again(
    underway: Underway, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between making the file and locking it, somebody who looks may take it away."""
    real, swept = fcntl.flock, []

    def flock(handle: int, how: int) -> None:
        real(handle, how)
        if not swept:
            swept.append(handle)
            underway.forget("r0")

    monkeypatch.setattr(fcntl, "flock", flock)
    with underway.claimed("r0", tmp_path) as lock:
        kept = (Path(underway._place) / "r0").stat()
        assert os.path.samestat(os.fstat(lock), kept)
        with underway.orphan("r0") as found:
            assert found is None


def test_nobody_else_may_look(underway: Underway, tmp_path: Path) -> None:
    with underway.claimed("r0", tmp_path):
        place = Path(underway._place)
        assert place.stat().st_mode & 0o777 == 0o700
        assert (place / "r0").stat().st_mode & 0o777 == 0o600
