"""Tables of flags, and the figures that models are compared by."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks import flag_tables, latent_models
from benchmarks.flag_tables import Flags, of_survey, simulated
from benchmarks.latent_models import MODELS, by_method, compared
from understudy.privacy.budget import Budget
from understudy.privacy.randomness import RandomSource

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
    monkeypatch.setattr(latent_models, "models", lambda _: MODELS)
    rows = compared([few], (1.0,), 2)["rows"]
    assert [(each["model"], each["epsilon"]) for each in rows] == [
        ("other reals", 0.0), ("calibrated", 1.0), ("marginals", 1.0),
    ]  # fmt: skip
    assert latent_models.table({"rows": rows}).count("\n") == 4
