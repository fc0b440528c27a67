"""Files that are there whole or not at all. A clock beyond every date is spoken of."""

from __future__ import annotations

import errno
import json
import os
import stat
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from understudy.core import clock
from understudy.core.files import (
    INTERNAL,
    atomic_file,
    is_full,
    make_private,
    refuse_full_disk,
    replace_text,
    write_internal_arrays,
    write_internal_json,
)
from understudy.core.refusal import Refusal
from understudy.ledger.ledger import Ledger
from understudy.privacy.budget import Budget
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.schema import Schema

Write = Callable[[Path], None]
WRITES: list[Write] = [
    lambda path: replace_text(path, "new"),
    lambda path: write_internal_json(path, {"a": 1}),
    lambda path: write_internal_arrays(path, {"a": np.arange(3)}),
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
    with atomic_file(path) as file:
        file.write(b"ne")
        assert path.read_text() == "old"
        file.write(b"w")
    assert path.read_text() == "new"


@dataclass(frozen=True)
class Thing:
    name: str
    parts: tuple[Thing, ...] = ()


def test_internal_files_say_so(tmp_path: Path) -> None:
    write_internal_json(tmp_path / "a.json", {"values": [1, 2], "of": Thing("x", (Thing("y"),))})
    said = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))
    of = {"name": "x", "parts": [{"name": "y", "parts": []}]}
    assert said == {"internal": INTERNAL, "values": [1, 2], "of": of}
    write_internal_arrays(tmp_path / "a.npz", {"values": np.arange(3)})
    with np.load(tmp_path / "a.npz", allow_pickle=False) as arrays:
        assert str(arrays["internal"]) == INTERNAL
        assert arrays["values"].tolist() == [0, 1, 2]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_named_with_the_way_on(number: int) -> None:
    assert is_full(OSError(number, "full"))
    assert not is_full(OSError(errno.EIO, "broken"))
    assert not is_full(ValueError("full"))
    said = refuse_full_disk(Path("/a/b"), "resume the run")
    assert str(said) == "The disk that holds /a/b is full. Free some space and resume the run."


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_folder_of_the_house_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    make_private(tmp_path / "a" / "b")
    assert mode(tmp_path / "a") == mode(tmp_path / "a" / "b") == 0o700


@pytest.mark.parametrize("open_to", [0o755, 0o750, 0o777, 0o711])
def test_one_that_is_there_is_closed_to_others(open_to: int, tmp_path: Path) -> None:
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "file").touch()
    folder.chmod(open_to)
    make_private(folder)
    assert mode(folder) == 0o700


def test_one_that_was_opened_to_its_owner_alone_keeps_its_mode(tmp_path: Path) -> None:
    tmp_path.chmod(0o2700)
    make_private(tmp_path)
    assert mode(tmp_path) == 0o2700


@pytest.mark.parametrize("why", ["sticky", "home", "temporary", "entry", "owner"])
def test_one_that_others_need_is_not_closed_but_refused(
    why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o1777 if why == "sticky" else 0o755)
    (folder / "file").touch()
    if why == "home":
        monkeypatch.setenv("HOME", str(folder))
    if why == "temporary":
        monkeypatch.setattr("tempfile.tempdir", str(folder))
    if why in ("entry", "owner"):
        another = os.geteuid() + 1
        monkeypatch.setattr("os.geteuid", lambda: another)
    before = mode(folder)
    with pytest.raises(Refusal) as refused:
        make_private(folder)
    assert str(folder) in refused.value.problem
    assert "chmod 700" in refused.value.remedy
    assert mode(folder) == before


def full(*_: object, **__: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_is_called_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = Categories(values=("x", "y"))
    schema = Schema(columns=(Column(name="a", domain=kind), Column(name="b", domain=kind)))
    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(Refusal, match=r"^The disk that holds .*s.json is full"):
        schema.save(tmp_path / "s.json")
    assert not list(tmp_path.iterdir())
    with pytest.raises(Refusal, match=r"^The disk that holds .*l.sqlite is full"):
        Ledger(tmp_path / "l.sqlite").budget("a", Budget(1.0, 1e-9))


YEAR = 365.2425 * 24 * 3600


@pytest.mark.parametrize("years", [8_029.5, 8_040, 1e6, 1e12])
def test_a_clock_beyond_the_calendar_is_refused(
    years: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = Categories(values=("x", "y"))
    schema = Schema(columns=(Column(name="a", domain=kind), Column(name="b", domain=kind)))
    monkeypatch.setattr(time, "time", lambda: years * YEAR)

    def ledger() -> object:
        return Ledger(tmp_path / "l.sqlite").budget("a", Budget(1.0, 1e-9))

    for deed in (clock.now, schema.declare_public, ledger):
        with pytest.raises(Refusal, match="clock of this computer"):
            deed()


def test_the_last_year_has_a_date_in_every_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    last = datetime(9998, 12, 31, 23, 59, 59, tzinfo=UTC).timestamp()
    monkeypatch.setattr(time, "time", lambda: last)
    assert clock.now().year == 9998
    assert clock.now().astimezone()


def test_a_declaration_at_no_moment_of_utc_is_refused() -> None:
    said = '{"fields": [%s, %s], "understudy": {"declared_public": {"at": "%s", "domain": "x"}}}'
    field = '{"name": "%s", "constraints": {"enum": ["x", "y"]}}'
    with pytest.raises(Refusal, match="no date in UTC"):
        Schema.from_json(said % (field % "a", field % "b", "9999-12-31T23:59:59-12:00"))
