"""Installing the method of another package for the length of a test."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

import engine
from engine.core import confined
from engine.mechanisms import registry

_ROOT = Path(engine.__file__).parents[1]


def noisy_histogram(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AbstractContextManager[None]:
    """As if its package were installed, for this process and those that it starts."""
    return _installed("noisy_histogram", tmp_path, monkeypatch)


def several_outputs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AbstractContextManager[None]:
    """The same, of the method with several outputs."""
    return _installed("several_outputs", tmp_path, monkeypatch)


@contextmanager
def _installed(module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    place, kind = tmp_path / "packages", module.replace("_", "-")
    about = place / f"{module}-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {kind}\nVersion: 1.0\n")
    where = f"tests.installed_mechanism.{module}:MECHANISM"
    (about / "entry_points.txt").write_text(f"[{registry.GROUP}]\n{kind} = {where}\n")
    monkeypatch.syspath_prepend(str(place))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(place), str(_ROOT)]))
    # A process that forks for work may have begun before there was the package.
    monkeypatch.setattr(confined, "_ZYGOTES", {})
    registry.mechanisms.cache_clear()
    yield
    registry.mechanisms.cache_clear()
