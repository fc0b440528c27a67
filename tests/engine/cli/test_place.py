from __future__ import annotations

import errno
import os
import shutil
import stat
import tempfile
from pathlib import Path
from typing import Any, NoReturn

import pytest

from engine.cli.place import Place, reserved
from engine.refusal import Refusal


def _released(place: Place) -> tuple[Path, Path]:
    """A table and a statement as a run leaves them."""
    table, guarantee = place.private / "synthetic.csv", place.private / "g.json"
    table.write_text("rows", encoding="utf-8")
    guarantee.write_text("said", encoding="utf-8")
    return table, guarantee


def _fail(_: object) -> NoReturn:
    raise RuntimeError


def _everything(folder: Path) -> set[str]:
    return {str(each.relative_to(folder)) for each in folder.rglob("*")}


@pytest.mark.parametrize("there", [False, True])
def test_leaves_exactly_the_two_files(tmp_path: Path, there: bool) -> None:
    out = tmp_path / "a" / "b"
    if there:
        out.mkdir(parents=True)
    with reserved(out, 0) as place:
        assert stat.S_IMODE(place.private.stat().st_mode) == 0o700
        assert place.private.parent == out.parent
        place.publish(*_released(place))
    assert _everything(tmp_path) == {"a", "a/b", "a/b/synthetic.csv", "a/b/guarantee.json"}
    assert (out / "synthetic.csv").read_text(encoding="utf-8") == "rows"


def test_other_files_of_the_folder_stay(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "letter.txt").write_text("dear board", encoding="utf-8")
    with reserved(out, 0) as place:
        place.publish(*_released(place))
    assert _everything(out) == {"letter.txt", "synthetic.csv", "guarantee.json"}


@pytest.mark.parametrize("there", [False, True])
def test_a_failure_leaves_nothing(tmp_path: Path, there: bool) -> None:
    out = tmp_path / "a" / "b"
    if there:
        out.mkdir(parents=True)
    before = _everything(tmp_path)
    with pytest.raises(RuntimeError), reserved(out, 0) as place:
        _fail(_released(place))
    assert _everything(tmp_path) == before


@pytest.mark.parametrize("name", ["synthetic.csv", "guarantee.json"])
def test_a_release_is_never_overwritten(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("earlier", encoding="utf-8")
    with pytest.raises(Refusal, match="exists already"), reserved(tmp_path, 0):
        pass
    assert _everything(tmp_path) == {name}


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.write_text("", encoding="utf-8")
    with pytest.raises(Refusal, match="is not a folder"), reserved(out, 0):
        pass
    with pytest.raises(Refusal, match="cannot be used"), reserved(out / "in", 0):
        pass
    assert _everything(tmp_path) == {"out"}


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
    with pytest.raises(Refusal, match=said), reserved(tmp_path / "out", 0):
        pytest.fail("the run was begun")
    assert _everything(tmp_path) == set()


def test_a_disk_with_too_little_room_is_found_before_the_run(tmp_path: Path) -> None:
    room = shutil.disk_usage(tmp_path).total + 1
    with pytest.raises(Refusal, match="GB left") as refused, reserved(tmp_path / "out", room):
        pytest.fail("the run was begun")
    assert refused.value.field == "out"
    assert _everything(tmp_path) == set()


def test_a_folder_beside_which_nothing_can_be_prepared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(Refusal, match="out/release"), reserved(tmp_path / "out", 0):
        pytest.fail("the run was begun")


def test_a_release_that_cannot_be_placed_is_kept(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with reserved(out, 0) as place:
        made = _released(place)
        (out / "synthetic.csv").write_text("somebody else's", encoding="utf-8")
        with pytest.raises(Refusal, match="could not be put") as refused:
            place.publish(*made)
    assert (out / "synthetic.csv").read_text(encoding="utf-8") == "somebody else's"
    kept = Path(refused.value.remedy.removeprefix("It is in ").removesuffix("."))
    assert _everything(kept) == {"synthetic.csv", "guarantee.json"}
    assert (kept / "synthetic.csv").read_text(encoding="utf-8") == "rows"


def test_a_statement_never_stands_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out, real = tmp_path / "out", Path.rename

    def rename(self: Path, target: Path) -> Path:
        if target == out / "synthetic.csv":
            raise OSError(errno.EIO, "input/output error")
        return real(self, target)

    monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises(Refusal, match="could not be put"), reserved(out, 0) as place:
        place.publish(*_released(place))
    assert not out.exists()
    (kept,) = tmp_path.iterdir()
    assert _everything(kept) == {"synthetic.csv", "guarantee.json"}
