"""Pass-rate curves: what is drawn is what was given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import altair as alt
import numpy as np
import pytest

from understudy.charts.passing import pass_rate_curves, pass_rate_curves_table
from understudy.charts.scales import NOT_FOR_RELEASE

Layers = Callable[[alt.LayerChart], list[dict[str, Any]]]
Said = Callable[[alt.LayerChart], list[str]]

KS = np.array([1, 10, 100, 1000])
CURVES = {
    "ω = 5-11": np.array([1.0, 0.9, 0.4, 0.01]),
    "ω = 9": np.array([1.0, 0.5, 0.05, 0.0]),
}


def test_every_curve_is_drawn_as_given(layers: Layers) -> None:
    rows = layers(pass_rate_curves(KS, CURVES, 50))[0]["rows"]
    for name, shares in CURVES.items():
        drawn = [(row["k"], row["share"]) for row in rows if row["name"] == name]
        assert drawn == list(zip(KS.tolist(), shares.tolist(), strict=True))


def test_the_table_says_what_is_drawn() -> None:
    table = pass_rate_curves_table(KS, CURVES)
    assert table["k"].tolist() == KS.tolist()
    for name, shares in CURVES.items():
        assert table[f"Share of attempts that pass, {name}"].tolist() == shares.tolist()


def test_hovering_reads_out_every_curve(layers: Layers) -> None:
    reader = layers(pass_rate_curves(KS, CURVES, 50))[1]
    titles = [each.get("title") for each in reader["encoding"]["tooltip"]]
    assert titles[1:] == ["Passing, ω = 5-11", "Passing, ω = 9"]
    assert reader["rows"][1] == {"k": 10, "curve0": "90 %", "curve1": "50 %"}


def test_the_present_k_is_marked(said: Said, layers: Layers) -> None:
    chart = pass_rate_curves(KS, CURVES, 5000)
    assert said(chart) == ["This plan: k = 5,000"]
    assert layers(chart)[0]["encoding"]["x"]["scale"]["domain"][1] >= 5000
    rule = layers(chart)[2]
    assert (rule["mark"], rule["rows"][0]["k"]) == ("rule", 5000)


def test_it_carries_the_mark_of_internal_figures() -> None:
    assert pass_rate_curves(KS, CURVES, 50).to_dict()["title"]["text"] == NOT_FOR_RELEASE


def test_what_is_not_a_number_is_left_out(layers: Layers) -> None:
    curves = {"ω = 9": np.array([0.5, np.nan, np.inf, 0.1])}
    chart = pass_rate_curves(KS, curves, 50)
    assert [row["k"] for row in layers(chart)[0]["rows"]] == [1, 1000]
    assert layers(chart)[1]["rows"][1]["curve0"] == "not known"
    assert pass_rate_curves_table(KS, curves).isna().to_numpy().sum() == 2


@pytest.mark.parametrize("curves", [{}, {"ω = 9": np.full(4, np.nan)}])
def test_without_a_curve_a_sentence_takes_the_place(curves: Any, said: Said) -> None:
    assert "no pass rate" in said(pass_rate_curves(KS, curves, 50))[0]


def test_rare_passing_fills_the_axis(layers: Layers) -> None:
    often = layers(pass_rate_curves(KS, CURVES, 50))[0]["encoding"]["y"]["scale"]["domain"]
    rare = pass_rate_curves(KS, {"ω = 9": np.full(4, 0.002)}, 50)
    assert often == [0, 1]
    assert layers(rare)[0]["encoding"]["y"]["scale"]["domain"][1] < 0.01


def test_a_single_k_is_shown_as_a_point() -> None:
    spec = pass_rate_curves(np.array([50]), {"ω = 9": np.array([0.3])}, 50).to_dict()
    assert spec["layer"][0]["mark"]["point"]
