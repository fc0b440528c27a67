"""What a reader asks of a synthetic table."""

from __future__ import annotations

import math

import numpy as np
import pytest

from understudy.evaluation.comparison import Compared, Distances
from understudy.evaluation.evaluation import Evaluation
from understudy.evaluation.measure import MARGINALS, REALS, RELEASED, Finding, Measured
from understudy.evaluation.registry import abouts
from understudy.evaluation.relative_score import MEASURES, aspects, quick_aspects


def figures(pairs: dict[str, float]) -> tuple[Compared, ...]:
    """Tables whose pairs are all equally far, and whose columns half as far."""
    compared = []
    for name, far in pairs.items():
        square = np.full((3, 3), far)
        np.fill_diagonal(square, far / 2)
        compared.append(Compared(name, 5_000, Distances(np.diag(square).copy(), square)))
    return tuple(compared)


ALL = {REALS: 0.02, MARGINALS: 0.08, RELEASED: 0.05}


def test_every_aspect_is_answered_by_a_measure_there_is() -> None:
    assert set(MEASURES.values()) <= set(abouts())


@pytest.mark.parametrize("records", [500, 50_000])
def test_no_share_of_the_way_is_told_where_chance_set_the_ends_apart(records: int) -> None:
    """Marginals are as near in single columns as other real records, except for chance."""
    ends = {REALS: 0.015, MARGINALS: 0.03, RELEASED: 0.05}
    tables = tuple(
        Compared(name, records, Distances(np.full(3, far), np.full((3, 3), far)))
        for name, far in ends.items()
    )
    for aspect in aspects(tables, None):
        assert (aspect.placed is None) == (records == 500)


def test_a_run_itself_answers_two_of_them() -> None:
    columns, pairs = aspects(figures(ALL), None)
    assert (columns.what, pairs.what) == ("columns", "pairs")
    assert (columns.released.value, pairs.released.value) == pytest.approx((0.025, 0.05))
    assert pairs.placed is not None
    assert pairs.placed.value == pytest.approx(0.5)


def test_the_evaluation_goes_before_what_was_measured_quickly() -> None:
    by = {name: Measured(value) for name, value in zip(ALL, (0.1, 0.9, 0.3), strict=True)}
    full = Evaluation((), 9, "pay", (Finding("total-variation-pairs", by),))
    columns, pairs = aspects(figures(ALL), full)
    assert columns.released.value == pytest.approx(0.025)
    assert pairs.released.value == 0.3


def test_a_measure_that_failed_leaves_what_was_measured_quickly() -> None:
    full = Evaluation((), 9, "pay", (Finding("total-variation-pairs", trouble="Too few."),))
    assert [each.what for each in aspects(figures(ALL), full)] == ["columns", "pairs"]


def test_without_references_there_is_no_scale() -> None:
    _, pairs = aspects(figures({RELEASED: 0.05}), None)
    assert (pairs.real, pairs.marginals, pairs.placed) == (None, None, None)


def test_what_is_not_a_number_is_not_known() -> None:
    _, pairs = aspects(figures({RELEASED: 0.05, REALS: math.nan, MARGINALS: 0.1}), None)
    assert pairs.real is None
    assert pairs.placed is None


@pytest.mark.parametrize("known", [(), figures({}), figures({REALS: 0.1})])
def test_without_a_released_table_nothing_is_known(known: tuple[Compared, ...]) -> None:
    assert aspects(known, None) == ()


def test_quick_findings_are_medians() -> None:
    square = np.array([[0.1, 0.4, 0.5], [0.4, 0.2, 0.9], [0.5, 0.9, 0.6]])
    compared = (Compared(RELEASED, 9, Distances(np.diag(square).copy(), square)),)
    columns, pairs = quick_aspects(compared)
    assert columns.by_subject[RELEASED].value == 0.2
    assert pairs.by_subject[RELEASED].value == 0.5
