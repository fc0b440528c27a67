"""The triangle: curves of the lemma, and a run above its own."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import altair as alt
import pytest

from understudy.charts.scales import NOT_FOR_RELEASE
from understudy.mechanisms.seedbased.charts.triangle import triangle, triangle_table
from understudy.mechanisms.seedbased.evaluation.bounds import Place

Layers = Callable[[alt.LayerChart], list[dict[str, Any]]]
Said = Callable[[alt.LayerChart], list[str]]

HERE = Place(t=55, share=0.73, eta=1 + 1 / 55, alpha=1.37, gamma=0.156, epsilon=1.05)
LARGE = Place(t=20_500, share=0.9, eta=1 + 1 / 20_500, alpha=1.02, gamma=0.01, epsilon=0.002)
NOTHING = replace(HERE, alpha=math.inf, gamma=1.0)


@pytest.mark.parametrize("here", [HERE, LARGE, NOTHING])
def test_curves_are_the_lemma(layers: Layers, here: Place) -> None:
    shade, curves = layers(triangle(here))[:2]
    assert (shade["mark"], curves["mark"]) == ("area", "line")
    names = curves["encoding"]["color"]["scale"]["domain"]
    assert names[0].startswith("this run")
    up = curves["encoding"]["y"]["scale"]["domain"]
    for name, eta in zip(names, (here.eta, 1.1, 2, 10), strict=True):
        rows = [row for row in curves["rows"] if row["name"] == name]
        assert len(rows) > 50
        for row in rows:
            gamma = row["gamma"]
            least = math.log(eta) - 2 * math.log((1 + gamma) / (1 - gamma))
            assert row["epsilon"] == pytest.approx(max(least, up[0]))
            assert row["floor"] == up[0]
        # It ends where it meets the floor, and does not run along it.
        assert sum(row["epsilon"] == up[0] for row in rows) <= 2


@pytest.mark.parametrize("here", [HERE, LARGE, NOTHING])
def test_the_run_stands_where_it_is_and_inside_the_frame(layers: Layers, here: Place) -> None:
    point = layers(triangle(here))[2]
    assert point["mark"] == "point"
    row = point["rows"][0]
    assert (row["gamma"], row["epsilon"]) == (here.gamma, here.epsilon)
    for channel in ("x", "y"):
        low, high = point["encoding"][channel]["scale"]["domain"]
        assert low <= row["gamma" if channel == "x" else "epsilon"] <= high


def test_it_is_internal_and_names_the_run(said: Said) -> None:
    assert triangle(HERE).to_dict()["title"]["text"] == NOT_FOR_RELEASE
    assert said(triangle(HERE)) == ["This run"]


def test_without_noise_a_sentence_takes_its_place(said: Said) -> None:
    assert "Nothing is promised" in said(triangle(replace(HERE, epsilon=math.inf)))[0]


def test_the_table_has_every_curve_and_the_run() -> None:
    table = triangle_table(HERE)
    assert table["What"].iloc[-1] == "This run"
    assert table["ε"].iloc[-1] == HERE.epsilon
    at_nothing = table.loc[table["γ"] == 0.0]
    assert at_nothing["ε"].tolist() == pytest.approx([math.log(eta) for eta in at_nothing["η"]])


def test_nothing_known_of_the_test_is_said_in_words(layers: Layers) -> None:
    assert layers(triangle(NOTHING))[2]["rows"][0]["alpha"] == "any factor"
