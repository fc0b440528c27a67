from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.privacy.accounting.seeds import records_needed


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
