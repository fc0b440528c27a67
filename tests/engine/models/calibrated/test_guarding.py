from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import category_schema
from understudy.models.calibrated.guarding import apart, best
from understudy.models.calibrated.measured import Measured
from understudy.models.calibrated.particles import TRUST_IN_MODEL, Particles
from understudy.models.views import Rows, View

SCHEMA = category_schema(*[4] * 5)
PAIRS = [(View(one), View(other)) for one, other in combinations(range(5), 2)]


def law(seed: int, alike: float = 0.0) -> Particles:
    """Records whose columns are the first one's with this chance."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, 4, 3_000) for _ in range(5)]
    columns = [np.where(rng.random(3_000) < alike, columns[0], each) for each in columns]
    return Particles.of(Rows(SCHEMA, [each.astype(np.uint16) for each in columns]), 3_000.0)


def counted(truth: Particles, deviation: float, seed: int) -> list[Measured]:
    rng = np.random.default_rng(seed)
    return [
        Measured(each, truth.counts(each) + rng.normal(0, deviation, 16), deviation)
        for each in PAIRS
    ]


@settings(max_examples=20, deadline=None)
@given(alike=st.floats(0, 0.9), deviation=st.floats(1, 300), seed=st.integers(0, 99))
def test_what_is_kept_fits_no_worse_than_anything_else(
    alike: float, deviation: float, seed: int
) -> None:
    tables = counted(law(seed, alike), deviation, seed)
    first, fitted = law(seed + 1, 0.3), law(seed + 1, 0.3)
    fitted.calibrate(tables)
    candidates = [fitted, fitted.unweighted(), first, law(seed + 2)]
    figures = [apart(each, tables) for each in candidates]
    assert figures[best(candidates, tables)] == min(figures)


def test_what_follows_nothing_but_noise_is_not_kept() -> None:
    """It is nearer to the tables, and further from the truth."""
    truth = law(1)
    tables = counted(truth, 60.0, 2)
    fitted = truth.unweighted()
    fitted.calibrate(tables, trust=TRUST_IN_MODEL)
    for each in tables:
        off = [np.abs(each.counts - one.counts(each.marginal)).sum() for one in (fitted, truth)]
        assert off[0] < off[1]
    assert best([fitted, truth], tables) == 1


def test_what_mends_a_law_is_kept() -> None:
    tables = counted(law(1, 0.6), 10.0, 2)
    fitted = law(3)
    fitted.calibrate(tables)
    assert best([law(3), fitted], tables) == 1
