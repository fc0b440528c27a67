"""What the published theorem states of one released record."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.privacy.accounting.published_figures import published_record
from understudy.privacy.plausibility.privacy_test import privacy_test
from understudy.privacy.plausibility.threshold import FINEST_DELTA


def test_the_setting_of_the_published_evaluation() -> None:
    stated = published_record(privacy_test("plausible-deniability", 50, 1.0, 4.0), 1e-9)
    assert stated is not None
    assert stated.name == "Theorem 1, VLDB 2017, at t = 29"
    assert stated.cost.epsilon == pytest.approx(1 + math.log(1 + 4 / 29), rel=1e-12)
    assert stated.cost.delta == pytest.approx(math.exp(-21), rel=1e-12)


@given(
    k=st.integers(1, 300),
    gamma=st.floats(1.01, 50),
    epsilon0=st.floats(0.01, 5),
    delta=st.floats(1e-35, 0.5),
)
def test_no_t_that_meets_delta_states_less(
    k: int, gamma: float, epsilon0: float, delta: float
) -> None:
    found = [
        epsilon0 + math.log1p(gamma / t)
        for t in range(1, k)
        if max(math.exp(-epsilon0 * (k - t)), FINEST_DELTA) <= delta
    ]
    stated = published_record(privacy_test("plausible-deniability", k, epsilon0, gamma), delta)
    if stated is None:
        assert not found
    else:
        assert stated.cost.epsilon == pytest.approx(min(found))
        assert stated.cost.delta <= delta


def test_without_noise_nothing_is_stated() -> None:
    assert published_record(privacy_test("relative-sensitivity", 50, None), 1e-9) is None
