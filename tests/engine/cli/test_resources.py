"""The options that say with what a run is made, and into which kind of file."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv

from tests.engine.cli.conftest import Ended
from tests.installed_mechanism.installing import noisy_histogram
from understudy.mechanisms.seedbased import executors
from understudy.runs import control
from understudy.runs.control import home_ledger
from understudy.runs.released import first_records
from understudy.runs.resources import Resources
from understudy.runs.work import Job
from understudy.table.schema import Schema

SMALL = (
    "--k",
    "25",
    "--attempts",
    "600",
    "--records",
    "1500",
    "--seeds-at-least",
    "300",
    "--delta",
    "1e-6",
    "--quiet",
)


@pytest.fixture
def synthesize(
    understudy: Callable[..., Ended], census: Path, census_schema: Path, tmp_path: Path
) -> Callable[..., Ended]:
    """`understudy synthesize` of the small census into “out”."""

    def call(*more: object) -> Ended:
        asked = ("--schema", census_schema, "--out", tmp_path / "out", *SMALL, *more)
        return understudy("synthesize", "--new-people", census, *asked)

    return call


def test_the_table_may_be_parquet_with_its_types(
    synthesize: Callable[..., Ended], tmp_path: Path, census_schema: Path
) -> None:
    said = synthesize("--format", "parquet", "--json").json
    table = tmp_path / "out" / "synthetic.parquet"
    assert said["files"]["table"] == str(table)
    assert {each.name for each in table.parent.iterdir()} == {table.name, "guarantee.json"}
    assert said["table"]["sha256"] == hashlib.sha256(table.read_bytes()).hexdigest()
    found = pq.read_table(table)
    assert found.num_rows == said["table"]["rows"] > 0
    assert str(found.schema.field("AGEP").type) == "int64"
    schema = Schema.load(census_schema)
    assert len(first_records(table, schema, 10**6)) == found.num_rows


def test_another_release_is_not_put_beside_it(synthesize: Callable[..., Ended]) -> None:
    assert synthesize("--format", "parquet").status == 0
    assert "synthetic.parquet exists already" in synthesize().refusal


def test_what_is_used_gets_to_the_run(
    synthesize: Callable[..., Ended], monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[Resources] = []
    launch = control._launch

    def noted(job: Job, *others: Any) -> None:
        found.append(job.resources)
        launch(job, *others)

    monkeypatch.setattr(control, "_launch", noted)
    assert synthesize("--cores", 1, "--minutes", 30).status == 0
    assert found == [Resources(cores=1, minutes=30.0)]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--cores", 0), "--cores: A limit of 0 leaves nothing to work with."),
        (("--minutes", -1), "--minutes: A limit of -1 leaves nothing"),
        (("--memory", 0.1), "--memory: A run holds 0.5 GB before it has looked at a record."),
        (("--shared", "/somewhere"), "--shared: only the workers of a cluster write"),
        (("--format", "parquet", "--keep"), "--format: a run that is kept is released as CSV"),
        (("--format", "parquet", "--project", "p"), "--format: a run that is kept is released"),
        (("--scheduler", "tcp://127.0.0.1:1"), "--scheduler: The cluster at tcp://127.0.0.1:1"),
        (("--resume", "r", "--format", "parquet"), "--schema, --format"),
    ],
)
def test_what_cannot_be_used_is_refused_before_anything_is_spent(
    options: tuple[object, ...],
    said: str,
    synthesize: Callable[..., Ended],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(executors, "_CONNECTING", 0.5)
    assert said in synthesize(*options).refusal
    assert not home_ledger().book().runs
    assert not (tmp_path / "out").exists()


@pytest.fixture
def parquet(census: Path, tmp_path: Path) -> Path:
    """The small census as Parquet, under the same name."""
    path = tmp_path / census.with_suffix(".parquet").name
    pq.write_table(csv.read_csv(census), path, row_group_size=400)
    return path


def test_a_table_that_is_streamed_is_the_table_that_is_read(
    understudy: Callable[..., Ended], parquet: Path, census_schema: Path, tmp_path: Path
) -> None:
    """It is known to the ledger as the same, and comes to the same release."""
    tables = []
    for name, more in (("whole", ()), ("streamed", ("--streamed",))):
        out = tmp_path / name
        options = ("--schema", census_schema, "--out", out, *SMALL, "--demo-seed", 3, *more)
        assert understudy("synthesize", "--new-people", parquet, *options).status == 0
        tables.append((out / "synthetic.csv").read_bytes())
    assert tables[0] == tables[1]
    assert [balance.runs for balance in home_ledger().book().balances] == [2]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--keep",), "--streamed: the figures of a run that is kept need the table in memory."),
        ((), "is not a Parquet file; no other is read piece by piece."),
    ],
)
def test_what_cannot_be_streamed_is_refused(
    synthesize: Callable[..., Ended], more: tuple[str, ...], said: str
) -> None:
    assert said in synthesize("--streamed", *more).refusal
    assert not home_ledger().book().runs


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        ("imputation", ("records=1000", "public_records=1000", "delta=1e-5")),
        ("pmse", ("public_records=1000", "epsilon=200")),
        (
            "scored",
            ("public_records=1000", "seeds_at_least=300", "attempts=1", "test.k=60", "delta=1e-3"),
        ),
        ("noisy-histogram", ("rows=20",)),
    ],
)
def test_what_looks_at_all_records_at_once_is_refused_before_anything_is_spent(
    kind: str,
    settings: tuple[str, ...],
    understudy: Callable[..., Ended],
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A method of another package is taken to, where it does not say otherwise."""
    plan, schema, table = (tmp_path / name for name in ("plan.json", "s.json", "t.parquet"))
    pq.write_table(pa.table({"a": ["x", "y"] * 500, "b": ["u", "v", "v", "v"] * 250}), table)
    for declared in ((), ("--declare-public", "--note", "a code book")):
        assert understudy("schema", table, "--out", schema, *declared).status == 0
    given = [part for each in settings for part in ("--set", each)]
    run = ("synthesize", table, "--schema", schema, "--plan", plan, "--out", tmp_path / "out")
    with noisy_histogram(tmp_path_factory, monkeypatch):
        made = understudy("method", kind, "--schema", schema, *given, "--save-plan", plan)
        assert made.status == 0, made.err
        refusal = understudy(*run, "--new-people", "--streamed").refusal
        assert "at once, and these are read piece by piece" in refusal
        assert not home_ledger().book().runs
        assert understudy(*run, "--new-people").status == 0
