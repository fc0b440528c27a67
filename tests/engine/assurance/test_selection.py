from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from understudy.assurance import scores
from understudy.assurance.finding import Check, Effort
from understudy.assurance.scores import exponential, permute_and_flip_law, renyi

LESS = Effort(0.5)


@pytest.mark.parametrize("check", scores.list_selection_checks(), ids=lambda each: each.name)
def test_every_claim_holds(check: Check) -> None:
    found = check.find(LESS)
    assert found.passed, found.measured
    assert found.measured.worst > 0.95


def test_half_the_scale_is_caught() -> None:
    tiny = Effort(0.02)
    assert scores.exponential_moved(tiny, drawn=0.5).worst > 1.25
    assert scores.flipped_moved(tiny, drawn=0.5).worst > 1.25


@pytest.mark.parametrize("scores", [[0, 0], [3, -2], [1, 4, 2], [5, 5, -1, 0]])
def test_permute_and_flip_as_it_is_told(scores: list[int]) -> None:
    """Every order of the indices, and every outcome of the coins."""
    exact, scale = np.array(scores), 1.7
    stops = np.exp((exact - exact.max()) / scale)
    law = np.zeros(len(scores))
    orders = list(permutations(range(len(scores))))
    for order in orders:
        going = 1.0
        for index in order:
            law[index] += going * stops[index] / len(orders)
            going *= 1 - stops[index]
    assert permute_and_flip_law(exact, scale) == pytest.approx(law, rel=1e-12)
    assert law.sum() == pytest.approx(1)


def test_permute_and_flip_is_never_worse_than_the_exponential_mechanism() -> None:
    exact = np.array([4, 1, 0])
    assert permute_and_flip_law(exact, 1.5) @ exact > exponential(exact, 1.5) @ exact


def test_renyi_divergence() -> None:
    one, other = np.array([0.2, 0.8]), np.array([0.5, 0.5])
    for alpha in (1.5, 2.0, 7.0):
        sums = (one**alpha @ other ** (1 - alpha), other**alpha @ one ** (1 - alpha))
        assert renyi(one, other, alpha) == pytest.approx(np.log(max(sums)) / (alpha - 1))
    assert renyi(one, one, 2.0) == pytest.approx(0, abs=1e-12)
