"""Files that are there whole or not at all."""

from __future__ import annotations

import errno
import json
import os
import stat
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from engine.files import INTERNAL, internal_arrays, internal_json, replace_text, whole

Write = Callable[[Path], None]
WRITES: list[Write] = [
    lambda path: replace_text(path, "new"),
    lambda path: internal_json(path, {"a": 1}),
    lambda path: internal_arrays(path, {"a": np.arange(3)}),
]


@pytest.mark.parametrize("write", WRITES)
def test_nobody_else_may_read_them_and_nothing_is_left_beside(write: Write, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(0o644)
    write(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("write", WRITES)
def test_what_cannot_be_replaced_stays(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    path.write_text("old")

    def refused(*_: object) -> None:
        raise OSError(errno.EIO, "broken")

    monkeypatch.setattr(os, "replace", refused)
    with pytest.raises(OSError, match="broken"):
        write(path)
    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


def test_the_old_file_is_read_until_the_new_one_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    with whole(path) as file:
        file.write(b"ne")
        assert path.read_text() == "old"
        file.write(b"w")
    assert path.read_text() == "new"


def test_internal_files_say_so(tmp_path: Path) -> None:
    internal_json(tmp_path / "a.json", {"values": [1, 2]})
    said = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))
    assert said == {"internal": INTERNAL, "values": [1, 2]}
    internal_arrays(tmp_path / "a.npz", {"values": np.arange(3)})
    with np.load(tmp_path / "a.npz", allow_pickle=False) as arrays:
        assert str(arrays["internal"]) == INTERNAL
        assert arrays["values"].tolist() == [0, 1, 2]
