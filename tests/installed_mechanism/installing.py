"""Installing the method of another package for the length of a test."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from understudy.core import sandbox
from understudy.mechanisms import registry

_ROOT = Path(__file__).resolve().parents[2]
_ZYGOTES: dict[str, dict[str, Any]] = {}
"""The processes that fork for work where a package is there, kept for the next test of it."""


def noisy_histogram(
    folders: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> AbstractContextManager[None]:
    """As if its package were installed, for this process and those that it starts."""
    return _installed("noisy_histogram", folders, monkeypatch)


def several_outputs(
    folders: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> AbstractContextManager[None]:
    """The same, of the method with several outputs."""
    return _installed("several_outputs", folders, monkeypatch)


@contextmanager
def _installed(
    module: str, folders: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    place = _package(module, folders.getbasetemp() / f"packages-{module}")
    monkeypatch.syspath_prepend(str(place))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(place), str(_ROOT)]))
    # A process that forks for work may have begun before there was the package.
    monkeypatch.setattr(sandbox, "_ZYGOTES", _ZYGOTES.setdefault(module, {}))
    registry.mechanisms.cache_clear()
    yield
    registry.mechanisms.cache_clear()


def _package(module: str, place: Path) -> Path:
    """The folder that a package lies in, by what an installer writes about it."""
    about, kind = place / f"{module}-1.0.dist-info", module.replace("_", "-")
    if not about.exists():
        about.mkdir(parents=True)
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {kind}\nVersion: 1.0\n")
        where = f"tests.installed_mechanism.{module}:MECHANISM"
        (about / "entry_points.txt").write_text(f"[{registry.GROUP}]\n{kind} = {where}\n")
    return place
