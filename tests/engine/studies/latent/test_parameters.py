"""What the printed parameters come to: by their own formula, and by others."""

from __future__ import annotations

import math

import pytest

from understudy.studies.latent.parameters import by_rule, cost, least_delta
from understudy.studies.latent.published import DELTA, TABLE_9_2


def test_every_printed_column_exceeds_one_by_its_own_formula() -> None:
    costs = [cost(each) for each in TABLE_9_2]
    assert all(1.085 < each.printed < 1.165 for each in costs)
    assert all(0.855 < each.released < 0.885 for each in costs)
    assert all(0.755 < each.attempted < 0.785 for each in costs)


def test_the_formula_is_that_of_the_source() -> None:
    each = TABLE_9_2[2]
    spread = math.log(1 / DELTA) + math.log(each.part + 1)
    epsilon = each.epsilon0 + math.log1p(1 / each.t)
    found = epsilon * math.sqrt(2 * each.part * spread) + each.part * epsilon * math.expm1(epsilon)
    assert cost(each).printed == pytest.approx(found, rel=1e-6)


def test_small_k_have_no_useful_delta() -> None:
    assert least_delta(1_000, 0.001) > 0.36
    assert least_delta(20_000, 0.001) > 2e-9
    assert least_delta(50_000, 0.001) < DELTA


def test_k_falls_with_epsilon() -> None:
    found = [by_rule(each, 2_500) for each in (1.0, 2.0, 4.0, 8.0)]
    assert [k for k, _ in found] == sorted((k for k, _ in found), reverse=True)
    assert [each for _, each in found] == sorted(each for _, each in found)
    for k, epsilon0 in found:
        assert math.exp(-epsilon0 * k / 2) * 2_501 == pytest.approx(DELTA, rel=0.02)
    with pytest.raises(ValueError, match="beyond"):
        by_rule(0.01, 2_500)
