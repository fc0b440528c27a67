"""A panel from the command line, by every method, to a packet whose guarantee is for a person."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from tests.engine.cli.conftest import KNOWN, Ended
from tests.support import PANEL_PEOPLE as PEOPLE
from tests.support import panel_csv
from understudy.ledger.book import Dataset
from understudy.ledger.chain import verify_export
from understudy.ledger.events import Debited, Released, Running
from understudy.ledger.ledger import Debit, Ledger
from understudy.privacy.budget import Budget, Neighbours
from understudy.report.verify import verify
from understudy.runs.control import home_ledger
from understudy.table.authoring.suggestion import suggest_schema
from understudy.table.schema import Schema
from understudy.table.sources.reading import read_table

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
    assert home_ledger().book().find_dataset("survey") is not None


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


PeopleUnderstudy = Callable[..., Ended]


@pytest.fixture
def panel(tmp_path: Path) -> Path:
    """The panel as a file."""
    path = tmp_path / "panel.csv"
    path.write_bytes(panel_csv())
    return path


@pytest.fixture
def declared(panel: Path, tmp_path: Path) -> Path:
    """A schema file that says whose its records are."""
    schema = suggest_schema(read_table(panel), leave_out=("resp",)).schema
    path = tmp_path / "schema.json"
    schema.with_people(PEOPLE).declare_public("The design of the panel.").save(path)
    return path


SETTINGS = {
    "seedbased": {"omega": {"low": 4, "high": 4}, "attempts": 50, "public_records": 480},
    "imputation": {
        "columns": ["sex", "job"], "records": 480, "public_records": 480, "strength": 30.0,
        "rows": 100,
    },
}  # fmt: skip


@pytest.mark.parametrize("kind", SETTINGS)
def test_from_a_panel_to_a_verified_packet(
    understudy: PeopleUnderstudy, panel: Path, declared: Path, tmp_path: Path, kind: str
) -> None:
    plan, out = tmp_path / "plan.json", tmp_path / "out"
    given = [
        part
        for name, each in SETTINGS[kind].items()
        for part in ("--set", f"{name}={json.dumps(each)}")
    ]
    made = understudy(
        "method", kind, "--schema", declared, *given, "--save-plan", plan, "--json"
    )  # fmt: skip
    assert made.status == 0, made.err
    assert json.loads(plan.read_text())["records_per_person"] == 3
    asked = ("synthesize", panel, "--schema", declared, "--plan", plan, "--out", out)
    done = understudy(*asked, "--new-people", "--keep", "--json")
    assert done.status == 0, done.err
    guarantee = json.loads((out / "guarantee.json").read_text())["guarantee"]
    assert guarantee["records_per_person"] == 3
    assert guarantee["protects"].startswith("Each person, however many records they have: ")
    packed = understudy("packet", done.json["run"], "--title", "Panel", "--no-pdf", "--json")
    assert packed.status == 0, packed.err
    packet = Path(packed.json["packet"])
    assert verify(packet).passed
    (report,) = packet.glob("*.html")
    assert "Each person, however many records they have" in report.read_text()


def test_a_plan_that_counts_on_fewer_is_refused_before_anything_is_spent(
    understudy: PeopleUnderstudy, panel: Path, declared: Path, tmp_path: Path
) -> None:
    said = understudy("method", "pmse", "--schema", declared, "--set", "records_per_person=2")
    assert "Set the records per person to 3" in said.refusal
    asked = ("synthesize", panel, "--schema", declared, "--out", tmp_path / "out", "--new-people")
    assert "records per person" in understudy(*asked, "--records-per-person", "2").refusal


def test_piece_by_piece_is_refused_with_what_to_do(
    understudy: PeopleUnderstudy, panel: Path, declared: Path, tmp_path: Path
) -> None:
    path = tmp_path / "panel.parquet"
    pq.write_table(pyarrow.csv.read_csv(panel), path)
    asked = ("synthesize", path, "--schema", declared, "--out", tmp_path / "out", "--new-people")
    said = understudy(*asked, "--streamed", "--omega", "4").refusal
    assert "leave out --streamed" in said
    assert "the records per person to 3" in said


def test_a_schema_is_suggested_with_a_question_about_people(
    understudy: PeopleUnderstudy, panel: Path, tmp_path: Path
) -> None:
    out = tmp_path / "suggested.json"
    asked = ("schema", panel, "--out", out)
    assert "“resp” stand in several" in " ".join(understudy(*asked).out.split())
    said = ("--person", "resp", "--order", "wave", "--most-per-person", "3")
    assert "exists already" in understudy(*asked, *said).refusal
    out.unlink()
    assert "Add --most-per-person" in understudy(*asked, *said[:4]).refusal
    assert "have no order" in understudy(*asked, *said[:3], "sex", *said[4:]).refusal
    kept = understudy(*asked, *said)
    assert "120 rows of 80 people are not used" in " ".join(kept.out.split())
    assert Schema.load(out).people == PEOPLE
    assert "resp" not in Schema.load(out).names


def test_nothing_is_declared_before_it_is_said_whose_the_rows_are(
    understudy: PeopleUnderstudy, panel: Path, tmp_path: Path
) -> None:
    out = tmp_path / "suggested.json"
    assert understudy("schema", panel, "--out", out).status == 0
    declaring = ("schema", panel, "--out", out, *KNOWN, "The design.")
    refusal = understudy(*declaring).refusal
    assert "“resp” stand in several rows each" in refusal
    assert "--single-rows" in refusal
    assert not Schema.load(out).declared
    early = understudy("schema", panel, "--out", tmp_path / "early.json", "--single-rows")
    assert "is said with a confirmation" in early.refusal
    assert understudy(*declaring, "--single-rows").status == 0
    assert Schema.load(out).declared
    anew = tmp_path / "anew.json"
    said = ("--person", "resp", "--order", "wave", "--most-per-person", "3")
    assert understudy("schema", panel, "--out", anew, *said).status == 0
    assert understudy("schema", panel, "--out", anew, *KNOWN, "Waves.").status == 0


def test_a_proposal_counts_on_what_is_kept(understudy: PeopleUnderstudy, declared: Path) -> None:
    asked = ("propose", "--schema", declared, "--epsilon", "1", "--json")
    assert understudy(*asked).status == 0
    fewer = understudy(*asked, "--records-per-person", "2").refusal
    assert "Set the records per person to 3" in fewer
