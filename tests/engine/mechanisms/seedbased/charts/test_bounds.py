"""Low scores and bounds: what is drawn is what was found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import altair as alt
import numpy as np
import pytest

from understudy.charts.scales import NOT_FOR_RELEASE
from understudy.mechanisms.seedbased.charts.bounds import (
    ESTIMATE,
    LAYERS,
    LEMMA,
    NAMES,
    REJECTIONS,
    SCORES,
    bounds_against_t,
    bounds_table,
    low_scores,
    low_scores_table,
)
from understudy.mechanisms.seedbased.evaluation.bounds import Bounds, bounds
from understudy.mechanisms.seedbased.evaluation.pass_rate import ScoreSample
from understudy.models.omega import Omega
from understudy.privacy.plausibility.privacy_test import RelativeSensitivity

Layers = Callable[[alt.LayerChart], list[dict[str, Any]]]
Said = Callable[[alt.LayerChart], list[str]]

TEST = RelativeSensitivity(k=50, epsilon0=1.0)


def found_of(counts: np.ndarray) -> Bounds:
    sample = ScoreSample(Omega(low=2, high=2), counts, np.zeros(len(counts), dtype=bool))
    return bounds(sample, TEST)


FOUND = found_of(np.repeat([10, 52, 400], [30, 70, 900]))
HARDLY = found_of(np.repeat([10, 4_000], [1, 19_999]))


def test_low_scores_are_drawn_with_their_band(layers: Layers) -> None:
    band, line = layers(low_scores(FOUND, 50))[:2]
    assert (band["mark"], line["mark"]) == ("area", "line")
    drawn = [(row["t"], row["share"], row["low"], row["high"]) for row in line["rows"]]
    parts = (FOUND.t, FOUND.beta, FOUND.beta_low, FOUND.beta_high)
    assert drawn == list(zip(*(part.tolist() for part in parts), strict=True))
    assert (band["encoding"]["y"]["field"], band["encoding"]["y2"]["field"]) == ("low", "high")
    assert line["encoding"]["y"]["scale"]["domain"][1] >= FOUND.beta_high.max()


def test_k_is_marked_and_both_are_internal(said: Said) -> None:
    for chart in (low_scores(FOUND, 50), bounds_against_t(FOUND, 50)):
        assert said(chart) == ["This plan: k = 50"]
        assert chart.to_dict()["title"]["text"] == NOT_FOR_RELEASE


def test_every_bound_is_drawn_where_candidates_can_pass(layers: Layers) -> None:
    rows = layers(bounds_against_t(FOUND, 50))[0]["rows"]
    seen = FOUND.passing >= 0.05
    for name, values in ((LEMMA, FOUND.lemma), (SCORES, FOUND.scores)):
        drawn = {row["t"]: row["bound"] for row in rows if row["name"] == name}
        assert set(drawn) <= set(FOUND.t[seen].tolist())
        assert len(drawn) > 5
        for t, bound in drawn.items():
            assert bound == values[FOUND.t == t][0]
    for name, value in (
        (REJECTIONS, FOUND.rejections), (LAYERS, FOUND.layers), (ESTIMATE, FOUND.distance),
    ):  # fmt: skip
        assert {row["bound"] for row in rows if row["name"] == name} == {value}


@pytest.mark.parametrize("found", [FOUND, HARDLY])
def test_nothing_is_drawn_outside_and_the_smallest_is_marked(layers: Layers, found: Bounds) -> None:
    chart = bounds_against_t(found, 50)
    curves, point = layers(chart)[0], layers(chart)[-1]
    top = curves["encoding"]["y"]["scale"]["domain"][1]
    assert max(row["bound"] for row in curves["rows"]) <= top
    marked = point["rows"][0]
    assert (
        marked["bound"]
        == found.best.value
        == min(row["bound"] for row in curves["rows"] if row["name"] != ESTIMATE)
    )
    assert marked["name"] == NAMES[found.best.kind]
    low, high = curves["encoding"]["x"]["scale"]["domain"]
    assert low <= marked["t"] <= high
    # Far under k nothing passes, and every bound says 100 %.
    assert low >= 40


def test_small_bounds_fill_the_axis(layers: Layers) -> None:
    tops = [
        layers(bounds_against_t(found, 50))[0]["encoding"]["y"]["scale"]["domain"][1]
        for found in (FOUND, HARDLY)
    ]
    assert tops[1] < 0.05 < tops[0]


def test_the_tables_say_what_is_drawn() -> None:
    low, high = low_scores_table(FOUND), bounds_table(FOUND)
    assert low["t"].tolist() == high["t"].tolist() == FOUND.t.tolist()
    assert (low["To (%)"] / 100).tolist() == pytest.approx(FOUND.beta_high.tolist())
    assert (high[f"{LEMMA} (%)"] / 100).tolist() == pytest.approx(FOUND.lemma.tolist())
    assert (high[f"{LAYERS} (%)"] / 100).tolist() == pytest.approx([FOUND.layers] * len(FOUND.t))
    assert high["α"].tolist() == FOUND.alpha.tolist()


def test_hovering_reads_out_what_stands_there(layers: Layers) -> None:
    reader = layers(low_scores(FOUND, 50))[2]
    assert [each.get("title") for each in reader["encoding"]["tooltip"]][1:] == [
        "Lower scores",
        "Between",
    ]
    row = next(row for row in reader["rows"] if row["t"] == 50)
    assert row["read"] == "3 %"
    assert " and " in row["said"]
