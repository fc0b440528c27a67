"""Nobody is told to install a package that is not ours."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from understudy.core import extras
from understudy.core.extras import DISTRIBUTION, suggest_install

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
