"""How far the pairs of a usual table are from independent."""

from __future__ import annotations

import numpy as np
import pytest

from tests.engine.samples.test_shapes import dependence
from understudy.models.prediction import TYPICAL, USUAL, deals_of, evenly_spread, usual_strengths
from understudy.samples.shapes import SHAPES


@pytest.mark.parametrize(("pairs", "deals"), [(10_000, 1), (2_000, 3), (55, 24)])
def test_half_of_the_pairs_of_a_usual_table_are_nearer_than_that(pairs: int, deals: int) -> None:
    found = usual_strengths(pairs, deals)
    assert found.shape == (deals, pairs)
    assert float(np.median(found)) == pytest.approx(TYPICAL, rel=2e-2)
    assert float(np.quantile(found, 0.9)) == pytest.approx(4.5 * TYPICAL, rel=2e-2)
    assert found.max() <= 1


def test_two_columns_that_are_named_are_tied_as_pairs_are_on_average() -> None:
    assert float(usual_strengths(10_000, 1).mean()) == pytest.approx(USUAL, rel=1e-2)


@pytest.mark.parametrize("pairs", [1, 3, 13, 21, 55, 89])
def test_over_the_deals_each_pair_is_as_strong_as_every_other(pairs: int) -> None:
    """However many there are: no pair is taken to be of the strong ones."""
    found = np.median(usual_strengths(pairs, 24), axis=0)
    assert found.min() > 0.7 * TYPICAL
    assert found.max() < 1.4 * TYPICAL


def test_few_pairs_are_dealt_several_times() -> None:
    assert [deals_of(pairs) for pairs in (1, 28, 55, 300, 10_000)] == [24, 24, 24, 10, 1]


def test_numbers_beside_strengths_are_spread_evenly_whatever_these_are() -> None:
    strengths, beside = usual_strengths(500, 6).ravel(), evenly_spread(500, 6).ravel()
    strong = beside[strengths > np.quantile(strengths, 0.8)]
    for each in (beside, strong):
        assert np.quantile(each, [0.1, 0.5, 0.9]) == pytest.approx([0.1, 0.5, 0.9], abs=0.02)


def test_the_usual_table_is_about_as_those_that_models_are_measured_on() -> None:
    """In the typical pair, and in the mean of the squares of all, by a factor of two."""
    records = [shape.simulate(20_000, 1) for shape in SHAPES if "mixed" in shape.name]
    found = [np.array(dependence(each)) for each in records]
    usual = usual_strengths(10_000, 1)
    assert 0.5 < np.median([np.median(each) for each in found]) / np.median(usual) < 2
    assert 0.5 < np.median([(each**2).mean() for each in found]) / (usual**2).mean() < 2
