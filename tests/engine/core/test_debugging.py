"""A traceback is written where it is asked for, for its owner alone, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from understudy.core.debugging import (
    debugging,
    traceback_file,
    traceback_sentence,
    write_traceback,
)

SECRET = "Mrs Dalloway, 4711"


def raised() -> KeyError:
    try:
        raise KeyError(SECRET)
    except KeyError as error:
        return error


@pytest.mark.parametrize("value", [None, "", "0"])
def test_nothing_is_written_unless_it_is_asked_for(
    value: str | None, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("UNDERSTUDY_DEBUG", raising=False)
    if value is not None:
        monkeypatch.setenv("UNDERSTUDY_DEBUG", value)
    write_traceback(raised())
    assert not debugging()
    assert capfd.readouterr() == ("", "")
    assert not traceback_file().exists()
    assert "set UNDERSTUDY_DEBUG=1" in traceback_sentence()
    assert "confidential" in traceback_sentence()


def test_it_goes_to_the_terminal_and_to_a_file_of_its_owner(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("UNDERSTUDY_DEBUG", "1")
    for _ in range(2):
        write_traceback(raised())
    written = traceback_file().read_text(encoding="utf-8")
    assert written == capfd.readouterr().err
    assert written.count(SECRET) == written.count("may hold confidential values") == 2
    assert traceback_file().stat().st_mode & 0o777 == 0o600
    assert traceback_file().parent.stat().st_mode & 0o777 == 0o700
    assert str(traceback_file()) in traceback_sentence(with_path=True)


@pytest.mark.parametrize("value", ["0", "1"])
def test_whoever_looks_at_a_page_does_not_learn_where_the_home_folder_is(
    value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNDERSTUDY_DEBUG", value)
    assert str(traceback_file().parent) not in traceback_sentence()
    assert "debug.log in the home folder" in traceback_sentence()


def test_what_cannot_be_written_is_no_second_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("UNDERSTUDY_DEBUG", "1")
    (tmp_path / "elsewhere").write_text("mine")
    (tmp_path / "debug.log").symlink_to(tmp_path / "elsewhere")
    monkeypatch.setenv("UNDERSTUDY_HOME", str(tmp_path))
    write_traceback(raised())
    assert (tmp_path / "elsewhere").read_text() == "mine"
    monkeypatch.setenv("UNDERSTUDY_HOME", str(tmp_path / "elsewhere" / "below"))
    write_traceback(raised())
