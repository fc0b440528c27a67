from __future__ import annotations

import numpy as np
import pytest

from tests.engine.models.mobility.town import TOWN, commuters
from understudy.models.mobility.geography import BINS, Geography
from understudy.models.mobility.law import Attraction, Law, Wanted, attraction, fit_law, map_shares
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
    found = attraction(Wanted(shares, outings, np.ones(BINS) / BINS), EVEN, work, WHERE)
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
