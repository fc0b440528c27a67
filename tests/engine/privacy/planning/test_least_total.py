"""The least total at a k, against every t and a fine grid of ε0."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import brentq

from understudy.privacy.accounting.unit import Unit, total_epsilon_at
from understudy.privacy.planning.search import NO_SETTING, allowed_tail, least_total
from understudy.privacy.plausibility.threshold import SMALLEST_EPSILON0, ThresholdNoise

KINDS = st.builds(
    Unit,
    k=st.just(2),
    epsilon0=st.just(1.0),
    similarity=st.sampled_from([1.0, 1.5, 4.0]),
    noise=st.sampled_from(["laplace", "geometric"]),
    seeds_at_least=st.sampled_from([None, 100, 100_000]),
    pass_floor=st.sampled_from([None, 0.05, 1.0]),
)


@given(
    kind=KINDS,
    k=st.one_of(st.integers(2, 12), st.integers(2, 400)),
    count=st.integers(0, 16).map(lambda power: int(1.9**power)),
    exponent=st.floats(-24, -5.1),
)
def test_no_t_and_no_epsilon0_does_better(kind: Unit, k: int, count: int, exponent: float) -> None:
    delta = 10.0**exponent
    setting = least_total(kind, count, delta, k)
    assert setting is not NO_SETTING
    assume(setting.total < 50)
    turns = np.concatenate([np.geomspace(0.97, 1.03, 25), np.geomspace(0.3, 3, 25)])
    for epsilon0 in setting.epsilon0 * turns:
        if epsilon0 < SMALLEST_EPSILON0:
            continue
        unit = replace(kind, k=k, epsilon0=float(epsilon0))
        nearby = {*range(1, k, max(1, k // 20)), *range(setting.t - 4, setting.t + 5)}
        for t in nearby & set(range(1, k)):
            assert total_epsilon_at(unit, t, count, delta) >= setting.total * (1 - 1e-8)


@given(
    kind=KINDS,
    k=st.integers(2, 10**6),
    count=st.integers(1, 10**7),
    exponent=st.floats(-20, -5.1),
)
def test_it_is_what_its_t_and_epsilon0_come_to(
    kind: Unit, k: int, count: int, exponent: float
) -> None:
    delta = 10.0**exponent
    setting = least_total(kind, count, delta, k)
    assume(setting is not NO_SETTING)
    assert setting.epsilon0 >= SMALLEST_EPSILON0
    assert 1 <= setting.t < k
    # A hair more noise, as the last place of the target decides.
    unit = replace(kind, k=k, epsilon0=setting.epsilon0 * (1 + 1e-12))
    found = total_epsilon_at(unit, setting.t, count, delta)
    assert found <= setting.total * (1 + 1e-8)


@given(
    kind=KINDS,
    k=st.integers(2, 10**5),
    count=st.integers(1, 10**6),
    exponent=st.floats(-15, -5.1),
    more=st.floats(1.01, 3),
)
def test_it_falls_with_k_and_delta_and_rises_with_the_count(
    kind: Unit, k: int, count: int, exponent: float, more: float
) -> None:
    delta = 10.0**exponent
    total = least_total(kind, count, delta, k).total * (1 + 1e-9)
    assume(total < 50)
    assert least_total(kind, count, delta, math.ceil(k * more)).total <= total
    assert least_total(kind, count, delta * more, k).total <= total
    assert least_total(kind, math.ceil(count * more), delta, k).total * (1 + 1e-9) >= total


@pytest.mark.parametrize("noise", ["laplace", "geometric"])
@pytest.mark.parametrize("similarity", [1.0, 4.0])
@pytest.mark.parametrize("k", [2, 3, 5, 8, 41])
@pytest.mark.parametrize("delta", [1e-3, 5.8e-10, 3e-16])
def test_one_unit_spends_all_of_delta(
    noise: ThresholdNoise, similarity: float, k: int, delta: float
) -> None:
    def epsilon(t: int) -> float:
        def over(epsilon0: float) -> float:
            unit = Unit(k, epsilon0, similarity, noise)
            return float(np.log(unit.delta(np.array(t)) / delta))

        return float(brentq(over, 1e-3, 100, xtol=1e-14)) + math.log1p(similarity / t)

    least = min(epsilon(t) for t in range(1, k))
    assert least_total(Unit(2, 1.0, similarity, noise), 1, delta, k).total == pytest.approx(
        least, rel=1e-12
    )


@pytest.mark.parametrize("floor", [None, 0.1])
@pytest.mark.parametrize("seeds", [None, 999])
def test_no_noise_reaches_what_is_finer_than_the_coin(
    floor: float | None, seeds: int | None
) -> None:
    kind = Unit(2, 1.0, 1.0, "geometric", seeds, floor)
    finest = kind.finest_delta
    assert least_total(kind, 100, 99 * finest, 50) is NO_SETTING
    assert least_total(kind, 100, 101 * finest, 50) is not NO_SETTING


def test_a_floor_that_no_attempt_keeps_under() -> None:
    kind = Unit(2, 1.0, 1.0, "geometric", None, 1e-32)
    assert least_total(kind, 1, 1e-3, 50) is NO_SETTING


def test_noise_is_never_wider_than_is_drawn() -> None:
    kind = Unit(2, 1.0, 1.0, "geometric")
    setting = least_total(kind, 10**7, 1e-9, 10**8)
    assert setting.epsilon0 == SMALLEST_EPSILON0
    # The rest of k goes into t, and buys ever less.
    assert setting.t > 0.99 * 10**8
    assert least_total(kind, 10**7, 1e-9, 10**9).total == pytest.approx(setting.total, rel=1e-3)


@pytest.mark.parametrize("floor", [None, 0.01, 1.0])
@pytest.mark.parametrize("seeds", [None, 999])
def test_the_tail_allowed_is_that_of_the_unit(floor: float | None, seeds: int | None) -> None:
    unit = Unit(50, 1.0, 1.0, "geometric", seeds, floor)
    each = float(unit.delta(np.array(30)))
    tail = math.exp(-20) / (1 + math.exp(-1))
    assert allowed_tail(unit, each) == pytest.approx(tail, rel=1e-12)
