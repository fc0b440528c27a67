"""What a packet says was spent, and on how many tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from understudy.ledger.book import PeopleStatement
from understudy.ledger.events import Debited, Released
from understudy.ledger.ledger import Debit, Ledger
from understudy.privacy.budget import Budget
from understudy.report.ledger_extract import LedgerExtract
from understudy.table.raw import RawTable
from understudy.table.sources.reading import read_table

ROWS = [f"{number},{number % 7},{'xyz'[number % 3]}" for number in range(200)]
FILE = "\n".join(["id,week,group", *ROWS])
SORTED = "\n".join(["id,week,group", *reversed(ROWS)])
SWAPPED = "\n".join(",".join(line.split(",")[::-1]) for line in FILE.splitlines())
CHANGED = FILE.replace("\n7,0,y", "\n7,1,y")
LATER = FILE + "\n1000,1,x\n1001,2,y"


def raw(text: str, name: str) -> RawTable:
    return read_table(text.encode(), name=name)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """A ledger in which one table was run on, by a run called “first”."""
    found = Ledger(tmp_path / "home" / "ledger.sqlite")
    run(found, "first", FILE, PeopleStatement(new=True))
    return found


def run(
    ledger: Ledger, name: str, text: str, said: PeopleStatement, dataset: str | None = None
) -> None:
    """A run on a table under a file's name of its own."""
    found = ledger.identify(raw(text, f"{name}.csv"), name, dataset=dataset, said=said)
    what = Debited(
        purpose="release", plan={}, protocol="attempts", count=9, record=Budget(1.0, 1e-9)
    )
    ledger.debit(Debit(name, found, what))
    ledger.note(name, Released(artefacts={"synthetic.csv": "ab" * 32}))


def extract(ledger: Ledger, name: str) -> LedgerExtract:
    return LedgerExtract.of(ledger.book(), name, ["synthetic"])


@pytest.mark.parametrize("text", [FILE, SORTED, SWAPPED])
def test_two_runs_on_the_same_records_are_both_in_the_figure(ledger: Ledger, text: str) -> None:
    assert extract(ledger, "first").spent == Budget(1.0, 1e-9)
    run(ledger, "second", text, PeopleStatement())
    for name in ("first", "second"):
        found = extract(ledger, name)
        assert (found.spent, found.runs, found.tables) == (Budget(2.0, 2e-9), 2, 1)
        assert LedgerExtract.read(found.as_dict()) == found


@pytest.mark.parametrize("text", [CHANGED, LATER])
def test_tables_said_to_be_of_the_same_people_are_counted(ledger: Ledger, text: str) -> None:
    run(ledger, "second", text, PeopleStatement(), dataset="first")
    found = extract(ledger, "second")
    assert (found.spent, found.runs, found.tables) == (Budget(2.0, 2e-9), 2, 2)


def test_those_said_to_be_of_others_are_not(ledger: Ledger) -> None:
    run(ledger, "second", LATER, PeopleStatement(new=True, reason="Another town."))
    for name in ("first", "second"):
        found = extract(ledger, name)
        assert (found.spent, found.runs, found.tables) == (Budget(1.0, 1e-9), 1, 1)
        assert "Another town" not in str(found.as_dict())
