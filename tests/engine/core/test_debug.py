"""A traceback is written where it is asked for, for its owner alone, and nowhere else. Nobody is
told to install a package that is not ours.
"""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from understudy.core import extras
from understudy.core.debug import debugging, traceback_file, traceback_sentence, write_traceback
from understudy.core.extras import DISTRIBUTION, suggest_install

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


ROOT = Path(__file__).resolve().parents[3]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
TAKEN = {"understudy", "understudy-agent", "understudylabs"}
"""Packages of other people on the usual index."""

INSTALLS = re.compile(r"(?:pip|pipx|uv|conda)\s+(?:\w+\s+)?(?:install|add|run)\b([^\n]*)")
OURS = re.compile(r"(?<![\w./-])understudy[\w-]*(?![\w/]*\.(?:whl|toml))")


def test_the_name_is_declared_once_and_nobody_elses() -> None:
    assert PROJECT["name"] == DISTRIBUTION
    assert DISTRIBUTION not in TAKEN


@pytest.mark.parametrize("extra", sorted(PROJECT["optional-dependencies"]))
def test_an_extra_is_installed_by_the_names_of_its_packages(extra: str) -> None:
    wanted = PROJECT["optional-dependencies"][extra]
    assert suggest_install(extra) == "pip install " + " ".join(f"'{each}'" for each in wanted)


def test_without_an_installation_the_checkout_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> list[str]:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(extras, "requires", missing)
    assert suggest_install("cluster") == "pip install '.[cluster]'"


def _told_to_install(text: str) -> list[str]:
    return [each for each in INSTALLS.findall(text) if OURS.search(each)]


def test_no_sentence_tells_anybody_to_install_a_package_of_that_name() -> None:
    texts = {
        path.relative_to(ROOT): path.read_text(encoding="utf-8")
        for place in ("engine", "dashboard", "docs", "benchmarks", "sample_data", ".")
        for pattern in (("*.md",) if place == "." else ("**/*.py", "**/*.md", "**/*.service"))
        for path in (ROOT / place).glob(pattern)
    }
    assert len(texts) > 100
    assert not {path: found for path, text in texts.items() if (found := _told_to_install(text))}


@pytest.mark.parametrize(
    "sentence",
    [
        "Install it with `pip install 'understudy[cluster]'`, or leave out the scheduler.",
        "python -m pip install understudy",
        "uv pip install understudy-agent",
    ],
)
def test_such_a_sentence_is_seen(sentence: str) -> None:
    assert _told_to_install(sentence)
