"""Resuming an interrupted run, and giving it up: one debit, one table, one process. What a run
goes on from: for its owner only, whole or not there, and gone at the end. Interrupted runs:
whenever that was, they go on to the release they would have come to.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.engine.runs.asked import SCHEMA, seedless, table
from tests.engine.runs.interrupting import (
    BATCHES,
    JOB,
    PLANS,
    InLedger,
    Killed,
    begun,
    copied,
    cut,
    dies,
    drawn,
    folder_of,
    gone,
    gone_on,
    interrupted,
    killed,
)
from tests.support import started
from understudy.core.refusal import Refusal
from understudy.ledger.events import Abandoned
from understudy.ledger.events import Cancelled as Cancelled_
from understudy.ledger.ledger import Ledger
from understudy.mechanisms.seedbased import attempts
from understudy.mechanisms.seedbased.plan import ModelKind, ModelPlan, Plan
from understudy.privacy.plausibility.privacy_test import privacy_test
from understudy.privacy.randomness import RandomSource, Secret
from understudy.runs import checkpoint, control, release, resumption
from understudy.runs.debit import reconcile
from understudy.runs.folder import RunFolder, TableForm
from understudy.runs.resources import Resources
from understudy.runs.resumption import can_resume, give_up, resume
from understudy.runs.work import Job, work
from understudy.runs.work_folder import Progress, WorkCancelled
from understudy.runs.worker import DebitedFolder
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.records import Records
from understudy.table.schema import Schema

pytestmark = pytest.mark.usefixtures("small_batches")


def test_a_resumed_run_is_one_run_with_one_debit(debited: InLedger) -> None:
    run = interrupted(debited)
    assert can_resume(run)
    assert run.progress().state == "failed"
    assert "resume it, which spends nothing further" in run.progress().message
    assert reconcile(debited.ledger).runs[run.identity].state == "abandoned"
    assert can_resume(run)
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
    assert not can_resume(run)
    assert not run.unfinished.exists()
    assert (run.internal / "figures.json").exists()


def test_it_can_be_resumed_before_anybody_noticed(debited: InLedger) -> None:
    run = interrupted(debited)
    resume(run, JOB.records, ledger=debited.ledger)
    assert debited.kinds[3:] == ["running", "resumed", "released"]


def test_it_can_be_interrupted_more_than_once(debited: InLedger) -> None:
    run = interrupted(debited, 7)
    for _ in range(2):
        with killed(5), pytest.raises(Killed):
            resume(run, JOB.records, ledger=debited.ledger)
        gone(run)
    resume(run, JOB.records, ledger=debited.ledger)
    book = debited.ledger.book()
    assert (book.runs[run.identity].resumed, book.balances[0].runs) == (3, 1)


def test_a_full_disk_stops_a_run_that_then_goes_on(
    debited: InLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as filled:
        filled.setattr(release, "save_position", full)
        started(JOB, debited.place, ledger=debited.ledger)
    run = debited.run
    assert run.progress().message == (
        f"The disk that holds {run.path} is full. Free some space and resume the run, which "
        "spends nothing further."
    )
    assert debited.ledger.book().runs[run.identity].state == "failed"
    resume(run, JOB.records, ledger=debited.ledger)
    assert debited.ledger.book().runs[run.identity].state == "released"


def refused(run: RunFolder, debited: InLedger, records: Records = JOB.records) -> Refusal:
    before = debited.kinds, run.read_text("progress.json"), run.unfinished.exists()
    with pytest.raises(Refusal) as caught:
        resume(run, records, ledger=debited.ledger)
    assert (debited.kinds, run.read_text("progress.json"), run.unfinished.exists()) == before
    return caught.value


def test_another_table_is_refused_and_changes_nothing(debited: InLedger) -> None:
    run = interrupted(debited)
    turned = Records(SCHEMA, JOB.records.codes[::-1].copy())
    other = Schema(columns=(*SCHEMA.columns, Column(name="more", domain=Categories(values=("x",)))))
    wider = Records(other, np.column_stack([JOB.records.codes, np.zeros(600, np.uint16)]))
    for records in (table(seed=6), JOB.records.take(np.arange(599)), turned, wider):
        assert refused(run, debited, records).field == "table"
    assert can_resume(run)


def test_a_run_killed_before_it_kept_its_model_goes_on(
    debited: InLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as stopped:
        stopped.setattr("understudy.runs.checkpoint.write_internal_arrays", dies)
        with pytest.raises(Killed):
            started(JOB, debited.place, ledger=debited.ledger)
    run = debited.run
    gone(run)
    assert reconcile(debited.ledger).runs[run.identity].state == "abandoned"
    resume(run, JOB.records, ledger=debited.ledger)
    said = debited.ledger.book().runs[run.identity]
    assert (said.state, said.resumed) == ("released", 1)
    assert debited.ledger.book().balances[0].runs == 1
    assert not run.unfinished.exists()


def test_a_run_that_never_had_a_process_goes_on_at_once(
    debited: InLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as stopped:
        stopped.setattr(control, "_launch", dies)
        with pytest.raises(Killed):
            started(JOB, debited.place, ledger=debited.ledger)
    resume(debited.run, JOB.records, ledger=debited.ledger)
    assert debited.kinds[2:] == ["debited", "resumed", "released"]


def test_a_run_killed_right_after_its_debit_is_given_its_place(
    debited: InLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as stopped:
        stopped.setattr(control, "launch_worker", dies)
        with pytest.raises(Killed):
            started(JOB, debited.place, ledger=debited.ledger)
    assert control.list_runs(debited.place) == ()
    reconcile(debited.ledger)
    resume(debited.run, JOB.records, ledger=debited.ledger)
    assert debited.kinds[2:] == ["debited", "abandoned", "resumed", "released"]


def test_a_run_killed_before_its_debit_leaves_nothing(
    debited: InLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as stopped:
        stopped.setattr(Ledger, "debit", dies)
        with pytest.raises(Killed):
            started(JOB, debited.place, ledger=debited.ledger)
    (hidden,) = debited.place.iterdir()
    assert (RunFolder(hidden).unfinished / "secret").exists()
    reconcile(debited.ledger)
    assert list(debited.place.iterdir()) == []
    assert debited.ledger.book().runs == {}


def test_a_run_under_way_a_finished_and_a_cancelled_one_are_refused(debited: InLedger) -> None:
    run = interrupted(debited)
    with debited.ledger.underway.claim(run.identity, run.path):
        resumption._LETTING_GO_TAKES, patience = 0.0, resumption._LETTING_GO_TAKES
        assert "under way" in refused(run, debited).problem
        resumption._LETTING_GO_TAKES = patience
    run.report(Progress("attempting", 150, process=os.getpid()))
    assert not can_resume(run)
    refused(run, debited)
    gone(run)
    run.cancel()
    assert "was cancelled" in refused(run, debited).problem
    (run.path / "cancel").unlink()
    resume(run, JOB.records, ledger=debited.ledger)
    assert "has finished" in refused(run, debited).problem


def test_another_version_of_the_program_does_not_go_on(
    debited: InLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = interrupted(debited)
    with monkeypatch.context() as newer:
        newer.setattr(attempts, "__version__", "99.0")
        assert "another version" in refused(run, debited).problem
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(np, "log", lambda values: np.nextafter(np.log2(values), 0.0))
        assert "another kind of processor" in refused(run, debited).problem
    resume(run, JOB.records, ledger=debited.ledger)


def test_a_run_of_another_ledger_is_refused(debited: InLedger, tmp_path: Path) -> None:
    run = interrupted(debited)
    other = Ledger(tmp_path / "other" / "ledger.sqlite")
    with pytest.raises(Refusal, match="has no run"):
        resume(run, JOB.records, ledger=other)
    assert can_resume(run)


@pytest.mark.parametrize("name", ["secret", "learned.npz", "about.json"])
def test_damaged_files_are_refused_in_words(debited: InLedger, name: str) -> None:
    run = interrupted(debited)
    cut(run.unfinished / name, 10)
    assert "damaged" in refused(run, debited).problem


def test_giving_up_erases_what_the_run_could_go_on_from(debited: InLedger) -> None:
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


def test_a_demonstration_goes_on_and_stays_one(debited: InLedger) -> None:
    run = interrupted(debited, job=replace(JOB, seed=5))
    resume(run, JOB.records, ledger=debited.ledger)
    assert "NOT PRIVATE" in json.loads(run.guarantee.read_text(encoding="utf-8"))["stain"]
    assert debited.ledger.book().balances[0].unpromised == 1


def test_a_resumed_run_draws_from_its_own_secret(
    debited: InLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = interrupted(debited)

    def never() -> Secret:
        raise AssertionError("another secret was drawn")

    monkeypatch.setattr(Secret, "fresh", never)
    resume(run, JOB.records, ledger=debited.ledger)
    assert run.progress().state == "finished"


def test_an_abandoned_run_is_put_down_once_more_when_it_is_abandoned_again(
    debited: InLedger,
) -> None:
    run = interrupted(debited)
    reconcile(debited.ledger)
    assert not debited.ledger.note(run.identity, Abandoned())
    with killed(5), pytest.raises(Killed):
        resume(run, JOB.records, ledger=debited.ledger)
    gone(run)
    reconcile(debited.ledger)
    assert debited.kinds[3:] == ["running", "abandoned", "resumed", "abandoned"]


def test_a_run_that_the_ledger_knows_the_end_of_is_not_resumed(debited: InLedger) -> None:
    run = interrupted(debited)
    debited.ledger.note(run.identity, Cancelled_())
    with pytest.raises(Refusal, match="cannot be resumed"):
        resume(run, JOB.records, ledger=debited.ledger)
    assert not run.release.exists()


def test_an_erased_secret_is_none(debited: InLedger) -> None:
    run = interrupted(debited)
    (run.unfinished / "secret").write_bytes(bytes(32))
    assert "damaged" in refused(run, debited).problem


CHANGED: dict[str, Callable[[RunFolder], object]] = {
    "more attempts": lambda run: run.write_text(
        "plan.json", JOB.plan.change(SCHEMA, attempts=120).to_json()
    ),
    "a fixed seed": lambda run: (run.unfinished / "about.json").write_text(
        (run.unfinished / "about.json").read_text().replace("false", "true", 1)
    ),
}


@pytest.mark.parametrize("change", CHANGED.values(), ids=CHANGED)
def test_a_run_goes_on_with_what_it_was_debited_for_only(
    debited: InLedger, change: Callable[[RunFolder], object]
) -> None:
    run = interrupted(debited)
    change(run)
    assert "no longer the one that it was debited for" in refused(run, debited).problem


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
    checkpoint.erase(run)
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
    with pytest.raises(WorkCancelled):
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

    monkeypatch.setattr(checkpoint, "save_learned", never)
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
            checkpoint.erase(run)
    assert not run.can_go_on
    checkpoint.erase(run)
    assert not run.internal.exists()


def full(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_disk_that_fills_up_before_the_first_attempt_is_no_end(
    debited: InLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as filled:
        filled.setattr("understudy.runs.checkpoint.write_internal_arrays", full)
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
        filled.setattr("understudy.runs.checkpoint.write_internal_arrays", full)
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
    with debited.ledger.underway.claim(run.identity, run.path):
        run.cancel()
    reconcile(debited.ledger)
    assert not run.internal.exists()
    assert not run.partial.exists()


@pytest.mark.parametrize(
    ("plan", "form"),
    [*((plan, "csv") for plan in PLANS.values()), (PLANS["releases"], "parquet")],
    ids=[*PLANS, "in Parquet"],
)
def test_a_run_killed_at_any_step_comes_to_the_same_release(
    plan: Plan, form: TableForm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = Job(table(), plan, figures=False, resources=Resources(form=form))
    interrupted = begun(job, tmp_path / "begun", monkeypatch)
    with killed(10**9) as steps:
        expected = gone_on(job, copied(interrupted, tmp_path / "whole"))
    assert {"before add", "after save_position", "before replace_text", "after erase"} <= set(steps)
    # What the release holds is on the disk before it gets its name, and that name before the
    # secret that it follows from is erased.
    whole, published = (at for at, step in enumerate(steps) if step == "before sync_folder")
    assert whole < published < steps.index("before erase")
    # Nothing happens between the end of one step and the beginning of the next.
    moments = [at for at, step in enumerate(steps) if step.startswith("before")]
    for at in (*moments, len(steps) - 1):
        run = copied(interrupted, tmp_path / f"{at}")
        with killed(at), pytest.raises(Killed):
            work(replace(job, resumed=True), run, os.getpid())
        assert run.can_go_on == (at < published)
        if run.can_go_on and at % 3 == 0:
            # And once more, soon after it went on.
            with killed(2), pytest.raises(Killed):
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
    with killed(9), pytest.raises(Killed):
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


SPOILED: dict[str, Callable[[RunFolder], object]] = {
    "a tail torn off": lambda run: cut(run.partial / "synthetic.csv", 40),
    "nothing left": lambda run: cut(run.partial / "synthetic.csv", 0),
    "gone": lambda run: shutil.rmtree(run.partial),
    "something more": lambda run: (run.partial / "synthetic.csv").open("ab").write(b"v0,v1"),
    "something else": lambda run: (run.partial / "synthetic.csv").write_bytes(b"x" * 10_000),
    "no checkpoint": lambda run: (run.unfinished / "reached.json").unlink(),
    "half a checkpoint": lambda run: cut(run.unfinished / "reached.json", 20),
}


@pytest.mark.parametrize("spoil", SPOILED.values(), ids=SPOILED)
def test_whatever_a_power_failure_left_of_the_table_it_comes_out_the_same(
    spoil: Callable[[RunFolder], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = Job(table(), PLANS["hidden ω"], figures=False)
    run = begun(job, tmp_path / "begun", monkeypatch)
    expected = gone_on(job, copied(run, tmp_path / "whole"))
    with killed(15), pytest.raises(Killed):
        work(replace(job, resumed=True), run, os.getpid())
    spoil(run)
    assert gone_on(job, run) == expected


def test_what_was_reached_is_not_done_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = Job(table(), PLANS["hidden ω"], figures=False)
    run = begun(job, tmp_path / "begun", monkeypatch)
    with killed(11) as before, pytest.raises(Killed):
        work(replace(job, resumed=True), run, os.getpid())
    at = checkpoint.read_position(run)
    assert at is not None
    assert at.at == 32 * before.count("after save_position")
    with killed(10**9) as after:
        gone_on(job, run)
    assert after.count("after add") == BATCHES - before.count("after save_position")


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
    batches = [("attempts", number) for number in range(BATCHES)]
    assert asked == [("tape", 0), ("split", 0), ("model", 0), *batches, ("figures", 0)]


@pytest.mark.parametrize(
    ("kind", "questions", "more"),
    [
        # The structure and the tables of three columns; each of them; and how many records there
        # are and each of them, and after some answers more.
        ("network", 5, False),
        ("marginals", 3, False),
        ("calibrated", 4, True),
    ],
)
def test_a_run_killed_while_it_learns_draws_nothing_twice(
    kind: ModelKind, questions: int, more: bool, tmp_path: Path
) -> None:
    model = ModelPlan(kind=kind)
    job = Job(table(), PLANS["hidden ω"].change(SCHEMA, model=model), figures=False)
    again = replace(job, resumed=True)
    for at in range(1, questions):
        run = folder_of(job, tmp_path / f"{at}")
        assert drawn(job, run, stop_after=at) == (at, 0)
        assert run.can_go_on
        fresh, replayed = drawn(again, run)
        assert replayed == at
        assert fresh >= questions - at
        assert more or fresh == questions - at


def test_what_is_learned_from_a_whole_tape_comes_to_the_same_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = Job(table(), PLANS["hidden ω"], figures=False)
    run = folder_of(job, tmp_path / "run")
    with monkeypatch.context() as stopped:
        stopped.setattr("understudy.runs.checkpoint.write_internal_arrays", dies)
        with pytest.raises(Killed):
            work(job, run, os.getpid())
    other = copied(run, tmp_path / "other")
    again = replace(job, resumed=True)
    one, two = drawn(again, run), drawn(again, other)
    assert one == two
    assert one[0] == 0 < one[1]
    assert run.table.read_bytes() == other.table.read_bytes()


def test_what_was_drawn_is_written_over_before_it_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = Job(table(), PLANS["hidden ω"], figures=False)
    for name, stop_after in (("learned", None), ("given up", 3)):
        run = folder_of(job, tmp_path / name)
        tape = run.unfinished / "tape"
        tape.touch(mode=0o600)
        os.link(tape, tmp_path / f"tape of {name}")
        drawn(job, run, stop_after)
        checkpoint.erase(run)
        erased = (tmp_path / f"tape of {name}").read_bytes()
        assert erased == bytes(len(erased)) != b""
