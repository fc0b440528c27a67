"""What a packet says of all runs on the same data, and of a population: in words, and checked.
What a packet says was spent, and on how many tables.
"""

from __future__ import annotations

import html
import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.engine.report.conftest import COVER, Making, failed, resummed
from understudy.core.refusal import Refusal
from understudy.ledger.book import PeopleStatement
from understudy.ledger.events import Debited
from understudy.ledger.events import Released as ReleasedEvent
from understudy.ledger.ledger import Debit, Ledger
from understudy.mechanisms.registry import plan_run
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.statement import ReleasedFile
from understudy.privacy.budget import Budget
from understudy.report.guarantee_file import Statement
from understudy.report.ledger_extract import ALONE, LedgerExtract, cumulative_sentences
from understudy.report.packet import read_contents
from understudy.report.verify import verify
from understudy.runs.debit import make_debit
from understudy.table.raw import RawTable
from understudy.table.schema import Schema
from understudy.table.sources.reading import read_table


def plain(text: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", "", text)).split())


def again(made: Any, **settings: Any) -> None:
    """Another run on the same data, paid for."""
    plan = Plan.from_json(made.run.read_text("plan.json"))
    schema = Schema.from_json(made.run.read_text("schema.json"))
    other = plan.change(schema, **settings)
    book = made.ledger.book()
    dataset = book.datasets[book.runs[made.run.identity].dataset]
    debit = make_debit(plan_run(other, schema))
    made.ledger.debit(Debit("20261122T000000-release-other", dataset, debit))


def test_the_only_run_is_said_to_be_that(run_of: Making) -> None:
    packet = run_of("seedless").packet()
    for name in ("report.html", "README.txt"):
        assert ALONE in plain((packet.path / name).read_text(encoding="utf-8"))


def test_what_all_runs_come_to_stands_beside_the_promise_of_one(run_of: Making) -> None:
    made = run_of("seedless")
    again(made, attempts=7)
    text = cumulative_sentences(read_contents(made.run, COVER, made.ledger).ledger)
    assert text is not None
    assert "1 other run" in text
    packet = made.packet()
    for name in ("report.html", "README.txt"):
        said = plain((packet.path / name).read_text(encoding="utf-8"))
        assert " ".join(text.split()) in said
        assert ALONE not in said
        assert "Nothing else was released" not in said
    assert verify(packet.path).passed


def test_a_run_that_promises_nothing_takes_every_bound_from_the_sum(run_of: Making) -> None:
    made = run_of("seedless")
    again(made, model={"kind": "calibrated", "epsilon": None})
    said = plain(made.packet().report.read_text(encoding="utf-8"))
    assert "Nothing bounds what all of them together show, as 1 of the 2 promises nothing." in said


def test_a_sample_is_told_of_tables_first_and_of_populations_apart(run_of: Making) -> None:
    packet = run_of("sampled").packet()
    assert verify(packet.path).passed
    said = json.loads((packet.path / "guarantee.json").read_text())["guarantee"]
    population = said["population"]
    assert (said["neighbours"], population["neighbours"]) == ("tables", "populations")
    # Six records in ten are learned from, at ε = 1, of a table that took in one in ten.
    assert said["epsilon"] == pytest.approx(math.log1p(0.6 * math.expm1(1)))
    assert population["epsilon"] == pytest.approx(math.log1p(0.06 * math.expm1(1)))
    assert packet.total.epsilon == said["epsilon"]
    for name in ("report.html", "guarantee.txt"):
        text = plain((packet.path / name).read_text(encoding="utf-8"))
        assert population["statement"] in text
    ledger = json.loads((packet.path / "ledger.json").read_text())["dataset"]
    assert ledger["spent"]["epsilon"] == said["epsilon"]
    assert ledger["spent_between_populations"]["epsilon"] == population["epsilon"]


def amplified(said: dict[str, Any]) -> None:
    """The figure between populations, stated between tables."""
    said["guarantee"]["epsilon"] = said["guarantee"]["population"]["epsilon"]


def graded(said: dict[str, Any]) -> None:
    said["guarantee"]["strength"] = "very strong"


def smaller(said: dict[str, Any]) -> None:
    said["guarantee"]["population"]["epsilon"] /= 2


def forgotten(said: dict[str, Any]) -> None:
    said["guarantee"]["population"] = None


def believed(said: dict[str, Any]) -> None:
    said["guarantee"]["beliefs"]["value"]["at_most"] = 0.11


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (amplified, "total"),
        (graded, "total"),
        (smaller, "total"),
        (forgotten, "total"),
        (believed, "statement"),
    ],
)
def test_a_figure_in_the_place_of_another_is_found(
    run_of: Making, change: Callable[[dict[str, Any]], None], found: str
) -> None:
    folder: Path = run_of("sampled").packet().path
    path = folder / "guarantee.json"
    said = json.loads(path.read_text())
    change(said)
    path.write_text(json.dumps(said, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    resummed(folder)
    assert found in failed(verify(folder))


@pytest.mark.parametrize("figure", [0.01, None])
def test_what_was_spent_between_populations_is_checked(
    run_of: Making, figure: float | None
) -> None:
    folder: Path = run_of("sampled").packet().path
    path = folder / "ledger.json"
    said = json.loads(path.read_text())
    spent = said["dataset"]["spent_between_populations"]
    said["dataset"]["spent_between_populations"] = (
        None if figure is None else {**spent, "epsilon": figure}
    )
    path.write_text(json.dumps(said, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    resummed(folder)
    assert "ledger" in failed(verify(folder))


@pytest.mark.parametrize("known", [None, 200])
def test_no_statement_calls_a_number_public_that_nobody_confirmed(
    run_of: Making, known: int | None
) -> None:
    made = run_of("attempts")
    schema = Schema.from_json(made.run.read_text("schema.json"))
    plan = Plan.from_json(made.run.read_text("plan.json")).change(schema, public_records=known)
    with pytest.raises(Refusal, match="public knowledge") as caught:
        Statement(plan, schema, (ReleasedFile("synthetic", "0" * 64, 12),), False)
    assert caught.value.field == "public_records"
    # Of a demonstration nothing is promised, and so nothing is counted on.
    assert (
        Statement(plan, schema, (ReleasedFile("synthetic", "0" * 64, 12),), True).said["guarantee"][
            "assumes"
        ]
        == []
    )


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
    ledger.note(name, ReleasedEvent(artefacts={"synthetic.csv": "ab" * 32}))


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
