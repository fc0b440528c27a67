from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from understudy.ledger.book import Dataset
from understudy.ledger.chain import verify_export
from understudy.ledger.events import Debited, Released, Running
from understudy.ledger.ledger import Debit, Ledger
from understudy.privacy.budget import Budget, Neighbours
from understudy.runs.control import home_ledger

Understudy = Callable[..., Any]


def debit(
    ledger: Ledger,
    run: str,
    record: Budget | None = Budget(0.25, 1e-9),
    neighbours: Neighbours = Neighbours.TABLES,
) -> None:
    what = Debited(
        neighbours=neighbours,
        purpose="release",
        plan={"attempts": 10},
        protocol="attempts",
        count=10,
        record=record,
        stained=record is None,
    )
    ledger.debit(Debit(run, Dataset("d-1", "census"), what))


@pytest.fixture
def ledger() -> Ledger:
    """Two runs and a budget; a third run promises nothing."""
    ledger = home_ledger()
    debit(ledger, "r0", None)
    ledger.budget("census", Budget(2.0, 1e-6))
    for run in ("r1", "r2"):
        debit(ledger, run)
    ledger.note("r1", Released(artefacts={"synthetic.csv": "ab"}))
    return ledger


def test_an_empty_ledger(understudy: Understudy) -> None:
    ended = understudy("ledger")
    assert "no run was made." in ended.out
    assert not home_ledger().path.exists()
    assert understudy("ledger", "--json").json["datasets"] == []


def test_the_datasets_in_words(understudy: Understudy, ledger: Ledger) -> None:
    heading, line = understudy("ledger").out.splitlines()
    assert heading.split() == ["Dataset", "Runs", "Spent", "Budget", "Left"]
    assert [each.strip() for each in line.split("  ") if each] == [
        "census", "3 (1 without a promise)", "ε = 0.5, δ = 2e-09", "ε = 2, δ = 1e-06", "ε = 1.5",
    ]  # fmt: skip


def test_the_datasets_as_json(understudy: Understudy, ledger: Ledger) -> None:
    found = understudy("ledger", "--json").json
    assert found["ledger"] == str(ledger.path)
    # A run without a process is noted by whoever looks.
    assert (found["events"], found["head"]) == (ledger.verify().events, ledger.verify().head)
    (dataset,) = found["datasets"]
    assert dataset["name"] == "census"
    assert (dataset["count"], dataset["unpromised"]) == (3, 1)
    assert dataset["spent"] == {"epsilon": pytest.approx(0.5), "delta": pytest.approx(2e-9)}
    assert dataset["budget"] == {"epsilon": 2.0, "delta": 1e-6}
    assert dataset["left"] == pytest.approx(1.5, rel=1e-4)


def test_the_runs_of_one_dataset(understudy: Understudy, ledger: Ledger) -> None:
    out = understudy("ledger", "--dataset", "Census").out
    states = [line.split()[2] for line in out.splitlines()[-3:]]
    assert states == ["abandoned", "released", "abandoned"]
    assert "nothing" in out.splitlines()[-1]
    found = understudy("ledger", "--dataset", "census", "--json").json
    assert [run["id"] for run in found["runs"]] == ["r2", "r1", "r0"]
    assert found["runs"][1]["artefacts"] == {"synthetic.csv": "ab"}
    assert found["runs"][1]["promised"] == {"epsilon": 0.25, "delta": 1e-9}
    assert found["runs"][2]["promised"] is None
    assert found["runs"][2]["stained"] is True


def test_the_lines_of_runs_add_up_to_the_total(understudy: Understudy) -> None:
    """Between tables whose records are replaced, a run for added ones counts at twice its ε."""
    kept, replaced = home_ledger(), Neighbours.REPLACEMENTS
    debit(kept, "one", Budget(1.0))
    assert "In the total" not in understudy("ledger", "--dataset", "census").out
    debit(kept, "two", Budget(0.5088), replaced)
    debit(kept, "three", Budget(1.0), replaced)
    found = understudy("ledger", "--dataset", "census", "--json").json
    assert found["spent"]["epsilon"] == pytest.approx(3.5088)
    parts = [run["in_total"]["epsilon"] for run in found["runs"]]
    assert parts == pytest.approx([1.0, 0.5088, 2.0])
    said = understudy("ledger", "--dataset", "census").out
    assert "In the total" in said
    lines = {line.split()[-1]: line for line in said.splitlines() if line}
    shown = {run: re.findall(r"ε = ([\d.]+)", lines[run]) for run in ("one", "two", "three")}
    assert shown == {"one": ["1", "2"], "two": ["0.5088", "0.5088"], "three": ["1", "1"]}
    assert "counts at twice its ε" in " ".join(said.split())


def test_a_run_that_vanished_is_noted_by_whoever_looks(
    understudy: Understudy, ledger: Ledger
) -> None:
    debit(ledger, "r9")
    ledger.note("r9", Running())
    understudy("ledger")
    assert ledger.book().runs["r9"].state == "abandoned"


def test_a_dataset_that_is_not_there(understudy: Understudy, ledger: Ledger) -> None:
    refusal = understudy("ledger", "--dataset", "sensus").refusal
    assert "no dataset “sensus”" in refusal
    assert "census" in refusal


def test_a_budget_is_set_and_refuses(understudy: Understudy, ledger: Ledger) -> None:
    said = understudy("ledger", "budget", "census", "--epsilon", 0.5, "--delta", 1e-8)
    assert said.status == 0
    assert "ε = 0.5, δ = 1e-08" in said.out
    found = understudy("ledger", "budget", "census", "--epsilon", 0.6, "--delta", 1e-8, "--json")
    assert found.json["budget"] == {"epsilon": 0.6, "delta": 1e-8}
    typed = ("ledger", "budget", "census", "--epsilon", 0.4, "--delta", 1e-8)
    assert understudy(*typed).refusal.startswith("--epsilon: On “census” ε = 0.5")


def test_a_budget_for_a_dataset_that_is_to_come(understudy: Understudy) -> None:
    said = understudy("ledger", "budget", "survey", "--epsilon", 1, "--delta", 1e-9).out
    assert "knows no table of “survey” yet" in said
    assert home_ledger().book().named("survey") is not None


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["budget", "census", "--epsilon", "0", "--delta", "1e-9"], "--epsilon: "),
        (["budget", "census", "--epsilon", "-1", "--delta", "1e-9"], "--epsilon: "),
        (["budget", "census", "--epsilon", "nan", "--delta", "1e-9"], "--epsilon: "),
        (["budget", "census", "--epsilon", "1", "--delta", "1"], "--delta: "),
        (["budget", "census", "--epsilon", "1", "--delta", "2"], "--delta: "),
        (["budget", "census", "--epsilon", "one", "--delta", "2"], "“one” is not a number"),
        (["budget", " ", "--epsilon", "1", "--delta", "1e-9"], "needs a name"),
        (["--json", "verify"], "Write it after `understudy ledger verify`"),
        (["verify", "--head", "abc"], "--head: "),
        (["verify", "no.jsonl"], "There is no file no.jsonl"),
    ],
)
def test_refusals(understudy: Understudy, typed: list[str], said: str) -> None:
    assert said in understudy("ledger", *typed).refusal


def test_verifying(understudy: Understudy, ledger: Ledger) -> None:
    head = ledger.verify().head
    assert head in understudy("ledger", "verify").out
    assert understudy("ledger", "verify", "--head", head, "--json").json == {
        "events": ledger.verify().events, "head": head,
    }  # fmt: skip
    with closing(sqlite3.connect(ledger.path)) as connection, connection:
        connection.execute("DROP TRIGGER no_update")
        connection.execute("UPDATE events SET body = '{}' WHERE kind = 'debited'")
    refusal = understudy("ledger", "verify").refusal
    assert "event 3 is not what was written" in refusal
    assert understudy("ledger").status == 2


def test_exporting(understudy: Understudy, ledger: Ledger, tmp_path: Path) -> None:
    file = tmp_path / "ledger.jsonl"
    found = understudy("ledger", "export", file, "--json").json
    text = file.read_text(encoding="utf-8")
    checked = verify_export(text)
    assert found == {"file": str(file), "events": checked.events, "head": checked.head}
    assert len(text.splitlines()) == ledger.verify().events
    assert json.loads(text.splitlines()[0])["kind"] == "opened"
    assert checked.head in understudy("ledger", "verify", file).out
    assert "exists already" in understudy("ledger", "export", file).refusal
    file.write_text(text.replace("0.25", "0.24", 1), encoding="utf-8")
    assert "event" in understudy("ledger", "verify", file).refusal
