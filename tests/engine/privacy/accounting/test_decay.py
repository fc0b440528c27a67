"""Decaying sums against the recurrence they solve."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.privacy.accounting.composition import decaying_sums


@given(
    st.lists(st.floats(0, 1e6), max_size=200),
    st.one_of(st.just(0.0), st.just(1.0), st.floats(0, 1)),
)
def test_each_sum_is_the_one_before_it_faded_plus_its_term(
    terms: list[float], decay: float
) -> None:
    expected, last = [], 0.0
    for term in terms:
        last = decay * last + term
        expected.append(last)
    given_terms = np.array(terms)
    found = decaying_sums(given_terms, decay)
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-290)
    assert given_terms.tolist() == terms


def test_a_term_far_back_still_counts() -> None:
    terms = np.zeros(1001)
    terms[0] = 1.0
    assert decaying_sums(terms, 0.999)[-1] == pytest.approx(0.999**1000, rel=1e-12)
