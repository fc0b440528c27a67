"""What holds for every chart holds for those of seedbased synthesis. Low scores and bounds: what
is drawn is what was found. How near a plan will come, as a picture that packets hold. The trade-
off on three axes: every plan that has a place, and which none beats. The triangle: curves of the
lemma, and a run above its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import altair as alt
import numpy as np
import pytest

from tests.engine.charts.rules import RULES, Spec
from tests.engine.mechanisms.seedbased.charts.test_tradeoff import point
from tests.support import category_schema
from understudy.charts.export import INTERNAL, ExportedChart
from understudy.charts.public import public_pictures
from understudy.charts.scales import NOT_FOR_RELEASE
from understudy.mechanisms.registry import plan_run
from understudy.mechanisms.seedbased.charts.bounds import (
    ESTIMATE,
    LAYERS,
    LEMMA,
    NAMES,
    REJECTIONS,
    bounds_against_t,
    bounds_table,
    low_scores,
    low_scores_table,
    triangle,
    triangle_table,
)
from understudy.mechanisms.seedbased.charts.bounds import SCORES as BOUNDS_SCORES
from understudy.mechanisms.seedbased.charts.tradeoff import Explored, space, space_table
from understudy.mechanisms.seedbased.evaluation.bounds import (
    BoundPlace,
    DeniabilityBounds,
    list_bounds,
    place,
)
from understudy.mechanisms.seedbased.evaluation.pass_rate import ScoreSample
from understudy.mechanisms.seedbased.evaluation.sweep import Sweep, SweepPoint
from understudy.mechanisms.seedbased.plan import ModelPlan
from understudy.mechanisms.seedbased.proposal import Wanted, whole_table
from understudy.models.omega import Omega
from understudy.privacy.plausibility.privacy_test import PlausibleDeniability, RelativeSensitivity

TEST = PlausibleDeniability(k=50, gamma=4, epsilon0=1.0)
SCORES = ScoreSample(Omega(low=1, high=1), np.full(300, 60), np.zeros(300, dtype=bool))
BOUNDED = list_bounds(SCORES, TEST)
CHARTS: dict[str, Callable[[], Any]] = {
    "low scores": lambda: low_scores(BOUNDED, 50),
    "bounds": lambda: bounds_against_t(BOUNDED, 50),
    "triangle": lambda: triangle(place(BOUNDED, TEST, True, 1.05)),
}
"""What draws each chart."""


@cache
def spec(name: str) -> Spec:
    """The specification of a chart, drawn when first asked for."""
    drawn: Spec = CHARTS[name]().to_dict()
    return drawn


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("name", CHARTS)
def test_every_chart(name: str, rule: Callable[[Spec], None]) -> None:
    rule(spec(name))


Layers = Callable[[alt.LayerChart], list[dict[str, Any]]]
Said = Callable[[alt.LayerChart], list[str]]

BOUNDS_TEST = RelativeSensitivity(k=50, epsilon0=1.0)


def found_of(counts: np.ndarray) -> DeniabilityBounds:
    sample = ScoreSample(Omega(low=2, high=2), counts, np.zeros(len(counts), dtype=bool))
    return list_bounds(sample, BOUNDS_TEST)


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
    for name, values in ((LEMMA, FOUND.lemma), (BOUNDS_SCORES, FOUND.scores)):
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
def test_nothing_is_drawn_outside_and_the_smallest_is_marked(
    layers: Layers, found: DeniabilityBounds
) -> None:
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


SCHEMA = category_schema(900, 8, 5, 12, 4)
PLAN = whole_table(SCHEMA, Wanted(epsilon=1.0, records=10_000)).plan


def test_columns_stand_worst_first_and_what_is_lost_is_named() -> None:
    (picture,) = public_pictures(plan_run(PLAN, SCHEMA))
    assert picture.table["Column"].tolist()[0] == "c0"
    together = picture.table["Expected together (%)"].tolist()
    assert together == sorted(together, reverse=True)
    assert "“c0” will be unrelated to every other column" in picture.said
    picture.export()
    assert picture.foresees
    assert "“c0” will be unrelated" in picture.in_short


def test_a_model_of_columns_alone_says_so() -> None:
    plan = PLAN.change(SCHEMA, model=ModelPlan(kind="marginals", epsilon=1.0))
    (picture,) = public_pictures(plan_run(plan, SCHEMA))
    assert "relations between columns are lost" in picture.said
    assert "unrelated" not in picture.said


def test_where_nobody_said_how_many_records_are_public_there_is_none() -> None:
    plan = PLAN.change(SCHEMA, public_records=None)
    assert public_pictures(plan_run(plan, SCHEMA)) == ()


NEAR = point(1.0, 0.10, records=100.0)
BEATEN = point(2.0, 0.20, k=40, records=50.0)
MANY = point(4.0, 0.30, k=80, records=900.0)
NOWHERE = (
    point(None, 0.40, trouble="It cannot keep its δ."),
    point(8.0, math.nan),
    point(1.0, 0.01, effective=10.0),
    point(1.0, 0.01, records=0.0),
    point(1.0, 0.01, records=1e-60),
)


def explored(*points: SweepPoint, **changed: Any) -> Explored:
    usual: dict[str, Any] = {"varied": ("k",), "now": None, "internal": True}
    return Explored(Sweep(points, 4_096, 0.05, 0.22), "distance", **{**usual, **changed})


ALL = explored(NEAR, BEATEN, MANY, *NOWHERE, now=BEATEN)


def test_what_is_drawn_is_what_was_swept_and_has_a_place() -> None:
    beaten, edge, now = space(ALL).data
    assert list(zip(beaten.x, beaten.y, beaten.z, strict=True)) == [(2.0, 50.0, 0.20)]
    assert list(zip(edge.x, edge.y, edge.z, strict=True)) == [(1.0, 100.0, 0.1), (4.0, 900.0, 0.3)]
    assert (list(now.x), list(now.y), list(now.z)) == ([2.0], [50.0], [0.20])


def test_the_table_says_the_same() -> None:
    table = space_table(ALL)
    assert table["Total ε"].tolist() == [1.0, 2.0, 4.0]
    assert table["Beaten by none"].tolist() == [True, False, True]
    assert table["Settings"].tolist() == ["k = 20", "k = 40", "k = 80"]


def test_what_hovers_over_a_point_names_its_settings_and_its_three_figures() -> None:
    assert space(ALL).data[0].text[0].split("<br>") == [
        "k = 40",
        "total ε = 2",
        "about 50 records",
        "a typical pair differs by 20\N{NO-BREAK SPACE}%",
    ]


def test_the_mark_goes_with_confidential_scores_only() -> None:
    assert space(ALL).layout.title.text == NOT_FOR_RELEASE
    assert space(explored(NEAR, internal=False)).layout.title.text == ""


def test_without_a_single_place_it_is_empty() -> None:
    assert all(len(each.x) == 0 for each in space(explored(*NOWHERE)).data)
    assert space_table(explored(*NOWHERE)).empty


def test_as_a_page_it_needs_nothing_else_and_says_what_it_is() -> None:
    shown = space(explored(NEAR, MANY))
    carried = ExportedChart(shown, space_table(ALL), "Plans <in space>", "run 1")
    page = carried.page().decode()
    assert "Plans &lt;in space&gt;" in page or "Plans \\u0026lt;in space\\u0026gt;" in page
    assert INTERNAL in page or INTERNAL.replace("–", "\\u2013") in page
    assert 'src="http' not in page
    assert shown.layout.title.text == NOT_FOR_RELEASE


HERE = BoundPlace(t=55, share=0.73, eta=1 + 1 / 55, alpha=1.37, gamma=0.156, epsilon=1.05)
LARGE = BoundPlace(t=20_500, share=0.9, eta=1 + 1 / 20_500, alpha=1.02, gamma=0.01, epsilon=0.002)
NOTHING = replace(HERE, alpha=math.inf, gamma=1.0)


@pytest.mark.parametrize("here", [HERE, LARGE, NOTHING])
def test_curves_are_the_lemma(layers: Layers, here: BoundPlace) -> None:
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
def test_the_run_stands_where_it_is_and_inside_the_frame(layers: Layers, here: BoundPlace) -> None:
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
