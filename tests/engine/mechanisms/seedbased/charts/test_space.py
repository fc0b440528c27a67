"""The trade-off on three axes: every plan that has a place, and which none beats."""

from __future__ import annotations

import math
from typing import Any

from tests.engine.mechanisms.seedbased.charts.test_tradeoff import point
from understudy.charts.export import INTERNAL, ExportedChart
from understudy.charts.scales import NOT_FOR_RELEASE
from understudy.mechanisms.seedbased.charts.space import space, space_table
from understudy.mechanisms.seedbased.charts.tradeoff import Explored
from understudy.mechanisms.seedbased.evaluation.sweep import Point, Sweep

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


def explored(*points: Point, **changed: Any) -> Explored:
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
