"""How many ones count: the noisy count, what it costs, and what is chosen of it."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from understudy.models.latent.moments import (
    OnesBudget,
    choose_most_ones,
    count_by_ones,
    sufficient_ones,
)
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource


@given(
    rows=st.lists(st.lists(st.integers(0, 1), min_size=4, max_size=4), min_size=0, max_size=20),
    more=st.lists(st.integers(0, 1), min_size=4, max_size=4),
)
def test_one_record_moves_one_count_by_one(rows: list[list[int]], more: list[int]) -> None:
    one = count_by_ones(np.array(rows, dtype=np.uint16).reshape(-1, 4))
    assert one.tolist() == [sum(sum(row) == many for row in rows) for many in range(5)]
    two = count_by_ones(np.array([*rows, more], dtype=np.uint16).reshape(-1, 4))
    assert np.abs(two - one).sum() == 1


@given(
    counts=st.lists(st.integers(-50, 3_000), min_size=2, max_size=12),
    deviation=st.floats(0, 100),
    most=st.integers(1, 11),
)
def test_it_is_the_least_that_keeps_nearly_all_ones(
    counts: list[int], deviation: float, most: int
) -> None:
    most = min(most, len(counts) - 1)
    found = sufficient_ones(np.array(counts), deviation, most)
    held = [(each, many) for each, many in enumerate(counts) if many > 2.5 * deviation]
    every = sum(each * many for each, many in held)

    def lost(cap: int) -> int:
        return sum(max(0, each - cap) * many for each, many in held)

    assert 1 <= found <= most
    if every:
        assert found == most or lost(found) <= 0.01 * every
        assert found == 1 or lost(found - 1) > 0.01 * every
    else:
        assert found == most


@given(epsilon=st.floats(1e-4, 1000))
def test_the_parts_are_no_more_than_the_whole(epsilon: float) -> None:
    made = OnesBudget.of(Budget(epsilon, 1e-9))
    assert math.fsum([made.count.epsilon, made.rest.epsilon]) <= epsilon
    assert made.rest.epsilon > 0.93 * epsilon
    assert (made.count.delta, made.rest.delta) == (0.0, 1e-9)


def test_noise_comes_from_the_run_and_its_choice_is_near_the_true_one() -> None:
    rng = np.random.default_rng(3)
    bits = (rng.random((20_000, 40)) < 0.1).astype(np.uint16)
    source = RandomSource.fixed(4)
    found = [choose_most_ones(bits, 40, Budget(1 / 16), Noise(source)) for _ in range(5)]
    true = sufficient_ones(count_by_ones(bits), 0.0, 40)
    assert all(abs(each - true) <= 1 for each in found)
