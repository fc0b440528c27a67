from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from understudy.evaluation.measures import shares
from understudy.models.omega import Omega
from understudy.samples.census import SCHEMA, write
from understudy.studies.reproduction import reproductions
from understudy.studies.seedbased import evaluation
from understudy.studies.seedbased.setting import Setting

LIGHT = Setting(
    omegas=(Omega(low=11, high=11),),
    most=150,
    tested=60,
    repeats=2,
    models=1,
    scored=64,
    timed=(20,),
)


@pytest.fixture
def light(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The real path on few records, in a folder of its own."""
    monkeypatch.setattr(Setting, "of", classmethod(lambda cls, attributes: LIGHT))
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("people") / "people.csv"
    write(2_500, path, 5)
    return path


def printed(understudy: Callable[..., Any], place: Path) -> str:
    """What is printed of a simulated census; every table is, and every figure is a file."""
    ended = understudy("reproduce", "census", "--rows", 2_000, "--seed", 3)
    assert ended.status == 0, ended
    for number in (3, 4, 5):
        assert f"\nTable {number}: " in ended.out
    for number in range(1, 7):
        assert f"\nFigure {number}: " in ended.out
    assert re.search(r"marginals +57\.9 ", ended.out)
    assert "understudy reproduce census --rows 2000 --seed 3\n" in ended.out
    assert "2,000 people instead of 1,500,000" in " ".join(ended.out.split())
    assert "learning the model" in ended.err
    made = {each.name for each in (place / "reproduction-figures").glob("figure-*.svg")}
    assert made
    assert "are in reproduction-figures." in " ".join(ended.out.split())
    return str(ended.out)


@pytest.mark.usefixtures("light")
def test_census_prints_every_table_and_writes_the_figures(
    understudy: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is not measured is said; no classifier is trained, which takes long."""
    monkeypatch.setattr(
        evaluation, "measures_of", lambda setting, learned_from: (shares.VARIATION_PAIRS,)
    )
    printed(understudy, tmp_path)


@pytest.mark.thorough("test_census_prints_every_table_and_writes_the_figures")
@pytest.mark.usefixtures("light", "few_trees")
def test_census_measures_all_of_it(understudy: Callable[..., Any], tmp_path: Path) -> None:
    out = printed(understudy, tmp_path)
    assert re.search(r"marginals +57\.9 +\d", out)
    assert len(list((tmp_path / "reproduction-figures").glob("figure-*.svg"))) == 6
    assert "What could not be measured" not in out


@pytest.mark.usefixtures("light")
def test_a_table_of_ones_own_is_internal(
    understudy: Callable[..., Any],
    tmp_path: Path,
    people: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        evaluation, "measures_of", lambda setting, learned_from: (shares.VARIATION_PAIRS,)
    )
    (tmp_path / "reproduction-figures").mkdir()
    (tmp_path / "reproduction-figures" / "mine").touch()
    options = ["--table", people, "--schema", SCHEMA, "--target", "SEX", "--markdown", "--quiet"]
    ended = understudy("reproduce", *options)
    assert ended.status == 0, ended
    assert ended.err == ""
    assert "INTERNAL" in ended.out
    assert "## Table 3" in ended.out
    assert "57.9" not in ended.out
    made = sorted(path.name for path in (tmp_path / "reproduction-figures-2").iterdir())
    assert made
    assert all(name.startswith("INTERNAL-") for name in made)
    assert [path.name for path in (tmp_path / "reproduction-figures").iterdir()] == ["mine"]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["census", "--target", "SEX"], "--target cannot be given together with census."),
        (["census", "--outside", "SEX=clip"], "--outside cannot be given together with census."),
        (["--table", "x.csv"], "--schema and --target must be given too."),
        (
            ["--table", "x.csv", "--schema", "x.json", "--target", "y", "--rows", "5"],
            "--rows, --table, --schema, --target do not say which evaluation is meant.",
        ),
        (
            ["--table", "x.csv", "--schema", "x.json", "--target", "y", "--seed", "5"],
            "--seed is of simulated people only.",
        ),
        (["census", "--json", "--markdown"], "--markdown and --json cannot be given together."),
        (["census", "--rows", "1999"], "--rows: There are too few records"),
        (["census", "--rows", "2000", "--seed", "-1"], "--seed: The seed -1 is negative."),
        (["survey"], f"“survey” is not {' or '.join(reproductions())}."),
    ],
)
@pytest.mark.usefixtures("light")
def test_refusals(
    understudy: Callable[..., Any], tmp_path: Path, typed: list[str], said: str
) -> None:
    assert said in understudy("reproduce", *typed).refusal
    assert list(tmp_path.iterdir()) == []


def test_all_are_listed_without_a_name(understudy: Callable[..., Any]) -> None:
    ended = understudy("reproduce")
    assert ended.status == 0
    for name, each in reproductions().items():
        assert f"{name} " in ended.out
        assert each.title in " ".join(ended.out.split())
    listed = json.loads(understudy("reproduce", "--json").out)["reproductions"]
    assert [each["name"] for each in listed] == list(reproductions())


@pytest.mark.usefixtures("light")
def test_refusals_about_a_table(understudy: Callable[..., Any], people: Path, census: Path) -> None:
    def refused(table: Path, target: str) -> str:
        options = ["--table", table, "--schema", SCHEMA, "--target", target]
        return str(understudy("reproduce", *options).refusal)

    assert "--target: There is no column “PAY” to predict." in refused(people, "PAY")
    assert "--target: Column “WKHP” has 100 possible value(s)" in refused(people, "WKHP")
    assert "--table: There are too few records" in refused(census, "SEX")


@pytest.mark.usefixtures("light")
def test_a_table_without_a_column_of_the_schema(
    understudy: Callable[..., Any], tmp_path: Path
) -> None:
    lean = tmp_path / "lean.csv"
    lean.write_text("SEX,MAR\n" + "1,2\n2,1\n" * 2_000, encoding="utf-8")
    ended = understudy("reproduce", "--table", lean, "--schema", SCHEMA, "--target", "SEX")
    assert "AGEP" in ended.refusal
    assert [path.name for path in tmp_path.iterdir()] == ["lean.csv"]


@pytest.mark.usefixtures("light")
def test_figures_overwrite_nothing(understudy: Callable[..., Any], tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.mkdir()
    (taken / "precious").touch()
    ended = understudy("reproduce", "census", "--rows", 2_000, "--figures", taken)
    assert "--figures: " in ended.refusal
    assert "exists already, and is not overwritten." in ended.refusal
    assert [path.name for path in taken.iterdir()] == ["precious"]


@pytest.mark.usefixtures("light")
def test_a_refusal_of_stray_values_names_the_option(
    understudy: Callable[..., Any], tmp_path: Path, small: tuple[Path, Path]
) -> None:
    table, schema = small
    ended = understudy("reproduce", "--table", table, "--schema", schema, "--target", "kind")
    assert "--outside age=clip" in ended.refusal
    assert "4711secret" not in ended.refusal
    assert not list(tmp_path.glob("reproduction*"))


def test_errors_and_definitions_are_printed_without_a_run(understudy: Callable[..., Any]) -> None:
    errata = understudy("reproduce", "pmse", "--errata")
    assert "Errors of the publications" in errata.out
    assert "Snoke" in errata.out
    assert "Zheng" not in errata.out
    listed = understudy("reproduce", "--definitions", "--json").json["definitions"]
    simulated = [each for name, each in reproductions().items() if name != "table"]
    assert {each["reproduction"] for each in listed} == {each.title for each in simulated}


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["--errata", "--definitions"], "--errata and --definitions cannot be given together."),
        (["census", "--errata", "--quick"], "--quick cannot be given where nothing is run."),
        (["--definitions", "--rows", "9"], "--rows cannot be given where nothing is run."),
        (["--errata", "--seed", "9", "--figures", "x"], "--seed, --figures cannot be given"),
    ],
)
def test_what_only_a_run_has_is_refused(
    understudy: Callable[..., Any], typed: list[str], said: str
) -> None:
    assert said in understudy("reproduce", *typed).refusal
