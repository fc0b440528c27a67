"""Resuming an interrupted run, and giving it up: one debit, one table, one process."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.engine.runs.asked import SCHEMA, table
from tests.engine.runs.interrupting import (
    JOB,
    InLedger,
    Killed,
    cut,
    dies,
    gone,
    interrupted,
    killed,
)
from tests.support import started
from understudy.core.refusal import Refusal
from understudy.ledger.events import Abandoned
from understudy.ledger.events import Cancelled as Cancelled_
from understudy.ledger.ledger import Ledger
from understudy.mechanisms.seedbased import attempts
from understudy.privacy.randomness import Secret
from understudy.runs import control, releasing, resuming
from understudy.runs.debit import reconcile
from understudy.runs.folder import RunFolder
from understudy.runs.resuming import give_up, resumable, resume
from understudy.runs.watched import Progress
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.records import Records
from understudy.table.schema import Schema

pytestmark = pytest.mark.usefixtures("small_batches")


def test_a_resumed_run_is_one_run_with_one_debit(debited: InLedger) -> None:
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
        filled.setattr(releasing, "reach", full)
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
    assert resumable(run)


def test_a_run_killed_before_it_kept_its_model_goes_on(
    debited: InLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as stopped:
        stopped.setattr("understudy.runs.checkpoint.internal_arrays", dies)
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
        stopped.setattr(control, "put_to_work", dies)
        with pytest.raises(Killed):
            started(JOB, debited.place, ledger=debited.ledger)
    assert control.runs(debited.place) == ()
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
    with debited.ledger.underway.claimed(run.identity, run.path):
        resuming._LETTING_GO_TAKES, patience = 0.0, resuming._LETTING_GO_TAKES
        assert "under way" in refused(run, debited).problem
        resuming._LETTING_GO_TAKES = patience
    run.report(Progress("attempting", 150, process=os.getpid()))
    assert not resumable(run)
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
    assert resumable(run)


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
