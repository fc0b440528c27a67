from __future__ import annotations

import errno
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any, NoReturn

import pytest

from tests.engine.cli.conftest import everything
from understudy.cli.releasing import name_passing, reserved_folder
from understudy.core.refusal import Refusal

NAMES = ("synthetic",)


def _fail(place: Path) -> NoReturn:
    assert not place.exists() or not list(place.iterdir())
    raise RuntimeError


def test_a_folder_that_is_not_there_appears_with_its_release_only(tmp_path: Path) -> None:
    out = tmp_path / "a" / "out"
    with reserved_folder(out, NAMES, 0) as place:
        assert place == out.resolve()
        assert not out.exists()
        assert name_passing(place, "r0").parent == out.parent


@pytest.mark.parametrize("there", [False, True])
def test_a_failure_leaves_nothing(tmp_path: Path, there: bool) -> None:
    out = tmp_path / "a" / "b"
    if there:
        out.mkdir(parents=True)
    before = everything(tmp_path)
    with pytest.raises(RuntimeError), reserved_folder(out, NAMES, 0) as place:
        _fail(place)
    assert everything(tmp_path) == before


@pytest.mark.parametrize("name", ["synthetic.csv", "guarantee.json"])
def test_a_release_is_never_overwritten(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("earlier", encoding="utf-8")
    with pytest.raises(Refusal, match="exists already"), reserved_folder(tmp_path, NAMES, 0):
        pass
    assert everything(tmp_path) == {name}


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.write_text("", encoding="utf-8")
    with pytest.raises(Refusal, match="is not a folder"), reserved_folder(out, NAMES, 0):
        pass
    with pytest.raises(Refusal, match="cannot be used"), reserved_folder(out / "in", NAMES, 0):
        pass
    assert everything(tmp_path) == {"out"}


def _failing(number: int) -> Any:
    def fail(*_: object, **__: object) -> NoReturn:
        raise OSError(number, os.strerror(number))

    return fail


@pytest.mark.parametrize(
    ("number", "said"), [(errno.ENOSPC, "is full"), (errno.EROFS, "read-only file system")]
)
def test_a_place_that_cannot_be_written_is_found_before_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, said: str
) -> None:
    monkeypatch.setattr(tempfile, "TemporaryFile", _failing(number))
    with pytest.raises(Refusal, match=said), reserved_folder(tmp_path / "out", NAMES, 0):
        pytest.fail("the run was begun")
    assert everything(tmp_path) == set()


def test_a_disk_with_too_little_room_is_found_before_the_run(tmp_path: Path) -> None:
    room = shutil.disk_usage(tmp_path).total + 1
    with (
        pytest.raises(Refusal, match="GB left") as refused,
        reserved_folder(tmp_path / "out", NAMES, room),
    ):
        pytest.fail("the run was begun")
    assert refused.value.field == "out"
    assert everything(tmp_path) == set()


def test_a_folder_beside_which_nothing_can_be_prepared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(Refusal, match="out/release"), reserved_folder(tmp_path / "out", NAMES, 0):
        pytest.fail("the run was begun")


def test_beside_the_root_nothing_can_be_prepared() -> None:
    with (
        pytest.raises(Refusal, match="Nothing can be prepared beside /"),
        reserved_folder(Path("/"), NAMES, 0),
    ):
        pytest.fail("the run was begun")
