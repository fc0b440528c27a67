from __future__ import annotations

from pathlib import Path

import pytest

from engine.ledger.ledger import Ledger
from engine.mechanisms.seedbased import chunks
from engine.mechanisms.seedbased.executors import local
from engine.runs import control, releasing, worker
from engine.runs.folder import RunFolder
from engine.runs.work import Job
from engine.runs.worker import DebitedFolder
from engine.table.records import Records
from sample_data import census
from tests.engine.runs.interrupting import InLedger
from tests.engine.runs.of_census import SCHEMA


@pytest.fixture(scope="session")
def records() -> Records:
    """5,000 people of the simulated census."""
    return Records(SCHEMA, census.simulate(5_000, 1))


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches of a few attempts, and a checkpoint after each."""
    monkeypatch.setattr(chunks, "BATCH", 32)
    monkeypatch.setattr(local, "BATCHES", 1)
    monkeypatch.setattr(releasing, "_CHECKPOINT_EVERY", 0.0)
    monkeypatch.setattr(releasing, "_CHECKPOINTS_TAKE", 1e9)


@pytest.fixture
def debited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> InLedger:
    """A place for runs that are done where they are started or resumed."""

    def launch(job: Job, folder: RunFolder, ledger: Ledger, lock: int) -> None:
        worker.do(job, DebitedFolder(folder.path, ledger))

    monkeypatch.setattr(control, "_launch", launch)
    return InLedger(tmp_path / "runs", Ledger(tmp_path / "home" / "ledger.sqlite"))
