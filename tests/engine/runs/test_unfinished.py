"""What a run goes on from: for its owner only, whole or not there, and gone at the end."""

from __future__ import annotations

import errno
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.engine.runs.asked import SCHEMA, seedless, table
from tests.engine.runs.interrupting import (
    JOB,
    PLANS,
    InLedger,
    Killed,
    begun,
    folder_of,
    gone,
    gone_on,
    interrupted,
)
from tests.support import started
from understudy.core.refusal import Refusal
from understudy.privacy.plausibility.privacy_test import privacy_test
from understudy.runs import checkpoint
from understudy.runs.debit import reconcile
from understudy.runs.resuming import resume
from understudy.runs.watched import Cancelled, Progress
from understudy.runs.work import Job, work
from understudy.runs.worker import DebitedFolder

pytestmark = pytest.mark.usefixtures("small_batches")


def test_what_it_goes_on_from_is_for_its_owner_and_gone_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = Job(table(), PLANS["hidden ω"])
    run = begun(job, tmp_path / "begun", monkeypatch)
    kept = [run.internal, run.unfinished, *run.unfinished.iterdir()]
    assert len(kept) == 6
    assert all(path.stat().st_mode & 0o077 == 0 for path in kept)
    secret = (run.unfinished / "secret").read_bytes()
    assert len(secret) == 32
    gone_on(job, run)
    assert not run.unfinished.exists()
    assert all(secret not in path.read_bytes() for path in run.path.rglob("*") if path.is_file())


def test_the_secret_is_written_over_before_it_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = begun(Job(table(), PLANS["hidden ω"]), tmp_path / "begun", monkeypatch)
    os.link(run.unfinished / "secret", tmp_path / "another name")
    checkpoint.forget(run)
    assert (tmp_path / "another name").read_bytes() == bytes(32)
    assert sorted(path.name for path in run.path.iterdir()) == [
        "plan.json",
        "progress.json",
        "schema.json",
    ]


def test_cancelling_and_falling_short_of_the_floor_end_a_run_for_good(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = Job(table(), PLANS["hidden ω"], figures=False)
    run = begun(job, tmp_path / "cancelled", monkeypatch)
    run.cancel()
    assert not run.can_go_on
    with pytest.raises(Cancelled):
        work(replace(job, resumed=True), run, os.getpid())
    assert not run.internal.exists()
    assert not run.partial.exists()

    strict = privacy_test("relative-sensitivity", 500, 1.0)
    plan = PLANS["releases"].change(SCHEMA, test=strict, seeds_at_least=600)
    short = folder_of(job, tmp_path / "short")
    with pytest.raises(Refusal, match="pass floor"):
        work(Job(table(), plan, figures=False), short, os.getpid())
    assert not short.internal.exists()
    assert not short.partial.exists()


def test_a_rehearsal_keeps_no_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("a rehearsal releases nothing, and has nothing to go on to")

    monkeypatch.setattr(checkpoint, "keep", never)
    run = folder_of(Job(table(), seedless()), tmp_path / "run")
    assert work(Job(table(), seedless(), purpose="rehearsal"), run, os.getpid()).state == "finished"


def test_a_cancelled_run_whose_process_is_gone_has_its_secret_erased(debited: InLedger) -> None:
    run = interrupted(debited)
    run.cancel()
    assert reconcile(debited.ledger).runs[run.identity].state == "abandoned"
    assert not run.internal.exists()
    assert not run.partial.exists()


FORGETTING = {
    "before the secret is erased": (checkpoint, "_erase", False),
    "once it is erased": (checkpoint, "_erase", True),
    "before the rest is": (shutil, "rmtree", False),
    "once the rest is": (shutil, "rmtree", True),
}


@pytest.mark.parametrize(("owner", "name", "after"), FORGETTING.values(), ids=FORGETTING)
def test_a_run_that_was_killed_while_it_was_forgotten_does_not_go_on(
    owner: Any, name: str, after: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when it fell short of its floor: neither a release nor a “cancel” says that it ended."""
    run = begun(Job(table(), PLANS["hidden ω"]), tmp_path / "begun", monkeypatch)
    call = getattr(owner, name)

    def dying(*arguments: Any, **named: Any) -> None:
        if after:
            call(*arguments, **named)
        raise Killed

    with monkeypatch.context() as dead:
        dead.setattr(owner, name, dying)
        with pytest.raises(Killed):
            checkpoint.forget(run)
    assert not run.can_go_on
    checkpoint.forget(run)
    assert not run.internal.exists()


def full(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_disk_that_fills_up_before_the_first_attempt_is_no_end(
    debited: InLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as filled:
        filled.setattr("understudy.runs.checkpoint.internal_arrays", full)
        started(JOB, debited.place, ledger=debited.ledger)
    run = debited.run
    assert run.progress().state == "failed"
    assert f"The disk that holds {run.path} is full." in run.progress().message
    assert debited.ledger.book().runs[run.identity].state == "failed"
    resume(run, JOB.records, ledger=debited.ledger)
    assert debited.ledger.book().runs[run.identity].state == "released"


def test_a_disk_too_full_to_write_down_that_it_is(
    debited: InLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = DebitedFolder.report

    def report(run: DebitedFolder, progress: Progress) -> Progress:
        if progress.ended:
            full()
        return real(run, progress)

    with monkeypatch.context() as filled:
        filled.setattr("understudy.runs.checkpoint.internal_arrays", full)
        filled.setattr(DebitedFolder, "report", report)
        started(JOB, debited.place, ledger=debited.ledger)
    run = debited.run
    gone(run)
    assert f"The disk that holds {run.path} is full." in run.progress().message
    resume(run, JOB.records, ledger=debited.ledger)
    assert run.progress().state == "finished"
    assert not run.full.exists()


def test_whoever_looks_next_erases_what_giving_up_left(debited: InLedger) -> None:
    run = interrupted(debited)
    reconcile(debited.ledger)
    # Killed after it said that the run is given up, and before it erased anything.
    with debited.ledger.underway.claimed(run.identity, run.path):
        run.cancel()
    reconcile(debited.ledger)
    assert not run.internal.exists()
    assert not run.partial.exists()
