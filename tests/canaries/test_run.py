"""A run on a table with canaries, from the debit to the packet: what it leaves behind, also when it
is killed or meets what nobody foresaw."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.canaries.conftest import Watch
from tests.canaries.planted import STRAY, canaries_in_bytes, csv, schema
from tests.canaries.test_formats import POLICIES
from tests.support import new_people, started, until
from understudy.cli import main
from understudy.evaluation.registry import GROUPS, measures
from understudy.mechanisms.seedbased import mechanism
from understudy.mechanisms.seedbased.plan import Plan
from understudy.models.omega import Omega
from understudy.projects.catalogue import Catalogue
from understudy.report.annex import MARK, write_annex
from understudy.report.cover import Cover
from understudy.report.packet import make_packet, packet_as_zip
from understudy.runs import worker
from understudy.runs.control import home_ledger, list_runs, start, wait
from understudy.runs.debit import reconcile
from understudy.runs.work import Job
from understudy.table.encoding import encode
from understudy.table.records import Records
from understudy.table.sources.reading import read_table


@pytest.fixture(scope="module")
def records() -> Records:
    return encode(read_table(csv(), name="people.csv"), schema(), POLICIES)


def job(records: Records, attempts: int = 200) -> Job:
    plan = Plan.of(
        schema(),
        omega=Omega(low=4, high=4),
        attempts=attempts,
        seeds_at_least=50,
        public_records=600,
        delta=1e-6,
        policies=POLICIES,
    )
    return Job(records, plan)


@pytest.mark.usefixtures("in_this_process")
def test_a_run_and_its_packet(records: Records, watch: Watch) -> None:
    table = read_table(csv(), name="people.csv")
    dataset = new_people(table, "people")
    project = Catalogue("", watch.home).create("A survey")
    run = start(job(records), project.runs, dataset=dataset)
    ended = wait(run)
    assert ended.state == "finished", ended.message
    packet = make_packet(run, project.packets, Cover(title="A survey"), pdf=False)
    assert canaries_in_bytes(packet_as_zip(packet)) == []
    watch.said.extend([repr(home_ledger().book()), repr(run), repr(packet), repr(ended)])
    assert watch.found() == []


def test_a_run_that_is_killed(records: Records, watch: Watch) -> None:
    run = started(job(records, attempts=400_000), watch.home)

    def there() -> bool:
        now = run.progress()
        assert not now.ended
        return now.process is not None

    until(there)
    process = run.progress().process
    assert process is not None
    os.kill(process, signal.SIGKILL)
    wait(run)
    watch.said.append(str(reconcile(home_ledger())))
    assert watch.found() == []


@pytest.mark.usefixtures("in_this_process")
def test_what_nobody_foresaw(
    records: Records, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise ValueError(f"could not convert string to float: {STRAY!r}")

    monkeypatch.setattr(worker, "work", fails)
    run = started(job(records), watch.home)
    assert wait(run).state == "failed"
    assert "ValueError" in run.progress().message
    watch.said.append(str(reconcile(home_ledger())))
    assert watch.found() == []


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """A folder for results, with the declared schema in it; the table lies elsewhere."""
    found = tmp_path / "out"
    found.mkdir()
    (found / "schema.json").write_text(schema().to_json(), encoding="utf-8")
    return found


@pytest.fixture
def table(tmp_path: Path) -> str:
    """The confidential table, where nothing is searched."""
    found = tmp_path / "confidential" / "people.csv"
    found.parent.mkdir()
    found.write_bytes(csv())
    return str(found)


def test_the_command_line_makes_a_run(table: str, out: Path, watch: Watch) -> None:
    """In a process of its own, as it is used."""
    assert synthesized(table, out, "4") == 0
    assert main(["ledger"]) == 0
    assert watch.found(out) == []


_TRAINED = ("prediction", "linear", "distinguishing", "propensity")
"""Groups of measures that train classifiers, which takes half a minute and says numbers only."""


def synthesized(table: str, out: Path, omega: str) -> int:
    given = [table, "--schema", f"{out}/schema.json"]
    policies = [f"--outside={name}={policy}" for name, policy in POLICIES.items()]
    small = ["--attempts", "200", "--seeds-at-least", "50", "--delta", "1e-6", "--omega", omega]
    small += ["--records", "600"]
    given = [*given, "--new-people"]
    return main(["synthesize", *given, "--out", f"{out}/release", "--keep", *small, *policies])


@pytest.mark.usefixtures("in_this_process", "few_trees")
def test_what_was_measured_holds_no_cell(
    table: str, out: Path, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the command line: evaluation, annex, packet and its check. The first two hold internal
    numbers, which is no reason for a cell to be in them."""
    every = measures()
    monkeypatch.setattr(
        mechanism,
        "measures",
        lambda **_: tuple(each for each in every if each.about.group not in _TRAINED),
    )
    assert synthesized(table, out, "4") == 0
    run = next(iter(list_runs(watch.home)))
    assert main(["evaluate", run.identity, "--table", table, "--repeats", "1"]) == 0
    made = write_annex(run)
    assert MARK in made
    assert GROUPS["disclosure"] in made
    watch.said.append(made)
    packet = ["packet", run.identity, "--title", "A survey", "--out", str(out), "--no-pdf"]
    assert main(packet) == 0
    assert main(["verify", str(next(out.glob("packet-*.zip")))]) == 0
    assert watch.found(out) == []
