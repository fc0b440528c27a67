"""Plans and settings that a run cannot be made by, refused before anything is spent. A table in, a
release out, and what becomes of a run that comes to none. The options that say with what a run is
made, and into which kind of file.
"""

from __future__ import annotations

import csv
import hashlib
import json
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv as pyarrow_csv

from tests.engine.cli.conftest import ROWS, SMALL, Ended, everything
from tests.installed_mechanism.installing import noisy_histogram
from understudy.mechanisms.seedbased import executors
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import promise
from understudy.runs import control
from understudy.runs.control import home_ledger
from understudy.runs.resources import Resources
from understudy.runs.table_file import read_first_records
from understudy.runs.work import Job
from understudy.table.schema import Schema


def test_a_plan_for_another_schema(
    understudy: Callable[..., Any],
    small: tuple[Path, Path],
    census: Path,
    census_schema: Path,
    tmp_path: Path,
) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text(Plan.of(Schema.load(small[1])).to_json(), encoding="utf-8")
    ended = understudy(
        "synthesize",
        "--new-people",
        census,
        "--schema",
        census_schema,
        "--out",
        tmp_path / "out",
        "--plan",
        plan,
    )
    assert "made for another schema" in ended.refusal


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "There is no file"),
        (b"{", "not valid JSON"),
        (b"[]", "the plan|The plan"),
        (b'{"k": 50}', "in the plan"),
        (b"\xff\xfe\x00", "is not a text file"),
    ],
)
def test_a_plan_that_cannot_be_read(
    understudy: Callable[..., Any],
    census: Path,
    census_schema: Path,
    tmp_path: Path,
    content: bytes | None,
    said: str,
) -> None:
    plan = tmp_path / "plan.json"
    if content is not None:
        plan.write_bytes(content)
    ended = understudy(
        "synthesize",
        "--new-people",
        census,
        "--schema",
        census_schema,
        "--out",
        tmp_path / "out",
        "--plan",
        plan,
    )
    assert re.search(said, ended.refusal)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["--k", "0"], "--k: "),
        (["--k", "2000"], "--k: k is 2,000, but only 1,000 seeds are certain"),
        (["--gamma", "1"], "--gamma: "),
        (["--epsilon0", "0"], "--epsilon0: "),
        (["--t", "50"], "--t: "),
        (["--attempts", "0"], "--attempts: "),
        (["--attempts", "-7"], "--attempts: "),
        (["--omega", "12"], "--omega: ω reaches 12"),
        (["--delta", "0.001"], "--delta: "),
        (["--delta", "0"], "--delta: "),
        (["--delta", "1e-30"], "--delta: "),
        (["--model-epsilon", "0"], "--model-epsilon: "),
        (["--sampling", "0"], "--sampling: "),
        (["--seeds-at-least", "0"], "--seeds-at-least: "),
        (["--shares", "1,0,0,0"], "--shares: "),
        (["--test", "relative-sensitivity", "--gamma", "4"], "--gamma: "),
        (["--protocol", "releases"], "--pass-floor: "),
        (["--pass-floor", "0.5"], "--pass-floor: "),
        (
            ["--protocol", "releases", "--pass-floor", "0.5", "--reading", "announced"],
            "--reading: ",
        ),
        (["--records-per-person", "0"], "--records-per-person: "),
        (["--records-per-person", "9"], "--records-per-person: "),
        (["--target-epsilon", "0.001"], "--target-epsilon: "),
        (["--target-epsilon", "0"], "--target-epsilon: "),
    ],
)
def test_settings_out_of_range(
    understudy: Callable[..., Any],
    census: Path,
    census_schema: Path,
    tmp_path: Path,
    typed: list[str],
    said: str,
) -> None:
    out = tmp_path / "out"
    ended = understudy(
        "synthesize", "--new-people", census, "--schema", census_schema, "--out", out, *typed
    )
    assert ended.refusal.startswith(said)
    assert everything(tmp_path) == set()


def test_fewer_seeds_than_declared(
    understudy: Callable[..., Any], census: Path, census_schema: Path, tmp_path: Path
) -> None:
    at = (
        "synthesize", "--new-people", census, "--schema", census_schema, "--out", tmp_path / "out",
    )  # fmt: skip
    ended = understudy(*at, "--records", 20_000, "--seeds-at-least", 1_000)
    assert "The plan counts on at least 1,000 seed records" in ended.refusal
    more = understudy(*at, "--records", 20_000, "--seeds-at-least", 300, "--delta", "1e-6")
    assert "publicly known to have 20,000 records, and it has fewer" in more.refusal
    assert everything(tmp_path) == set()


@pytest.mark.parametrize("given", [(), ("--seeds-at-least", 300), ("--records", 900)])
def test_no_number_is_called_public_that_nobody_typed(
    understudy: Callable[..., Any], census_schema: Path, tmp_path: Path, given: tuple[Any, ...]
) -> None:
    """Refused before the table is read, and so before anything is spent."""
    typed = (*given, "--seeds-at-least", 300) if given[:1] == ("--records",) else given
    ended = understudy(
        "synthesize", tmp_path / "no.csv", "--schema", census_schema, "--out", tmp_path / "out",
        *typed,
    )  # fmt: skip
    assert ended.refusal.startswith("--records: ")
    assert "public knowledge" in ended.refusal


def test_the_seeds_follow_from_the_records_that_were_typed(
    understudy: Callable[..., Any], census_schema: Path, tmp_path: Path
) -> None:
    plan = tmp_path / "plan.json"
    understudy(
        "synthesize", tmp_path / "no.csv", "--schema", census_schema, "--out", tmp_path / "out",
        "--records", 50_000, "--save-plan", plan,
    )  # fmt: skip
    found = Plan.from_json(plan.read_text(encoding="utf-8"))
    assert found.public_records == 50_000
    assert 14_000 < found.seeds_at_least < 15_000
    needed = promise(found, Schema.load(census_schema)).records_at_least
    assert needed is not None
    assert 0.95 * 50_000 < needed <= 50_000


def test_a_taken_place_is_found_before_the_table_is_read(
    understudy: Callable[..., Any], census_schema: Path, tmp_path: Path
) -> None:
    (tmp_path / "guarantee.json").write_text("{}", encoding="utf-8")
    ended = understudy(
        "synthesize",
        "--new-people",
        tmp_path / "no.csv",
        "--schema",
        census_schema,
        "--out",
        tmp_path,
        *SMALL,
    )
    assert "guarantee.json exists already" in ended.refusal


def test_a_plan_that_keeps_no_promise_is_found_before_the_table_is_read(
    understudy: Callable[..., Any], census_schema: Path, tmp_path: Path
) -> None:
    ended = understudy(
        "synthesize", "--new-people",
        tmp_path / "no.csv", "--schema", census_schema, "--out", tmp_path / "out",
        "--delta", 1e-30,
    )  # fmt: skip
    assert ended.refusal.startswith("--delta: ")


def test_another_plan_is_not_overwritten(
    understudy: Callable[..., Any], census: Path, census_schema: Path, tmp_path: Path
) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text("mine", encoding="utf-8")
    ended = understudy(
        "synthesize", "--new-people", census, "--schema", census_schema, "--out", tmp_path / "out",
        "--save-plan", plan, *SMALL,
    )  # fmt: skip
    assert ended.refusal.startswith("--save-plan: ")
    assert plan.read_text(encoding="utf-8") == "mine"


ROOT = Path(__file__).resolve().parents[3]


def _process(*arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [
            sys.executable,
            "-m",
            "understudy.cli",
            "synthesize",
            "--new-people",
            *map(str, arguments),
        ],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _leaves(each)
    else:
        yield value


def test_a_table_in_a_release_out(
    understudy: Callable[..., Any], census: Path, census_schema: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    ended = understudy(
        "synthesize", "--new-people",
        census, "--schema", census_schema, "--out", out, *SMALL, "--demo-seed", 1, "--json",
    )  # fmt: skip
    assert ended.status == 0, ended.err
    assert everything(tmp_path) == {"out", "out/synthetic.csv", "out/guarantee.json"}
    assert "reading the table" in ended.err

    schema = Schema.load(census_schema)
    with (out / "synthetic.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == [*schema.names, "not_private"]
    assert len(rows) > 50
    *columns, marks = zip(*rows, strict=True)
    for column, values in zip(schema.columns, columns, strict=True):
        assert set(values) <= set(column.texts)
    assert set(marks) == {"demonstration: fixed random seed"}

    text = (out / "guarantee.json").read_text(encoding="utf-8")
    statement = json.loads(text)
    assert statement["guarantee"]["strength"] == "none"
    assert statement["table"]["rows"] == len(rows)
    assert statement["table"]["columns"] == header
    content = (out / "synthetic.csv").read_bytes()
    assert statement["table"]["sha256"] == hashlib.sha256(content).hexdigest()
    files = {"table": str(out / "synthetic.csv"), "guarantee": str(out / "guarantee.json")}
    assert json.loads(ended.out) == {"files": files, **statement}
    _holds_nothing_internal(statement)


def _holds_nothing_internal(statement: dict[str, Any]) -> None:
    """No count of records, no pass rate, no time, and no place on this computer."""
    leaves = list(_leaves(statement))
    assert ROWS not in leaves
    words = [each for each in leaves if isinstance(each, str)]
    tokens = {token for each in words for token in re.findall(r"[\d.,]*\d", each)}
    assert not {str(ROWS), f"{ROWS:,}"} & tokens
    assert statement["table"]["rows"] / 3000 not in leaves
    assert statement["table"]["rows"] / ROWS not in leaves
    assert not any("/" in each and Path(each).exists() for each in words)
    assert set(statement) == {
        "guarantee", "stain", "table", "plan", "declared_public", "made_by",
    }  # fmt: skip


def test_the_same_plan_from_a_file(
    understudy: Callable[..., Any], census: Path, census_schema: Path, tmp_path: Path
) -> None:
    plan, common = tmp_path / "plan.json", ("--schema", census_schema, "--demo-seed", 5)
    first = understudy(
        "synthesize", "--new-people",
        census, *common, *SMALL, "--omega", "7-11", "--reading", "announced",
        "--save-plan", plan, "--out", tmp_path / "first", "--quiet",
    )  # fmt: skip
    assert (first.status, first.err) == (0, "")
    assert "NOT PRIVATE" in first.out
    assert "ε =" not in first.out
    read = Plan.from_json(plan.read_text(encoding="utf-8"))
    assert str(read.omega) == "7-11"
    again = understudy(
        "synthesize",
        "--new-people",
        census,
        *common,
        "--plan",
        plan,
        "--out",
        tmp_path / "again",
        "--quiet",
    )
    assert again.status == 0
    for name in ("synthetic.csv", "guarantee.json"):
        assert (tmp_path / "first" / name).read_bytes() == (tmp_path / "again" / name).read_bytes()


def test_a_private_run_states_its_guarantee(
    understudy: Callable[..., Any], census: Path, census_schema: Path, tmp_path: Path
) -> None:
    ended = understudy(
        "synthesize", "--new-people",
        census, "--schema", census_schema, "--out", tmp_path / "out", "--omega", "11",
        *SMALL, "--quiet",
    )  # fmt: skip
    statement = json.loads((tmp_path / "out" / "guarantee.json").read_text(encoding="utf-8"))
    assert statement["guarantee"]["strength"] == "moderate"
    assert statement["guarantee"]["epsilon"] <= 1
    # Six records in ten are learned from, at ε = 1.
    assert "ε = 0.7086, δ = 1e-06" in ended.out
    assert "not_private" not in (tmp_path / "out" / "synthetic.csv").read_text(encoding="utf-8")


def test_exactly_as_many_records_as_were_asked_for(
    understudy: Callable[..., Any], census: Path, census_schema: Path, tmp_path: Path
) -> None:
    statement = understudy(
        "synthesize", "--new-people",
        census, "--schema", census_schema, "--out", tmp_path / "out", "--k", 40,
        "--test", "relative-sensitivity", "--protocol", "releases", "--attempts", 123,
        "--pass-floor", 0.05, "--records", 1500, "--seeds-at-least", 300, "--delta", 1e-6,
        "--quiet", "--json",
    ).json  # fmt: skip
    text = (tmp_path / "out" / "synthetic.csv").read_text(encoding="utf-8")
    assert statement["table"]["rows"] == text.count("\n") - 1 == 123
    assert statement["guarantee"]["protocol"] == "releases"
    assert any("0.05 of all attempts" in each for each in statement["guarantee"]["assumes"])


def test_a_run_that_falls_under_its_pass_floor_releases_nothing(
    understudy: Callable[..., Any], census: Path, census_schema: Path, tmp_path: Path
) -> None:
    refusal = understudy(
        "synthesize", "--new-people",
        census, "--schema", census_schema, "--out", tmp_path / "out", "--omega", 2,
        "--k", 250, "--protocol", "releases", "--attempts", 500, "--pass-floor", 0.9,
        "--records", 1500, "--seeds-at-least", 300, "--delta", 1e-6, "--quiet",
    ).refusal  # fmt: skip
    assert "Fewer candidates pass the test than the pass floor" in refusal
    assert "declare a lower pass floor" in refusal
    assert "budget counts as spent" in refusal
    assert not any(letter.isdigit() for letter in refusal)
    assert everything(tmp_path) == set()


def test_what_may_be_spent_is_enough_to_plan(
    understudy: Callable[..., Any], census: Path, census_schema: Path, tmp_path: Path
) -> None:
    plan = tmp_path / "plan.json"
    statement = understudy(
        "synthesize", "--new-people",
        census, "--schema", census_schema, "--out", tmp_path / "out", "--quiet",
        "--test", "relative-sensitivity", "--target-epsilon", 2, "--attempts", 20,
        "--records", 1500, "--seeds-at-least", 300, "--delta", 1e-6, "--save-plan", plan, "--json",
    ).json  # fmt: skip
    assert statement["guarantee"]["epsilon"] <= 2 * (1 + 1e-9)
    assert statement["guarantee"]["delta"] <= 1e-6
    saved = Plan.from_json(plan.read_text(encoding="utf-8"))
    assert saved.test.kind == "relative-sensitivity"
    assert saved.test.k > 20


def test_a_release_of_nothing_says_so(
    understudy: Callable[..., Any], census: Path, census_schema: Path, tmp_path: Path
) -> None:
    ended = understudy(
        "synthesize", "--new-people",
        census, "--schema", census_schema, "--out", tmp_path / "out", "--quiet",
        "--omega", 1, "--k", 300, "--attempts", 200, "--delta", 1e-6,
        "--records", 1500, "--seeds-at-least", 300,
    )  # fmt: skip
    assert ended.status == 0
    assert ", 0 records\n" in ended.out
    assert "No candidate passed" in ended.out
    assert (tmp_path / "out" / "synthetic.csv").read_text(encoding="utf-8").count("\n") == 1


@pytest.mark.thorough("engine/cli/test_watching.py::test_an_interruption_cancels_the_run")
def test_an_interrupted_run_leaves_nothing(
    census: Path, census_schema: Path, tmp_path: Path
) -> None:
    run = _process(
        census, "--schema", census_schema, "--out", tmp_path / "a" / "out",
        "--k", 40, "--records", 1500, "--seeds-at-least", 300, "--attempts", 5_000_000,
        "--delta", 1e-4,
    )  # fmt: skip
    assert run.stderr is not None
    for line in run.stderr:
        if line.startswith("making candidates"):
            break
    run.send_signal(signal.SIGINT)
    _, rest = run.communicate()
    assert run.returncode == 130, rest
    assert rest.splitlines()[-1] == "understudy: Cancelled. Nothing was released."
    assert "Traceback" not in rest
    assert everything(tmp_path) == set()


RESOURCES_SMALL = (
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
        asked = ("--schema", census_schema, "--out", tmp_path / "out", *RESOURCES_SMALL, *more)
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
    assert len(read_first_records(table, schema, 10**6)) == found.num_rows


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
    pq.write_table(pyarrow_csv.read_csv(census), path, row_group_size=400)
    return path


def test_a_table_that_is_streamed_is_the_table_that_is_read(
    understudy: Callable[..., Ended], parquet: Path, census_schema: Path, tmp_path: Path
) -> None:
    """It is known to the ledger as the same, and comes to the same release."""
    tables = []
    for name, more in (("whole", ()), ("streamed", ("--streamed",))):
        out = tmp_path / name
        options = (
            "--schema",
            census_schema,
            "--out",
            out,
            *RESOURCES_SMALL,
            "--demo-seed",
            3,
            *more,
        )
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
    for declared in ((), ("--declare-public", "--origin", "codebook", "--note", "a code book")):
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
