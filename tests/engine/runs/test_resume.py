"""Interrupted runs: whenever that was, they go on to the release they would have come to."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.ledger.events import Abandoned
from engine.ledger.events import Cancelled as Cancelled_
from engine.ledger.ledger import Ledger
from engine.models.omega import Omega
from engine.privacy.plausibility.privacy_test import privacy_test
from engine.privacy.randomness import RandomSource, Secret
from engine.refusal import Refusal
from engine.runs import control, releasing, unfinished, worker
from engine.runs.control import give_up, resumable, resume, start
from engine.runs.ending import reconcile
from engine.runs.folder import RunFolder
from engine.runs.released import ReleasedTable
from engine.runs.watched import Cancelled, Progress
from engine.runs.work import Job, work
from engine.runs.worker import DebitedFolder
from engine.synthesis.plan import Plan
from engine.table.records import Records
from engine.table.schema import Categories, Column, Schema
from tests.engine.runs.asked import SCHEMA, seedless, table

TEST = privacy_test("relative-sensitivity", 20, 1.0)
SEEDBASED: dict[str, Any] = {"test": TEST, "attempts": 150, "delta": 1e-3, "seeds_at_least": 60}
PLANS = {
    "hidden ω": seedless(omega=Omega(low=1, high=3), **SEEDBASED),
    "announced ω": seedless(omega=Omega(low=1, high=3, reading="announced"), **SEEDBASED),
    "releases": seedless(
        omega=Omega(low=2, high=2),
        protocol="releases",
        pass_floor=0.2,
        **{**SEEDBASED, "attempts": 61},
    ),
}


class _Killed(BaseException):
    """Stands for the end of a process: nothing that tidies up after an error catches it."""


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches of a few attempts, and a checkpoint after each; a kill leaves what was written to
    the system, so that nothing need wait for the disk."""
    monkeypatch.setattr(os, "fsync", lambda _: None)
    monkeypatch.setattr("engine.ledger.store._SYNCHRONOUS", "OFF")
    monkeypatch.setattr(releasing, "BATCH", 32)
    monkeypatch.setattr(releasing, "_CHECKPOINT_EVERY", 0.0)
    monkeypatch.setattr(releasing, "_CHECKPOINTS_TAKE", 1e9)


@contextmanager
def killed(at: int) -> Iterator[list[str]]:
    """The run inside is killed at the so manieth step of its attempts, before or after it.

    Yields:
        The steps that were gone through.
    """
    steps: list[str] = []

    def step(name: str) -> None:
        steps.append(name)
        if len(steps) == at + 1:
            raise _Killed

    def around(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def stepped(*arguments: Any, **named: Any) -> Any:
            step(f"before {name}")
            result = call(*arguments, **named)
            step(f"after {name}")
            return result

        return stepped

    with pytest.MonkeyPatch.context() as hooks:
        for owner, name in (
            (ReleasedTable, "add"),
            (releasing, "_to_disk"),
            (releasing, "reach"),
            (releasing, "replace_text"),
            (releasing, "forget"),
        ):
            hooks.setattr(owner, name, around(name.strip("_"), getattr(owner, name)))
        yield steps


def folder_of(job: Job, place: Path) -> RunFolder:
    place.mkdir(mode=0o700, parents=True)
    run = RunFolder(place)
    run.write_text("plan.json", job.plan.to_json())
    run.write_text("schema.json", job.records.schema.to_json())
    return run


def begun(job: Job, place: Path, monkeypatch: pytest.MonkeyPatch) -> RunFolder:
    """A run that was killed just before its first attempt."""
    run = folder_of(job, place)
    with monkeypatch.context() as stopped:
        stopped.setattr(releasing.Releasing, "publish", _raise)
        with pytest.raises(_Killed):
            work(job, run, os.getpid())
    return run


def _raise(*_: object) -> None:
    raise _Killed


def copied(run: RunFolder, place: Path) -> RunFolder:
    return RunFolder(Path(shutil.copytree(run.path, place)))


def gone_on(job: Job, run: RunFolder) -> bytes:
    """The table that an interrupted run comes to."""
    assert work(replace(job, resumed=True), run, os.getpid()).state == "finished"
    assert not run.partial.exists()
    said = json.loads(run.guarantee.read_text(encoding="utf-8"))
    assert run.artefacts() is not None
    assert said["table"]["rows"] == run.table.read_bytes().count(b"\n") - 1
    return run.table.read_bytes()


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
def test_a_run_killed_at_any_step_comes_to_the_same_release(
    plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = Job(table(), plan, figures=False)
    interrupted = begun(job, tmp_path / "begun", monkeypatch)
    with killed(10**9) as steps:
        expected = gone_on(job, copied(interrupted, tmp_path / "whole"))
    assert {"before add", "after reach", "before replace_text", "after forget"} <= set(steps)
    published = steps.index("before forget")
    for at in range(len(steps)):
        run = copied(interrupted, tmp_path / f"{at}")
        with killed(at), pytest.raises(_Killed):
            work(replace(job, resumed=True), run, os.getpid())
        assert run.can_go_on == (at < published)
        if run.can_go_on:
            # And once more, soon after it went on.
            with killed(2), pytest.raises(_Killed):
                work(replace(job, resumed=True), run, os.getpid())
        if run.can_go_on:
            gone_on(job, run)
            assert not run.unfinished.exists()
        assert run.table.read_bytes() == expected


def test_without_an_interruption_it_is_the_same_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = Job(table(), PLANS["hidden ω"], seed=4, figures=False)
    run = folder_of(job, tmp_path / "whole")
    work(job, run, os.getpid())
    interrupted = begun(job, tmp_path / "begun", monkeypatch)
    with killed(9), pytest.raises(_Killed):
        work(replace(job, resumed=True), interrupted, os.getpid())
    assert gone_on(job, interrupted) == run.table.read_bytes()
    assert b"not_private" in run.table.read_bytes()


def test_two_runs_of_one_plan_share_nothing(tmp_path: Path) -> None:
    job = Job(table(), PLANS["hidden ω"], figures=False)
    tables = []
    for name in ("one", "other"):
        run = folder_of(job, tmp_path / name)
        work(job, run, os.getpid())
        tables.append(run.table.read_bytes())
    assert tables[0] != tables[1]


def _cut(path: Path, to: int) -> None:
    path.write_bytes(path.read_bytes()[:to])


SPOILED: dict[str, Callable[[RunFolder], object]] = {
    "a tail torn off": lambda run: _cut(run.partial / "synthetic.csv", 40),
    "nothing left": lambda run: _cut(run.partial / "synthetic.csv", 0),
    "gone": lambda run: shutil.rmtree(run.partial),
    "something more": lambda run: (run.partial / "synthetic.csv").open("ab").write(b"v0,v1"),
    "something else": lambda run: (run.partial / "synthetic.csv").write_bytes(b"x" * 10_000),
    "no checkpoint": lambda run: (run.unfinished / "reached.json").unlink(),
    "half a checkpoint": lambda run: _cut(run.unfinished / "reached.json", 20),
}


@pytest.mark.parametrize("spoil", SPOILED.values(), ids=SPOILED)
def test_whatever_a_power_failure_left_of_the_table_it_comes_out_the_same(
    spoil: Callable[[RunFolder], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = Job(table(), PLANS["hidden ω"], figures=False)
    run = begun(job, tmp_path / "begun", monkeypatch)
    expected = gone_on(job, copied(run, tmp_path / "whole"))
    with killed(15), pytest.raises(_Killed):
        work(replace(job, resumed=True), run, os.getpid())
    spoil(run)
    assert gone_on(job, run) == expected


def test_what_was_reached_is_not_done_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = Job(table(), PLANS["hidden ω"], figures=False)
    run = begun(job, tmp_path / "begun", monkeypatch)
    with killed(17) as before, pytest.raises(_Killed):
        work(replace(job, resumed=True), run, os.getpid())
    at = unfinished.reached(run)
    assert at is not None
    assert at.tried == 32 * before.count("after reach")
    with killed(10**9) as after:
        gone_on(job, run)
    assert after.count("after add") == 5 - before.count("after reach")


def test_what_it_goes_on_from_is_for_its_owner_and_gone_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = Job(table(), PLANS["hidden ω"])
    run = begun(job, tmp_path / "begun", monkeypatch)
    kept = [run.internal, run.unfinished, *run.unfinished.iterdir()]
    assert len(kept) == 5
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
    unfinished.forget(run)
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
    plan = PLANS["releases"].changed(SCHEMA, test=strict, seeds_at_least=600)
    short = folder_of(job, tmp_path / "short")
    with pytest.raises(Refusal, match="pass floor"):
        work(Job(table(), plan, figures=False), short, os.getpid())
    assert not short.internal.exists()
    assert not short.partial.exists()


def test_a_rehearsal_keeps_no_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("a rehearsal releases nothing, and has nothing to go on to")

    monkeypatch.setattr(unfinished, "keep", never)
    run = folder_of(Job(table(), seedless()), tmp_path / "run")
    assert work(Job(table(), seedless(), purpose="rehearsal"), run, os.getpid()).state == "finished"


@dataclass(frozen=True)
class _Debited:
    """A run in a ledger, done in this process."""

    place: Path
    ledger: Ledger

    @property
    def run(self) -> RunFolder:
        (found,) = control.runs(self.place)
        return found

    @property
    def kinds(self) -> list[str]:
        return [json.loads(line)["kind"] for line in self.ledger.export().splitlines()]


JOB = Job(table(), PLANS["hidden ω"])


@pytest.fixture
def debited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> _Debited:
    """A place for runs that are done where they are started or resumed."""

    def launch(job: Job, folder: RunFolder, ledger: Ledger, lock: int) -> None:
        worker.do(job, DebitedFolder(folder.path, ledger))

    monkeypatch.setattr(control, "_launch", launch)
    return _Debited(tmp_path / "runs", Ledger(tmp_path / "home" / "ledger.sqlite"))


def interrupted(debited: _Debited, at: int = 12, job: Job = JOB) -> RunFolder:
    """A run that was killed in the middle, as whoever looks next finds it."""
    with killed(at), pytest.raises(_Killed):
        start(job, debited.place, ledger=debited.ledger)
    _gone(debited.run)
    return debited.run


def _gone(run: RunFolder) -> None:
    """Let a run look as if its process were another."""
    said = json.loads(run.read_text("progress.json"))
    run.write_text("progress.json", json.dumps({**said, "born": "another"}))


def test_a_resumed_run_is_one_run_with_one_debit(debited: _Debited) -> None:
    run = interrupted(debited)
    assert resumable(run)
    assert run.progress().state == "failed"
    assert "resume it, which spends nothing further" in run.progress().message
    assert reconcile(debited.ledger).runs[run.identity].state == "abandoned"
    assert resumable(run)
    spent = debited.ledger.book().balances[0].spends
    assert resume(run, JOB.records, ledger=debited.ledger) == run
    assert run.progress().state == "finished"
    book = reconcile(debited.ledger)
    assert book.balances[0].spends == spent
    assert len(spent) == 1
    said = book.runs[run.identity]
    assert (said.state, said.resumed, said.artefacts) == ("released", 1, run.artefacts())
    assert debited.kinds == [
        *("opened", "dataset", "debited", "running", "abandoned", "resumed", "released")
    ]
    assert debited.ledger.underway.runs() == ()
    assert not resumable(run)
    assert not run.unfinished.exists()
    assert (run.internal / "figures.json").exists()


def test_it_can_be_resumed_before_anybody_noticed(debited: _Debited) -> None:
    run = interrupted(debited)
    resume(run, JOB.records, ledger=debited.ledger)
    assert debited.kinds[3:] == ["running", "resumed", "released"]


def test_it_can_be_interrupted_more_than_once(debited: _Debited) -> None:
    run = interrupted(debited)
    for _ in range(2):
        with killed(5), pytest.raises(_Killed):
            resume(run, JOB.records, ledger=debited.ledger)
        _gone(run)
    resume(run, JOB.records, ledger=debited.ledger)
    book = debited.ledger.book()
    assert (book.runs[run.identity].resumed, book.balances[0].runs) == (3, 1)


def test_a_full_disk_stops_a_run_that_then_goes_on(
    debited: _Debited, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as filled:
        filled.setattr(releasing, "reach", full)
        start(JOB, debited.place, ledger=debited.ledger)
    run = debited.run
    assert run.progress().message == "The disk is full. Free some space and resume the run."
    assert debited.ledger.book().runs[run.identity].state == "failed"
    resume(run, JOB.records, ledger=debited.ledger)
    assert debited.ledger.book().runs[run.identity].state == "released"


def refused(run: RunFolder, debited: _Debited, records: Records = JOB.records) -> Refusal:
    before = debited.kinds, run.read_text("progress.json"), run.unfinished.exists()
    with pytest.raises(Refusal) as caught:
        resume(run, records, ledger=debited.ledger)
    assert (debited.kinds, run.read_text("progress.json"), run.unfinished.exists()) == before
    return caught.value


def test_another_table_is_refused_and_changes_nothing(debited: _Debited) -> None:
    run = interrupted(debited)
    turned = Records(SCHEMA, JOB.records.codes[::-1].copy())
    other = Schema(columns=(*SCHEMA.columns, Column(name="more", domain=Categories(values=("x",)))))
    wider = Records(other, np.column_stack([JOB.records.codes, np.zeros(600, np.uint16)]))
    for records in (table(seed=6), JOB.records.take(np.arange(599)), turned, wider):
        assert refused(run, debited, records).field == "table"
    assert resumable(run)


def test_a_run_killed_before_it_kept_its_model_is_not_resumed(
    debited: _Debited, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as stopped:
        stopped.setattr("engine.runs.kept.internal_arrays", _raise)
        with pytest.raises(_Killed):
            start(JOB, debited.place, ledger=debited.ledger)
    run = debited.run
    _gone(run)
    assert not resumable(run)
    assert "Its budget counts as spent" in run.progress().message
    assert "before its model was learned" in refused(run, debited).problem
    assert reconcile(debited.ledger).runs[run.identity].state == "abandoned"
    # What it had begun to put down is erased with its secret.
    assert not run.internal.exists()


def test_a_run_under_way_a_finished_and_a_cancelled_one_are_refused(debited: _Debited) -> None:
    run = interrupted(debited)
    with debited.ledger.underway.claimed(run.identity, run.path):
        control._LETTING_GO_TAKES, patience = 0.0, control._LETTING_GO_TAKES
        assert "under way" in refused(run, debited).problem
        control._LETTING_GO_TAKES = patience
    run.report(Progress("attempting", 150, process=os.getpid()))
    assert not resumable(run)
    refused(run, debited)
    _gone(run)
    run.cancel()
    assert "was cancelled" in refused(run, debited).problem
    (run.path / "cancel").unlink()
    resume(run, JOB.records, ledger=debited.ledger)
    assert "has finished" in refused(run, debited).problem


def test_a_cancelled_run_whose_process_is_gone_has_its_secret_erased(debited: _Debited) -> None:
    run = interrupted(debited)
    run.cancel()
    assert reconcile(debited.ledger).runs[run.identity].state == "abandoned"
    assert not run.internal.exists()
    assert not run.partial.exists()


def test_another_version_of_the_program_does_not_go_on(
    debited: _Debited, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = interrupted(debited)
    with monkeypatch.context() as newer:
        newer.setattr(unfinished, "__version__", "99.0")
        assert "another version" in refused(run, debited).problem
    resume(run, JOB.records, ledger=debited.ledger)


def test_a_run_of_another_ledger_is_refused(debited: _Debited, tmp_path: Path) -> None:
    run = interrupted(debited)
    other = Ledger(tmp_path / "other" / "ledger.sqlite")
    with pytest.raises(Refusal, match="has no run"):
        resume(run, JOB.records, ledger=other)
    assert resumable(run)


@pytest.mark.parametrize("name", ["secret", "learned.npz", "about.json"])
def test_damaged_files_are_refused_in_words(debited: _Debited, name: str) -> None:
    run = interrupted(debited)
    _cut(run.unfinished / name, 10)
    assert "damaged" in refused(run, debited).problem


def test_giving_up_erases_what_the_run_could_go_on_from(debited: _Debited) -> None:
    run = interrupted(debited)
    reconcile(debited.ledger)
    give_up(run, ledger=debited.ledger)
    assert run.progress().state == "cancelled"
    assert not run.internal.exists()
    assert not run.partial.exists()
    assert debited.ledger.book().runs[run.identity].state == "abandoned"
    assert debited.ledger.book().balances[0].runs == 1
    assert debited.ledger.underway.runs() == ()
    with pytest.raises(Refusal, match="was cancelled"):
        give_up(run, ledger=debited.ledger)


def test_a_demonstration_goes_on_and_stays_one(debited: _Debited) -> None:
    run = interrupted(debited, job=replace(JOB, seed=5))
    resume(run, JOB.records, ledger=debited.ledger)
    assert "NOT PRIVATE" in json.loads(run.guarantee.read_text(encoding="utf-8"))["stain"]
    assert debited.ledger.book().balances[0].unpromised == 1


def test_a_resumed_run_draws_from_its_own_secret(
    debited: _Debited, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = interrupted(debited)

    def never() -> Secret:
        raise AssertionError("another secret was drawn")

    monkeypatch.setattr(Secret, "fresh", never)
    resume(run, JOB.records, ledger=debited.ledger)
    assert run.progress().state == "finished"


def test_an_abandoned_run_is_put_down_once_more_when_it_is_abandoned_again(
    debited: _Debited,
) -> None:
    run = interrupted(debited)
    reconcile(debited.ledger)
    assert not debited.ledger.note(run.identity, Abandoned())
    with killed(5), pytest.raises(_Killed):
        resume(run, JOB.records, ledger=debited.ledger)
    _gone(run)
    reconcile(debited.ledger)
    assert debited.kinds[3:] == ["running", "abandoned", "resumed", "abandoned"]


def test_every_batch_and_every_use_has_a_stream_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, int]] = []
    source = Secret.source

    def noted(secret: Secret, use: Any, number: int = 0) -> RandomSource:
        asked.append((use, number))
        return source(secret, use, number)

    monkeypatch.setattr(Secret, "source", noted)
    run = folder_of(JOB, tmp_path / "run")
    work(JOB, run, os.getpid())
    batches = [("attempts", number) for number in range(5)]
    assert asked == [("split", 0), ("model", 0), *batches, ("figures", 0)]


def test_a_run_that_the_ledger_knows_the_end_of_is_not_resumed(debited: _Debited) -> None:
    run = interrupted(debited)
    debited.ledger.note(run.identity, Cancelled_())
    with pytest.raises(Refusal, match="cannot be resumed"):
        resume(run, JOB.records, ledger=debited.ledger)
    assert not run.release.exists()
