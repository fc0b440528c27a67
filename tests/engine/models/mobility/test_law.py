from __future__ import annotations

import numpy as np
import pytest

from tests.engine.models.mobility.town import TOWN, commuters
from understudy.models.mobility.law import Law, fit_law
from understudy.models.mobility.stays import LISTED
from understudy.models.mobility.tables import BINS, UNITS, WEEKEND, WORKDAY, added_up, layout

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
