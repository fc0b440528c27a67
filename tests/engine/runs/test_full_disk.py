"""A disk that is full at any step costs nothing, or is no end: it is named, and the run goes on."""

from __future__ import annotations

import errno
import json
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.engine.runs.asked import SCHEMA, table
from tests.engine.runs.interrupting import PLANS, InLedger
from tests.support import declared, started
from understudy.core import files
from understudy.core.refusal import Refusal
from understudy.ledger import store
from understudy.mechanisms.seedbased.plan import ModelPlan
from understudy.privacy.tape import KeptTape
from understudy.runs import checkpoint, control, watched
from understudy.runs.debit import reconcile
from understudy.runs.folder import RunFolder
from understudy.runs.released import GrowingFile
from understudy.runs.resuming import resume
from understudy.runs.work import Job

pytestmark = pytest.mark.usefixtures("small_batches")

PLAN = PLANS["hidden ω"].change(SCHEMA, model=ModelPlan(kind="marginals"))
JOB = Job(table(), PLAN, figures=False)
WRITES: tuple[tuple[Any, str], ...] = (
    (files.tempfile, "mkstemp"),
    (watched, "replace_text"),
    (checkpoint, "_write_secret"),
    (KeptTape, "_put"),
    (GrowingFile, "write"),
    (GrowingFile, "settle"),
)


@contextmanager
def full_from(at: int) -> Iterator[list[str]]:
    """From the so manieth write on, the disk is full."""
    done: list[str] = []

    def filling(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def write(*arguments: Any, **named: Any) -> Any:
            if len(done) >= at:
                raise OSError(errno.ENOSPC, "No space left on device")
            done.append(name)
            return real(*arguments, **named)

        return write

    with pytest.MonkeyPatch.context() as hooks:
        for owner, name in WRITES:
            hooks.setattr(owner, name, filling(name, getattr(owner, name)))
        yield done


@pytest.mark.parametrize(
    "every",
    [
        4,
        pytest.param(1, marks=pytest.mark.thorough("test_a_disk_that_is_full_from_any_write_on")),
    ],
)
def test_a_disk_that_is_full_from_any_write_on(debited: InLedger, every: int) -> None:
    with full_from(10**9) as done:
        started(JOB, debited.place, ledger=debited.ledger)
    assert {"_put", "write", "settle", "_write_secret"} <= set(done)
    spent = debited.ledger.book().balances[0].runs
    free = 0
    for at in range(0, len(done), every):
        said = ""
        before = set(debited.ledger.book().runs)
        with full_from(at):
            try:
                started(JOB, debited.place, ledger=debited.ledger)
            except Refusal as refusal:
                said = str(refusal)
        new = set(reconcile(debited.ledger).runs) - before
        if not new:
            free += 1
            assert "is full" in said
            assert "Free some space" in said
            continue
        spent += 1
        (name,) = new
        run = RunFolder(debited.place / name)
        _gone(run)
        if not run.release.exists():
            assert f"The disk that holds {run.path} is full." in (said or run.progress().message)
            resume(run, JOB.records, ledger=debited.ledger)
        found = reconcile(debited.ledger).runs[name]
        assert found.state == "released"
        assert found.artefacts == run.artefacts()
        assert not run.unfinished.exists()
    assert 0 < free < len(done) // every // 2
    assert debited.ledger.book().balances[0].runs == spent
    assert not [path for path in debited.place.iterdir() if path.name.startswith(".")]


def _gone(run: RunFolder) -> None:
    """Its process is no more, also where the disk was too full to put down which that was."""
    said = json.loads(run.read_text("progress.json"))
    run.write_text("progress.json", json.dumps({**said, "process": os.getpid(), "born": "other"}))


def test_a_full_disk_under_the_ledger_is_named_and_nothing_is_spent(
    debited: InLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(store.Writing, "append", full)
    with pytest.raises(Refusal) as refused:
        control.start(declared(JOB), debited.place, ledger=debited.ledger)
    assert refused.value.problem == f"The disk that holds {debited.ledger.path} is full."
    assert refused.value.field == "ledger"
    assert list(debited.place.iterdir()) == []
