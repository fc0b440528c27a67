"""Which files may be opened where only some folders are meant to be."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from understudy.core.refusal import Refusal
from understudy.table.sources.source import FOLDERS, allowed_folders, allowed_path


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """A folder that is open, with a file in it, and one that is not."""
    inside, outside = tmp_path / "open", tmp_path / "closed"
    for folder in (inside, outside):
        (folder / "deep").mkdir(parents=True)
        (folder / "deep" / "a.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    return inside, outside


def test_what_lies_below_a_folder_may_be_opened(folders: tuple[Path, Path]) -> None:
    inside, _ = folders
    assert allowed_path(inside / "deep" / "a.csv", [inside]) == inside / "deep" / "a.csv"
    assert allowed_path(inside / "deep" / ".." / "deep" / "a.csv", [inside]).name == "a.csv"
    assert allowed_path(inside / "not there yet.csv", [inside]).parent == inside


def test_links_are_followed_before_they_are_judged(folders: tuple[Path, Path]) -> None:
    inside, outside = folders
    (inside / "out.csv").symlink_to(outside / "deep" / "a.csv")
    (inside / "away").symlink_to(outside)
    (outside / "in.csv").symlink_to(inside / "deep" / "a.csv")
    assert allowed_path(outside / "in.csv", [inside]) == inside / "deep" / "a.csv"
    for path in (inside / "out.csv", inside / "away" / "deep" / "a.csv"):
        with pytest.raises(Refusal):
            allowed_path(path, [inside])


@pytest.mark.parametrize("path", ["../closed/deep/a.csv", "../open2/a.csv", "/etc/passwd", "\0"])
def test_there_is_no_way_around(folders: tuple[Path, Path], path: str) -> None:
    inside, _ = folders
    (inside.parent / "open2").mkdir()
    with pytest.raises(Refusal) as caught:
        allowed_path(inside / path, [inside])
    assert str(inside.parent) not in str(caught.value)


def test_what_is_not_there_is_answered_like_what_is(folders: tuple[Path, Path]) -> None:
    inside, outside = folders
    said = []
    for path in (outside / "deep" / "a.csv", outside / "none.csv"):
        with pytest.raises(Refusal) as caught:
            allowed_path(path, [inside])
        said.append(str(caught.value))
    assert said[0] == said[1]


def test_without_the_setting_everything_may_be_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(FOLDERS, raising=False)
    assert allowed_folders() is None
    assert allowed_path(Path("/anywhere"), None) == Path("/anywhere")


def test_the_setting_names_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDERS, f"/data{os.pathsep} {os.pathsep}/more")
    assert allowed_folders() == (Path("/data"), Path("/more"))
    monkeypatch.setenv(FOLDERS, "")
    assert allowed_folders() == ()
    with pytest.raises(Refusal):
        allowed_path(Path("/data/a.csv"), ())
