from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.runs.asked import CENSUS_SCHEMA as SCHEMA
from tests.engine.runs.interrupting import InLedger
from understudy.ledger.ledger import Ledger
from understudy.mechanisms.seedbased import attempts, executors
from understudy.runs import control, release, worker
from understudy.runs.folder import RunFolder
from understudy.runs.work import Job
from understudy.runs.worker import DebitedFolder
from understudy.samples import census
from understudy.table.records import Records


@pytest.fixture(scope="session")
def records() -> Records:
    """5,000 people of the simulated census."""
    return Records(SCHEMA, census.simulate(5_000, 1))


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """A ledger that has no file yet."""
    return Ledger(tmp_path / "home" / "ledger.sqlite")


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches of a few attempts, and a checkpoint after each."""
    monkeypatch.setattr(attempts, "BATCH", 32)
    monkeypatch.setattr(executors, "BATCHES", 1)
    monkeypatch.setattr(release, "_CHECKPOINT_EVERY", 0.0)
    monkeypatch.setattr(release, "_CHECKPOINTS_TAKE", 1e9)


@pytest.fixture
def debited(ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> InLedger:
    """A place for runs that are done where they are started or resumed."""

    def launch(job: Job, folder: RunFolder, ledger: Ledger, lock: int) -> None:
        worker.do_job(job, DebitedFolder(folder.path, ledger))

    monkeypatch.setattr(control, "_launch", launch)
    return InLedger(tmp_path / "runs", ledger)
