from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from understudy.privacy.accounting.unit_counts import attempts_needed, log_chance, log_too_few


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
