"""`understudy packet`, `verify` and `export`. A table that holds what a spreadsheet would compute,
from the file it is in to its check. `synthesize --project`: a run in a project, paid by the people
that it is about. Whose records a table holds is said or known before they are spent on.
"""

from __future__ import annotations

import csv
import hashlib
import json
import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pyreadstat
import pytest

from tests.engine.cli.conftest import SMALL as CONFTEST_SMALL
from tests.engine.cli.conftest import Ended, everything
from tests.engine.report.conftest import resummed
from understudy.core.files import hash_file
from understudy.core.home import home
from understudy.privacy.budget import Budget
from understudy.projects.catalogue import Catalogue
from understudy.projects.state import load_state
from understudy.runs.control import home_ledger, list_runs
from understudy.runs.table_file import read_first_records
from understudy.table.formula_safety import NOTE, is_formula, unescape_formula
from understudy.table.omissions import Omission
from understudy.table.schema import Schema
from understudy.table.seed_mark import COLUMN, VALUE

Understudy = Callable[..., Ended]


@pytest.fixture
def run(understudy: Understudy, census: Path, census_schema: Path, tmp_path: Path) -> str:
    """A kept run of the census, seedless, so that its table has as many rows as attempts."""
    ended = understudy(
        "synthesize", "--new-people",
        census, "--schema", census_schema, "--out", tmp_path / "release", "--keep",
        "--attempts", "50", "--omega", "11", "--quiet", "--json",
    )  # fmt: skip
    assert ended.status == 0, ended.err
    return str(ended.json["run"])


def test_a_packet_is_made_and_verified_and_a_changed_one_is_not(
    understudy: Understudy, run: str, home: Path, tmp_path: Path
) -> None:
    assert understudy("packet", run, "--title", " ").refusal.startswith("--title: ")
    made = understudy("packet", run, "--title", "The census", "--no-pdf", "--out", tmp_path / "o")
    assert made.status == 0, made.err
    (archive,) = (tmp_path / "o").glob("*.zip")
    assert str(archive) in made.out
    folder = archive.with_suffix("")
    for packet in (archive, folder):
        checked = understudy("verify", packet)
        assert checked.status == 0
        assert "FAILED" not in checked.out
        assert "another version" not in checked.out
    _as_of_another_version(folder)
    other = understudy("verify", folder)
    assert other.status == 3
    assert other.out.startswith("NOT CHECKED IN FULL")
    assert "another version of Understudy made it" in " ".join(other.out.split())
    assert understudy("verify", folder, "--json").json["outcome"] == "another version"
    table = folder / "synthetic.csv"
    table.write_text("".join(table.read_text().splitlines(keepends=True)[:-1]))
    failed = understudy("verify", folder)
    assert failed.status == 1
    assert "FAILED" in failed.out
    said = understudy("verify", folder, "--json")
    assert said.status == 1
    assert said.json["outcome"] == "failed"
    states = {each["key"]: each["state"] for each in said.json["checks"]}
    assert states["hashes"] == states["table"] == "failed"
    assert states["total"] == "passed"
    newest = understudy("packet", "--title", "The census", "--no-pdf", "--json")
    assert newest.status == 0, newest.err
    packet = Path(newest.json["packet"])
    assert packet.parent == home / "packets"
    assert newest.json["zip"] is None
    about = json.loads((packet / "packet.json").read_text())
    assert (about["title"], about["dated"], about["by"]) == ("The census", "", "")


def _as_of_another_version(folder: Path) -> None:
    versions = folder / "versions.json"
    said = json.loads(versions.read_text())
    versions.write_text(json.dumps({**said, "understudy": "0.0.9"}, indent=2) + "\n")
    resummed(folder)


def test_what_cannot_be_made_is_refused(understudy: Understudy, tmp_path: Path) -> None:
    assert "no run" in understudy("packet", "nothing", "--title", "x").refusal
    assert "No release has finished" in understudy("packet", "--title", "x").refusal
    assert "no packet" in understudy("verify", tmp_path / "nothing").refusal


NAMES = ("=HYPERLINK(1)", "change")
VALUES = ("@SUM(A1)", "'@SUM(A1)", " +b", "c")
MADE = ("--k", "20", "--attempts", "300", "--records", "400", "--seeds-at-least", "60",
        "--delta", "1e-3", "--new-people", "--quiet")  # fmt: skip


@pytest.fixture
def table(tmp_path: Path) -> tuple[Path, Path]:
    """A table of such names and values, with negative numbers, and its schema."""
    path, schema = tmp_path / "table.csv", tmp_path / "schema.json"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(NAMES)
        writer.writerows([VALUES[row % 4], row % 5 - 3] for row in range(400))
    fields = [
        {"name": NAMES[0], "type": "string", "constraints": {"required": True, "enum": VALUES}},
        {
            "name": NAMES[1],
            "type": "integer",
            "constraints": {"required": True, "minimum": -3, "maximum": 1},
        },
    ]
    Schema.from_json(json.dumps({"fields": fields})).declare_public().save(schema)
    return path, schema


def test_what_is_released_is_harmless_and_read_back_unchanged(
    understudy: Understudy, table: tuple[Path, Path], tmp_path: Path
) -> None:
    path, schema = table
    out = tmp_path / "out"
    ended = understudy("synthesize", path, "--schema", schema, "--out", out, "--keep", *MADE)
    assert ended.status == 0, ended.err
    assert NOTE in " ".join(ended.out.split())

    written = (out / "synthetic.csv").read_bytes()
    rows = list(csv.reader(written.decode().splitlines()))
    assert rows[0] == ["'=HYPERLINK(1)", "change"]
    assert not any(is_formula(cell) and not cell.startswith("'") for row in rows for cell in row)
    assert {row[1] for row in rows[1:]} <= {"-3", "-2", "-1", "0", "1"}
    assert {unescape_formula(row[0]) for row in rows[1:]} <= set(VALUES)
    said = json.loads((out / "guarantee.json").read_text(encoding="utf-8"))["table"]
    assert said["sha256"] == hashlib.sha256(written).hexdigest()
    assert (said["formulas"], said["columns"]) == (NOTE, list(NAMES))

    (run,) = list_runs(home())
    found = read_first_records(run.table, Schema.load(schema), 1000)
    assert len(found) == said["rows"] == len(rows) - 1 > 0
    packed = understudy("packet", run.identity, "--title", "T", "--no-pdf", "--out", tmp_path)
    assert packed.status == 0, packed.err
    (packet,) = tmp_path.glob("packet-*.zip")
    checked = understudy("verify", packet)
    assert checked.status == 0, checked.out


def test_a_column_that_is_kept_empty_is_in_the_table_and_the_packet_says_why(
    understudy: Understudy, table: tuple[Path, Path], tmp_path: Path
) -> None:
    path, file = table
    rows = path.read_text(encoding="utf-8").splitlines()
    path.write_text(
        "\n".join(f"{at or 'person'},{row}" for at, row in enumerate(rows)) + "\n",
        encoding="utf-8",
    )
    omission = Omission(name="person", place=0, why="identifier", empty=True)
    made = Schema.load(file).with_omissions([omission])
    assert not made.declared
    made.declare_public("a law").save(file)
    out = tmp_path / "out"
    ended = understudy("synthesize", path, "--schema", file, "--out", out, "--keep", *MADE)
    assert ended.status == 0, ended.err
    written = (out / "synthetic.csv").read_text(encoding="utf-8")
    heading, *records = csv.reader(written.splitlines())
    assert heading == ["person", "'=HYPERLINK(1)", "change"]
    assert records
    assert {record[0] for record in records} == {""}
    said = json.loads((out / "guarantee.json").read_text(encoding="utf-8"))["table"]
    assert said["columns"] == ["person", *NAMES]
    (run,) = list_runs(home())
    packed = understudy("packet", run.identity, "--title", "T", "--no-pdf", "--out", tmp_path)
    assert packed.status == 0, packed.err
    (packet,) = tmp_path.glob("packet-*.zip")
    assert understudy("verify", packet).status == 0
    folder = packet.with_suffix("")
    for name in ("report.html", "dictionary.csv"):
        assert "a number or code that identifies" in (folder / name).read_text(encoding="utf-8")
    assert pq.read_table(next(folder.glob("*.parquet"))).column_names == ["person", *NAMES]


def test_parquet_has_the_texts_as_they_are(
    understudy: Understudy, table: tuple[Path, Path], tmp_path: Path
) -> None:
    path, schema = table
    out = tmp_path / "out"
    ended = understudy(
        "synthesize", path, "--schema", schema, "--out", out, *MADE, "--format", "parquet"
    )
    assert ended.status == 0, ended.err
    assert NOTE not in " ".join(ended.out.split())
    found = pq.read_table(out / "synthetic.parquet")
    assert found.column_names == list(NAMES)
    assert set(found.column(0).to_pylist()) <= set(VALUES)
    said = json.loads((out / "guarantee.json").read_text(encoding="utf-8"))["table"]
    assert "formulas" not in said


@pytest.mark.parametrize("kept", [(), ("--keep",)])
def test_what_is_put_at_out_is_for_its_owner_to_hand_on(
    kept: tuple[str, ...], understudy: Understudy, table: tuple[Path, Path], tmp_path: Path
) -> None:
    path, schema = table
    out = tmp_path / "out"
    before = os.umask(0o022)
    try:
        ended = understudy("synthesize", path, "--schema", schema, "--out", out, *kept, *MADE)
    finally:
        os.umask(before)
    assert ended.status == 0, ended.err
    assert stat.S_IMODE(out.stat().st_mode) == 0o700
    assert {stat.S_IMODE(each.stat().st_mode) for each in out.iterdir()} == {0o600}


Synthesize = Callable[..., Any]
SMALL = (
    "--k",
    "25",
    "--attempts",
    "300",
    "--records",
    "1500",
    "--seeds-at-least",
    "300",
    "--delta",
    "1e-6",
)


@pytest.fixture
def synthesize(understudy: Callable[..., Any], census_schema: Path, tmp_path: Path) -> Synthesize:
    """Makes a run of a table in the project “Census”, into a folder of its own."""
    made = []

    def call(table: Path, *more: object, project: str = "Census") -> Any:
        made.append(table)
        out = tmp_path / f"out-{len(made)}"
        return understudy(
            "synthesize", table, "--schema", census_schema, "--out", out, *SMALL, "--quiet",
            "--project", project, *more,
        )  # fmt: skip

    return call


def test_a_run_is_made_in_a_new_project_and_the_next_one_joins_it(
    synthesize: Synthesize, census: Path, census_schema: Path
) -> None:
    first = synthesize(census, "--new-people", "--json")
    assert first.status == 0, first.err
    project = Catalogue().find_project("census")
    assert project is not None
    (run,) = list_runs(project.runs)
    assert json.loads(first.out)["run"] == run.identity
    assert list_runs(home()) == ()
    about, state = project.about(), load_state(project)
    assert (about.source, about.called) == (census.name, census.stem)
    assert state.frame == Schema.load(census_schema)
    assert about.dataset == home_ledger().book().runs[run.identity].dataset
    assert synthesize(census, project="CENSUS").status == 0
    assert len(Catalogue().list_projects()) == 1
    said = json.loads((project.path / "ledger.json").read_text())
    assert {each["run"] for each in said["runs"]} == {
        each.identity for each in list_runs(project.runs)
    }
    assert len(said["runs"]) == 2


def test_another_table_is_refused_unless_its_people_are_said_to_be_the_same(
    synthesize: Synthesize, census: Path, tmp_path: Path
) -> None:
    assert synthesize(census, "--new-people").status == 0
    newer = tmp_path / "renamed.csv"
    lines = census.read_text(encoding="utf-8").splitlines()
    newer.write_text("\n".join([*lines, lines[1]]), encoding="utf-8")
    refused = synthesize(newer)
    assert refused.status != 0
    assert "is not the one" in refused.err
    assert f"name their dataset too: “{census.stem}”." in " ".join(refused.err.split())
    assert len(home_ledger().book().runs) == 1
    said = synthesize(newer, "--dataset", census.stem)
    assert said.status == 0, said.err
    book = home_ledger().book()
    assert len(book.datasets) == 1
    assert len(book.runs) == 2
    # From now on it is one of the project's own.
    assert synthesize(newer).status == 0


def test_a_run_that_cannot_be_paid_for_makes_no_project(
    synthesize: Synthesize, census: Path
) -> None:
    ledger = home_ledger()
    ledger.budget(census.stem, Budget(1e-3, 1e-9))
    assert "The budget of" in synthesize(census, "--new-people").refusal
    assert Catalogue().list_projects() == ()
    # One that was there before stays.
    project = Catalogue().create("Census")
    assert "The budget of" in synthesize(census, "--new-people").refusal
    assert project.exists


def test_a_project_that_was_put_away_is_not_written_to(
    synthesize: Synthesize, census: Path
) -> None:
    Catalogue().archive(Catalogue().create("Census"))
    refused = synthesize(census)
    assert refused.status != 0
    assert "archived" in refused.err
    assert home_ledger().book().events == 0


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
        *CONFTEST_SMALL,
        "--quiet",
    )
    assert understudy(*common, "--out", tmp_path / "a", "--dataset", "the survey").status == 0
    assert understudy(*common, "--out", tmp_path / "b").status == 0
    book = home_ledger().book()
    assert [each.name for each in book.datasets.values()] == ["the survey"]
    assert [run.state for run in book.runs.values()] == ["released", "released"]


def _spends(understudy: Any, schema: Path, out: Path) -> Callable[..., Any]:
    """Runs of small plans, each into a folder of its own."""
    made: list[Path] = []

    def spend(table: Path, *more: object) -> Any:
        made.append(table)
        return understudy(
            "synthesize", table, "--schema", schema, "--out", out / f"{len(made)}", *CONFTEST_SMALL,
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
    assert everything(tmp_path) == set()
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


@pytest.mark.parametrize("form", ["sav", "dta"])
def test_a_release_is_saved_for_spss_and_stata(
    understudy: Understudy, run: str, census_schema: Path, tmp_path: Path, form: str
) -> None:
    released = pd.read_csv(tmp_path / "release" / "synthetic.csv", dtype=str)
    out = tmp_path / f"census.{form}"
    made = understudy("export", run, "--out", out, "--json").json
    reader = pyreadstat.read_sav if form == "sav" else pyreadstat.read_dta
    frame, about = reader(str(out))
    assert made["rows"] == len(frame) == len(released)
    assert made["columns"] == list(frame.columns)
    title = Schema.from_json(census_schema.read_text()).columns[0].title
    assert next(iter(about.column_names_to_labels.values())) == title
    again = tmp_path / f"again.{form}"
    said = understudy("export", tmp_path / "release", "--schema", census_schema, "--out", again)
    assert said.out.startswith(f"{again}: {len(released)} records in {len(frame.columns)} columns")
    pd.testing.assert_frame_equal(reader(str(again))[0], frame)
    numbers = [name for name in frame.columns if frame[name].dtype.kind in "if"]
    assert numbers
    for place, name in enumerate(frame.columns):
        kind = float if name in numbers else str
        assert frame[name].astype(kind).tolist() == released.iloc[:, place].astype(kind).tolist()


def test_a_release_of_a_demonstration_is_saved_with_its_mark(
    understudy: Understudy, census: Path, census_schema: Path, tmp_path: Path
) -> None:
    marked = pd.read_csv(census, dtype=str, keep_default_na=False).head(3).assign(**{COLUMN: VALUE})
    schema = Schema.from_json(census_schema.read_text())
    marked = marked[[*schema.names, COLUMN]]
    table, out = _written(marked, tmp_path / "synthetic.csv"), tmp_path / "o.dta"
    said = {"table": {"sha256": hash_file(table)}}
    (tmp_path / "guarantee.json").write_text(json.dumps(said), encoding="utf-8")
    made = understudy("export", table, "--schema", census_schema, "--out", out, "--json")
    assert made.json["columns"][-1] == COLUMN


def test_what_cannot_be_exported_is_said_in_a_sentence(
    understudy: Understudy, run: str, census: Path, census_schema: Path, tmp_path: Path
) -> None:
    release, out = tmp_path / "release", tmp_path / "o.sav"
    assert "There is no run “none”" in understudy("export", "none", "--out", out).refusal
    assert "No schema is beside" in understudy("export", release, "--out", out).refusal
    confidential = understudy("export", census, "--schema", census_schema, "--out", out)
    assert f"No guarantee beside {census.name} is about this file" in confidential.refusal
    refused = understudy("export", run, "--out", tmp_path / "no" / "o.sav").refusal
    assert "cannot be used: no such file or directory" in refused
    refused = understudy("export", run, "--out", tmp_path / "o.txt").refusal
    assert refused.startswith("--out: ")
    assert "--to sav" in refused
    refused = understudy("export", run, "--output", "other", "--out", out).refusal
    assert "no table “other”" in refused
    out.write_bytes(b"")
    assert "exists already" in understudy("export", run, "--out", out).refusal
    changed = release / "synthetic.csv"
    changed.write_text(changed.read_text() + "\n")
    refused = understudy("export", release, "--schema", census_schema, "--out", tmp_path / "c.sav")
    assert "No guarantee beside synthetic.csv" in refused.refusal
    (table,) = Path(home()).rglob(f"{run}/release/synthetic.csv")
    table.write_text(table.read_text() + "\n")
    out.unlink()
    assert "no longer the one" in understudy("export", run, "--out", out).refusal
    assert not out.exists()
