"""Searching whole numbers against looking at all of them."""

from __future__ import annotations

import math
from fractions import Fraction
from math import comb, lgamma, log, log1p, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from understudy.core.refusal import Refusal
from understudy.privacy.accounting.unit_counts import (
    argmin,
    attempts_needed,
    crossing,
    first_true,
    log_chance,
    log_too_few,
    records_needed,
    seeds_from_records,
)


@given(
    low=st.integers(-5, 50),
    width=st.integers(0, 300),
    floor=st.floats(-10, 370),
    steep=st.floats(0.01, 100),
    cut=st.integers(0, 300),
)
def test_the_floor_of_a_valley(low: int, width: int, floor: float, steep: float, cut: int) -> None:
    def value(place: int) -> float:
        assert low <= place <= low + width
        apart = place - floor
        if place > low + cut and apart > 0:
            return math.inf
        return apart if apart > 0 else -steep * apart

    everywhere = [value(place) for place in range(low, low + width + 1)]
    assert value(argmin(value, low, low + width)) == min(everywhere)


def test_a_valley_is_asked_for_little() -> None:
    asked: list[int] = []

    def value(place: int) -> float:
        asked.append(place)
        return abs(place - 123_456.7)

    assert argmin(value, 0, 10**6) == 123_457
    assert len(asked) < 32


@given(low=st.integers(1, 40), root=st.integers(-5, 400), further=st.integers(0, 200))
def test_the_first_number_that_is_enough(low: int, root: int, further: int) -> None:
    assert first_true(lambda place: place >= root, low, low + further) == max(low, root)


FALLS = {
    "line": lambda x, root: math.log(root / x),
    "bent": lambda x, root: math.sqrt(root / x) - 1,
    "step": lambda x, root: math.inf if x < root else 0.0,
    "ledge": lambda x, root: 5 + math.log(root / x) if x < root else -math.inf,
}


@pytest.mark.parametrize("shape", FALLS)
@given(
    root=st.floats(0.5, 2e6),
    low=st.integers(1, 40),
    width=st.one_of(st.integers(0, 20), st.integers(0, 10**6)),
    near=st.integers(1, 10**7),
    within=st.sampled_from([0.0, 0.01, 0.5]),
)
def test_where_a_fall_ends(
    shape: str, root: float, low: int, width: int, near: int, within: float
) -> None:
    high, asked = low + width, 0

    def over(place: int) -> float:
        nonlocal asked
        asked += 1
        assert low <= place <= high
        return FALLS[shape](place, root)

    left, right = crossing(over, low, high, near, within=within)
    assert left == low - 1 or FALLS[shape](left, root) > 0
    assert right == high + 1 or FALLS[shape](right, root) <= 0
    assert 1 <= right - left <= max(1, within * left)
    assert asked < 130


def test_close_enough_is_enough() -> None:
    asked: list[int] = []

    def over(place: int) -> float:
        asked.append(place)
        return math.inf if place < 5_555 else 0.0

    left, right = crossing(over, 1, 10**6, 1000, within=0.1)
    assert left < 5_555 <= right
    assert 0.02 * left < right - left <= 0.1 * left
    enough = len(asked)
    crossing(over, 1, 10**6, 1000)
    assert len(asked) > 2 * enough


def test_a_line_is_asked_for_little() -> None:
    asked: list[int] = []

    def over(place: int) -> float:
        asked.append(place)
        return 2 * math.log(7_654_321.5 / place)

    assert crossing(over, 1, 10**12, 1000) == (7_654_321, 7_654_322)
    assert len(asked) < 20


def fewer(seeds: int, records: int, share: Fraction) -> Fraction:
    """Pr{Bin(records, share) < seeds}, exactly."""
    return sum(
        (comb(records, each) * share**each * (1 - share) ** (records - each))
        for each in range(min(seeds, records + 1))
    ) + Fraction(0)


@given(st.integers(1, 12), st.integers(1, 10), st.sampled_from([0.2, 0.01, 1e-4]))
def test_it_is_the_smallest_number_that_will_do(seeds: int, tenths: int, miss: float) -> None:
    share = Fraction(tenths, 10)
    needed = records_needed(seeds, float(share), miss)
    assert fewer(seeds, needed, share) <= Fraction(miss) * (1 + Fraction(1, 10**9))
    if needed > seeds:
        assert fewer(seeds, needed - 1, share) > Fraction(miss) * (1 - Fraction(1, 10**9))


@pytest.mark.parametrize("miss", [1e-10, 1e-30])
def test_large_numbers_are_answered(miss: float) -> None:
    needed = records_needed(1_000_000, 0.3, miss)
    assert 3_333_334 < needed < 3_400_000


def log_fewer(seeds: int, records: int, share: float) -> float:
    """ln Pr{Bin(records, share) < seeds}: the largest term in logs, times the sum of the ratios of
    the terms below it, one after another."""
    most = seeds - 1
    log_last = lgamma(records + 1) - lgamma(most + 1) - lgamma(records - most + 1)
    log_last += most * log(share) + (records - most) * log1p(-share)
    ratio, total, at = 1.0, 1.0, most
    while at > 0 and ratio > 1e-9:
        ratio *= at / (records - at + 1) * (1 - share) / share
        total, at = total + ratio, at - 1
    return log_last + log(total)


@given(
    st.floats(0, 10).map(lambda power: int(10**power)),
    st.floats(-6, -0.01).map(lambda power: float(10**power)),
    st.floats(-30, -4).map(lambda power: float(10**power)),
)
def test_no_number_of_seeds_and_no_share_is_too_large_or_small(
    seeds: int, share: float, miss: float
) -> None:
    """Up to 10¹⁰ seeds of 10¹⁶ records; the oracle's own logarithms of factorials are good to a
    thousandth of a chance up to 10¹¹ records, beyond which only Chernoff's bounds are asked."""
    needed = records_needed(seeds, share, miss)
    mean, short = needed * share, seeds - 1
    assert mean > short
    # Pr{X ≤ (1 − d)·mean} ≤ e^(−d²·mean/2): this many more could not be needed.
    bound = seeds - log(miss) + sqrt(log(miss) ** 2 - 2 * seeds * log(miss))
    assert mean <= bound + 1
    if needed <= 10**11 and short > 0 and sqrt(mean) < 1e4:
        assert log_fewer(seeds, needed, share) <= log(miss) + 1e-2
        assert log_fewer(seeds, needed - 1, share) >= log(miss) - 1e-2


def test_thirty_million_seeds_of_a_share_of_a_thousandth() -> None:
    assert 30_000_000_000 < records_needed(30_000_000, 0.001, 1e-10) < 30_100_000_000


@given(st.integers(1, 10**9), st.sampled_from([1.0, 0.3, 0.001]), st.sampled_from([1e-4, 1e-20]))
def test_seeds_known_and_records_needed_are_of_one_mind(
    records: int, share: float, miss: float
) -> None:
    known = seeds_from_records(records, share, miss)
    assert known == 0 or records_needed(known, share, miss) <= records
    assert records_needed(known + 1, share, miss) > records


@pytest.mark.parametrize("share", [5e-324, 1e-300, 1e-16])
def test_a_share_that_no_table_makes_up_for_is_refused(share: float) -> None:
    with pytest.raises(Refusal, match="No table") as refused:
        records_needed(1000, share, 1e-10)
    assert refused.value.field == "seeds_at_least"


@given(st.integers(1, 3_000), st.floats(1e-3, 0.999), st.floats(-200, -2))
def test_the_smallest_number_of_attempts_that_is_enough(
    records: int, floor: float, log_beta: float
) -> None:
    attempts = attempts_needed(records, floor, log_beta)
    assert binom.logcdf(records - 1, attempts, floor) <= log_beta + 1e-9
    assert binom.logcdf(records - 1, attempts - 1, floor) > log_beta - 1e-6


@pytest.mark.parametrize(
    ("records", "floor", "log_beta"),
    [(10**6, 0.3, -30.0), (10**9, 0.05, -50.0), (5_000, 0.5, -23_822.0), (1, 1e-6, -40.0)],
)
def test_large_numbers_and_chances_too_small_for_a_float(
    records: int, floor: float, log_beta: float
) -> None:
    attempts = attempts_needed(records, floor, log_beta)
    assert log_too_few(records, attempts, floor) <= log_beta
    assert log_too_few(records, attempts - 1, floor) > log_beta
    assert attempts > records / floor


def test_one_record_is_a_geometric_wait() -> None:
    """Pr{Bin(A, c) < 1} = (1 − c)^A."""
    assert log_too_few(1, 190, 0.1) == pytest.approx(190 * math.log(0.9), rel=1e-9)
    assert attempts_needed(1, 0.1, 190.5 * math.log(0.9)) == 191


def test_where_every_attempt_passes_nothing_is_to_spare() -> None:
    assert attempts_needed(77, 1.0, -1e6) == 77


def test_never_said_to_be_rarer_than_it_is() -> None:
    for records, attempts, chance in ((40, 500, 0.1), (990, 1_000, 0.999), (3, 10**7, 1e-6)):
        exact = binom.logcdf(records - 1, attempts, chance)
        assert exact <= log_too_few(records, attempts, chance) <= exact + 1e-6
    assert log_too_few(60, 500, 0.1) == 0.0


@pytest.mark.parametrize("epsilon", [0.0, 1.0, 50.0, 5_000.0])
def test_what_is_paid_covers_both_neighbours(epsilon: float) -> None:
    """(1 + e^ε)·β is what was set aside."""
    log_beta = log_chance(epsilon, 1e-10)
    if epsilon < 700:
        assert (1 + math.exp(epsilon)) * math.exp(log_beta) == pytest.approx(1e-10, rel=1e-9)
    else:
        assert log_beta == pytest.approx(math.log(1e-10) - epsilon)


@pytest.mark.parametrize(
    ("records", "attempts"), [(20_000, 100_000), (300_000, 1_000_000), (990, 1_000)]
)
@pytest.mark.parametrize("deviations", [0.1, 1.0, 4.0])
def test_of_many_terms_none_that_counts_is_left_out(
    records: int, attempts: int, deviations: float
) -> None:
    share = records / attempts
    chance = min(1 - 1e-6, share + deviations * math.sqrt(share * (1 - share) / attempts))
    exact = float(binom.logcdf(records - 1, attempts, chance))
    found = log_too_few(records, attempts, chance)
    assert exact - 1e-9 <= found <= exact + 1e-4
