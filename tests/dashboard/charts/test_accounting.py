"""ε against attempts and against δ: what is drawn is what was given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import altair as alt
import numpy as np
import pytest

from dashboard.charts.accounting import (
    ADVANCED,
    BEYOND,
    SEQUENTIAL,
    WITHIN,
    epsilon_against_attempts,
    epsilon_against_attempts_table,
    tradeoff,
    tradeoff_table,
)
from engine.privacy import account
from engine.privacy.account import Growth
from engine.privacy.deniability import PlausibleDeniability

Layers = Callable[[alt.LayerChart], list[dict[str, Any]]]
Said = Callable[[alt.LayerChart], list[str]]

TEST = PlausibleDeniability(k=50, gamma=4, epsilon0=1.0)
COUNTS = np.array([1, 10, 100, 1000, 20_000])


@pytest.fixture
def grown() -> Growth:
    return account.growth(TEST, COUNTS, 1e-9)


def test_both_compositions_are_drawn_as_given(grown: Growth, layers: Layers) -> None:
    rows = layers(epsilon_against_attempts(grown, 1000))[0]["rows"]
    for name, values in ((SEQUENTIAL, grown.sequential), (ADVANCED, grown.advanced)):
        drawn = [(row["attempts"], row["epsilon"]) for row in rows if row["name"] == name]
        assert drawn == list(zip(COUNTS.tolist(), values.tolist(), strict=True))


def test_curves_differ_by_dash_as_well_as_colour(grown: Growth, layers: Layers) -> None:
    encoding = layers(epsilon_against_attempts(grown, 1000))[0]["encoding"]
    for channel in ("color", "strokeDash"):
        looks = encoding[channel]["scale"]["range"]
        assert looks[0] != looks[1]


def test_the_table_says_what_is_drawn(grown: Growth) -> None:
    table = epsilon_against_attempts_table(grown)
    assert table["Number of attempts"].tolist() == COUNTS.tolist()
    assert table["Total ε of the whole run: sequential"].tolist() == grown.sequential.tolist()
    assert table["Total ε of the whole run: advanced"].tolist() == grown.advanced.tolist()
    smaller = table["Total ε of the whole run: the smaller, which counts"]
    assert smaller.tolist() == np.minimum(grown.sequential, grown.advanced).tolist()
    assert table["t"].tolist() == grown.t.tolist()


def test_the_present_plan_is_marked_with_its_epsilon(grown: Growth, said: Said) -> None:
    total = account.account(TEST, 1000, 1e-9).total.epsilon
    assert said(epsilon_against_attempts(grown, 1000)) == [
        f"This plan: 1,000 attempts, ε = {total:,.0f}"
    ]


def test_no_epsilon_is_made_up_for_a_number_not_given(grown: Growth, said: Said) -> None:
    assert said(epsilon_against_attempts(grown, 777)) == ["This plan: 777 attempts"]


def test_numbers_of_attempts_that_promise_nothing_are_left_out(layers: Layers) -> None:
    partly = Growth(
        attempts=np.array([1, 2, 3]),
        t=np.array([5, 5, 0]),
        sequential=np.array([1.0, 2.0, np.nan]),
        advanced=np.array([np.inf, 4.0, np.nan]),
    )
    curves, reader, *_ = layers(epsilon_against_attempts(partly, 3))
    assert {(row["attempts"], row["epsilon"]) for row in curves["rows"]} == {(1, 1), (2, 2), (2, 4)}
    assert [row["attempts"] for row in reader["rows"]] == [1, 2]
    table = epsilon_against_attempts_table(partly)
    assert table["t"].isna().tolist() == [False, False, True]
    assert table["Total ε of the whole run: advanced"].isna().tolist() == [True, False, True]


def test_without_any_promise_a_sentence_takes_the_place(said: Said) -> None:
    nothing = account.growth(PlausibleDeniability(k=5, gamma=2, epsilon0=None), COUNTS, 1e-9)
    assert "no ε" in said(epsilon_against_attempts(nothing, 10))[0]


def test_a_single_number_of_attempts_can_be_drawn(layers: Layers) -> None:
    one = account.growth(TEST, [1000], 1e-9)
    low, high = layers(epsilon_against_attempts(one, 1000))[0]["encoding"]["x"]["scale"]["domain"]
    assert low < 1000 < high


def test_every_t_is_drawn_as_given(layers: Layers) -> None:
    t, epsilon, delta = account.tradeoff(TEST)
    chart = tradeoff(t, epsilon, delta, 20, 1e-12)
    points = next(layer for layer in layers(chart) if "shape" in layer["encoding"])
    assert [(row["t"], row["epsilon"], row["delta"]) for row in points["rows"]] == list(
        zip(t.tolist(), epsilon.tolist(), delta.tolist(), strict=True)
    )
    for row in points["rows"]:
        assert row["state"] == (WITHIN if row["delta"] <= 1e-12 else BEYOND)


def test_the_tradeoff_table_says_what_is_drawn() -> None:
    t, epsilon, delta = account.tradeoff(TEST)
    table = tradeoff_table(t, epsilon, delta, 1e-12)
    assert table["t"].tolist() == t.tolist()
    assert table["ε of one attempt"].tolist() == epsilon.tolist()
    assert table["δ of one attempt"].tolist() == delta.tolist()
    assert table["δ within the target"].tolist() == (delta <= 1e-12).tolist()


def test_the_chosen_t_is_marked_with_its_epsilon(said: Said) -> None:
    t, epsilon, delta = account.tradeoff(TEST)
    texts = said(tradeoff(t, epsilon, delta, 20, 1e-12))
    assert f"This plan: t = 20, ε = {epsilon[19]:.3g}" in texts
    assert "An attempt may have at most δ = 1e-12" in texts
    assert {"t = 1", "t = 49"} <= set(texts)


def test_a_t_between_two_points_is_marked_without_an_epsilon(said: Said, layers: Layers) -> None:
    t, epsilon, delta = np.array([10, 20]), np.array([1.4, 1.2]), np.array([1e-20, 1e-10])
    chart = tradeoff(t, epsilon, delta, 15, 1e-9)
    assert "This plan: t = 15" in said(chart)
    mark = next(
        layer["rows"][0]
        for layer in layers(chart)
        if layer["mark"] == "point" and "shape" not in layer["encoding"]
    )
    assert mark["epsilon"] == pytest.approx(1.3)
    assert mark["delta"] == pytest.approx(1e-15)


def test_a_t_out_of_range_is_not_marked(said: Said) -> None:
    t, epsilon, delta = account.tradeoff(TEST)
    assert not [text for text in said(tradeoff(t, epsilon, delta, 90, 1e-9)) if "plan" in text]


def test_what_a_logarithm_cannot_show_is_in_the_table_only(layers: Layers) -> None:
    t, delta = np.array([1, 2, 3]), np.array([0.0, 1e-300, np.nan])
    epsilon = np.array([2.0, 1.5, 1.2])
    chart = tradeoff(t, epsilon, delta, 2, 1e-9)
    points = next(layer for layer in layers(chart) if "shape" in layer["encoding"])
    assert [row["t"] for row in points["rows"]] == [2]
    assert len(tradeoff_table(t, epsilon, delta, 1e-9)) == 3


def test_a_test_without_noise_states_nothing(said: Said) -> None:
    empty = account.tradeoff(PlausibleDeniability(k=5, gamma=2, epsilon0=None))
    assert "states no ε" in said(tradeoff(*empty, 1, 1e-9))[0]
    assert tradeoff_table(*empty, 1e-9).empty
