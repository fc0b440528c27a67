from __future__ import annotations

import csv
import hashlib
import json
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import engine
from engine.mechanisms.seedbased.plan import Plan
from engine.mechanisms.seedbased.promise import promise
from engine.runs.control import home_ledger
from engine.table.schema import Schema

ROOT = Path(engine.__file__).parents[1]
ROWS = 1543
SMALL = (
    "--k",
    "25",
    "--attempts",
    "3000",
    "--records",
    "1500",
    "--seeds-at-least",
    "300",
    "--delta",
    "1e-6",
)


def _process(*arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "engine.cli", "synthesize", "--new-people", *map(str, arguments)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _everything(folder: Path) -> set[str]:
    return {each.relative_to(folder).as_posix() for each in folder.rglob("*")}


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _leaves(each)
    else:
        yield value


def test_a_table_in_a_release_out(census: Path, census_schema: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run = _process(
        census, "--schema", census_schema, "--out", out, *SMALL, "--demo-seed", 1, "--json"
    )
    said, progress = run.communicate()
    assert run.returncode == 0, progress
    assert _everything(tmp_path) == {"out", "out/synthetic.csv", "out/guarantee.json"}
    assert "reading the table" in progress

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
    assert json.loads(said) == {"files": files, **statement}
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
    assert "ε = 1, δ = 1e-06" in ended.out
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
    assert _everything(tmp_path) == set()


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


def test_every_run_is_paid_from_the_dataset_of_its_table(
    understudy: Callable[..., Any], census: Path, census_schema: Path, tmp_path: Path
) -> None:
    common = (
        "synthesize",
        "--new-people",
        census,
        "--schema",
        census_schema,
        "--omega",
        11,
        *SMALL,
        "--quiet",
    )
    assert understudy(*common, "--out", tmp_path / "a", "--dataset", "the survey").status == 0
    assert understudy(*common, "--out", tmp_path / "b").status == 0
    book = home_ledger().book()
    assert [each.name for each in book.datasets.values()] == ["the survey"]
    assert [run.state for run in book.runs.values()] == ["released", "released"]


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
    assert _everything(tmp_path) == set()


def test_a_schema_has_to_be_declared(
    understudy: Callable[..., Any], small: tuple[Path, Path], tmp_path: Path
) -> None:
    table, schema = small
    text = schema.read_text(encoding="utf-8")
    schema.write_text(text.replace('"maximum": 30', '"maximum": 31'), encoding="utf-8")
    out = tmp_path / "out"
    refusal = understudy(
        "synthesize", "--new-people", table, "--schema", schema, "--out", out
    ).refusal
    assert "has not been declared public, or was changed since" in refusal
    assert f"understudy schema {table} --out {schema} --declare-public" in refusal
    assert not out.exists()
    declared = ("schema", table, "--out", schema, "--declare-public", "--note", "a code book")
    assert understudy(*declared).status == 0
    seedless = ("synthesize", "--new-people", table, "--schema", schema, "--out", out, "--omega", 2)
    assert "values outside its domain" in understudy(*seedless).refusal


def test_values_outside_the_schema_are_settled_by_options(
    understudy: Callable[..., Any], small: tuple[Path, Path], tmp_path: Path
) -> None:
    table, schema = small
    common = (
        "synthesize", "--new-people",
        table, "--schema", schema, "--quiet", "--omega", 2, "--demo-seed", 1,
        "--seeds-at-least", 100, "--delta", 1e-4, "--attempts", 200,
    )  # fmt: skip
    out = tmp_path / "out"
    refusal = understudy(*common, "--out", out).refusal
    assert "90 above its maximum, 2 not numbers" in refusal
    assert "--outside age=missing or --outside age=clip" in refusal
    assert "4711" not in refusal
    refusal = understudy(*common, "--out", out, "--outside", "age=clip").refusal
    assert "2 not numbers" in refusal
    assert refusal.endswith("On the command line: --outside age=missing.")
    assert "holds categories" in understudy(*common, "--out", out, "--outside", "kind=clip").refusal
    assert _everything(tmp_path) == {"small.csv", "small.json"}
    assert understudy(*common, "--out", out, "--outside", "age=missing").status == 0


def test_a_table_is_read_as_its_schema_says(understudy: Callable[..., Any], tmp_path: Path) -> None:
    table, schema, out = (tmp_path / name for name in ("t.csv", "s.json", "out"))
    rows = [f"{'Zürich' if number % 3 else 'Genève'};{number % 5}" for number in range(400)]
    table.write_bytes("\n".join(["place;kind", *rows]).encode("cp1252"))
    understudy("schema", table, "--out", schema)
    understudy("schema", table, "--out", schema, "--declare-public", "--note", "known")
    # Bytes of another encoding, an open quotation mark and a cell too many, among good lines.
    odd = [b"Z\x81rich;1", b'"Bern;1', b"Gen\xe8ve;1;2"]
    data = table.read_bytes().replace(b"\n", b"\n" + b"\n".join(odd) + b"\n", 1)
    table.write_bytes(data)
    common = (
        "synthesize", "--new-people",
        table, "--schema", schema, "--quiet", "--omega", 2, "--demo-seed", 1,
        "--seeds-at-least", 100, "--delta", 1e-4, "--attempts", 200,
    )  # fmt: skip
    refusal = understudy(*common, "--out", out).refusal
    assert "1 not text in the declared encoding, 2 in lines with another number" in refusal
    understudy("schema", table, "--out", tmp_path / "other.json")
    text = schema.read_text(encoding="utf-8").replace('"required": true', '"required": false')
    schema.write_text(text, encoding="utf-8")
    understudy("schema", table, "--out", schema, "--declare-public", "--note", "known")
    settled = ("--outside", "place=missing", "--outside", "kind=missing")
    assert understudy(*common, "--out", out, *settled).status == 0
    changed = text.replace('"separator": ";"', '"separator": ","')
    schema.write_text(changed, encoding="utf-8")
    again = understudy(*common, "--out", tmp_path / "more", *settled).refusal
    assert "was changed since" in again


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
    assert _everything(tmp_path) == set()


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
    assert _everything(tmp_path) == set()


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


def _spends(understudy: Any, schema: Path, out: Path) -> Callable[..., Any]:
    """Runs of small plans, each into a folder of its own."""
    made: list[Path] = []

    def spend(table: Path, *more: object) -> Any:
        made.append(table)
        return understudy(
            "synthesize", table, "--schema", schema, "--out", out / f"{len(made)}", *SMALL,
            "--omega", 11, "--quiet", *more,
        )  # fmt: skip

    return spend


def test_a_table_that_nobody_spoke_for_is_not_spent_on(
    understudy: Any, census: Path, census_schema: Path, tmp_path: Path
) -> None:
    spend = _spends(understudy, census_schema, tmp_path)
    refusal = spend(census).refusal
    assert "The ledger does not know this table" in refusal
    assert "--new-people" in refusal
    assert home_ledger().book().events == 0
    assert _everything(tmp_path) == set()
    assert spend(census, "--new-people").status == 0
    assert spend(census).status == 0


def test_the_same_people_are_known_however_their_table_is_changed(
    understudy: Any, census: Path, census_schema: Path, tmp_path: Path
) -> None:
    spend = _spends(understudy, census_schema, tmp_path / "out")
    (tmp_path / "out").mkdir()
    assert spend(census, "--new-people").status == 0
    frame = pd.read_csv(census, dtype=str, keep_default_na=False)
    names = list(frame.columns)
    cell = frame.copy()
    cell.loc[3, names[0]] = cell.loc[4, names[0]] = "40"
    the_same = {
        "sorted.csv": frame.sort_values(names),
        "swapped.csv": frame[names[::-1]],
        "renamed.parquet": frame,
        "streamed.parquet": frame[names[::-1]].sort_values(names[0]),
    }
    for name, changed in the_same.items():
        ended = spend(_written(changed, tmp_path / name), *_as_streamed(name))
        assert ended.status == 0, (name, ended.err)
    (balance,) = home_ledger().book().balances
    assert (balance.runs, len(balance.dataset.fingerprints)) == (5, 1)
    alike = {
        "one_cell.csv": cell,
        "later.csv": pd.concat([frame, frame[:200].assign(**{names[0]: "77"})]),
        "part.csv": frame[: len(frame) // 2],
        "wider.parquet": frame.assign(more="x"),
    }
    for name, changed in alike.items():
        table = _written(changed, tmp_path / name)
        for more in ((), ("--new-people",)):
            refusal = spend(table, *more, *_as_streamed(name)).refusal
            assert f"“{census.stem}”" in refusal, name
            assert "much in common" in refusal, name
    assert len(home_ledger().book().runs) == 5
    assert spend(tmp_path / "one_cell.csv", "--dataset", census.stem).status == 0
    why = ("--new-people", "--because", "Drawn\n from another pool.")
    assert spend(tmp_path / "part.csv", *why).status == 0
    assert [each.runs for each in home_ledger().book().balances] == [6, 1]
    assert "Drawn from another pool." in home_ledger().export()


def _written(frame: pd.DataFrame, path: Path) -> Path:
    if path.suffix == ".parquet":
        frame.to_parquet(path, index=False)
    else:
        frame.to_csv(path, index=False)
    return path


def _as_streamed(name: str) -> tuple[str, ...]:
    return ("--streamed",) if name == "streamed.parquet" else ()


def test_a_file_refused_for_its_budget_is_refused_read_piece_by_piece_too(
    understudy: Any, census: Path, census_schema: Path, tmp_path: Path
) -> None:
    spend = _spends(understudy, census_schema, tmp_path / "out")
    (tmp_path / "out").mkdir()
    frame = pd.read_csv(census, dtype=str, keep_default_na=False)
    table = _written(frame.assign(unused=range(len(frame))), tmp_path / "people.parquet")
    understudy("ledger", "budget", "people", "--epsilon", 0.001, "--delta", 1e-9)
    copy = Path(shutil.copy(table, tmp_path / "copy.parquet"))
    assert "The budget of" in spend(table, "--new-people").refusal
    assert understudy("ledger", "budget", "people", "--epsilon", 1.2, "--delta", 1e-3).status == 0
    assert spend(table, "--new-people").status == 0
    for more in ((), ("--streamed",), ("--streamed", "--new-people")):
        assert "The budget of “people”" in spend(copy, *more).refusal
    assert len(home_ledger().book().runs) == 1
