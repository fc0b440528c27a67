"""The published tool's early stop against looking at seeds one by one, as it does."""

from __future__ import annotations

import numpy as np
import pytest

from understudy.studies.seedbased import published
from understudy.studies.seedbased.results import EarlyStop

SEEDS = 60


def looked_at(plausible: int, limit: EarlyStop, random: np.random.Generator) -> tuple[int, int]:
    """What is found, and how many are looked at, one seed after another."""
    found = looked = 0
    for each in random.permutation(SEEDS):
        if looked == limit.examined or found == limit.plausible:
            break
        looked += 1
        found += int(each < plausible)
    return found, looked


@pytest.mark.parametrize("limit", [EarlyStop(20), EarlyStop(20, 4), EarlyStop(45, 9)])
@pytest.mark.parametrize("plausible", [0, 3, 12, 50, SEEDS])
def test_counts_and_looks_have_the_law_of_the_tool(limit: EarlyStop, plausible: int) -> None:
    random = np.random.default_rng(plausible)
    slow = np.array([looked_at(plausible, limit, random) for _ in range(2_000)])
    many = np.full(20_000, plausible)
    found, looked = limit.count(many, SEEDS, random), limit.examine(many, SEEDS, random)
    for one, other, slack in ((slow[:, 0], found, 0.0), (slow[:, 1], looked, 0.6)):
        spread = 5 * np.sqrt(one.var() / len(one) + other.var() / len(other))
        assert abs(one.mean() - other.mean()) <= spread + slack


def test_where_all_seeds_are_looked_at_all_plausible_ones_are_found() -> None:
    counts = np.arange(SEEDS + 1)
    random = np.random.default_rng(1)
    assert (EarlyStop(10 * SEEDS).count(counts, SEEDS, random) == counts).all()
    assert (EarlyStop(SEEDS, 7).count(counts, SEEDS, random) == np.minimum(counts, 7)).all()


def test_limits_are_in_proportion_to_the_published_seeds() -> None:
    assert EarlyStop.of_share(published.SEEDS, 100_000).examined == 100_000
    assert EarlyStop.of_share(published.SEEDS // 10, 100_000, 100) == EarlyStop(10_000, 100)
