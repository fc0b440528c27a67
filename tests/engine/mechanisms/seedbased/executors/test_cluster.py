"""A cluster of real processes makes the very records that this process would, whoever dies.

Equal to the last record under one secret, the two are equal in law under every secret; and what a
run costs depends on its plan alone, which names no place to make it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from distributed import Future

from benchmarks.cluster_processes import Processes, processes
from tests.engine.mechanisms.seedbased.executors.universe import chunks
from tests.engine.runs.asked import SCHEMA, seedless, table
from tests.engine.runs.interrupting import SEEDBASED, gone
from tests.support import started
from understudy.core.refusal import Refusal
from understudy.ledger.ledger import Ledger
from understudy.mechanisms.mechanism import Interrupted
from understudy.mechanisms.seedbased import attempts as chunked
from understudy.mechanisms.seedbased import executors
from understudy.mechanisms.seedbased.attempts import BATCH, AttemptSpan, Chunks
from understudy.mechanisms.seedbased.executors import Cluster, Cores
from understudy.runs import control, worker
from understudy.runs.folder import RunFolder
from understudy.runs.resources import Resources
from understudy.runs.resumption import can_resume, resume
from understudy.runs.table_file import read_first_records
from understudy.runs.work import Job
from understudy.runs.worker import DebitedFolder

ATTEMPTS = 10 * BATCH + 77
_SEEN_IN_OTHERS = pytest.mark.thorough("test_a_worker_that_dies_loses_nothing_and_repeats_nothing")


@pytest.fixture(scope="module")
def workers() -> Iterator[Processes]:
    with processes(2) as started:
        yield started


@pytest.fixture(scope="module")
def here() -> np.ndarray:
    """What this process makes of the run."""
    return np.concatenate([codes for _, codes in Cores(1).release(chunks(ATTEMPTS), 0)])


def made(found: list[tuple[AttemptSpan, np.ndarray]]) -> np.ndarray:
    """What a cluster made, once it is known that each attempt came once and in order."""
    reached = found[0][0].first
    for span, _ in found:
        assert span.first == reached
        reached += span.count
    assert reached == ATTEMPTS
    return np.concatenate([codes for _, codes in found])


@pytest.mark.parametrize("shared", [False, True])
def test_a_cluster_makes_what_one_process_makes(
    workers: Processes, here: np.ndarray, shared: bool, tmp_path: Path
) -> None:
    at = Cluster(workers.address, f"file://{tmp_path}" if shared else None)
    at.check()
    assert np.array_equal(made(list(at.release(chunks(ATTEMPTS), 0))), here)
    assert not list(tmp_path.iterdir())


def test_it_goes_on_from_any_batch(workers: Processes, here: np.ndarray) -> None:
    first = 7 * BATCH
    rest = made(list(Cluster(workers.address).release(chunks(ATTEMPTS), first)))
    assert np.array_equal(rest, here[-len(rest) :])


def test_the_law_is_that_of_one_process(workers: Processes) -> None:
    """Counts of whole records under other secrets: they differ by chance alone."""
    run = chunks(ATTEMPTS)
    other = Chunks(run.synthesizer, run.decision, type(run.secret).fixed(6), ATTEMPTS)
    tallies = [
        Counter(map(tuple, np.concatenate([codes for _, codes in found]).tolist()))
        for found in (Cores(1).release(run, 0), Cluster(workers.address).release(other, 0))
    ]
    for record in set(tallies[0]) | set(tallies[1]):
        counts = [tally[record] for tally in tallies]
        assert abs(counts[0] - counts[1]) <= 6 * np.sqrt(sum(counts))


@pytest.fixture(params=["broadcast", "sharded"])
def index(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether every worker gets the index whole, or each a part of it."""
    if request.param == "sharded":
        monkeypatch.setattr(executors, "SHARDED_FROM", 0)


@pytest.mark.parametrize(
    ("index", "when"),
    [
        ("broadcast", 4),
        ("sharded", 0),
        pytest.param("broadcast", 0, marks=_SEEN_IN_OTHERS),
        pytest.param("sharded", 4, marks=_SEEN_IN_OTHERS),
    ],
    indirect=["index"],
)
@pytest.mark.usefixtures("index")
def test_a_worker_that_dies_loses_nothing_and_repeats_nothing(
    workers: Processes, here: np.ndarray, when: int
) -> None:
    found = []
    for number, each in enumerate(Cluster(workers.address).release(chunks(ATTEMPTS), 0)):
        if number == when:
            workers.kill_a_worker()
            workers.add(1)
        found.append(each)
    assert np.array_equal(made(found), here)


@_SEEN_IN_OTHERS
@pytest.mark.parametrize("index", ["broadcast", "sharded"], indirect=True)
@pytest.mark.usefixtures("index")
def test_when_every_worker_dies_the_next_ones_go_on(workers: Processes, here: np.ndarray) -> None:
    released = Cluster(workers.address).release(chunks(ATTEMPTS), 0)
    found = [next(released)]
    workers.kill_a_worker()
    workers.kill_a_worker()
    workers.add(2)
    found += released
    assert np.array_equal(made(found), here)


@pytest.mark.thorough("test_a_worker_that_dies_loses_nothing_and_repeats_nothing")
def test_a_cluster_without_workers_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    with processes(1) as started:
        at = Cluster(started.address)
        released = at.release(chunks(50 * BATCH), 0)
        next(released)
        started.kill_a_worker()
        monkeypatch.setattr(executors, "PATIENCE", 0.0)
        with pytest.raises(Interrupted, match="no workers left"):
            list(released)
        monkeypatch.setattr(executors, "_CONNECTING", 2.0)
        with pytest.raises(Refusal, match="has no workers"):
            at.check()
        started.add(1, spills=True)
        with pytest.raises(Refusal, match="to their disks"):
            at.check()
        # Nor is it given anything where it joins later.
        with pytest.raises(Interrupted, match="to its disk"):
            list(at.release(chunks(BATCH), 0))


@pytest.fixture
def done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs are done where they are started, in small chunks."""

    def launch(job: Job, folder: RunFolder, ledger: Ledger, lock: int) -> None:
        worker.do_job(job, DebitedFolder(folder.path, ledger))

    monkeypatch.setattr(control, "_launch", launch)
    monkeypatch.setattr(executors, "MOST_BATCHES", 1)


def gone_on_with_here(address: str, place: Path) -> None:
    """A run whose scheduler vanishes after two chunks ends in words, and comes to the release that
    it would have come to."""
    plan = seedless(**{**SEEDBASED, "attempts": 20 * BATCH})
    ledger = Ledger(place / "home" / "ledger.sqlite")
    job = Job(table(), plan, figures=False, resources=Resources(scheduler=address))
    folder = started(job, place / "runs", ledger=ledger)
    progress = folder.progress()
    assert progress.state == "failed"
    assert address in progress.message
    assert "resume the run" in progress.message
    gone(folder)
    assert can_resume(folder)
    resume(folder, table(), ledger=ledger)
    assert folder.progress().state == "finished"
    said = json.loads(folder.guarantee.read_text(encoding="utf-8"))
    assert len(read_first_records(folder.table, SCHEMA, 10**9)) == said["table"]["rows"]
    assert ledger.book().balances[0].runs == 1


@pytest.mark.usefixtures("done_here")
def test_a_run_that_loses_its_cluster_is_gone_on_with_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(self: Cluster, run: Chunks, first: int) -> Iterator[object]:
        yield from islice(Cores(1).release(run, first), 2)
        raise executors._refuse_gone(self.address)

    monkeypatch.setattr(Cluster, "check", lambda _: None)
    monkeypatch.setattr(Cluster, "release", lost)
    monkeypatch.setattr(executors, "BATCHES", 1)
    gone_on_with_here("tcp://127.0.0.1:1", tmp_path)


@pytest.mark.thorough("test_a_run_that_loses_its_cluster_is_gone_on_with_here")
@pytest.mark.usefixtures("done_here")
def test_a_run_whose_scheduler_vanishes_is_gone_on_with_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executors, "_CONNECTING", 5.0)
    with processes(1) as running:
        real = Cluster.release

        def vanishing(self: Cluster, run: Chunks, first: int) -> Iterator[object]:
            for number, each in enumerate(real(self, run, first)):
                if number == 2:
                    running.scheduler.kill()
                yield each

        monkeypatch.setattr(Cluster, "release", vanishing)
        gone_on_with_here(running.address, tmp_path)


def test_a_connection_lost_after_the_wait_is_said_in_words(
    workers: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(_: object, future: Future) -> bool:
        future.cancel()
        return True

    monkeypatch.setattr(executors._Handing, "_wait_for", lost)
    with pytest.raises(Interrupted, match="can no longer be reached"):
        list(Cluster(workers.address).release(chunks(ATTEMPTS), 0))


@pytest.mark.parametrize(
    ("address", "said"),
    [("tcp://127.0.0.1:1", "cannot be reached"), ("nonsense://", "cannot be reached")],
)
def test_a_cluster_that_is_not_there_is_refused_before_anything_is_spent(
    address: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executors, "_CONNECTING", 1.0)
    ledger = Ledger(tmp_path / "ledger.sqlite")
    job = Job(table(), seedless(), figures=False, resources=Resources(scheduler=address))
    with pytest.raises(Refusal, match=said):
        started(job, tmp_path / "runs", ledger=ledger)
    assert not ledger.book().runs


def test_a_shared_place_that_cannot_be_written_is_refused(
    workers: Processes, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    for shared in (f"file://{tmp_path}/file", "nowhere://at/all"):
        with pytest.raises(Refusal, match="Nothing can be written"):
            Cluster(workers.address, shared).check()


def test_a_worker_of_another_version_is_not_worked_with(
    workers: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    released = Cluster(workers.address).release
    monkeypatch.setattr(chunked, "__version__", "another")
    with pytest.raises(Interrupted, match="another version"):
        list(released(chunks(ATTEMPTS), 0))
    with pytest.raises(Refusal, match="another version"):
        Cluster(workers.address).check()


def test_what_is_sealed_shows_nowhere() -> None:
    assert "secret" not in repr(executors.Sealed(b"secret"))
    assert "secret" not in repr(executors.Passed(b"secret"))
    assert "secret" not in repr(executors.Hidden("secret"))
