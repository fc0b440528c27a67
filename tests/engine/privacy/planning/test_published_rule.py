"""The published rule k = 2t."""

import math

import pytest

from understudy.privacy.accounting.published_figures import published_k


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
