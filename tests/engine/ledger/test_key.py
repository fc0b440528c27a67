"""The key by which tables are known."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from pathlib import Path

import pytest

from understudy.ledger.store import key_mark, place_new, secret_key


def test_the_key_is_made_once_and_nobody_else_may_read_it(tmp_path: Path) -> None:
    path = tmp_path / "ledger.key"
    key = secret_key(path)
    assert len(key) == 32
    assert secret_key(path) == key
    assert path.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in tmp_path.iterdir()] == ["ledger.key"]
    assert key_mark(key) != key_mark(bytes(32))


def _read_key(path: Path, together: Callable[[], object], found: object) -> None:
    together()
    found.put(secret_key(path))  # type: ignore[attr-defined]


def test_of_several_makers_one_wins(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    barrier, found = context.Barrier(6), context.Queue()
    makers = [
        context.Process(target=_read_key, args=(tmp_path / "ledger.key", barrier.wait, found))
        for _ in range(6)
    ]
    for maker in makers:
        maker.start()
    keys = {found.get(timeout=60) for _ in makers}
    for maker in makers:
        maker.join()
    assert len(keys) == 1


def test_a_file_that_is_there_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"mine")
    place_new(path, b"other")
    assert path.read_bytes() == b"mine"
    with pytest.raises(OSError, match="No such file"):
        place_new(tmp_path / "no" / "file", b"")
