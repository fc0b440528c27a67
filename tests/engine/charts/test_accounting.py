"""ε against attempts and against δ: what is drawn is what was given."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import altair as alt
import numpy as np
import pytest

from understudy.charts.accounting import (
    ADVANCED,
    BEYOND,
    OPTIMAL,
    SEQUENTIAL,
    WITHIN,
    chart_unit_tradeoff,
    epsilon_against_count,
    epsilon_against_count_table,
    unit_tradeoff_table,
)
from understudy.privacy.accounting.account import Account
from understudy.privacy.accounting.accountant import account
from understudy.privacy.accounting.growth import Growth, grow_guarantee
from understudy.privacy.accounting.growth import unit_tradeoff as every_t
from understudy.privacy.plausibility.privacy_test import privacy_test
from understudy_dashboard import words

Layers = Callable[[alt.LayerChart], list[dict[str, Any]]]
Said = Callable[[alt.LayerChart], list[str]]

COUNTS = np.array([1, 10, 100, 1000, 20_000])


def figures(epsilon0: float | None = 1.0, count: int = 1000) -> Account:
    return account(privacy_test("plausible-deniability", 50, epsilon0), count, 1e-9)


@pytest.fixture
def grown() -> Growth:
    return grow_guarantee(figures(), COUNTS)


def test_every_composition_is_drawn_as_given(grown: Growth, layers: Layers) -> None:
    rows = layers(epsilon_against_count(grown, 1000))[0]["rows"]
    curves = {SEQUENTIAL: grown.sequential, ADVANCED: grown.advanced, OPTIMAL: grown.optimal}
    for name, values in curves.items():
        drawn = [(row["count"], row["epsilon"]) for row in rows if row["name"] == name]
        assert drawn == list(zip(COUNTS.tolist(), values.tolist(), strict=True))


def test_curves_differ_by_dash_as_well_as_colour(grown: Growth, layers: Layers) -> None:
    encoding = layers(epsilon_against_count(grown, 1000))[0]["encoding"]
    for channel in ("color", "strokeDash"):
        looks = [str(look) for look in encoding[channel]["scale"]["range"]]
        assert len(set(looks)) == 3


def test_the_table_says_what_is_drawn(grown: Growth) -> None:
    table = epsilon_against_count_table(grown)
    assert table["Number of attempts"].tolist() == COUNTS.tolist()
    assert table["Total ε of the whole run: sequential"].tolist() == grown.sequential.tolist()
    assert table["Total ε of the whole run: advanced"].tolist() == grown.advanced.tolist()
    assert table["Total ε of the whole run: optimal"].tolist() == grown.optimal.tolist()
    smallest = table["Total ε of the whole run: the smallest, which counts"]
    both = np.minimum(grown.sequential, grown.advanced)
    assert smallest.tolist() == np.minimum(both, grown.optimal).tolist()
    assert table["t"].tolist() == grown.t.tolist()


def test_the_present_plan_is_marked_with_its_epsilon(grown: Growth, said: Said) -> None:
    total = words.epsilon(figures().total.epsilon)
    assert said(epsilon_against_count(grown, 1000)) == [f"This plan: 1,000 attempts, ε = {total}"]


def test_records_are_called_so_where_attempts_are_hidden(grown: Growth, layers: Layers) -> None:
    chart = epsilon_against_count(grown, 1000, "record")
    drawn = layers(chart)
    assert drawn[0]["encoding"]["x"]["title"] == "Number of records"
    assert "Number of records" in epsilon_against_count_table(grown, "record")
    assert "attempt" not in json.dumps([chart.to_dict(), tradeoff_spec("record")])


def tradeoff_spec(what: str) -> dict[str, Any]:
    return chart_unit_tradeoff(*every_t(figures()), 20, 1e-12, what).to_dict()


def test_no_epsilon_is_made_up_for_a_number_not_given(grown: Growth, said: Said) -> None:
    assert said(epsilon_against_count(grown, 777)) == ["This plan: 777 attempts"]


def test_numbers_of_attempts_that_promise_nothing_are_left_out(layers: Layers) -> None:
    partly = Growth(
        count=np.array([1, 2, 3]),
        t=np.array([5, 5, 0]),
        sequential=np.array([1.0, 2.0, np.nan]),
        advanced=np.array([np.inf, 4.0, np.nan]),
        optimal=np.array([0.5, np.inf, np.nan]),
    )
    curves, reader, *_ = layers(epsilon_against_count(partly, 3))
    assert {(row["count"], row["epsilon"]) for row in curves["rows"]} == {
        (1, 0.5),
        (1, 1),
        (2, 2),
        (2, 4),
    }
    assert [row["count"] for row in reader["rows"]] == [1, 2]
    table = epsilon_against_count_table(partly)
    assert table["t"].isna().tolist() == [False, False, True]
    assert table["Total ε of the whole run: advanced"].isna().tolist() == [True, False, True]


def test_without_any_promise_a_sentence_takes_the_place(said: Said) -> None:
    nothing = grow_guarantee(figures(None), COUNTS)
    assert "no ε" in said(epsilon_against_count(nothing, 10))[0]


def test_a_single_number_of_attempts_can_be_drawn(layers: Layers) -> None:
    one = grow_guarantee(figures(), [1000])
    low, high = layers(epsilon_against_count(one, 1000))[0]["encoding"]["x"]["scale"]["domain"]
    assert low < 1000 < high


def test_every_t_is_drawn_as_given(layers: Layers) -> None:
    t, epsilon, delta = every_t(figures())
    chart = chart_unit_tradeoff(t, epsilon, delta, 20, 1e-12)
    points = next(layer for layer in layers(chart) if "shape" in layer["encoding"])
    assert [(row["t"], row["epsilon"], row["delta"]) for row in points["rows"]] == list(
        zip(t.tolist(), epsilon.tolist(), delta.tolist(), strict=True)
    )
    for row in points["rows"]:
        assert row["state"] == (WITHIN if row["delta"] <= 1e-12 else BEYOND)


def test_the_tradeoff_table_says_what_is_drawn() -> None:
    t, epsilon, delta = every_t(figures())
    table = unit_tradeoff_table(t, epsilon, delta, 1e-12)
    assert table["t"].tolist() == t.tolist()
    assert table["ε of one attempt"].tolist() == epsilon.tolist()
    assert table["δ of one attempt"].tolist() == delta.tolist()
    assert table["δ within the target"].tolist() == (delta <= 1e-12).tolist()


def test_the_chosen_t_is_marked_with_its_epsilon(said: Said) -> None:
    t, epsilon, delta = every_t(figures())
    texts = said(chart_unit_tradeoff(t, epsilon, delta, 20, 1e-12))
    assert f"This plan: t = 20, ε = {words.epsilon(epsilon[19])}" in texts
    assert "One attempt may have at most δ = 1e-12" in texts
    assert {"t = 1", "t = 49"} <= set(texts)


def test_a_t_between_two_points_is_marked_without_an_epsilon(said: Said, layers: Layers) -> None:
    t, epsilon, delta = np.array([10, 20]), np.array([1.4, 1.2]), np.array([1e-20, 1e-10])
    chart = chart_unit_tradeoff(t, epsilon, delta, 15, 1e-9)
    assert "This plan: t = 15" in said(chart)
    mark = next(
        layer["rows"][0]
        for layer in layers(chart)
        if layer["mark"] == "point" and "shape" not in layer["encoding"]
    )
    assert mark["epsilon"] == pytest.approx(1.3)
    assert mark["delta"] == pytest.approx(1e-15)


def test_a_t_out_of_range_is_not_marked(said: Said) -> None:
    t, epsilon, delta = every_t(figures())
    assert not [
        text for text in said(chart_unit_tradeoff(t, epsilon, delta, 90, 1e-9)) if "plan" in text
    ]


def test_what_a_logarithm_cannot_show_is_in_the_table_only(layers: Layers) -> None:
    t, delta = np.array([1, 2, 3]), np.array([0.0, 1e-300, np.nan])
    epsilon = np.array([2.0, 1.5, 1.2])
    chart = chart_unit_tradeoff(t, epsilon, delta, 2, 1e-9)
    points = next(layer for layer in layers(chart) if "shape" in layer["encoding"])
    assert [row["t"] for row in points["rows"]] == [2]
    assert len(unit_tradeoff_table(t, epsilon, delta, 1e-9)) == 3


def test_a_test_without_noise_states_nothing(said: Said) -> None:
    empty = every_t(figures(None))
    assert "states no ε" in said(chart_unit_tradeoff(*empty, 1, 1e-9))[0]
    assert unit_tradeoff_table(*empty, 1e-9).empty
