from __future__ import annotations

from fractions import Fraction
from math import comb, lgamma, log, log1p, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.core.refusal import Refusal
from understudy.privacy.accounting.unit_counts import records_needed, seeds_known


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
    known = seeds_known(records, share, miss)
    assert known == 0 or records_needed(known, share, miss) <= records
    assert records_needed(known + 1, share, miss) > records


@pytest.mark.parametrize("share", [5e-324, 1e-300, 1e-16])
def test_a_share_that_no_table_makes_up_for_is_refused(share: float) -> None:
    with pytest.raises(Refusal, match="No table") as refused:
        records_needed(1000, share, 1e-10)
    assert refused.value.field == "seeds_at_least"
