"""Rows from an urn, against the law of the urn."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest
from scipy.stats import chisquare

from understudy.mechanisms.imputation.drawing import Urn, below
from understudy.privacy.randomness import RandomSource

TIMES = 20_000


@pytest.mark.parametrize("one_draw", [True, False])
def test_every_sequence_of_rows_is_as_likely_as_it_should_be(one_draw: bool) -> None:
    urn, source = Urn(np.array([3, 1, 4]), 2), RandomSource.fixed(5)
    found = Counter(tuple(urn.rows(3, source, one_draw=one_draw).tolist()) for _ in range(TIMES))
    expected = {}
    for rows in product(range(3), repeat=3):
        weights, chance = [3.0, 1.0, 4.0], 1.0
        for row in rows:
            chance *= weights[row] / sum(weights)
            weights[row] += 2 * one_draw
        expected[rows] = chance * TIMES
    assert chisquare([found[each] for each in expected], list(expected.values())).pvalue > 1e-6


def test_a_cell_without_weight_is_never_drawn() -> None:
    rows = Urn(np.array([0, 5, 0, 1]), 1).rows(5000, RandomSource.fixed(1), one_draw=True)
    assert set(rows.tolist()) <= {1, 3}


def test_long_urns_come_to_a_share_of_the_draw() -> None:
    urn = Urn(np.array([30, 70]), 1)
    shares = [
        float((urn.rows(20_000, RandomSource.fixed(each), one_draw=True) == 0).mean())
        for each in range(200)
    ]
    assert np.mean(shares) == pytest.approx(0.3, abs=0.015)
    assert np.std(shares) == pytest.approx((0.3 * 0.7 / 101) ** 0.5, rel=0.2)


def test_numbers_below_their_bounds() -> None:
    bounds = np.array([1, 2, 3, (1 << 62) + 1] * 5000)
    found = below(bounds, RandomSource.fixed(3))
    assert (found >= 0).all()
    assert (found < bounds).all()
    assert np.bincount(found[2::4]) == pytest.approx([5000 / 3] * 3, rel=0.1)
    assert float((found[3::4] / bounds[3::4]).mean()) == pytest.approx(0.5, abs=0.02)


def test_words_that_do_not_fill_a_round_are_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """2⁶⁴ is 1 above a multiple of 3, so that its last word would be one too many for 0."""
    source, last = RandomSource.fixed(1), (1 << 64) - 1
    words = iter([[last, last, 8], [last], [5]])
    monkeypatch.setattr(source, "words", lambda _: np.array(next(words), dtype=np.uint64))
    assert below(np.array([3, 4, 9]), source).tolist() == [2, 3, 8]
    assert next(words, None) is None
