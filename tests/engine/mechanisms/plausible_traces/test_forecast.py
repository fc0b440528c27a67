"""How many days come out, foreseen from public numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import binom

from tests.engine.mechanisms.plausible_traces.town import law
from understudy.mechanisms.plausible_traces.attempts import Decision, Seeds
from understudy.mechanisms.plausible_traces.forecast import (
    CITY,
    expect_released,
    foreseen,
    passing,
    shares_of,
)
from understudy.mechanisms.plausible_traces.guarantee import promise
from understudy.mechanisms.plausible_traces.keys import KEEPS, Keeps, keys_of, schedules_of
from understudy.mechanisms.plausible_traces.plan import PlausiblePlan
from understudy.models.mobility.geography import Geography
from understudy.models.mobility.stays import Days
from understudy.models.mobility.synthesis import made_people
from understudy.privacy.plausibility.privacy_test import RelativeSensitivity
from understudy.privacy.randomness import RandomSource
from understudy.samples.city import SIDE, simulate

CITY_MAP = Geography(rows=SIDE, columns=SIDE, km_a_slot=2.5)


@given(
    share=st.floats(0.05, 0.9), seeds=st.integers(2, 60), k=st.integers(2, 9),
    epsilon0=st.floats(0.1, 3),
)  # fmt: skip
@example(share=0.25, seeds=5, k=4, epsilon0=2.0)
def test_the_mean_over_how_many_others_share_a_key(
    share: float, seeds: int, k: int, epsilon0: float
) -> None:
    decision = Decision(RelativeSensitivity(k=k, epsilon0=epsilon0), pass_cap=0.1)
    others = np.arange(seeds)
    chance = [
        math.comb(seeds - 1, each) * share**each * (1 - share) ** (seeds - 1 - each)
        for each in range(seeds)
    ]
    passes = decision.test.coin.probability(others)
    exact = 70 * 0.9 * share * float(np.array(chance) @ passes)
    found = expect_released(np.array([share]), seeds, decision, 70)
    assert found == pytest.approx(exact, rel=1e-9, abs=1e-12)


@given(share=st.floats(0.05, 0.9), k=st.integers(2, 300), epsilon0=st.floats(0.1, 3))
def test_of_many_seeds_quantiles_stand_for_all_numbers(
    share: float, k: int, epsilon0: float
) -> None:
    decision, seeds = Decision(RelativeSensitivity(k=k, epsilon0=epsilon0), pass_cap=0.1), 400
    numbers = np.arange(seeds)
    passes = decision.test.coin.probability(decision.test.scores(numbers + 1))
    exact = 0.9 * share * float(binom.pmf(numbers, seeds - 1, share) @ passes)
    assert expect_released(np.array([share]), seeds, decision, 1) == pytest.approx(exact, abs=0.01)


@pytest.fixture(scope="module")
def city() -> Days:
    """Two weekdays of people of the simulated city, others than its shares are of."""
    cells = simulate(1_500, seed=7, days=3)[:, 1:].astype(np.int64).reshape(-1, 72)
    return Days(cells, np.zeros(len(cells), dtype=bool), np.arange(len(cells)) // 2)


@pytest.mark.parametrize("keeps", KEEPS)
def test_what_is_foreseen_is_within_a_tenth_of_what_comes_out_in_the_city(
    keeps: Keeps, city: Days
) -> None:
    """Of as many seeds as have these days, five times over; k lies where a step of the forecast
    would be seen."""
    plan = PlausiblePlan(
        domain="", keeps=keeps, k={"outline": 600, "pattern": 500, "departure": 400, "hours": 200}[
            keeps
        ],
        epsilon=50.0, public_people=int(15_000 / 0.45), attempts=1_000,
    )  # fmt: skip
    made_ = promise(plan)
    kept = keys_of(schedules_of(city, CITY_MAP), keeps)
    out = plan.attempts * passing(made_, Seeds(np.tile(kept, (5, 1))))
    assert out > 100
    assert foreseen(plan, made_) == pytest.approx(out, rel=0.1)


def test_shares_of_the_city_are_of_one_whole_and_fall() -> None:
    assert set(CITY) == set(KEEPS)
    for shares in CITY.values():
        assert 0 < sum(shares) <= 1
        assert list(shares) == sorted(shares, reverse=True)


@pytest.mark.parametrize("keeps", KEEPS)
def test_shares_of_a_law_are_those_of_days_made_by_it(keeps: Keeps) -> None:
    found = shares_of(law(), keeps)
    days = made_people(law(), 4_000, (False,), RandomSource.fixed(3))
    kept = keys_of(schedules_of(days, law().where), keeps)
    _, counts = np.unique(kept, axis=0, return_counts=True)
    ours = np.sort(counts / len(kept))[::-1]
    assert found.sum() <= 1 + 1e-9
    assert found[:3] == pytest.approx(ours[:3], abs=0.05)
