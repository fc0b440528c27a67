"""How far the pairs of a usual table are from independent."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.samples.test_samples import dependence
from understudy.models.calibrated.measurement import on_simplex
from understudy.models.prediction import (
    TYPICAL,
    USUAL,
    Predicted,
    deals_of,
    distance_by_chance,
    distance_by_noise,
    evenly_spread,
    prediction_of,
    usual_strengths,
)
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


def moved(cells: int, deviation: float, records: float) -> float:
    """The average distance over many draws of noise on records spread evenly."""
    rng = np.random.default_rng(3)
    even = np.full(cells, records / cells)
    draws = [
        np.abs(on_simplex(even + rng.normal(0, deviation, cells), records) - even).sum()
        for _ in range(400)
    ]
    return float(np.mean(draws)) / (2 * records)


@pytest.mark.parametrize("cells", [2, 10, 200])
@pytest.mark.parametrize("share", [0.05, 0.5, 3.0, 40.0])
def test_noise_does_what_was_foreseen(cells: int, share: float) -> None:
    """`share` is an even cell's records in standard deviations of its noise."""
    records = 1000.0
    deviation = records / cells / share
    told = float(distance_by_noise(np.array(float(cells)), np.array(deviation), records))
    assert told == pytest.approx(moved(cells, deviation, records), rel=0.2)


@given(
    cells=st.integers(2, 10**6),
    deviation=st.floats(1e-3, 1e6),
    records=st.floats(1, 1e9),
)
def test_distances_stay_in_their_range_and_grow_with_the_noise(
    cells: int, deviation: float, records: float
) -> None:
    less, more = distance_by_noise(
        np.full(2, float(cells)), np.array([deviation, 2 * deviation]), records
    )
    assert 0 <= less <= more * (1 + 1e-9) <= 1 + 1e-9


def test_without_noise_or_choice_nothing_is_off() -> None:
    assert distance_by_noise(np.array([10.0, 1.0]), np.array([0.0, 5.0]), 100.0).tolist() == [0, 0]
    assert distance_by_chance(np.array([1.0]), 10).tolist() == [0]


def test_chance_is_at_most_what_was_foreseen() -> None:
    rng = np.random.default_rng(4)
    for shares in (np.full(12, 1 / 12), rng.dirichlet(np.full(12, 0.3))):
        drawn = rng.multinomial(500, shares, size=2000) / 500
        seen = float(np.abs(drawn - shares).sum(axis=1).mean() / 2)
        told = float(distance_by_chance(np.array(12.0), 500))
        assert seen <= told * 1.03
    assert seen < told
    assert float(
        np.abs(rng.multinomial(500, np.full(12, 1 / 12), 4000) / 500 - 1 / 12).sum(axis=1).mean()
        / 2
    ) == pytest.approx(told, rel=0.05)


def made(pairs: dict[tuple[int, int], float]) -> Predicted:
    return prediction_of(np.array([4, 5, 6]), np.array([0.01, 0.02, 0.03]), pairs, 10**9)


def test_a_pair_that_nothing_is_counted_of_has_no_number_but_counts_in_the_mean() -> None:
    some = made({(0, 1): 0.001, (1, 2): 0.002})
    assert np.isnan(some.pairs[0, 2])
    assert some.counted == 2
    assert some.pair_by_noise == pytest.approx(0.0015)
    left = np.hypot(np.hypot(0.01, 0.03), usual_strengths(3, 24)[:, 1])
    squares = (0.001**2 + 0.002**2 + (left**2).mean()) / 3
    assert some.all_pairs == pytest.approx(np.sqrt(squares))
    assert some.typical_of_all == pytest.approx(0.002, rel=0.05)
    none = made({})
    assert none.typical_of_all == pytest.approx(np.hypot(np.hypot(0.01, 0.03), TYPICAL), rel=0.1)
    assert none.counted == 0
    assert np.isnan(none.typical_pair)
    assert none.all_pairs > some.all_pairs


def test_a_pair_that_noise_drowns_counts_no_more_than_if_it_were_left() -> None:
    assert made({(0, 1): 2.0}).all_pairs == pytest.approx(made({}).all_pairs)


def test_noise_and_chance_come_together_by_their_squares() -> None:
    found = prediction_of(np.array([10, 10]), np.array([0.03, 0.0]), {(0, 1): 0.0}, 500)
    chance = float(distance_by_chance(np.array(10.0), 500))
    assert found.each_column.tolist() == pytest.approx([np.hypot(0.03, chance), chance])
    assert found.each_pair.tolist() == pytest.approx(
        [float(distance_by_chance(np.array(100.0), 500))]
    )


def test_columns_without_any_pair_are_told_from_those_that_could_have_one() -> None:
    possible = np.zeros((3, 3), dtype=bool)
    possible[0, 1] = possible[1, 0] = True
    sizes, single = np.array([4, 5, 6]), np.zeros(3)
    found = prediction_of(sizes, single, {}, 100, possible)
    assert (found.unrelated, found.hardly_related) == ((2,), (0, 1))
    found = prediction_of(sizes, single, {(0, 2): 0.1}, 100, possible)
    assert (found.unrelated, found.hardly_related) == ((), (1,))
    assert made({}).unrelated == (0, 1, 2)
    assert (found.relates, made({}).relates) == (True, False)
    alone = prediction_of(sizes[:1], single[:1], {}, 100)
    assert (alone.unrelated, alone.hardly_related) == ((), ())
