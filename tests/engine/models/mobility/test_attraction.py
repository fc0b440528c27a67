from __future__ import annotations

import numpy as np

from understudy.models.mobility.geography import BINS, Geography
from understudy.models.mobility.law import Attraction, Wanted, attraction
from understudy.models.mobility.tables import FROM_HOME, OUTINGS

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
