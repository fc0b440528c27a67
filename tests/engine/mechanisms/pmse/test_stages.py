from __future__ import annotations

import math

import pytest

from understudy.mechanisms.pmse.choosing import published_signal, published_volume, signal
from understudy.mechanisms.pmse.gini import largest, sensitivity


@pytest.mark.parametrize(("real", "made"), [(5000, 5000), (5000, 20_000), (7, 3)])
def test_the_signal_is_what_one_choice_can_tell_apart(real: int, made: int) -> None:
    exact = 0.8 * float(largest(real, made) / (2 * sensitivity(real, made)))
    assert signal(0.8, real, made) == pytest.approx(exact)


def test_the_published_prior_swamps_the_published_signal() -> None:
    """n = 5,000, ε = 0.25 over ten draws: 15.6 nats against 25 to 29."""
    found = published_signal(0.025, 5000)
    assert found == pytest.approx(15.6, abs=0.05)
    deviation = math.sqrt(100_000)
    assert published_volume(5, deviation, 2.0) == pytest.approx(25.3, abs=0.1)
    assert published_volume(5, deviation, 1.0) == pytest.approx(28.8, abs=0.1)
    assert found < published_volume(5, deviation, 2.0)


def test_the_levers_are_worth_what_is_said() -> None:
    """Half the bound doubles the signal, and many made records double it again."""
    published = published_signal(1.0, 5000)
    assert signal(1.0, 5000, 5000) == pytest.approx(2 * published, rel=1e-3)
    assert signal(1.0, 5000, 10**6) == pytest.approx(4 * published, rel=1e-2)


def test_what_a_score_without_a_bound_may_do() -> None:
    """6.1: two tables 0.25 apart at n = 5,000 and a nominal ε of 1 are 625 nats apart."""
    assert published_signal(1.0, 5000) == 625.0
