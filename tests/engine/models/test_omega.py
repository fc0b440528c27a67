from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.core.refusal import Refusal
from understudy.models.omega import Omega, Reading
from understudy.privacy.randomness import RandomSource


@given(
    st.integers(0, 6),
    st.integers(0, 6),
    st.integers(1, 60),
    st.sampled_from(["hidden", "announced"]),
)
def test_the_composed_attempts_are_those_that_look_at_a_seed(
    one: int, other: int, attempts: int, reading: Reading
) -> None:
    omega = Omega(low=min(one, other), high=max(one, other), reading=reading)
    drawn = omega.sequence(0, attempts, RandomSource.fixed(1))
    seedless = (drawn == 6).sum() if omega.per_attempt else 0
    assert omega.seed_attempts(attempts, 6) == attempts - seedless
    assert set(drawn.tolist()) <= set(omega.values)


def test_an_announced_sequence_does_not_depend_on_how_it_is_cut() -> None:
    omega = Omega(low=2, high=4, reading="announced")
    source = RandomSource.fixed(1)
    whole = omega.sequence(0, 10, source)
    parts = np.concatenate([omega.sequence(0, 4, source), omega.sequence(4, 6, source)])
    assert whole.tolist() == parts.tolist() == [2, 3, 4, 2, 3, 4, 2, 3, 4, 2]


def test_a_hidden_sequence_is_fair() -> None:
    drawn = Omega(low=1, high=4).sequence(0, 40_000, RandomSource.fixed(2))
    assert np.abs(np.bincount(drawn, minlength=5)[1:] - 10_000).max() < 500


@pytest.mark.parametrize(("text", "low", "high"), [("9", 9, 9), ("5-11", 5, 11), ("5–11", 5, 11)])
def test_text_is_read(text: str, low: int, high: int) -> None:
    assert Omega.parse(text) == Omega(low=low, high=high)
    assert str(Omega.parse(text)) == text.replace("–", "-")


@pytest.mark.parametrize("text", ["", "x", "11-5", "1-2-3", "-3", "5-", "2.5"])
def test_text_that_is_no_range_is_refused(text: str) -> None:
    with pytest.raises(Refusal) as refused:
        Omega.parse(text)
    assert refused.value.field == "omega"


def test_more_than_the_attributes_is_refused() -> None:
    with pytest.raises(Refusal, match="12"):
        Omega(low=3, high=12).fits(11)
    Omega(low=3, high=11).fits(11)


def test_a_range_that_runs_backwards_is_refused() -> None:
    with pytest.raises(Refusal, match="backwards"):
        Omega(low=5, high=3)
