"""How a run ended, put down by whoever looks next."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from understudy.core.refusal import Refusal
from understudy.ledger.book import Dataset
from understudy.ledger.events import Abandoned, Debited, Released, Running
from understudy.ledger.ledger import Debit, Ledger
from understudy.privacy.budget import Budget
from understudy.runs.debit import make_end_event, reconcile
from understudy.runs.folder import RunFolder
from understudy.runs.work_folder import Progress

Planned = Callable[[str], RunFolder]


@pytest.fixture
def planned(ledger: Ledger, tmp_path: Path) -> Planned:
    """Debits a run whose process is gone; its folder lies outside the home folder."""

    def make(run: str) -> RunFolder:
        folder = RunFolder(tmp_path / "place" / run)
        folder.path.mkdir(parents=True)
        with ledger.underway.claim(run, folder.path):
            ledger.debit(paid(run))
        return folder

    return make


def paid(run: str) -> Debit:
    what = Debited(
        purpose="release", plan={}, protocol="attempts", count=1, record=Budget(0.1, 1e-9)
    )
    return Debit(run, Dataset("d-1", "census"), what)


def release(folder: RunFolder, content: bytes = b"a,b\n1,2\n") -> None:
    folder.release.mkdir()
    folder.table.write_bytes(content)
    stated = hashlib.sha256(b"a,b\n1,2\n").hexdigest()
    folder.guarantee.write_text(json.dumps({"table": {"sha256": stated}}), encoding="utf-8")


def state(ledger: Ledger, run: str = "r0") -> str:
    return ledger.book().runs[run].state


def test_a_run_gone_without_a_word_is_abandoned_and_stays_spent(
    ledger: Ledger, planned: Planned
) -> None:
    planned("r0")
    spent = ledger.book().balances[0].spent
    book = reconcile(ledger)
    assert book.runs["r0"].state == state(ledger) == "abandoned"
    assert book.balances[0].spent == spent == Budget(0.1, 1e-9)
    assert ledger.underway.runs() == ()
    events = ledger.verify().events
    reconcile(ledger)
    assert ledger.verify().events == events


def test_a_run_gone_with_its_release_whole_is_released(ledger: Ledger, planned: Planned) -> None:
    folder = planned("r0")
    ledger.note("r0", Running())
    release(folder)
    book = reconcile(ledger)
    assert book.runs["r0"].state == "released"
    assert book.runs["r0"].artefacts == folder.artefacts()
    assert set(book.runs["r0"].artefacts) == {"synthetic.csv", "guarantee.json"}


def test_a_release_that_is_not_what_its_statement_says_does_not_count(
    ledger: Ledger, planned: Planned
) -> None:
    release(planned("r0"), b"a,b\n1,3\n")
    reconcile(ledger)
    assert state(ledger) == "abandoned"


@pytest.mark.parametrize("said", ["cancelled", "failed"])
def test_a_run_that_said_how_it_ended_is_believed(
    ledger: Ledger, planned: Planned, said: Any
) -> None:
    planned("r0").report(Progress(said, 10))
    reconcile(ledger)
    assert state(ledger) == said


def test_a_run_with_a_process_is_left_alone(ledger: Ledger, tmp_path: Path) -> None:
    with ledger.underway.claim("r0", tmp_path):
        ledger.debit(paid("r0"))
        reconcile(ledger)
        assert state(ledger) == "planned"
    reconcile(ledger)
    assert state(ledger) == "abandoned"


def test_a_run_of_which_only_the_debit_is_left_is_looked_for_at_home(
    ledger: Ledger, planned: Planned
) -> None:
    planned("r0")
    ledger.underway.forget("r0")
    beside = RunFolder(ledger.path.parent / "r0")
    beside.path.mkdir()
    release(beside)
    reconcile(ledger)
    assert state(ledger) == "released"


def test_what_a_killed_start_or_worker_left_is_swept(ledger: Ledger, tmp_path: Path) -> None:
    ledger.debit(paid("ended"))
    ledger.note("ended", Abandoned())
    for run in ("ended", "never debited"):
        with ledger.underway.claim(run, tmp_path):
            pass
    reconcile(ledger)
    assert ledger.underway.runs() == ()
    assert list(ledger.book().runs) == ["ended"]


def test_what_cannot_be_put_down_does_not_keep_anybody_from_looking(
    ledger: Ledger, planned: Planned, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned("r0")

    def full(*_: object) -> bool:
        raise Refusal("The disk is full.", "Free some space.")

    with monkeypatch.context() as broken:
        broken.setattr(Ledger, "note", full)
        assert reconcile(ledger).runs["r0"].state == "planned"
        assert ledger.underway.runs() == ("r0",)
    assert reconcile(ledger).runs["r0"].state == "abandoned"


def _look(path: Path, together: Any) -> None:
    together.wait()
    reconcile(Ledger(path))


def test_several_that_look_at_once_put_it_down_once(ledger: Ledger, planned: Planned) -> None:
    for place in range(5):
        planned(f"r{place}")
    context = multiprocessing.get_context("fork")
    together = context.Barrier(4)
    lookers = [context.Process(target=_look, args=(ledger.path, together)) for _ in range(4)]
    for each in lookers:
        each.start()
    for each in lookers:
        each.join()
        assert each.exitcode == 0
    kinds = [json.loads(line)["kind"] for line in ledger.export().splitlines()]
    assert kinds.count("abandoned") == 5
    assert reconcile(ledger).unended == ()


def test_what_a_run_ended_as(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    assert [make_end_event(folder, said).state for said in (None, "attempting", "failed")] == [
        "abandoned", "abandoned", "failed",
    ]  # fmt: skip
    release(folder)
    assert isinstance(make_end_event(folder, "failed"), Released)
    assert isinstance(make_end_event(RunFolder(tmp_path / "gone")), Abandoned)
