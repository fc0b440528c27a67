"""A run is refused, debited and started: what is in the ledger, whatever becomes of it. What a run
is debited is what its plan promises. What a budget still holds: each plan offered fits, and a
little more of it would not. A rehearsal on a table that stands in for the confidential one says
so, and is held to nothing that is promised of the other.
"""

from __future__ import annotations

import errno
import json
from pathlib import Path
from typing import Any, get_args

import pytest

from tests.engine.runs.asked import CENSUS_SCHEMA as SCHEMA
from tests.engine.runs.asked import SCHEMA as ASKED_SCHEMA
from tests.engine.runs.asked import census_plan as plan
from tests.engine.runs.asked import seedless
from tests.support import category_schema, declared, new_people, started, uniform_records
from understudy.core.home import home
from understudy.core.numerals import describe_duration, describe_roughly
from understudy.core.refusal import Refusal
from understudy.ledger.book import Balance, Dataset
from understudy.ledger.ledger import Debit, Ledger
from understudy.ledger.totals import Spend, total_alone
from understudy.mechanisms.registry import plan_run
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import promise
from understudy.models.omega import Omega
from understudy.privacy.budget import Budget
from understudy.privacy.plausibility.privacy_test import privacy_test
from understudy.runs.control import home_ledger, list_runs, start, wait
from understudy.runs.debit import list_affordable, make_debit, reconcile
from understudy.runs.folder import ABOUT, RecordsOf, RunFolder
from understudy.runs.work import Job
from understudy.runs.work_folder import Progress, describe_failure
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
    assert list_runs(tmp_path) == ()
    assert home_ledger().book().runs == {}


def test_nothing_is_spent_on_a_schema_that_was_not_declared_or_was_changed_since(
    records: Records, tmp_path: Path
) -> None:
    fine = SCHEMA.refine([True] * len(SCHEMA))
    for schema, said in ((fine, "changed since"), (Schema(columns=fine.columns), "declared")):
        asked = Plan.of(schema, omega=Omega(low=11, high=11), attempts=100)
        with pytest.raises(Refusal, match=said) as caught:
            start(Job(records.under(schema), asked), tmp_path)
        assert caught.value.field == "schema"
    assert list_runs(tmp_path) == ()
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
    assert list_runs(tmp_path) == (folder,)


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
    (folder,) = list_runs(tmp_path)
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
    assert list_runs(tmp_path) == ()
    # Whoever looks next gives it its place, and it goes on.
    reconcile(home_ledger())
    (folder,) = list_runs(tmp_path)
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
    assert list_runs(tmp_path / "nowhere") == ()


DEBIT_SCHEMA = category_schema(2, 3, 4)
KEEPING = Plan.of(
    DEBIT_SCHEMA,
    omega=Omega(low=2, high=2),
    attempts=3,
    records_per_person=2,
    sampling=0.5,
    seeds_at_least=100,
)


def test_it_stands_for_the_total_that_was_promised() -> None:
    made = promise(KEEPING, DEBIT_SCHEMA)
    found = make_debit(plan_run(KEEPING, DEBIT_SCHEMA))
    assert found.spend is not None
    assert total_alone(found.spend) == made.total
    assert (found.count, found.protocol, found.records_per_person) == (3, "attempts", 2)
    assert not found.seedless


def test_how_stray_values_are_settled_is_left_out() -> None:
    plan = KEEPING.change(DEBIT_SCHEMA, policies={"c0": "refuse"})
    assert "policies" not in make_debit(plan_run(plan, DEBIT_SCHEMA)).plan


def test_a_run_that_copies_nothing_says_so() -> None:
    plan = KEEPING.change(DEBIT_SCHEMA, omega=Omega(low=3, high=3))
    assert make_debit(plan_run(plan, DEBIT_SCHEMA)).seedless


def test_a_fixed_seed_promises_nothing() -> None:
    found = make_debit(plan_run(KEEPING, DEBIT_SCHEMA), stained=True)
    assert found.stained
    assert found.spend is None


SEEDBASED = seedless(
    omega=Omega(low=2, high=2),
    test=privacy_test("relative-sensitivity", 400, 0.1),
    attempts=300,
    seeds_at_least=1_000,
)


def balance(epsilon: float, *spent: float, delta: float = 1e-3) -> Balance:
    dataset = Dataset("d-1", "people", budget=Budget(epsilon, delta))
    return Balance(dataset, tuple(Spend(Budget(each, 1e-9)) for each in spent))


def fits(plan: Plan, before: Balance) -> bool:
    spend = make_debit(plan_run(plan, ASKED_SCHEMA)).spend
    budget = before.dataset.budget
    return spend is not None and budget is not None and before.adding(spend).fits(budget)


@pytest.mark.parametrize("protocol", ["attempts", "releases"])
def test_the_most_attempts_that_fit_are_offered(protocol: str) -> None:
    floor: dict[str, Any] = {"pass_floor": 0.2} if protocol == "releases" else {}
    plan = SEEDBASED.change(ASKED_SCHEMA, protocol=protocol, **floor)
    before = balance(2.5, 0.4)
    assert not fits(plan, before)
    fewer, _ = list_affordable(plan, ASKED_SCHEMA, before)
    assert 1 < fewer.plan.attempts < 300
    assert fits(fewer.plan, before)
    more = plan.change(ASKED_SCHEMA, attempts=fewer.plan.attempts + 1)
    assert not fits(more, before)
    counted = "attempts" if protocol == "attempts" else "records"
    assert fewer.said == f"{fewer.plan.attempts:,} {counted} in place of 300"


def test_without_seeds_what_is_left_goes_into_the_model() -> None:
    before = balance(0.5)
    (only,) = list_affordable(SEEDBASED, ASKED_SCHEMA, before)
    assert only.plan.seed_attempts(ASKED_SCHEMA) == 0
    assert only.plan.model.epsilon is not None
    assert 0.3 < promise(only.plan, ASKED_SCHEMA).total.epsilon <= 0.5 < only.plan.model.epsilon
    assert fits(only.plan, before)
    assert only.plan.attempts == 300


def test_a_seedless_plan_is_offered_more_noise() -> None:
    (only,) = list_affordable(seedless(), ASKED_SCHEMA, balance(1.0, 0.4))
    assert only.plan.omega == seedless().omega
    assert fits(only.plan, balance(1.0, 0.4))


@pytest.mark.parametrize(
    "before", [balance(1.0, 1.0), balance(1.0, 0.9999), balance(5.0, 0.1, delta=1.5e-9)]
)
def test_where_nothing_is_left_nothing_is_offered(before: Balance) -> None:
    assert list_affordable(SEEDBASED, ASKED_SCHEMA, before) == ()


def test_several_records_per_person_and_a_sample_are_counted() -> None:
    plan = SEEDBASED.change(ASKED_SCHEMA, records_per_person=2, sampling=0.5)
    for found in list_affordable(plan, ASKED_SCHEMA, balance(2.0)):
        assert fits(found.plan, balance(2.0))
        assert (found.plan.records_per_person, found.plan.sampling) == (2, 0.5)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0.2, "0 s"),
        (59.6, "1 min 0 s"),
        (61, "1 min 1 s"),
        (3600, "1 h 0 min"),
        (9000, "2 h 30 min"),
    ],
)
def test_lengths_of_time(seconds: float, said: str) -> None:
    assert describe_duration(seconds) == said


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.2, "5 s"), (7.4, "10 s"), (46, "1 min"), (61, "1 min 30 s"), (2_000, "45 min")],
)
def test_what_is_known_roughly_is_said_roughly(seconds: float, said: str) -> None:
    assert describe_roughly(seconds) == said


def test_hours_are_rounded_up() -> None:
    assert describe_roughly(3_601) == "2 h"


STAND_IN_SCHEMA = category_schema(4, 3)
PLAN = Plan.of(
    STAND_IN_SCHEMA,
    test=privacy_test("relative-sensitivity", 30, 1.0),
    omega=Omega(low=1, high=1),
    attempts=5,
    delta=1e-5,
    seeds_at_least=2_000,
)


@pytest.fixture
def few() -> Records:
    return uniform_records(STAND_IN_SCHEMA, 600, 1)


def test_it_may_have_fewer_records_than_the_plan_counts_on(few: Records, tmp_path: Path) -> None:
    job = Job(few, PLAN, purpose="rehearsal", records_of="public", named="open.csv")
    run = start(job, tmp_path)
    assert wait(run).state == "finished"
    assert (run.about().records_of, run.about().named) == ("public", "open.csv")
    assert not run.release.exists()


def test_a_release_may_not(few: Records, tmp_path: Path) -> None:
    with pytest.raises(Refusal, match="counts on at least 2,000 seed records"):
        start(declared(Job(few, PLAN)), tmp_path)


@pytest.mark.parametrize(
    "records_of", [each for each in get_args(RecordsOf) if each != "confidential"]
)
def test_nothing_is_released_of_a_table_that_stands_in(few: Records, records_of: RecordsOf) -> None:
    with pytest.raises(ValueError, match="only rehearsed on"):
        Job(few, PLAN, records_of=records_of)


def test_nor_may_a_rehearsal_on_the_confidential_table(few: Records, tmp_path: Path) -> None:
    with pytest.raises(Refusal, match="counts on at least 2,000 seed records"):
        start(Job(few, PLAN, purpose="rehearsal"), tmp_path)


def test_a_run_from_before_is_one_of_the_confidential_table(tmp_path: Path) -> None:
    said = {"at": "2026-01-01T00:00:00+00:00", "purpose": "rehearsal", "stained": False}
    (tmp_path / ABOUT).write_text(json.dumps(said), encoding="utf-8")
    assert RunFolder(tmp_path).about().records_of == "confidential"


def test_a_failure_says_what_went_wrong_and_what_to_do() -> None:
    failed = describe_failure(Progress("failed", 1, message="The disk is full. Free some space."))
    assert (failed.state, failed.unforeseen) == ("failed", False)
    assert (failed.problem, failed.remedy) == ("The disk is full.", "Free some space.")
    assert str(failed) == "The disk is full. Free some space."


def test_a_fault_of_the_program_is_told_apart() -> None:
    fault = describe_failure(Progress("failed", 1, message="It met an Oops.", unforeseen=True))
    assert fault.unforeseen
    assert str(fault) == "It met an Oops."


def test_what_was_cancelled_says_so() -> None:
    assert describe_failure(Progress("cancelled", 1)).state == "cancelled"
