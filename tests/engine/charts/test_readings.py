"""How values of measures are written."""

from __future__ import annotations

import math

import pytest

from understudy.charts.forest import between, direction, form, reach, read_whole, share, value_text
from understudy.evaluation.measure import About, Interval, Measured
from understudy.evaluation.registry import abouts

SHARE = About("accuracy", "Accuracy", "How often.", 0, 1, "higher", "prediction")
NUMBER = About(
    "divergence", "Divergence", "How far.", 0, math.inf, "lower", "distances", unit="number"
)
RATIO = About(
    "x-ratio", "Ratio", "How many.", 0, math.inf, "lower", "propensity", ideal=1, unit="number"
)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.7621, "76.2 %"),
        (1.0, "100.0 %"),
        (0.0, "0 %"),
        (0.00934, "0.93 %"),
        (0.00001, "under 0.01 %"),
        (-0.0312, "−3.1 %"),
        (math.nan, "not known"),
    ],
)
def test_shares_are_per_cent(value: float, said: str) -> None:
    assert value_text(SHARE, value) == said


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.0, "0"),
        (0.23456, "0.235"),
        (0.00123, "0.0012"),
        (0.005, "0.0050"),
        (0.00003, "under 0.0001"),
        (8.1049, "8.10"),
        (1234.5, "1,234"),
        (-1.5, "−1.50"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
    ],
)
def test_numbers_have_three_digits_or_so(value: float, said: str) -> None:
    assert value_text(NUMBER, value) == said


def test_an_interval_has_its_unit_once() -> None:
    found = Measured(0.76, Interval(0.75, 0.775))
    assert between(SHARE, found.interval) == "75.0 to 77.5 %"
    assert read_whole(SHARE, found) == "76.0 % (75.0 to 77.5 %)"


@pytest.mark.parametrize(
    ("about", "value", "half", "said"),
    [
        (SHARE, 0.68341, 0.0021, "68.34 % (68.13 to 68.55 %)"),
        (SHARE, 0.68341, 0.012, "68.3 % (67.1 to 69.5 %)"),
        (SHARE, 0.68341, 0.05, "68 % (63 to 73 %)"),
        (NUMBER, 0.0123, 0.002, "0.0123 (0.0103 to 0.0143)"),
        (NUMBER, 12.34, 4.0, "12 (8 to 16)"),
    ],
)
def test_a_value_is_no_finer_than_its_interval(
    about: About, value: float, half: float, said: str
) -> None:
    found = read_whole(about, Measured(value, Interval(value - half, value + half)))
    assert found.replace("\N{NO-BREAK SPACE}", " ") == said


def test_what_is_not_known_is_not_said() -> None:
    assert read_whole(SHARE, None) == ""
    assert read_whole(SHARE, Measured(0.5)) == "50.0 %"
    assert between(SHARE, Interval(math.nan, math.nan)) == ""


def test_range_and_direction_are_words() -> None:
    assert reach(SHARE) == "from 0 % to 100 %"
    assert reach(NUMBER) == "0 or more"
    assert reach(About("k", "n", "s", -math.inf, 1, "higher", "models")) == "100 % or less"
    assert (
        reach(About("k", "n", "s", -math.inf, math.inf, "lower", "models", unit="number"))
        == "any number"
    )
    assert reach(abouts()["membership"]) == "from −100 % to 100 %"
    assert direction(SHARE) == "higher is better"
    assert direction(NUMBER) == "lower is better"
    assert direction(RATIO) == "best at 1.00"
    assert (form(SHARE), form(NUMBER)) == ("~%", "~g")


def test_every_measure_can_be_written() -> None:
    for about in abouts().values():
        assert value_text(about, 0.2)
        assert reach(about)
        assert direction(about)


def test_distances_that_are_no_shares_are_no_per_cent() -> None:
    shares = {key for key, about in abouts().items() if share(about)}
    assert {"total-variation", "accuracy", "improvement", "distinguishing", "membership"} <= shares
    plain = {"hellinger", "kullback-leibler", "propensity-tree", "propensity-tree-ratio"}
    assert not plain & shares


def test_where_real_records_are_best_no_end_is() -> None:
    assert direction(abouts()["invented-records"]) == "best as other real records"
