from __future__ import annotations

import pytest

from understudy.evaluation.measure import MARGINALS, REALS, Interval, Part
from understudy.studies.seedbased.published import DISTINGUISHING, PublishedTable, beside, gap

TABLE = PublishedTable(
    name="Table 0",
    title="made by hand",
    source="nowhere",
    best=REALS,
    quantities=(("accuracy", "random forest"), ("accuracy", "AdaBoost")),
    rows={REALS: (80.0, 90.0), MARGINALS: (60.0, 70.0), "ω = 3": (75.0, 90.0)},
)
FOUND = {
    ("accuracy", "random forest"): {
        REALS: Part(("random forest",), 0.9),
        MARGINALS: Part(("random forest",), 0.5),
        "ω = 3": Part(("random forest",), 0.6, Interval(0.58, 0.61)),
    }
}
ROWS = (REALS, MARGINALS, "ω = 3")


def test_published_ours_ratio_and_both_gaps() -> None:
    forest, adaboost = beside(TABLE, FOUND, ROWS, with_published=True).columns
    line = forest.lines[2]
    assert line.subject == "ω = 3"
    assert (line.published, line.ours) == (75.0, pytest.approx(60.0))
    assert line.ratio == pytest.approx(0.8)
    assert (line.low, line.high) == (pytest.approx(58.0), pytest.approx(61.0))
    assert line.gap_published == pytest.approx(0.75)
    assert line.gap_ours == pytest.approx(0.25)
    assert adaboost.lines[2].published == 90.0
    assert adaboost.lines[2].ours is adaboost.lines[2].ratio is adaboost.lines[2].gap_ours is None
    assert adaboost.lines[2].gap_published == pytest.approx(1.0)


def test_references_have_no_gap_of_their_own() -> None:
    forest = beside(TABLE, FOUND, ROWS, with_published=True).columns[0]
    assert [each.gap_ours for each in forest.lines[:2]] == [None, None]
    assert [each.gap_published for each in forest.lines[:2]] == [None, None]


def test_without_the_published_numbers_only_ours_are_there() -> None:
    forest = beside(TABLE, FOUND, ROWS, with_published=False).columns[0]
    assert all(each.published is each.ratio is each.gap_published is None for each in forest.lines)
    assert forest.lines[2].gap_ours == pytest.approx(0.25)


def test_where_less_is_better_the_gap_counts_the_same_way() -> None:
    row = {name: numbers[0] for name, numbers in DISTINGUISHING.rows.items()}
    assert gap("ω = 11", REALS, row) == pytest.approx((79.8 - 62.3) / (79.8 - 50.0))


def test_references_too_close_give_no_gap() -> None:
    assert gap("a", REALS, {"a": 60.2, REALS: 60.4, MARGINALS: 60.0}) is None
    assert gap("a", REALS, {"a": 60.2, MARGINALS: 60.0}) is None


def test_references_that_chance_may_have_set_apart_give_no_gap_of_ours() -> None:
    found = {
        ("accuracy", "random forest"): {
            REALS: Part(("random forest",), 0.52, Interval(0.49, 0.55)),
            MARGINALS: Part(("random forest",), 0.5, Interval(0.47, 0.53)),
            "ω = 3": Part(("random forest",), 0.43, Interval(0.4, 0.46)),
        }
    }
    line = beside(TABLE, found, ROWS, with_published=True).columns[0].lines[2]
    assert line.gap_ours is None
    assert line.gap_published == pytest.approx(0.75)
