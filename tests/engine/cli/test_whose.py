"""Whose records a table holds is said or known before they are spent on."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from tests.engine.cli.conftest import SMALL, everything
from understudy.runs.control import home_ledger


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
