"""Every benchmark still runs, at its smallest size, to the table and the figures it prints. What
is said of quality beforehand, beside what is found on simulated tables. What a change of the
calibrated model gains and loses on simulated tables. Tables of flags, and the figures that models
are compared by.
"""

from __future__ import annotations

import csv
import json
import math
import re
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from inspect import signature
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import flag_tables, latent_models, shape_drawing, shapes
from benchmarks.__main__ import BENCHES, bench, main
from benchmarks.excess import MODELS, SHAPES_HELD, Extent, Run, figures, run_of, table, tables
from benchmarks.flag_tables import Flags, of_survey, simulated
from benchmarks.latent_models import MODELS as LATENT_MODELS
from benchmarks.latent_models import by_method, compared
from benchmarks.shape_drawing import draw
from benchmarks.shapes import ALONE, FIGURES, HERE, Standing, changes, engine_of, verdict
from benchmarks.size import Size, measured
from understudy.privacy.budget import Budget
from understudy.privacy.randomness import RandomSource
from understudy.samples.shapes import picture_shape
from understudy.table.records import Records

_RULE = set("|:-")
_DEAR = (
    "cluster", "page", "release", "soak", "bombs", "streamed", "models", "sweep", "core", "traces",
    "traces-curve", "traces-attack", "latent", "latent-models",
    "sources", "imputation", "utility", "wide-page", "wide", "growth", "accounting",
    "excess", "evaluation", "levels", "rules-kept", "durations",
)  # fmt: skip
"""Those that take more than some seconds at their smallest size."""


def numbers(figures: Any) -> Iterator[float]:
    """All of them, wherever they stand; true and false are none."""
    if isinstance(figures, dict | list):
        for each in figures.values() if isinstance(figures, dict) else figures:
            yield from numbers(each)
    elif isinstance(figures, int | float) and not isinstance(figures, bool):
        yield figures


def misshapen(text: str) -> list[str]:
    """The rows of its Markdown tables that have other columns than their head, and heads without
    a rule or a row."""
    wrong = []
    for among, lines in groupby(text.splitlines(), lambda line: line.startswith("|")):
        head, *rest = lines
        if not among:
            continue
        if len(rest) < 2 or set(rest[0]) != _RULE:
            wrong.append(head)
        columns = head.count("|")
        wrong += [line for line in rest if line.count("|") != columns or not line.endswith("|")]
    return wrong


@pytest.mark.parametrize("name", BENCHES)
def test_it_can_be_asked_for(name: str) -> None:
    """It is loaded, with all that it takes from the engine, and knows its sizes."""
    asked, shown = signature(bench(name).measure), signature(bench(name).table)
    assert set(asked.parameters) in ({"size"}, {"quick"})
    assert len(shown.parameters) == 1


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.thorough("test_it_can_be_asked_for"))
        if name in _DEAR
        else name
        for name in BENCHES
    ],
)
def test_it_runs(name: str) -> None:
    module = bench(name)
    figures = measured(module.measure, "tiny")
    # No NaN, nothing infinite, and no number that only NumPy knows.
    kept = json.loads(json.dumps(figures, allow_nan=False))
    assert list(numbers(kept))
    said = module.table(figures)
    assert misshapen(said) == []
    assert any(each.isdigit() for each in said)
    assert not {"nan", "inf", "None"} & set(said.replace("|", " ").split())


def test_a_misshapen_table_is_seen() -> None:
    whole = "| a | b |\n|---|---:|\n| 1 | 2 |"
    assert misshapen(f"Words.\n\n{whole}\n\nWords.") == []
    assert misshapen(f"{whole}\n| 1 |") == ["| 1 |"]
    assert misshapen(f"{whole}\n| 1 | 2") == ["| 1 | 2"]
    assert misshapen("| a | b |\n|---|---:|") == ["| a | b |"]
    assert misshapen("| a |\n| 1 |\n| 2 |") == ["| a |"]


def test_by_command_its_figures_are_one_json_object(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["accounting", "--tiny", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert set(figures["totals"]) == {"1", "10", "100"}
    assert main(["accounting", "--tiny"]) == 0
    assert "| count | sequential |" in capsys.readouterr().out


@pytest.mark.parametrize("size", ["full", "quick", "tiny"])
def test_a_benchmark_that_knows_two_sizes_takes_the_nearer(size: Size) -> None:
    def two(*, quick: bool = False) -> dict[str, Any]:
        return {"quick": quick}

    def three(*, size: Size = "full") -> dict[str, Any]:
        return {"size": size}

    assert measured(two, size) == {"quick": size != "full"}
    assert measured(three, size) == {"size": size}


def test_it_is_of_one_size(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["accounting", "--tiny", "--quick"])
    assert "not allowed with" in capsys.readouterr().err


BOUND = 0.95
"""Of so large a share of the runs, what is called “at most” has to hold."""


def runs(extent: Extent) -> list[Run]:
    return [
        run_of(name, records, epsilon, model, seed)
        for name, records in tables(extent)
        for epsilon in extent.epsilons
        for model in MODELS
        for seed in range(extent.seeds)
    ]


def check_said(found: list[Run]) -> None:
    """Bounds hold in 95 of 100 runs; so do most pairs keep what they are said to."""
    held = [each for run in found for each in run.holds]
    assert sum(held) >= BOUND * len(held)
    fit, kept = sum(run.fit for run in found), sum(run.held for run in found)
    assert fit > 0
    assert kept >= 0.9 * fit


def test_bounds_hold_on_two_small_tables() -> None:
    check_said(runs(Extent(("16 flags", "12 loose"), (0.1, 1.0), 1, most=5_000)))


@pytest.mark.thorough("test_bounds_hold_on_two_small_tables")
def test_bounds_hold_on_eight_tables_of_different_shape() -> None:
    assert len(SHAPES_HELD) == 8
    check_said(runs(Extent(seeds=1, most=20_000)))


def test_a_bound_that_does_not_hold_is_counted() -> None:
    run = Run("t", 9, 1.0, "calibrated", 0, 0.1, 0.05, 0.2, 0.3, 0.5, 0.4, 0.1, 0.0, 3, 2, 1, 1)
    assert run.holds == (True, False, True)
    alone = replace(run, pair_said=math.nan, pair=math.nan, any_said=math.nan)
    assert alone.holds == (True,)
    assert "3 of 4 bounds hold." in table(figures([run, alone]))


@pytest.mark.parametrize(
    ("now", "before", "said"),
    [
        ((0.10, 0.11, 0.12), (0.20, 0.21, 0.22), "gains"),
        ((0.20, 0.21, 0.22), (0.10, 0.11, 0.12), "loses"),
        ((0.10, 0.11, 0.12), (0.11, 0.12, 0.13), ""),
        ((0.10, 0.30, 0.20), (0.20, 0.40, 0.30), ""),
        ((0.10, 0.10), (0.10, 0.10), ""),
        ((0.10, 0.10), (0.11, 0.11), "gains"),
        ((0.10,), (0.20,), ""),
    ],
)
def test_what_seeds_set_apart_is_no_difference(
    now: tuple[float, ...], before: tuple[float, ...], said: str
) -> None:
    assert verdict(now, before) == said


def standing(way: str, seed: int, pair: float, told: float) -> Standing:
    return Standing("16 flags", 100, 0.1, way, seed, 0.1, pair, 0.3, 0.4, told)


def test_changes_are_of_means_over_seeds_and_told_apart_from_one_in_two() -> None:
    rows = [standing(HERE, seed, 0.1 + seed / 100, 0.6) for seed in range(2)]
    rows += [standing(ALONE, seed, 0.2 + seed / 100, 0.7) for seed in range(2)]
    found = {each.figure: each for each in changes(rows, HERE, ALONE)}
    assert found["pair"].ratio == pytest.approx(0.105 / 0.205)
    assert found["told"].ratio == pytest.approx(0.5)
    assert (found["pair"].verdict, found["triple"].verdict) == ("gains", "")
    assert changes(rows, HERE, "another") == []


def test_figures_of_ordered_columns_are_of_tables_that_have_some() -> None:
    rows = [standing(way, 0, 0.1, 0.6) for way in (HERE, ALONE)]
    compared = {each.figure for each in changes(rows, HERE, ALONE)}
    assert {*FIGURES} - compared == {"correlation", "slope"}
    records = picture_shape("2,000 numbers").simulate(2_000, 1)
    flipped = records.codes.copy()
    flipped[:, 0] = flipped[:, 0].max() - flipped[:, 0]
    assert shapes._compare_relations(records, records) == (0, 0)
    other = shapes._compare_relations(Records(records.schema, flipped), records)
    # Of five strong correlations two are of the first column.
    assert other == pytest.approx((2 * 2 / 5, 2))


def test_a_step_is_left_out_beside_the_whole_model() -> None:
    (asked,) = (replace(each, epsilon=10.0) for each in shapes._EXTENTS["tiny"].each())
    found = {each.way: each for each in shapes.standings(asked, {}, ["calibrate"])}
    assert list(found) == [shapes.REALS, ALONE, HERE, "without calibrate"]
    assert found["without calibrate"].pair != found[HERE].pair
    assert all(each.triple_most >= each.triple for each in found.values())


def test_another_engine_draws_for_itself() -> None:
    """The same one, in a process of its own, draws the very same records."""
    (asked,) = shapes._EXTENTS["tiny"].each()
    learned, _, _ = shapes._parts(asked)
    codes, _ = draw(asked, learned)
    with engine_of(str(shapes._ROOT)) as engine:
        assert np.array_equal(shapes._draw_by(engine, asked, learned)[0], codes)


def test_another_engine_is_not_this_one(tmp_path: Path) -> None:
    """What draws is the engine that is named: an empty one cannot."""
    (asked,) = shapes._EXTENTS["tiny"].each()
    learned, _, _ = shapes._parts(asked)
    (tmp_path / "__init__.py").touch()
    with pytest.raises(subprocess.CalledProcessError):
        shapes._draw_by(tmp_path, asked, learned)


def test_little_is_asked_of_another_engine() -> None:
    """Only modules that the engines compared so far have under the same names."""
    text = Path(shape_drawing.__file__).read_text(encoding="utf-8")
    assert set(re.findall(r"^from understudy\.(\S+) import", text, re.MULTILINE)) == {
        "models.calibrated.learner",
        "privacy.budget",
        "privacy.noise",
        "privacy.randomness",
        "table.records",
        "table.schema",
    }


SETTINGS = {"release": "rows-from-one-draw"}


def survey(place: Path) -> Path:
    """A file of four people."""
    columns = {name: ["1", "2", "2", "N"] for name in flag_tables._CODES}
    columns |= {name: ["1", "2", "2", "N"] for name in flag_tables._YES}
    columns["AGEP"] = ["7", "34", "39", "90"]
    with place.open("w", newline="", encoding="utf-8") as sink:
        writer = csv.DictWriter(sink, list(columns))
        writer.writeheader()
        writer.writerows({name: each[row] for name, each in columns.items()} for row in range(4))
    return place


def test_each_code_of_the_survey_is_a_flag(tmp_path: Path) -> None:
    found = of_survey(survey(tmp_path / "people.csv"))
    column = {name: found.bits[:, place].tolist() for place, name in enumerate(found.names)}
    assert column["SEX"] == [False, True, True, False]
    assert column["DPHY"] == [True, False, False, False]
    assert column["EDU=2"] == [False, True, True, False]
    assert column["AGEP=30"] == [False, True, True, False]
    codes = np.array([name.startswith("MSP=") for name in found.names])
    assert (found.bits[:, codes].sum(axis=1) == 1).all()
    assert found.records(np.arange(2)).schema.names == found.names
    assert found.name == "people"


def test_a_target_is_predicted_from_other_columns_alone() -> None:
    table = Flags("t", ("A=1", "A=2", "B", "C=1"), np.zeros((1, 4), dtype=bool), ("A=1",))
    assert table.apart_from("A=1").tolist() == [2, 3]
    assert table.apart_from("B").tolist() == [0, 1, 3]


def test_a_copy_is_closer_than_independent_columns() -> None:
    table = replace(simulated(1_600), targets=("ELECTIVE", "ORPROC"))
    held, random = np.arange(800), np.random.default_rng(1)
    same = table.bits[800:]
    apart = np.stack([random.permutation(each) for each in same.T]).T
    for measure in (
        lambda made: latent_models._pair(made, table.bits[held]),
        lambda made: latent_models._told(table, made, held),
        lambda made: 1 - latent_models._predicts(table, made, table.bits[held]),
    ):
        assert measure(same) < measure(apart)


def test_a_method_is_run_within_the_budget() -> None:
    """By one that was there before any latent model."""
    table = simulated(600)
    few = Flags("few", table.names[:3], table.bits[:, :3], ())
    made = by_method("imputation", SETTINGS)
    bits = made(few.records(np.arange(600)), Budget(4.0, 1e-6), 70, RandomSource.fixed(2))
    assert bits.shape == (70, 3)
    assert bits.dtype == bool


@pytest.mark.thorough("test_a_copy_is_closer_than_independent_columns")
def test_every_model_has_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    table = simulated(1_000)
    few = Flags("few", table.names[:5], table.bits[:, :5], ("FEMALE",))
    monkeypatch.setattr(latent_models, "models", lambda _: LATENT_MODELS)
    rows = compared([few], (1.0,), 2)["rows"]
    assert [(each["model"], each["epsilon"]) for each in rows] == [
        ("other reals", 0.0), ("calibrated", 1.0), ("marginals", 1.0),
    ]  # fmt: skip
    assert latent_models.table({"rows": rows}).count("\n") == 4
