"""The searches against the totals they are made of. The least total at a k, against every t and a
fine grid of ε0. What tested candidates can come to at most. The published rule k = 2t.
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import brentq

from understudy.core.refusal import Refusal
from understudy.privacy.accounting.accountant import account
from understudy.privacy.accounting.guarantee import group_privacy
from understudy.privacy.accounting.published_figures import published_k
from understudy.privacy.accounting.unit import Unit, best_t, total_epsilon_at
from understudy.privacy.budget import Budget
from understudy.privacy.planning.search import (
    NO_SETTING,
    NOWHERE,
    Reach,
    allowed_tail,
    for_a_record,
    least_seeds,
    least_total,
    most_units_at,
    reachable_delta,
    reachable_epsilon,
    rounded_unit,
    seeds_for_one,
    smallest_k_for,
)
from understudy.privacy.plausibility.privacy_test import TestKind, privacy_test
from understudy.privacy.plausibility.threshold import LARGEST_K, SMALLEST_EPSILON0, ThresholdNoise

RELATIVE = Unit(2, 1.0, 1.0, "geometric")
KINDS = st.builds(
    Unit,
    k=st.just(2),
    epsilon0=st.just(1.0),
    similarity=st.sampled_from([1.0, 4.0]),
    noise=st.sampled_from(["laplace", "geometric"]),
    seeds_at_least=st.sampled_from([None, 100_000]),
    pass_floor=st.sampled_from([None, 0.1]),
)
COUNTS = st.integers(0, 13).map(lambda power: int(1.9**power))
TARGETS = st.builds(
    Budget,
    epsilon=st.floats(-1, 1).map(lambda exponent: 10.0**exponent),
    delta=st.floats(-15, -5.1).map(lambda exponent: 10.0**exponent),
)


def total(kind: Unit, count: int, delta: float, k: int) -> float:
    return least_total(kind, count, delta, k).total


@given(kind=KINDS, count=COUNTS, target=TARGETS)
def test_the_smallest_k_is_the_smallest(kind: Unit, count: int, target: Budget) -> None:
    k = int(smallest_k_for(kind, count, target).k)
    assert total(kind, count, target.delta, k) <= target.epsilon
    assert k == 2 or total(kind, count, target.delta, k - 1) > target.epsilon


def test_no_k_where_each_may_cost_less_than_the_noise() -> None:
    assert smallest_k_for(RELATIVE, 10**7, Budget(1.0, 1e-9)) is NOWHERE
    assert total(RELATIVE, 10**7, 1e-9, LARGEST_K) > 1.0
    assert smallest_k_for(RELATIVE, 10**6, Budget(1.0, 1e-9)).k < 10**6


@given(kind=KINDS, k=st.integers(2, 50_000), target=TARGETS)
def test_the_most_units_are_the_most(kind: Unit, k: int, target: Budget) -> None:
    most = most_units_at(kind, target, k, 10**12)
    assert most == 0 or total(kind, most, target.delta, k) <= target.epsilon
    assert total(kind, most + 1, target.delta, k) > target.epsilon
    roughly = most_units_at(kind, target, k, 10**12, percent=5)
    assert 0.94 * most - 1 <= roughly <= most
    assert most_units_at(kind, target, k, max(1, most - 1)) == max(most > 0, most - 1)


@given(kind=KINDS, count=COUNTS, k=st.integers(2, 50_000))
def test_the_least_epsilon(kind: Unit, count: int, k: int) -> None:
    least = reachable_epsilon(kind, count, 1e-9, k, math.inf)
    assert least == total(kind, count, 1e-9, k)
    assert reachable_epsilon(kind, count, 1e-9, k, least) == least
    assert reachable_epsilon(kind, count, 1e-9, k, least * 0.999) is None
    roughly = reachable_epsilon(kind, count, 1e-9, k, math.inf, 1e-3)
    # Either may be the smaller: where t changes, the total has a kink and is not level at its best.
    assert roughly == pytest.approx(least, rel=1e-3)


@given(kind=KINDS, count=COUNTS, target=TARGETS)
def test_the_least_delta(kind: Unit, count: int, target: Budget) -> None:
    # A k that is a little too small for the target.
    k = max(2, int(smallest_k_for(kind, count, target).k * 0.9))
    delta = reachable_delta(kind, count, target.epsilon, k, 0.5)
    if delta is None:
        assert total(kind, count, 0.49, k) > target.epsilon
        return
    assert total(kind, count, delta, k) <= target.epsilon
    finest = count * kind.finest_delta
    assert delta <= 1.02 * finest or total(kind, count, delta / 1.02, k) > target.epsilon
    assert reachable_delta(kind, count, target.epsilon, k, delta / 1.02) is None


@given(count=COUNTS, target=TARGETS, laplace=st.booleans())
def test_the_least_seeds(count: int, target: Budget, laplace: bool) -> None:
    def reaches(seeds: int) -> bool:
        kind = Unit(2, 1.0, 1.0, "laplace" if laplace else "geometric", seeds)
        return total(kind, count, target.delta, seeds) <= target.epsilon

    kind = Unit(2, 1.0, 1.0, "laplace" if laplace else "geometric", 50)
    seeds = least_seeds(kind, count, target, 10**8)
    assert seeds is not None
    assert reaches(seeds)
    assert seeds < 5 or not reaches(int(seeds / 1.02) - 1)
    assert least_seeds(kind, count, target, max(1, int(seeds / 1.02) - 1)) is None


@given(kind=KINDS, count=COUNTS, target=TARGETS)
def test_what_is_settled_fits(kind: Unit, count: int, target: Budget) -> None:
    k = int(smallest_k_for(kind, count, target).k)
    unit = rounded_unit(kind, count, target, k + 1)
    assert unit is not None
    assert (unit.k, unit.similarity, unit.noise) == (k + 1, kind.similarity, kind.noise)
    assert (unit.seeds_at_least, unit.pass_floor) == (kind.seeds_at_least, kind.pass_floor)
    t = best_t(unit, count, target.delta)
    assert total_epsilon_at(unit, t, count, target.delta) <= target.epsilon
    if k > 10:
        assert rounded_unit(kind, count, target, int(0.9 * k)) is None


def test_what_is_settled_is_short() -> None:
    unit = rounded_unit(RELATIVE, 1, Budget(1.0, 2.0**-40), 39)
    assert unit is not None
    assert len(repr(unit.epsilon0)) <= 5


@pytest.mark.parametrize("hair", [1e-9, 1e-5])
def test_a_hair_is_all_that_is_exceeded(hair: float) -> None:
    least = total(RELATIVE, 300, 1e-9, 2_000)
    unit = rounded_unit(RELATIVE, 300, Budget(least, 1e-9), 2_000, hair=hair)
    assert unit is not None
    t = best_t(unit, 300, 1e-9)
    assert least * (1 - 1e-10) <= total_epsilon_at(unit, t, 300, 1e-9) <= least * (1 + hair)
    assert rounded_unit(RELATIVE, 300, Budget(least * 0.999, 1e-9), 2_000, hair=hair) is None


LEAST_TOTAL_KINDS = st.builds(
    Unit,
    k=st.just(2),
    epsilon0=st.just(1.0),
    similarity=st.sampled_from([1.0, 1.5, 4.0]),
    noise=st.sampled_from(["laplace", "geometric"]),
    seeds_at_least=st.sampled_from([None, 100, 100_000]),
    pass_floor=st.sampled_from([None, 0.05, 1.0]),
)


@given(
    kind=LEAST_TOTAL_KINDS,
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
    kind=LEAST_TOTAL_KINDS,
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
    kind=LEAST_TOTAL_KINDS,
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


DELTA = 1e-9


def test_what_a_record_is_left_adds_up_to_what_a_person_may_lose() -> None:
    for person in (Budget(1.0, DELTA), Budget(3.0, 1e-6)):
        for records in (1, 2, 10, 40):
            each = for_a_record(person, records)
            assert each is not None
            whole = group_privacy(each, records)
            assert whole.epsilon == pytest.approx(person.epsilon, rel=1e-12)
            assert whole.delta == pytest.approx(person.delta, rel=1e-9)
    assert for_a_record(Budget(900.0, DELTA), 40) is None


@pytest.mark.parametrize(
    ("k", "attempts"), [(500, 23), (1_000, 63), (2_000, 208), (5_000, 1_086), (8_000, 2_566)]
)
def test_as_many_attempts_as_the_reference_allows(k: int, attempts: int) -> None:
    found = Reach(21_455, 1, DELTA).most_attempts(1.0, k)
    assert 0.99 * attempts - 1 <= found <= attempts


def test_nothing_is_left_for_ten_faces_of_each_of_forty() -> None:
    faces = Reach(200, 10, DELTA)
    assert faces.most_attempts(1.0, 200) == 0
    assert faces.least_epsilon() == pytest.approx(1.39, abs=0.01)
    one_each = Reach(200, 1, DELTA)
    assert one_each.most_attempts(1.0, 200) > 0


@pytest.mark.parametrize(("seeds", "each"), [(200, 10), (40, 1), (134, 3)])
def test_one_attempt_is_paid_for_from_the_least_on(seeds: int, each: int) -> None:
    found = Reach(seeds, each, DELTA)
    least = found.least_epsilon()
    assert found.most_attempts(least * 1.001, seeds) >= 1
    assert found.most_attempts(least * 0.999, seeds) == 0


@pytest.mark.parametrize("kind", ["relative-sensitivity", "plausible-deniability"])
def test_no_plan_that_is_tried_by_hand_costs_a_person_less(kind: TestKind) -> None:
    seeds, each = 60, 2
    floor = Reach(seeds, each, DELTA).least_epsilon()
    gamma = 1.0001 if kind == "plausible-deniability" else None
    asked = for_a_record(Budget(floor, DELTA), each)
    assert asked is not None
    found = []
    for step in range(1, 80):
        test = privacy_test(kind, seeds, step / 40, gamma)
        # Too small an ε0 cannot meet δ.
        with suppress(Refusal):
            found.append(account(test, 1, asked.delta, seeds_at_least=seeds).total.epsilon)
    assert floor <= each * min(found) <= 1.05 * floor


def test_too_few_seeds_are_no_test() -> None:
    for seeds in (0, 1):
        assert math.isinf(Reach(seeds, 1, DELTA).least_epsilon())
        assert Reach(seeds, 1, DELTA).most_attempts(1.0, 2) == 0
    assert Reach(100, 1, DELTA).most_attempts(1.0, 101) == 0


def test_the_seeds_that_one_attempt_needs_are_enough_and_hardly_more() -> None:
    needed = seeds_for_one(1.0, DELTA, 3)
    assert needed is not None
    assert Reach(needed, 3, DELTA).most_attempts(1.0, needed) >= 1
    fewer = int(needed * 0.97)
    assert Reach(fewer, 3, DELTA).most_attempts(1.0, fewer) == 0


def over(t: int, epsilon: float, delta: float, count: int, similarity: float) -> float:
    """(4.6): the total at t, less ε."""
    spread = math.log(1 / delta) + math.log(count + 1)
    each = (spread + similarity) / t
    return each * math.sqrt(2 * count * spread) + count * each * math.expm1(each) - epsilon


def test_one_release_as_worked_out_by_hand() -> None:
    assert published_k(1.0, 2.0**-40, 1, 1.0) == 452


@pytest.mark.parametrize("count", [1, 10, 1_000, 12_500])
@pytest.mark.parametrize("similarity", [1.0, 4.0])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 8.0])
def test_it_is_the_smallest_t_that_does(count: int, similarity: float, epsilon: float) -> None:
    k = published_k(epsilon, 1e-6, count, similarity)
    assert k is not None
    assert k % 2 == 0
    assert over(k // 2, epsilon, 1e-6, count, similarity) <= 1e-9
    assert over(k // 2 - 1, epsilon, 1e-6, count, similarity) > 0


def test_none_where_its_noise_is_wider_than_any_that_is_drawn() -> None:
    assert published_k(1.0, 1e-9, 10**6, 1.0) is not None
    assert published_k(1.0, 1e-9, 10**7, 1.0) is None
