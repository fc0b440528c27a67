"""Whose records a table holds: found, asked, said and taken down."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.engine.ledger.test_likeness import people, table
from understudy.core.refusal import Refusal
from understudy.ledger import ledger as ledger_module
from understudy.ledger.book import Dataset, PeopleStatement
from understudy.ledger.events import Recognised
from understudy.ledger.ledger import Debit, Ledger
from understudy.privacy.budget import Budget
from understudy.table.raw import RawTable

Debits = Callable[..., Debit]

NEW = PeopleStatement(new=True)
BEFORE = people(0, 300)
LATER = people(0, 310)
STRANGERS = people(10**6, 10**6 + 290)


def run_on(ledger: Ledger, debit: Debits, dataset: Dataset, run: str = "r0") -> None:
    ledger.debit(debit(run, dataset=dataset))


@pytest.fixture
def spent(ledger: Ledger, debit: Debits) -> Ledger:
    """A ledger in which a table of some people was spent on."""
    run_on(ledger, debit, ledger.identify(BEFORE, "people", said=NEW))
    return ledger


def recognised(ledger: Ledger) -> list[dict[str, Any]]:
    links = map(json.loads, ledger.export().splitlines())
    return [link["body"] for link in links if link["kind"] == Recognised.kind]


def test_nothing_is_spent_on_people_that_nobody_said_are_new(ledger: Ledger, debit: Debits) -> None:
    dataset = ledger.identify(BEFORE, "people")
    open_ = ledger.list_open_questions(dataset)
    assert open_ is not None
    assert (open_.unknown, open_.alike) == (True, ())
    with pytest.raises(Refusal) as refused:
        run_on(ledger, debit, dataset)
    assert refused.value.field == "people"
    assert "say that its people are new" in refused.value.remedy
    assert ledger.book().events == 0
    said = ledger.identify(BEFORE, "people", said=NEW)
    assert ledger.list_open_questions(said) is None
    run_on(ledger, debit, said)
    assert [each["people"] for each in recognised(ledger)] == ["new"]


def test_a_budget_set_beforehand_does_not_say_whose_records_they_are(
    ledger: Ledger, debit: Debits
) -> None:
    ledger.budget("people", Budget(1.0, 1e-6))
    with pytest.raises(Refusal) as refused:
        run_on(ledger, debit, ledger.identify(BEFORE, "people"))
    assert refused.value.field == "people"
    run_on(ledger, debit, ledger.identify(BEFORE, "people", said=NEW))
    (dataset,) = ledger.book().datasets.values()
    assert dataset.budget == Budget(1.0, 1e-6)


def test_the_same_table_is_known_however_it_comes(spent: Ledger, debit: Debits) -> None:
    order = np.random.default_rng(1).permutation(300)
    sorted_ = table(tens=order % 10, half=order % 2, number=order)
    found = spent.identify(sorted_, "another file")
    assert found.name == "people"
    assert spent.list_open_questions(found) is None
    run_on(spent, debit, found, "r1")
    (balance,) = spent.book().balances
    assert balance.runs == 2


def test_a_table_that_looks_alike_is_asked_about_and_spends_with_it(
    spent: Ledger, debit: Debits
) -> None:
    for said in (PeopleStatement(), NEW, PeopleStatement(new=True, reason=" \n")):
        dataset = spent.identify(LATER, "later", said=said)
        open_ = spent.list_open_questions(dataset)
        assert open_ is not None
        assert [each.dataset.name for each in open_.alike] == ["people"]
        overlap = open_.alike[0].overlap
        assert overlap is not None
        assert (overlap.of_this.found, overlap.of_this.compared) == (300, 310)
        with pytest.raises(Refusal) as refused:
            run_on(spent, debit, dataset, "r1")
        assert refused.value.field == "similar_people"
        assert "“people”" in refused.value.problem
        # No figure of the records is in it.
        assert not any(letter.isdigit() for letter in str(refused.value))
    same = spent.identify(LATER, "later", dataset="People")
    assert spent.list_open_questions(same) is None
    run_on(spent, debit, same, "r1")
    (balance,) = spent.book().balances
    assert balance.runs == 2
    assert len(balance.dataset.fingerprints) == 2
    assert [each["people"] for each in recognised(spent)] == ["new", "same"]


def test_others_that_look_alike_are_taken_down_with_the_reason(
    spent: Ledger, debit: Debits
) -> None:
    why = "Another town; few columns."
    others = spent.identify(LATER, "later", said=PeopleStatement(new=True, reason=why))
    assert spent.list_open_questions(others) is None
    run_on(spent, debit, others, "r1")
    assert [balance.runs for balance in spent.book().balances] == [1, 1]
    first, second = spent.book().datasets.values()
    assert recognised(spent)[1] == {
        "name": "later",
        "fingerprint": others.table,
        "people": "new",
        "apart_from": [first.id],
        "reason": why,
    }
    # From then on that table is known, and one like both is asked about for both.
    assert spent.identify(LATER, "whatever").id == second.id
    open_ = spent.list_open_questions(spent.identify(people(0, 305), "third"))
    assert open_ is not None
    assert {each.dataset.name for each in open_.alike} == {"people", "later"}


def test_a_reason_without_need_is_not_kept(spent: Ledger, debit: Debits) -> None:
    said = PeopleStatement(new=True, reason="They live elsewhere.")
    run_on(spent, debit, spent.identify(STRANGERS, "strangers", said=said), "r1")
    assert recognised(spent)[1]["reason"] == ""
    assert recognised(spent)[1]["apart_from"] == []


def test_a_table_named_for_one_dataset_that_looks_like_another_needs_a_reason(
    spent: Ledger, debit: Debits
) -> None:
    run_on(spent, debit, spent.identify(STRANGERS, "strangers", said=NEW), "r1")
    for name in (None, "strangers"):
        moved = spent.identify(LATER, "strangers", dataset=name)
        with pytest.raises(Refusal) as refused:
            run_on(spent, debit, moved, "r2")
        assert "“people”" in refused.value.problem
        assert "“strangers”" not in refused.value.problem
    run_on(spent, debit, replace(moved, said=PeopleStatement(same=True, reason="Corrected.")), "r2")
    assert recognised(spent)[2]["people"] == "same"


def test_another_table_of_the_same_name_counts_with_it_and_is_not_new(
    spent: Ledger, debit: Debits
) -> None:
    with pytest.raises(Refusal) as refused:
        spent.identify(STRANGERS, "People", said=NEW)
    assert refused.value.field == "dataset"
    run_on(spent, debit, spent.identify(STRANGERS, "People"), "r1")
    assert [each["people"] for each in recognised(spent)] == ["new", "named"]
    assert len(spent.book().datasets) == 1


def test_a_lost_sketch_is_said_and_asked_about(spent: Ledger, debit: Debits) -> None:
    (file,) = spent.path.with_suffix(".sketches").iterdir()
    kept = file.read_bytes()
    file.write_bytes(kept[:-1])
    open_ = spent.list_open_questions(spent.identify(STRANGERS, "strangers", said=NEW))
    assert open_ is not None
    assert open_.alike[0].overlap is None
    with pytest.raises(Refusal) as refused:
        run_on(spent, debit, spent.identify(STRANGERS, "strangers", said=NEW), "r1")
    assert "is lost" in refused.value.problem
    # The table itself brings it back.
    run_on(spent, debit, spent.identify(BEFORE, "whatever"), "r1")
    assert spent.list_open_questions(spent.identify(STRANGERS, "strangers", said=NEW)) is None


def test_a_known_table_is_known_without_its_sketch(spent: Ledger) -> None:
    for each in spent.path.with_suffix(".sketches").iterdir():
        each.unlink()
    assert spent.list_open_questions(spent.identify(BEFORE, "whatever")) is None


def test_neither_key_nor_sketch_is_in_an_export_and_asking_writes_nothing(
    spent: Ledger,
) -> None:
    before = sorted(each.name for each in spent.path.parent.rglob("*"))
    spent.list_open_questions(spent.identify(LATER, "later"))
    assert sorted(each.name for each in spent.path.parent.rglob("*")) == before
    sketch = spent.likeness(BEFORE).sketch
    text = spent.export()
    assert not any(f"{each:x}" in text or str(each) in text for each in sketch.least[:50])
    assert not any(f"{each.hash:x}" in text for each in sketch.columns)


def _dies(*_: object, **__: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _killed(path: Path, paid: Debit, at: str) -> None:
    if at == "sketch":
        ledger_module.Sketches.keep = _dies
    else:
        ledger_module.Ledger._recognition = _dies
    Ledger(path).debit(paid)


@pytest.mark.parametrize("at", ["sketch", "event"])
def test_a_kill_leaves_no_event_without_its_sketch(ledger: Ledger, debit: Debits, at: str) -> None:
    paid = debit("r0", dataset=ledger.identify(BEFORE, "people", said=NEW))
    process = multiprocessing.get_context("fork").Process(
        target=_killed, args=(ledger.path, paid, at)
    )
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    assert ledger.book().events == 0
    sketches = list(ledger.path.parent.glob("*.sketches/*"))
    assert len(sketches) == (at == "event")
    ledger.debit(paid)
    assert ledger.list_open_questions(ledger.identify(LATER, "later", said=NEW)) is not None


def _spend(path: Path, paid: Debit, together: Any, said: Any) -> None:
    together.wait()
    try:
        Ledger(path).debit(paid)
    except Refusal as refusal:
        said.put(refusal.field)
    else:
        said.put("paid")


def raced(ledger: Ledger, debits: list[Debit]) -> list[str]:
    context = multiprocessing.get_context("fork")
    together, said = context.Barrier(len(debits)), context.Queue()
    workers = [
        context.Process(target=_spend, args=(ledger.path, each, together, said)) for each in debits
    ]
    for each in workers:
        each.start()
    found = [said.get(timeout=60) for _ in workers]
    for each in workers:
        each.join()
    return sorted(found)


@pytest.mark.parametrize(
    ("tables", "expected"),
    [
        ([BEFORE] * 4, ["paid"] * 4),
        ([BEFORE, LATER, people(0, 320), people(5, 300)], ["paid", *["similar_people"] * 3]),
    ],
)
def test_of_several_pages_that_say_new_of_the_same_people_one_is_believed(
    ledger: Ledger, debit: Debits, tables: list[RawTable], expected: list[str]
) -> None:
    debits = [
        debit(f"r{place}", dataset=ledger.identify(each, f"t{place}", said=NEW))
        for place, each in enumerate(tables)
    ]
    assert raced(ledger, debits) == expected
    ledger.verify()
    assert len(ledger.book().datasets) == 1
