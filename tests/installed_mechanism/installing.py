"""Installing the method of another package for the length of a test."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import engine
from engine.core import confined
from engine.mechanisms import registry

_ROOT = Path(engine.__file__).parents[1]
_WHERE = "tests.installed_mechanism.noisy_histogram:MECHANISM"


@contextmanager
def noisy_histogram(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As if its package were installed, for this process and those that it starts."""
    place = tmp_path / "packages"
    about = place / "noisy_histogram-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: noisy-histogram\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[{registry.GROUP}]\nnoisy-histogram = {_WHERE}\n")
    monkeypatch.syspath_prepend(str(place))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(place), str(_ROOT)]))
    # A process that forks for work may have begun before there was the package.
    monkeypatch.setattr(confined, "_ZYGOTES", {})
    registry.mechanisms.cache_clear()
    yield
    registry.mechanisms.cache_clear()
