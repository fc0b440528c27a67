"""Cells taken together."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize

from tests.engine.models.mobility.town import TOWN, commuters
from understudy.models.mobility.geography import (
    BINS,
    Geography,
    block_names,
    block_numbers,
    take_together,
)
from understudy.models.mobility.law import (
    Attraction,
    Law,
    WantedLaw,
    attraction,
    fit_law,
    map_shares,
)
from understudy.models.mobility.shrinkage import (
    around,
    by_bayes,
    pool_shares,
    shares,
    smooth_counts,
    towards,
)
from understudy.models.mobility.stays import LISTED
from understudy.models.mobility.tables import (
    FROM_HOME,
    OUTINGS,
    UNITS,
    WEEKEND,
    WORKDAY,
    added_up,
    layout,
)


def test_a_map_without_noise_is_kept() -> None:
    random = np.random.default_rng(2)
    cells = random.uniform(0, 2000, TOWN.cells)
    zones = np.bincount(TOWN.zone, weights=cells)
    found = map_shares(cells, zones, TOWN, (1e-6, 1e-6))
    assert np.abs(found - cells / cells.sum()).max() < 4e-3


def test_under_much_noise_zones_tell_what_cells_cannot() -> None:
    cells = np.where(TOWN.zone == 3, 100.0, 1.0)
    zones = np.bincount(TOWN.zone, weights=cells)
    noise = np.random.default_rng(3).normal(0, 60, TOWN.cells)
    found = map_shares(cells + noise, zones, TOWN, (60.0, 2.0))
    by_zone = np.bincount(TOWN.zone, weights=found)
    assert abs(by_zone[3] - zones[3] / zones.sum()) < 0.05


def test_a_map_under_noise_is_nearer_the_truth_than_what_was_counted() -> None:
    where = Geography(rows=12, columns=12, zones=3)
    random = np.random.default_rng(4)
    middle = np.hypot(*(where.middles - 5).T)
    true = 60 * np.exp(-middle / 3) * random.lognormal(0, 0.5, where.cells)
    zones = np.bincount(where.zone, weights=true)
    noisy = true + random.normal(0, 12, where.cells)
    found = map_shares(noisy, zones + random.normal(0, 20, 9), where, (12.0, 20.0))
    plain = np.maximum(noisy, 0)
    error, naive = (np.abs(each / each.sum() - true / true.sum()).sum() for each in (found, plain))
    assert error < 0.8 * naive


def test_zones_finer_than_cells_leave_some_empty() -> None:
    where = Geography(rows=2, columns=3, zones=5)
    found = map_shares(np.arange(6.0), np.ones(25), where, (1.0, 1.0))
    assert np.isfinite(found).all()
    assert np.isclose(found.sum(), 1)


WHERE = Geography(rows=8, columns=8, zones=2)
EVEN = np.full(64, 1 / 64)


def test_cells_and_distances_come_out() -> None:
    """Of people who all set out from home, by law of other pulls."""
    random = np.random.default_rng(1)
    cells = random.gamma(1.0, 1.0, 64)
    decay = np.exp(-np.arange(BINS) / 3)
    truth = Attraction(WHERE, cells / cells.sum(), np.tile(decay, (OUTINGS, 1)), np.ones(BINS))
    everywhere = np.arange(64)
    how = np.full(64, FROM_HOME)

    def outcome(law: Attraction) -> tuple[np.ndarray, np.ndarray]:
        pull = law.pull(everywhere, everywhere, how)
        pull /= pull.sum(axis=1, keepdims=True)
        return pull.mean(axis=0), np.bincount(WHERE.bin.ravel(), pull.ravel(), BINS) / 64

    shares, distances = outcome(truth)
    outings = np.zeros((OUTINGS, BINS))
    outings[FROM_HOME] = 1000 * distances
    work = np.full((64, 64), 1 / 64)
    found = attraction(WantedLaw(shares, outings, np.ones(BINS) / BINS), EVEN, work, WHERE)
    ours, far = outcome(found)
    assert np.abs(ours - shares).sum() < 0.01
    assert np.abs(far - distances).sum() < 0.01


def test_who_comes_from_home_is_drawn_by_that_distance_once() -> None:
    pulls = np.ones((OUTINGS, BINS))
    law = Attraction(WHERE, EVEN, pulls, np.linspace(1, 2, BINS))
    at, home = np.array([9, 9]), np.array([9, 9])
    from_home, other = law.pull(at, home, np.array([FROM_HOME, 3]))
    assert len(set(from_home[np.arange(64) != 9].tolist())) == 1
    assert len(set(other[np.arange(64) != 9].tolist())) > 3


SIGMA = {table.name: 1e-3 for table in layout(TOWN)}


@pytest.fixture(scope="module")
def law() -> Law:
    """Of many commuters, all but without noise."""
    return fit_law(added_up(commuters(400), TOWN), SIGMA, TOWN)


def test_all_shares_are_shares(law: Law) -> None:
    for each in (law.home, law.patterns, law.follows, law.work):
        assert (each >= 0).all()
        assert np.allclose(each.sum(axis=-1), 1)
    assert 0 <= law.works <= 1
    assert 0 <= law.returns <= 1


def test_it_says_what_the_people_do(law: Law) -> None:
    assert law.works > 0.99
    assert np.flatnonzero(law.home > 0.01).tolist() == [0, 4, 8]
    assert law.patterns[WORKDAY, LISTED.index("HWOH")] > 0.97
    assert law.patterns[WEEKEND, LISTED.index("HOH")] > 0.97
    # Of six days after the first, the Saturday is the only one with a new place.
    assert law.returns == pytest.approx(5 / 6, abs=0.01)


def test_homes_works_and_the_distance_between_come_out(law: Law) -> None:
    joint = law.home[:, None] * law.work
    counts = {name: each / UNITS for name, each in added_up(commuters(400), TOWN).items()}
    assert np.abs(joint.sum(axis=0) - counts["work cells"] / 400).max() < 0.02
    apart = np.bincount(TOWN.bin.ravel(), weights=joint.ravel(), minlength=BINS)
    assert np.abs(apart - counts["commute"][:BINS] / 400).max() < 0.02


def test_nobody_is_drawn_to_where_they_are_or_live(law: Law) -> None:
    pull = law.other.pull(np.array([3, 5]), np.array([0, 4]), np.array([2, 3]))
    assert pull[0, [3, 0]].tolist() == [0, 0]
    assert pull[1, [5, 4]].tolist() == [0, 0]
    assert (pull >= 0).all()


def test_noise_alone_makes_a_law_too() -> None:
    """Of nobody at all, as where every person is held out: shares all the same."""
    random = np.random.default_rng(0)
    noisy = {
        table.name: np.rint(random.normal(0, 30 * UNITS, table.cells)).astype(np.int64)
        for table in layout(TOWN)
    }
    found = fit_law(noisy, dict.fromkeys(SIGMA, 30.0), TOWN)
    for each in (found.home, found.patterns, found.follows):
        assert np.isfinite(each).all()
        assert np.allclose(each.sum(axis=-1), 1)


def test_where_noise_leaves_no_place_to_go_to_every_other_will_do() -> None:
    """All places elsewhere, and all distances, were counted below nothing."""
    noisy = {
        table.name: np.full(table.cells, -50 * UNITS, dtype=np.int64) for table in layout(TOWN)
    }
    found = fit_law(noisy, dict.fromkeys(SIGMA, 30.0), TOWN)
    pull = found.other.pull(np.array([3]), np.array([0]), np.array([1]))
    assert (pull[0, [3, 0]] == 0).all()
    assert np.isfinite(pull).all()
    assert (np.delete(pull[0], [3, 0]) > 0).all()


FLOATS = st.floats(-5, 5, allow_nan=False)


@given(arrays(np.float64, (3, 6), elements=FLOATS))
def test_shares_are_shares(values: np.ndarray) -> None:
    found = shares(values)
    assert (found >= 0).all()
    assert np.allclose(found.sum(axis=1), 1)


def test_shares_are_the_nearest_ones() -> None:
    values = np.array([0.9, 0.4, -0.5, 0.2])
    best = minimize(
        lambda x: float(((x - values) ** 2).sum()),
        np.full(4, 0.25),
        bounds=[(0, 1)] * 4,
        constraints={"type": "eq", "fun": lambda x: x.sum() - 1},
        tol=1e-12,
    )
    assert np.allclose(shares(values), best.x, atol=1e-5)


def test_what_noise_explains_is_shrunk_away_and_what_it_does_not_is_kept() -> None:
    random = np.random.default_rng(1)
    target = np.full((1, 400), 10.0)
    noise = random.normal(0, 30, (1, 400))
    assert np.abs(towards(target + noise, target, 30.0) - target).max() < 15
    far = target + random.normal(0, 3000, (1, 400))
    assert np.abs(towards(far, target, 30.0) - far).max() < 20


def test_rows_without_signal_are_all_of_them_together() -> None:
    rows = np.array([[60.0, 40.0], [600.0, 400.0]])
    assert np.allclose(pool_shares(rows, 50.0), [[0.6, 0.4], [0.6, 0.4]])


def test_smoothing_keeps_a_peak_that_noise_cannot_make() -> None:
    row = np.zeros((1, 72))
    row[0, 24] = 1000.0
    assert smooth_counts(row, 1.0)[0, 24] > 990


def test_a_count_under_noise_is_its_mean_given_what_is_seen() -> None:
    """By drawing many true counts and their noisy ones: the mean of those seen near a number."""
    random = np.random.default_rng(5)
    true = random.gamma(2.0, 10.0, 400_000)
    seen = true + random.normal(0, np.sqrt(15.0**2 + true))
    some = seen[:4_000]
    told = by_bayes(some, np.full(len(some), 20.0), 15.0)
    for number in (-20.0, 10.0, 40.0):
        near = np.abs(seen - number) < 1.5
        ours = np.interp(number, np.sort(some), np.sort(told))
        assert abs(ours - true[near].mean()) < 1.5


def test_no_count_is_below_nothing() -> None:
    assert (by_bayes(np.array([-50.0, -1.0, 3.0]), np.full(3, 2.0), 10.0) > 0).all()


def test_what_is_expected_is_read_off_the_others_alone() -> None:
    number = np.arange(30.0)
    apart = np.abs(number[:, None] - number)
    counts = np.full(30, 7.0)
    counts[11] = 500.0
    found = around(counts, apart, (1.0, 3.0))
    assert found[11] < found[10]
    assert np.allclose(around(np.full(30, 7.0), apart, (1.0, 3.0)), 7.0)


def test_distances_are_between_the_middles_of_cells() -> None:
    assert TOWN.apart[0, 1] == 2.0
    assert TOWN.apart[0, 4] == 1.0
    assert TOWN.apart[0, 11] == np.hypot(2, 6)
    assert (TOWN.apart == TOWN.apart.T).all()


def test_each_cell_is_in_the_zone_of_its_quarter() -> None:
    assert TOWN.zone.tolist() == [0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3]


def test_zones_that_are_finer_than_cells_hold_one_each() -> None:
    fine = Geography(rows=2, columns=2, zones=2)
    assert sorted(fine.zone.tolist()) == [0, 1, 2, 3]


def test_distances_fall_into_all_bins_but_none_beyond() -> None:
    city = Geography(rows=20, columns=20)
    assert (city.bin.diagonal() == 0).all()
    assert (city.bin[~np.eye(400, dtype=bool)] > 0).all()
    assert city.bin.max() == BINS - 1
    order = np.argsort(city.apart.ravel())
    assert (np.diff(city.bin.ravel()[order]) >= 0).all()


def test_what_lies_between_is_on_a_straight_line() -> None:
    city = Geography(rows=20, columns=20)
    first, last = np.array([0]), np.array([4 * 20 + 8])
    assert city.between(first, last, np.array([0.0])).tolist() == [0]
    assert city.between(first, last, np.array([0.5])).tolist() == [2 * 20 + 4]
    assert city.between(first, last, np.array([1.0])).tolist() == [4 * 20 + 8]


MAPS = st.builds(
    Geography,
    rows=st.integers(1, 12),
    columns=st.integers(1, 12),
    cell_km=st.just((0.5, 2.0)),
    zones=st.integers(1, 6),
)


@given(fine=MAPS, by=st.integers(1, 14))
def test_every_cell_is_in_the_block_that_its_row_and_column_say(fine: Geography, by: int) -> None:
    coarse, found, called = take_together(fine, by), block_numbers(fine, by), block_names(fine, by)
    assert len(called) == len(set(called)) == coarse.cells
    assert found[-1] == coarse.cells
    for cell in range(fine.cells):
        row, column = divmod(cell, fine.columns)
        assert divmod(int(found[cell]), coarse.columns) == (row // by, column // by)
        rows, columns = called[found[cell]][1:].split("c")
        assert int(rows.split("-")[0]) <= row + 1 <= int(rows.split("-")[1])
        assert int(columns.split("-")[0]) <= column + 1 <= int(columns.split("-")[1])


@given(fine=MAPS, by=st.integers(1, 14))
def test_a_block_lies_around_its_cells(fine: Geography, by: int) -> None:
    coarse, found = take_together(fine, by), block_numbers(fine, by)
    assert coarse.cell_km == (0.5 * by, 2.0 * by)
    gap = np.abs(coarse.middles[found[:-1]] - fine.middles)
    assert (gap <= np.array(coarse.cell_km) / 2).all()


def test_one_by_one_is_the_map_itself() -> None:
    fine = Geography(rows=3, columns=4, zones=2)
    assert take_together(fine, 1) == fine
    assert block_numbers(fine, 1).tolist() == list(range(13))


def test_names_say_which_cells_they_are_of() -> None:
    assert block_names(Geography(rows=3, columns=10), 4)[:2] == ("r01-03c01-04", "r01-03c05-08")


def test_nothing_is_gathered_by_nothing() -> None:
    with pytest.raises(ZeroDivisionError):
        take_together(Geography(rows=3, columns=4), 0)
