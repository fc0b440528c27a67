"""A run is refused, debited and started: what is in the ledger, whatever becomes of it."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from tests.engine.runs.of_census import SCHEMA, plan
from tests.support import new_people, started
from understudy.core.home import home
from understudy.core.refusal import Refusal
from understudy.ledger.ledger import Debit, Ledger
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import promise
from understudy.models.omega import Omega
from understudy.privacy.budget import Budget
from understudy.runs.control import home_ledger, runs, start, wait
from understudy.runs.debit import reconcile
from understudy.runs.work import Job
from understudy.table.records import Records
from understudy.table.schema import Schema


@pytest.mark.parametrize("known", [None, 3_000])
def test_what_nobody_confirmed_to_be_public_is_refused_before_anything_is_spent(
    records: Records, tmp_path: Path, known: int | None
) -> None:
    with pytest.raises(Refusal, match="public knowledge") as caught:
        start(Job(records, plan(public_records=known)), tmp_path)
    assert caught.value.field == "public_records"
    with pytest.raises(Refusal, match="publicly known to have 6,000 records"):
        start(Job(records, plan(public_records=6_000)), tmp_path)
    assert runs(tmp_path) == ()
    assert home_ledger().book().runs == {}


def test_nothing_is_spent_on_a_schema_that_was_not_declared_or_was_changed_since(
    records: Records, tmp_path: Path
) -> None:
    fine = SCHEMA.refined([True] * len(SCHEMA))
    for schema, said in ((fine, "changed since"), (Schema(columns=fine.columns), "declared")):
        asked = Plan.of(schema, omega=Omega(low=11, high=11), attempts=100)
        with pytest.raises(Refusal, match=said) as caught:
            start(Job(records.under(schema), asked), tmp_path)
        assert caught.value.field == "schema"
    assert runs(tmp_path) == ()
    assert home_ledger().book().runs == {}


def test_the_run_is_debited_before_it_starts_and_whatever_becomes_of_it(
    records: Records, tmp_path: Path
) -> None:
    asked = plan(attempts=10**8, omega=Omega(low=11, high=11), records_per_person=2, sampling=0.5)
    folder = started(Job(records, asked), tmp_path)
    made = promise(asked, SCHEMA)
    book = home_ledger().book()
    assert book.runs[folder.identity].debit.record == made.record
    assert book.runs[folder.identity].promised == made.total
    folder.cancel()
    ended = wait(folder)
    assert ended.state == "cancelled"
    assert not folder.release.exists()
    assert not (folder.path / "release.partial").exists()
    after = home_ledger().book()
    assert after.runs[folder.identity].state == "cancelled"
    assert after.balances[0].spends == book.balances[0].spends
    assert runs(tmp_path) == (folder,)


@pytest.mark.usefixtures("in_this_process")
def test_what_the_ledger_keeps_of_a_plan_is_what_may_be_published(
    records: Records, tmp_path: Path
) -> None:
    asked = plan(policies={"AGEP": "clip"}, attempts=200)
    folder = started(Job(records, asked), tmp_path)
    debit = home_ledger().book().runs[folder.identity].debit
    assert debit.plan == asked.model_dump(
        mode="json", exclude={"policies", "marks", "acceptance", "noisy_tables"}
    )
    assert (debit.protocol, debit.count, debit.stained) == ("attempts", 200, False)
    assert wait(folder).state == "finished"


def test_a_budget_refuses_a_run_and_nothing_is_left_of_it(records: Records, tmp_path: Path) -> None:
    ledger = home_ledger()
    dataset = new_people(records, "census", ledger=ledger)
    ledger.budget("census", Budget(0.5, 1e-9))
    events = ledger.verify().events
    for seed in (None, 7):
        with pytest.raises(Refusal) as refused:
            start(Job(records, plan(), seed), tmp_path, dataset=dataset)
        assert refused.value.field == "budget"
    assert list(tmp_path.iterdir()) == []
    assert ledger.verify().events == events
    assert ledger.underway.runs() == ()


@pytest.mark.usefixtures("in_this_process")
def test_a_run_goes_into_the_ledger_and_to_the_dataset_it_is_told_of(
    records: Records, tmp_path: Path
) -> None:
    ledger = Ledger(tmp_path / "other" / "ledger.sqlite")
    dataset = new_people(records, "census", ledger=ledger)
    folder = start(Job(records, plan(attempts=50)), tmp_path, dataset=dataset, ledger=ledger)
    assert wait(folder).state == "finished"
    (balance,) = ledger.book().balances
    assert (balance.dataset.name, balance.runs) == ("census", 1)
    assert ledger.book().runs[folder.identity].state == "released"
    assert home_ledger().book().events == 0


@pytest.mark.usefixtures("in_this_process")
def test_without_a_dataset_the_records_alone_tell(records: Records, tmp_path: Path) -> None:
    for _ in range(2):
        assert wait(started(Job(records, plan(attempts=50)), tmp_path)).state == "finished"
    (balance,) = home_ledger().book().balances
    assert balance.dataset.name.startswith("table ")
    assert balance.runs == 2


def test_a_ledger_that_cannot_be_written_stops_the_run(
    records: Records, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    monkeypatch.setenv("UNDERSTUDY_HOME", str(tmp_path / "file"))
    with pytest.raises(Refusal) as refused:
        start(Job(records, plan()), tmp_path / "place")
    assert refused.value.field == "ledger"
    assert not (tmp_path / "place").exists()


def test_a_run_counts_as_under_way_from_before_its_debit(
    records: Records, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = []

    def look(ledger: Ledger, asked: Debit) -> None:
        with ledger.underway.orphan(asked.run) as orphan:
            held.append(orphan is None)
        raise Refusal("Not today.", "Tomorrow.")

    monkeypatch.setattr(Ledger, "debit", look)
    with pytest.raises(Refusal, match="Not today"):
        started(Job(records, plan()), tmp_path)
    assert held == [True]
    assert home_ledger().underway.runs() == ()


def test_a_run_whose_process_cannot_be_started_stays_spent(
    records: Records, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise OSError(errno.EAGAIN, "no more processes")

    monkeypatch.setattr("understudy.runs.process.subprocess.Popen", refused)
    with pytest.raises(Refusal, match="budget counts as spent"):
        started(Job(records, plan()), tmp_path)
    (folder,) = runs(tmp_path)
    assert folder.progress().state == "failed"
    assert home_ledger().book().runs[folder.identity].state == "failed"
    with pytest.raises(Refusal) as rehearsal:
        start(Job(records, plan(), purpose="rehearsal"), tmp_path)
    assert "spent" not in str(rehearsal.value)


def test_a_run_whose_folder_cannot_be_put_in_place_stays_spent(
    records: Records, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Path.rename

    def refused(path: Path, target: Path) -> Path:
        if path.parent == tmp_path:
            raise OSError(errno.EROFS, "read-only")
        return real(path, target)

    with monkeypatch.context() as broken:
        broken.setattr(Path, "rename", refused)
        with pytest.raises(Refusal, match=r"budget counts as spent.*then resume the run"):
            started(Job(records, plan()), tmp_path)
    (run,) = home_ledger().book().runs.values()
    assert run.state == "failed"
    assert runs(tmp_path) == ()
    # Whoever looks next gives it its place, and it goes on.
    reconcile(home_ledger())
    (folder,) = runs(tmp_path)
    assert (folder.identity, folder.can_go_on) == (run.id, True)


def test_a_table_smaller_than_counted_on_is_refused_before_anything_is_spent(
    records: Records, tmp_path: Path
) -> None:
    with pytest.raises(Refusal) as refused:
        started(Job(records, plan(seeds_at_least=1_500)), tmp_path)
    assert refused.value.field == "seeds_at_least"
    assert list(tmp_path.iterdir()) == []
    assert home_ledger().book().events == 0


def test_a_place_that_cannot_be_used_is_refused_before_anything_is_spent(
    records: Records, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    with pytest.raises(Refusal) as refused:
        started(Job(records, plan()), tmp_path / "file")
    assert refused.value.field == "out"
    assert home_ledger().book().events == 0


def test_home_can_be_chosen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("UNDERSTUDY_HOME", str(tmp_path))
    assert home() == tmp_path
    assert runs(tmp_path / "nowhere") == ()
