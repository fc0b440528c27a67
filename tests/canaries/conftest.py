"""Places that are watched: a home folder, a temporary folder, what is said and what is logged."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.canaries.planted import canaries, canaries_below
from understudy.core.refusal import Refusal
from understudy.table.declared_reading import Kind
from understudy.table.raw import RawTable
from understudy.table.sources import isolation as apart
from understudy.table.sources.isolation import read_isolated
from understudy.table.sources.source import Source


@dataclass(frozen=True)
class Watch:
    """What a test may leave nothing of a canary in.

    Attributes:
        home: the home folder.
        temporary: where temporary files go.
        log: what was logged, at every level.
        capture: what was printed.
        said: further texts.
    """

    home: Path
    temporary: Path
    log: pytest.LogCaptureFixture
    capture: pytest.CaptureFixture[str]
    said: list[str]

    def hear(self, refusal: Refusal) -> None:
        """Keep all that a refusal says."""
        self.said.extend((refusal.problem, refusal.remedy, str(refusal), repr(refusal.field)))

    def found(self, *folders: Path, but: tuple[str, ...] = ()) -> list[str]:
        """Every canary that got out, anywhere."""
        printed = self.capture.readouterr()
        logged = [f"{each.getMessage()} {each.exc_text or ''}" for each in self.log.records]
        texts = [printed.out, printed.err, self.log.text, *logged, *self.said]
        spoken = [each for text in texts for each in canaries(text)]
        return spoken + canaries_below(self.home, self.temporary, *folders, but=but)


@pytest.fixture
def watch(
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> Watch:
    """Everything that is watched, its folders empty."""
    home, temporary = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("temporary")
    monkeypatch.setenv("UNDERSTUDY_HOME", str(home))
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    caplog.set_level(logging.DEBUG)
    return Watch(home, temporary, caplog, capsys, [])


Read = Callable[..., RawTable]


@pytest.fixture(scope="session")
def each_once() -> Read:
    """`read_isolated`, which starts a process; what came of a file is kept for whoever reads it
    again in another way."""
    there: dict[tuple[Any, ...], RawTable | Refusal] = {}

    def read(source: Source, kind: Kind, **how: Any) -> RawTable:
        asked = (source.data, source.name, kind, *how.values())
        if asked not in there:
            try:
                there[asked] = read_isolated(source, kind, **how)
            except Refusal as refusal:
                there[asked] = refusal
        found = there[asked]
        if isinstance(found, Refusal):
            raise found
        return found

    return read


@pytest.fixture(autouse=True)
def _read_once(each_once: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apart, "read_isolated", each_once)
