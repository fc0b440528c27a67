"""What may be written into the ledger, and what it says afterwards."""

from __future__ import annotations

import json
import multiprocessing
from collections.abc import Callable
from datetime import time
from pathlib import Path
from typing import Any

import pytest

from tests.support import SIMULATED, new_people
from understudy.core.refusal import Refusal
from understudy.ledger.book import Dataset
from understudy.ledger.chain import GENESIS, verify_export
from understudy.ledger.events import Abandoned, Cancelled, Failed, Released, Running
from understudy.ledger.ledger import Debit, Ledger
from understudy.ledger.likeness import measure_likeness
from understudy.privacy.budget import Budget
from understudy.table.records import Records

Debits = Callable[..., Debit]
Tables = Callable[[int], Records]

WIDE = Budget(10.0, 1e-3)


def test_before_the_first_run_there_is_nothing(ledger: Ledger, tmp_path: Path) -> None:
    book = ledger.book()
    assert (book.datasets, book.runs, book.events, book.head) == ({}, {}, 0, GENESIS)
    assert ledger.verify().events == 0
    assert list(tmp_path.iterdir()) == []


def test_a_debit_is_spent_whatever_becomes_of_the_run(ledger: Ledger, debit: Debits) -> None:
    ends = [Failed(), Cancelled(), Abandoned(), Released(artefacts={"t.csv": "ab"}), Running()]
    for place, end in enumerate(ends):
        ledger.debit(debit(f"r{place}"))
        assert ledger.note(f"r{place}", end)
    ledger.debit(debit("r5"))
    book = ledger.book()
    states = ["failed", "cancelled", "abandoned", "released", "running", "planned"]
    assert [run.state for run in book.runs.values()] == states
    assert [run.id for run in book.unended] == ["r4", "r5"]
    assert book.runs["r3"].artefacts == {"t.csv": "ab"}
    assert book.runs["r3"].planned <= book.runs["r3"].changed
    (balance,) = book.balances
    assert (balance.runs, balance.unpromised) == (6, 0)
    assert balance.spent == Budget(0.6, 6e-9)
    assert balance.left is None


def test_what_is_kept_of_a_run(ledger: Ledger, debit: Debits) -> None:
    asked = debit("r0", records_per_person=3, sampling=0.25)
    assert ledger.debit(asked).runs == 1
    run = ledger.book().runs["r0"]
    assert run.debit == asked.what
    assert run.promised == ledger.book().balances[0].spent
    assert [each.id for each in ledger.book().runs_of(ledger.book().datasets["d-1"])] == ["r0"]


def test_an_end_is_put_down_once(ledger: Ledger, debit: Debits) -> None:
    ledger.debit(debit("r0"))
    assert ledger.note("r0", Running())
    assert not ledger.note("r0", Running())
    assert ledger.note("r0", Abandoned())
    events = ledger.verify().events
    assert not ledger.note("r0", Released(artefacts={}))
    assert not ledger.note("r0", Abandoned())
    assert ledger.book().runs["r0"].state == "abandoned"
    assert ledger.verify().events == events


def test_a_run_is_paid_for_once_and_known_before_it_is_noted(ledger: Ledger, debit: Debits) -> None:
    ledger.debit(debit("r0"))
    for wrong in (lambda: ledger.debit(debit("r0")), lambda: ledger.note("r1", Running())):
        events = ledger.verify().events
        with pytest.raises(Refusal) as refused:
            wrong()
        assert refused.value.field == "run"
        assert ledger.verify().events == events


def test_a_budget_refuses_what_would_exceed_it_and_says_what_is_left(
    ledger: Ledger, debit: Debits
) -> None:
    assert ledger.budget("Census", Budget(0.25, 1e-8)).left == 0.25
    ledger.debit(debit("r0"))
    assert ledger.debit(debit("r1")).left == pytest.approx(0.05)
    before = ledger.book()
    with pytest.raises(Refusal) as refused:
        ledger.debit(debit("r2"))
    assert refused.value.field == "budget"
    said = refused.value.problem
    assert "“Census” is ε = 0.25, δ = 1e-08" in said
    assert "Spent so far: ε = 0.2, δ = 2e-09. Left: ε = 0.05, δ = 8e-09." in said
    assert "This run takes ε = 0.1, δ = 1e-09" in said
    assert "the total would be ε = 0.3" in said
    assert ledger.book() == before
    ledger.debit(debit("r3", Budget(0.05, 1e-9)))
    assert ledger.book().balances[0].left == pytest.approx(0.0, abs=1e-6)


def test_a_budget_also_limits_delta(ledger: Ledger, debit: Debits) -> None:
    ledger.budget("census", Budget(5.0, 1.5e-9))
    ledger.debit(debit("r0"))
    with pytest.raises(Refusal) as refused:
        ledger.debit(debit("r1"))
    assert "Left: ε = 4.9, δ = 5e-10." in refused.value.problem
    assert "the total would be ε = 0.2, δ = 2e-09" in refused.value.problem


def test_no_budget_holds_a_run_that_promises_nothing(ledger: Ledger, debit: Debits) -> None:
    ledger.debit(debit("r0", None, stained=True))
    ledger.budget("census", WIDE)
    for wrong in (debit("r1", None, stained=True), debit("r1", None)):
        with pytest.raises(Refusal) as refused:
            ledger.debit(wrong)
        assert refused.value.field == "budget"
    (balance,) = ledger.book().balances
    assert (balance.runs, balance.unpromised, balance.spent) == (1, 1, Budget(0.0))


def test_the_budget_of_one_dataset_does_not_limit_another(ledger: Ledger, debit: Debits) -> None:
    ledger.budget("census", Budget(0.05, 1e-8))
    ledger.debit(debit("r0", dataset=Dataset("d-2", "other")))
    with pytest.raises(Refusal):
        ledger.debit(debit("r1"))


def test_a_budget_can_be_raised_and_lowered_but_not_below_what_is_spent(
    ledger: Ledger, debit: Debits
) -> None:
    ledger.debit(debit("r0", Budget(0.5, 1e-9)))
    ledger.budget("census", Budget(2.0, 1e-8))
    ledger.budget("census", Budget(0.5, 1e-9))
    for budget, field in ((Budget(0.4, 1e-8), "epsilon"), (Budget(2.0, 1e-10), "delta")):
        with pytest.raises(Refusal) as refused:
            ledger.budget("census", budget)
        assert refused.value.field == field
    (dataset,) = ledger.book().datasets.values()
    assert dataset.budget == Budget(0.5, 1e-9)
    with pytest.raises(Refusal):
        ledger.debit(debit("r1", Budget(1e-4)))


@pytest.mark.parametrize(
    ("budget", "field"),
    [
        (Budget(0.0, 1e-9), "epsilon"),
        (Budget(float("inf"), 1e-9), "epsilon"),
        (Budget(1.0, 1.0), "delta"),
    ],
)
def test_a_budget_that_allows_nothing_or_anything_is_refused(
    ledger: Ledger, budget: Budget, field: str
) -> None:
    with pytest.raises(Refusal) as refused:
        ledger.budget("census", budget)
    assert refused.value.field == field
    assert ledger.book().events == 0


def test_a_budget_may_come_before_the_first_run(
    ledger: Ledger, debit: Debits, table: Tables
) -> None:
    ledger.budget("census", Budget(0.05, 1e-8))
    dataset = ledger.identify(table(1), "census")
    with pytest.raises(Refusal):
        ledger.debit(debit("r0", dataset=dataset))
    assert len(ledger.book().datasets) == 1


def test_identifying_writes_nothing_but_the_key(ledger: Ledger, table: Tables) -> None:
    ledger.identify(table(1), "census")
    assert [path.name for path in ledger.path.parent.iterdir()] == ["ledger.key"]
    assert ledger.path.parent.stat().st_mode & 0o777 == 0o700


def test_a_table_seen_before_belongs_where_it_was(
    ledger: Ledger, debit: Debits, table: Tables
) -> None:
    first = new_people(table(1), "census", ledger=ledger)
    ledger.debit(debit("r0", dataset=first))
    renamed = ledger.identify(table(1), "another name")
    assert (renamed.id, renamed.name) == (first.id, "census")


def test_another_table_of_the_same_name_belongs_with_it(
    ledger: Ledger, debit: Debits, table: Tables
) -> None:
    first = new_people(table(1), "census", ledger=ledger)
    ledger.debit(debit("r0", dataset=first))
    second = ledger.identify(table(2), " Census ")
    assert second.id == first.id
    assert len(ledger.book().datasets[first.id].fingerprints) == 1
    ledger.debit(debit("r1", dataset=second))
    assert len(ledger.book().datasets[first.id].fingerprints) == 2
    assert ledger.identify(table(2), "elsewhere").id == first.id
    assert ledger.book().balances[0].runs == 2


def test_another_table_of_another_name_is_new(ledger: Ledger, debit: Debits, table: Tables) -> None:
    ledger.debit(debit("r0", dataset=new_people(table(1), "census", ledger=ledger)))
    ledger.debit(debit("r1", dataset=new_people(table(2), "survey", ledger=ledger)))
    assert [each.name for each in ledger.book().datasets.values()] == ["census", "survey"]
    assert [balance.runs for balance in ledger.book().balances] == [1, 1]


def test_two_pages_with_the_same_new_table_end_at_one_dataset(
    ledger: Ledger, debit: Debits, table: Tables
) -> None:
    pages = [new_people(table(1), name, ledger=ledger) for name in ("census", "copy of census")]
    assert pages[0].id != pages[1].id
    for place, dataset in enumerate(pages):
        ledger.debit(debit(f"r{place}", dataset=dataset))
    (balance,) = ledger.book().balances
    assert balance.runs == 2


def test_of_a_table_not_seen_before_whoever_names_its_dataset_is_believed(
    ledger: Ledger, debit: Debits, table: Tables
) -> None:
    census = new_people(table(1), "table", ledger=ledger)
    ledger.debit(debit("r0", dataset=census))
    apart = ledger.identify(table(2), "table", dataset="survey", said=SIMULATED)
    ledger.debit(debit("r1", dataset=apart))
    assert ledger.identify(table(2), "table").name == "survey"
    assert ledger.identify(table(3), "whatever", dataset="TABLE").id == census.id


def test_a_table_that_was_paid_for_stays_where_it_is(
    ledger: Ledger, debit: Debits, table: Tables
) -> None:
    ledger.budget("census", Budget(1.0, 1e-8))
    census = new_people(table(1), "census", ledger=ledger)
    ledger.debit(debit("r0", dataset=census))
    with pytest.raises(Refusal) as refused:
        ledger.identify(table(1), "census", dataset="other")
    assert refused.value.field == "dataset"
    assert "census" in refused.value.remedy
    assert ledger.identify(table(1), "x", dataset=" CENSUS ").id == census.id


def test_a_dataset_named_before_another_page_paid_for_the_table_is_still_that_one(
    ledger: Ledger, debit: Debits, table: Tables
) -> None:
    named = ledger.identify(table(1), "table", dataset="survey", said=SIMULATED)
    ledger.debit(debit("r0", dataset=new_people(table(1), "census", ledger=ledger)))
    ledger.debit(debit("r1", dataset=named))
    (balance,) = ledger.book().balances
    assert (balance.dataset.name, balance.runs) == ("census", 2)


def test_a_table_without_a_name_gets_one_from_its_fingerprint(
    ledger: Ledger, table: Tables
) -> None:
    found = ledger.identify(table(1))
    assert found.table is not None
    assert found.name == f"table {found.table[:6]}"
    key = ledger.path.with_suffix(".key").read_bytes()
    assert found.table == measure_likeness(table(1), key).fingerprint


def test_a_name_is_made_fit_for_a_line(ledger: Ledger, table: Tables) -> None:
    assert ledger.identify(table(1), "a\nb\x1b[31m  c" + "d" * 300).name == "a b [31m c" + "d" * 190
    with pytest.raises(Refusal) as refused:
        ledger.identify(table(1), "x", dataset=" \n")
    assert refused.value.field == "dataset"


def test_a_lost_or_exchanged_key_is_noticed(ledger: Ledger, debit: Debits, table: Tables) -> None:
    ledger.debit(debit("r0", dataset=new_people(table(1), "census", ledger=ledger)))
    key = ledger.path.with_suffix(".key")
    kept = key.read_bytes()
    key.unlink()
    with pytest.raises(Refusal) as refused:
        ledger.identify(table(1), "other name")
    assert refused.value.field == "ledger"
    assert not key.exists()
    key.write_bytes(bytes(32))
    with pytest.raises(Refusal):
        ledger.identify(table(1), "other name")
    key.write_bytes(kept)
    assert ledger.identify(table(1), "other name").name == "census"


def test_an_export_checks_out_and_tells_nothing_of_a_table(
    ledger: Ledger, debit: Debits, table: Tables
) -> None:
    ledger.debit(debit("r0", dataset=new_people(table(1), "census", ledger=ledger)))
    ledger.note("r0", Released(artefacts={"synthetic.csv": "ab" * 32}))
    text = ledger.export()
    assert verify_export(text) == ledger.verify()
    assert ledger.path.with_suffix(".key").read_bytes().hex() not in text
    kinds = [json.loads(line)["kind"] for line in text.splitlines()]
    assert kinds == ["opened", "dataset", "debited", "released"]
    # Without the key, the very table has no fingerprint that is in there.
    assert measure_likeness(table(1), bytes(32)).fingerprint not in text


def test_a_head_noted_elsewhere_shows_a_cut_ledger(ledger: Ledger, debit: Debits) -> None:
    ledger.debit(debit("r0"))
    head = ledger.verify().head
    ledger.debit(debit("r1"))
    assert ledger.verify(head).events == 4
    with pytest.raises(Refusal) as refused:
        ledger.verify("0" * 63 + "1")
    assert refused.value.field == "head"


def _spend_all(path: Path, debits: list[Debit], together: Any, paid: Any) -> None:
    ledger = Ledger(path)
    together.wait()
    count = 0
    for each in debits:
        try:
            ledger.debit(each)
        except Refusal as refusal:
            if refusal.field != "budget":
                raise
        else:
            count += 1
    paid.put(count)


def test_eight_processes_cannot_overspend_one_budget(ledger: Ledger, debit: Debits) -> None:
    """Runs of different sizes, 96 of them wanted, of which the budget holds far fewer."""
    budget = Budget(1.5, 1e-6)
    ledger.budget("census", budget)
    sizes = [0.05, 0.1, 0.02, 0.2]
    context = multiprocessing.get_context("fork")
    together, paid = context.Barrier(8), context.Queue()
    workers = []
    for worker in range(8):
        wanted = [
            debit(f"r{worker}-{place}", Budget(sizes[(worker + place) % 4], 1e-9))
            for place in range(12)
        ]
        arguments = (ledger.path, wanted, together, paid)
        workers.append(context.Process(target=_spend_all, args=arguments))
    for each in workers:
        each.start()
    counts = [paid.get(timeout=120) for _ in workers]
    for each in workers:
        each.join()
        assert each.exitcode == 0
    ledger.verify()
    (balance,) = ledger.book().balances
    assert balance.runs == sum(counts) < 96
    assert balance.fits(budget)
    assert balance.spent.epsilon <= budget.epsilon
    # Something was turned away, and rightly so: the largest does not fit any more.
    with pytest.raises(Refusal):
        ledger.debit(debit("last", Budget(0.2, 1e-9)))


def test_how_long_a_run_took_is_not_kept_where_its_attempts_are_hidden(
    ledger: Ledger, debit: Debits
) -> None:
    for run, protocol in (("r0", "attempts"), ("r1", "releases")):
        ledger.debit(debit(run, protocol=protocol))
        ledger.note(run, Running())
        ledger.note(run, Released(artefacts={}))
    seen, hidden = ledger.book().runs.values()
    assert seen.changed.time() != time()
    assert (hidden.changed.time(), hidden.changed.date()) == (time(), seen.changed.date())


def test_the_head_is_that_of_the_chain(ledger: Ledger, debit: Debits) -> None:
    assert ledger.head == GENESIS
    for run in ("r0", "r1"):
        ledger.debit(debit(run))
        assert ledger.head == ledger.verify().head == ledger.book().head
