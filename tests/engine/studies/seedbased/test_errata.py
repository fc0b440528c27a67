"""The published tool's early stop: a step of the proof fails, and the theorem holds."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from understudy.studies.seedbased.notes import (
    hybrid_sensitivity,
    least_k,
    other_partition_falls,
    passes,
    passes_early,
)

GAMMA = 2.0


def released(records: np.ndarray, examined: int, k: int, epsilon0: float) -> np.ndarray:
    """(outcomes,) the chance that each is released, of (records, outcomes) likelihoods."""
    found = np.zeros(records.shape[1])
    with np.errstate(divide="ignore"):
        buckets = np.floor(-np.log(records) / math.log(GAMMA))
    for outcome in range(records.shape[1]):
        for seed in range(len(records)):
            if records[seed, outcome] > 0:
                count = int((buckets[:, outcome] == buckets[seed, outcome]).sum())
                passing = passes_early(count, len(records), examined, k, epsilon0)
                found[outcome] += passing * records[seed, outcome] / len(records)
    return found


@pytest.mark.parametrize("case", range(25))
def test_the_theorem_holds_where_counting_stops_early(case: int) -> None:
    random = np.random.default_rng(case)
    records = random.dirichlet([0.4] * 3, random.integers(6, 14))
    more = np.vstack([records, random.dirichlet([0.2] * 3)])
    k, t, epsilon0 = 4, int(random.integers(1, 4)), float(random.uniform(0.3, 2))
    examined = int(random.integers(1, len(records) + 1))
    one, other = (released(each, examined, k, epsilon0) for each in (records, more))
    epsilon = epsilon0 + math.log1p(GAMMA / t)
    delta = math.exp(-epsilon0 * (k - t)) / 2
    assert np.maximum(other - math.exp(epsilon) * one, 0).sum() <= delta + 1e-12
    most = math.exp(epsilon0) * (1 + 1 / len(records))
    assert (one <= most * other + 1e-12).all()


def test_a_record_more_lowers_the_chance_of_others_and_so_of_a_rejection() -> None:
    """Corollary C.13 has q and with it the chance of passing grow with every record."""
    assert other_partition_falls() > 2
    records = np.tile([1.0, 0.0], (20, 1))
    more = np.vstack([records, [0.0, 1.0]])
    one, other = (released(each, 20, 25, 1.0) for each in (records, more))
    assert one[0] > (1 + 1 / 20) * other[0]
    exact = [released(each, 21, 25, 1.0)[0] for each in (records, more)]
    assert exact[0] <= (1 + 1 / 20) * exact[1]


def test_all_records_looked_at_count_exactly() -> None:
    assert passes_early(7, 30, 30, 9, 0.7) == pytest.approx(passes(7, 9, 0.7))
    assert passes_early(7, 30, 99, 9, 0.7) == pytest.approx(passes(7, 9, 0.7))


def test_the_relative_sensitivity_rises_with_the_share_that_depends_on_the_seed() -> None:
    found = [hybrid_sensitivity(share) for share in (0.1, 0.3, 0.5, 0.7, 0.9)]
    assert all(one < other for one, other in pairwise(found))


def test_the_smallest_k_of_one_release() -> None:
    """The dissertation's own Example 5.1 takes 40."""
    assert least_k(1.0, 2.0**-40) in range(35, 41)
