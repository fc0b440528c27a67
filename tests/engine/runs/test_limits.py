"""Limits on a run's process, and what it says when it meets them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.engine.runs.asked import table
from tests.engine.runs.interrupting import JOB, InLedger, gone
from tests.support import started
from understudy.core.refusal import Refusal
from understudy.core.threads import count_cores
from understudy.mechanisms.seedbased.attempts import AttemptSpan, Chunks
from understudy.mechanisms.seedbased.executors import Cores, executor
from understudy.runs.process import TimeIsUp, time_limit
from understudy.runs.resources import LEAST_MEMORY, Resources
from understudy.runs.resumption import can_resume, resume
from understudy.runs.work_folder import Progress

_HOLDS = """
import sys
import numpy as np
from understudy.runs.process import limit_memory
limit_memory(int(sys.argv[1]) or None)
try:
    np.empty(1 << 27)
except MemoryError:
    print("refused")
else:
    print("held")
"""


@pytest.mark.parametrize(("most", "said"), [(LEAST_MEMORY, "refused"), (0, "held")])
def test_a_process_holds_no_more_than_it_may(most: int, said: str) -> None:
    assert _done(_HOLDS, most).split() == [said]


_LEARNS_TOO_MUCH = """
import sys
from pathlib import Path
import numpy as np
from understudy.mechanisms.seedbased import mechanism
from understudy.runs import worker
from understudy.runs.folder import RunFolder
from understudy.runs.resources import LEAST_MEMORY, Resources
from understudy.runs.work_folder import Progress
from understudy.runs.work import Job
from tests.engine.runs.asked import seedless, table
from tests.support import holding

job = Job(table(), seedless(), resources=Resources(memory=LEAST_MEMORY))
folder = holding(job, RunFolder(Path(sys.argv[1])))
folder.report(Progress("starting", 200))
mechanism.learn = lambda *_, **__: np.ones(1 << 27)
print(worker.do_job(job, folder))
print(folder.progress().message)
"""


def test_a_run_that_may_hold_too_little_says_so(tmp_path: Path) -> None:
    status, said = _done(_LEARNS_TOO_MUCH, tmp_path).splitlines()
    assert status == "1"
    assert said.startswith("The run needs more memory than it may have.")


def _done(script: str, *arguments: object) -> str:
    """What a process of its own prints, so that its limits are not this one's."""
    return subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)],
        cwd=Path(__file__).resolve().parents[3],
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    ).stdout


def test_time_runs_out() -> None:
    with pytest.raises(TimeIsUp), time_limit(1e-4):
        signal.pause()
    with time_limit(None):
        assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
    with time_limit(1000.0):
        pass
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL


@pytest.mark.usefixtures("small_batches")
def test_a_run_whose_time_is_up_says_so_and_goes_on(
    debited: InLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Time is up in its third batch."""
    real = Chunks.make

    def made(self: Chunks, span: AttemptSpan) -> object:
        if span.first == 64:
            os.kill(os.getpid(), signal.SIGALRM)
        return real(self, span)

    with monkeypatch.context() as slow:
        slow.setattr(Chunks, "make", made)
        job = replace(JOB, resources=Resources(minutes=1000.0))
        started(job, debited.place, ledger=debited.ledger)
    progress = debited.run.progress()
    assert progress.state == "failed"
    assert progress.message == (
        "The run took as long as it was given. What it had done is kept: resume it to go on, "
        "which spends nothing further."
    )
    gone(debited.run)
    assert can_resume(debited.run)
    resume(debited.run, table(), ledger=debited.ledger, resources=Resources(cores=1))
    assert debited.run.progress().state == "finished"
    assert debited.kinds.count("debited") == 1


@pytest.mark.usefixtures("small_batches")
def test_a_run_whose_time_is_up_before_its_first_attempt_goes_on(
    debited: InLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(*_: object, **__: object) -> None:
        os.kill(os.getpid(), signal.SIGALRM)

    with monkeypatch.context() as stopped:
        stopped.setattr("understudy.mechanisms.seedbased.mechanism.learn", slow)
        started(
            replace(JOB, resources=Resources(minutes=1000.0)), debited.place, ledger=debited.ledger
        )
    progress: Progress = debited.run.progress()
    assert progress.state == "failed"
    assert "resume it to go on, which spends nothing further" in progress.message
    resume(debited.run, table(), ledger=debited.ledger)
    assert debited.ledger.book().runs[debited.run.identity].state == "released"


@pytest.mark.parametrize(
    ("limit", "field"),
    [({"cores": 0}, "cores"), ({"minutes": 0.0}, "minutes"), ({"memory": 10**8}, "memory")],
)
def test_a_limit_that_leaves_nothing_is_refused(limit: dict[str, int], field: str) -> None:
    with pytest.raises(Refusal) as refused:
        Resources(**limit)  # type: ignore[arg-type]
    assert refused.value.field == field


def test_no_more_cores_are_used_than_there_are() -> None:
    assert (
        executor(Resources(cores=10**6).workers)
        == Cores(count_cores())
        == executor(Resources().workers)
    )
    assert executor(Resources(cores=1).workers) == Cores(1)
