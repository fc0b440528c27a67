"""A release is handed over once, whole, and whoever was killed; nothing else is swept."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from understudy.core.refusal import Refusal
from understudy.ledger.book import Dataset
from understudy.ledger.events import Cancelled, Debited, Released, Resumed
from understudy.ledger.ledger import Debit, Ledger
from understudy.privacy.budget import Budget
from understudy.runs import handover as handover_module
from understudy.runs.debit import reconcile
from understudy.runs.folder import RunFolder
from understudy.runs.handover import Handover, Handovers
from understudy.runs.work_folder import Progress

TABLE = b"a,b\n1,2\n"
FILES = {"guarantee.json", "synthetic.csv"}


class Killed(BaseException):
    """Stands for the end of a process."""


@pytest.fixture
def paid(ledger: Ledger, tmp_path: Path) -> Handover:
    """A run that was paid for, whose command and process are gone, and which may go on."""
    place = tmp_path / "place"
    run = RunFolder(place / ".out.abcd" / "r0")
    run.path.mkdir(parents=True)
    run.unfinished.mkdir(parents=True)
    what = Debited(
        purpose="release", plan={}, protocol="attempts", count=1, record=Budget(0.1, 1e-9)
    )
    ledger.debit(Debit("r0", Dataset("d-1", "census"), what))
    run.report(Progress("failed", 10))
    handover = Handover(run, place / "out", run.path.parent)
    with Handovers(ledger).hold(handover):
        pass
    return handover


@pytest.fixture
def released(ledger: Ledger, paid: Handover) -> Handover:
    """The same, and it has finished."""
    run = paid.run
    run.release.mkdir()
    run.table.write_bytes(TABLE)
    stated = {"table": {"sha256": hashlib.sha256(TABLE).hexdigest()}}
    run.guarantee.write_text(json.dumps(stated), encoding="utf-8")
    run.unfinished.rmdir()
    run.internal.rmdir()
    run.report(Progress("finished", 10))
    ledger.note("r0", Released(artefacts=run.artefacts() or {}))
    return paid


def names(folder: Path) -> set[str]:
    return {each.name for each in folder.iterdir()} if folder.exists() else set()


def beside(handover: Handover) -> set[str]:
    return names(handover.wanted.parent)


@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize("there", [False, True])
def test_it_leaves_the_two_files_and_nothing_beside_them(
    released: Handover, kept: bool, there: bool
) -> None:
    if there:
        released.wanted.mkdir()
        (released.wanted / "letter.txt").write_text("dear board", encoding="utf-8")
    handover = Handover(released.run, released.wanted, None if kept else released.passing)
    handover.hand_over()
    assert names(handover.wanted) == FILES | ({"letter.txt"} if there else set())
    assert (handover.wanted / "synthetic.csv").read_bytes() == TABLE
    assert beside(handover) == {"out", ".out.abcd"}
    if kept:
        # What is done to the copy is not done to what is kept.
        (handover.wanted / "synthetic.csv").write_bytes(b"changed")
        assert handover.run.table.read_bytes() == TABLE
    handover.finish()
    assert beside(handover) == ({"out", ".out.abcd"} if kept else {"out"})


def calls(monkeypatch: pytest.MonkeyPatch, stop_at: int | None = None) -> list[str]:
    """Every change that handing over makes to the disk; the process ends before one of them."""
    made: list[str] = []

    def counted(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            if len(made) == stop_at:
                raise Killed
            made.append(name)
            return real(*arguments, **named)

        return call

    monkeypatch.setattr(os, "link", counted("link", os.link))
    monkeypatch.setattr(Path, "rename", counted("rename", Path.rename))
    monkeypatch.setattr(Path, "mkdir", counted("mkdir", Path.mkdir))
    for name in ("sync_folder", "discard"):
        monkeypatch.setattr(handover_module, name, counted(name, getattr(handover_module, name)))
    monkeypatch.setattr(shutil, "rmtree", counted("rmtree", shutil.rmtree))
    return made


@pytest.mark.parametrize("there", [False, True])
@pytest.mark.parametrize("at", range(14))
def test_killed_anywhere_it_is_whole_or_not_there_or_completed_by_the_next_who_looks(
    released: Handover, ledger: Ledger, monkeypatch: pytest.MonkeyPatch, there: bool, at: int
) -> None:
    if there:
        released.wanted.mkdir()
    with monkeypatch.context() as hooks:
        calls(hooks, at)
        try:
            released.hand_over()
            released.finish()
        except Killed:
            pass
    if not there:
        assert names(released.wanted) in (set(), FILES)
    reconcile(ledger)
    assert names(released.wanted) in (set(), FILES)
    if not names(released.wanted):
        # Nobody asked for it again: it stays where it is found.
        assert released.run.artefacts() is not None
        assert Handovers(ledger).waiting() == (released,)
        released.hand_over()
        reconcile(ledger)
    assert names(released.wanted) == FILES
    assert (released.wanted / "synthetic.csv").read_bytes() == TABLE
    assert beside(released) == {"out"}
    assert Handovers(ledger).waiting() == ()


def test_it_is_counted_at_enough_moments(
    released: Handover, monkeypatch: pytest.MonkeyPatch
) -> None:
    released.wanted.mkdir()
    with monkeypatch.context() as hooks:
        made = calls(hooks)
        released.hand_over()
    assert made.count("link") == 4
    assert len(made) <= 11


def half(handover: Handover) -> None:
    """As a kill between the two files leaves it."""
    handover.wanted.mkdir()
    os.link(handover.run.guarantee, handover.wanted / "guarantee.json")


def test_somebody_elses_file_is_neither_overwritten_nor_given_a_statement(
    released: Handover, ledger: Ledger
) -> None:
    half(released)
    (released.wanted / "synthetic.csv").write_bytes(b"somebody else's")
    reconcile(ledger)
    assert (released.wanted / "synthetic.csv").read_bytes() == b"somebody else's"
    assert released.run.artefacts() is not None
    (released.wanted / "guarantee.json").unlink()
    with pytest.raises(FileExistsError):
        released.hand_over()
    assert names(released.wanted) == {"synthetic.csv"}
    assert released.run.artefacts() is not None


def test_a_half_that_was_taken_away_is_not_put_back_by_itself(
    released: Handover, ledger: Ledger
) -> None:
    half(released)
    (released.wanted / "guarantee.json").unlink()
    reconcile(ledger)
    assert names(released.wanted) == set()
    assert released.run.artefacts() is not None


def test_what_is_being_handed_over_is_left_alone(released: Handover, ledger: Ledger) -> None:
    half(released)
    with Handovers(ledger).hold(released):
        reconcile(ledger)
        assert names(released.wanted) == {"guarantee.json"}
    reconcile(ledger)
    assert names(released.wanted) == FILES


def test_two_do_not_hand_over_at_once(
    released: Handover, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handover_module, "_PATIENCE", 0.0)
    with Handovers(ledger).hold(released):
        again = Handovers(ledger).hold(released)
        with pytest.raises(Refusal, match="Another command"):
            again.__enter__()


def test_a_run_that_can_go_on_is_not_swept(paid: Handover, ledger: Ledger) -> None:
    reconcile(ledger)
    assert paid.run.can_go_on
    assert Handovers(ledger).waiting() == (paid,)


def test_a_run_with_a_process_is_not_swept(paid: Handover, ledger: Ledger) -> None:
    paid.run.unfinished.rmdir()
    ledger.note("r0", Resumed())
    with ledger.underway.claim("r0", paid.run.path):
        reconcile(ledger)
        assert paid.run.path.exists()
    paid.run.report(Progress("attempting", 10, process=os.getpid()))
    reconcile(ledger)
    assert paid.run.path.exists()


def test_a_run_that_has_ended_with_nothing_is_swept(paid: Handover, ledger: Ledger) -> None:
    ledger.note("r0", Cancelled())
    paid.run.cancel()
    (paid.run.unfinished / "secret").write_bytes(b"x" * 32)
    os.link(paid.run.unfinished / "secret", paid.wanted.parent / "secret")
    reconcile(ledger)
    assert beside(paid) == {"secret"}
    assert (paid.wanted.parent / "secret").read_bytes() == bytes(32)
    assert Handovers(ledger).waiting() == ()


def test_what_was_never_paid_for_is_swept(ledger: Ledger, tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "place" / ".out.abcd" / "r1")
    run.hidden.path.mkdir(parents=True)
    with Handovers(ledger).hold(Handover(run, tmp_path / "place" / "out", run.path.parent)):
        reconcile(ledger)
        assert run.hidden.path.exists()
    reconcile(ledger)
    assert names(tmp_path / "place") == set()


def test_a_disk_that_is_not_there_is_waited_for(
    released: Handover, ledger: Ledger, tmp_path: Path
) -> None:
    released.wanted.parent.rename(tmp_path / "unmounted")
    reconcile(ledger)
    assert Handovers(ledger).waiting() == (released,)
    (tmp_path / "unmounted").rename(released.wanted.parent)
    reconcile(ledger)
    assert released.run.artefacts() is not None


def test_a_kept_run_stays_where_it_is(released: Handover, ledger: Ledger) -> None:
    kept = Handover(released.run, released.wanted, None)
    with Handovers(ledger).hold(kept):
        pass
    half(kept)
    reconcile(ledger)
    assert names(kept.wanted) == FILES
    assert kept.run.artefacts() is not None
    assert Handovers(ledger).waiting() == ()


def test_a_file_system_without_second_names(
    released: Handover, monkeypatch: pytest.MonkeyPatch
) -> None:
    def link(*_: object) -> None:
        raise OSError(errno.EPERM, "not here")

    monkeypatch.setattr(os, "link", link)
    released.wanted.mkdir()
    released.hand_over()
    assert names(released.wanted) == FILES
    assert beside(released) == {"out", ".out.abcd"}


def test_a_full_disk_leaves_nothing_half(
    released: Handover, monkeypatch: pytest.MonkeyPatch
) -> None:
    def link(one: Path, other: Path) -> None:
        if other.name == "synthetic.csv" and other.parent == released.wanted:
            raise OSError(errno.ENOSPC, "full")
        real(one, other)

    def rename(_: Path, __: Path) -> None:
        raise OSError(errno.ENOSPC, "full")

    real = os.link
    released.wanted.mkdir()
    monkeypatch.setattr(os, "link", link)
    monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises(OSError, match="full"):
        released.hand_over()
    assert names(released.wanted) == set()
    assert released.run.artefacts() is not None


def test_a_note_that_says_nothing_is_forgotten(ledger: Ledger) -> None:
    place = ledger.path.with_suffix(".handover")
    place.mkdir(parents=True)
    (place / "r9").write_bytes(b"{")
    assert Handovers(ledger).waiting() == ()
    reconcile(ledger)
    assert names(place) == set()
