"""A run on a table with canaries, from the debit to the packet: what it leaves behind, also when it
is killed or meets what nobody foresaw."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from engine.cli import main
from engine.models.omega import Omega
from engine.projects.catalogue import Catalogue
from engine.report.cover import Cover
from engine.report.packet import make_packet, zipped
from engine.runs import worker
from engine.runs.control import home_ledger, start, wait
from engine.runs.ending import reconcile
from engine.runs.folder import RunFolder
from engine.runs.work import Job
from engine.synthesis.plan import Plan
from engine.table.encoding import encode
from engine.table.reading import read_table
from engine.table.records import Records
from tests.canaries.conftest import Watch
from tests.canaries.planted import STRAY, canaries_in_bytes, csv, schema
from tests.canaries.test_formats import POLICIES


@pytest.fixture(scope="module")
def records() -> Records:
    return encode(read_table(csv(), name="people.csv"), schema(), POLICIES)


def job(records: Records, attempts: int = 200) -> Job:
    plan = Plan.of(
        schema(),
        omega=Omega(low=4, high=4),
        attempts=attempts,
        seeds_at_least=50,
        delta=1e-6,
        policies=POLICIES,
    )
    return Job(records, plan)


def test_a_run_and_its_packet(records: Records, watch: Watch) -> None:
    table = read_table(csv(), name="people.csv")
    dataset = home_ledger().identify(table, "people")
    project = Catalogue("", watch.home).create("A survey")
    run = start(job(records), project.runs, dataset=dataset)
    ended = wait(run)
    assert ended.state == "finished", ended.message
    packet = make_packet(run, project.packets, Cover(title="A survey"), pdf=False)
    assert canaries_in_bytes(zipped(packet)) == []
    watch.said.extend([repr(home_ledger().book()), repr(run), repr(packet), repr(ended)])
    assert watch.found() == []


def test_a_run_that_is_killed(records: Records, watch: Watch) -> None:
    run = start(job(records, attempts=400_000), watch.home)
    while (now := run.progress()).process is None:
        assert not now.ended
    os.kill(now.process, signal.SIGKILL)
    wait(run)
    watch.said.append(str(reconcile(home_ledger())))
    assert watch.found() == []


def test_what_nobody_foresaw(
    records: Records, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise ValueError(f"could not convert string to float: {STRAY!r}")

    run = start(job(records), watch.home)
    wait(run)
    copy = RunFolder(watch.home / f"{run.identity}-again")
    run.path.rename(copy.path)
    (copy.release / "synthetic.csv").unlink()
    monkeypatch.setattr(worker, "work", fails)
    assert worker.do(job(records), copy) == 1
    assert "ValueError" in copy.progress().message
    assert watch.found() == []


def test_the_command_line_from_table_to_packet(tmp_path: Path, watch: Watch) -> None:
    table = tmp_path / "confidential" / "people.csv"
    table.parent.mkdir()
    table.write_bytes(csv())
    out = tmp_path / "out"
    out.mkdir()
    (out / "schema.json").write_text(schema().to_json(), encoding="utf-8")
    given = [str(table), "--schema", f"{out}/schema.json"]
    policies = [f"--outside={name}={policy}" for name, policy in POLICIES.items()]
    small = ["--attempts", "200", "--seeds-at-least", "50", "--delta", "1e-6", "--omega", "4"]
    done = main(["synthesize", *given, "--out", f"{out}/release", "--keep", *small, *policies])
    assert done == 0
    assert main(["ledger"]) == 0
    assert watch.found(out) == []
