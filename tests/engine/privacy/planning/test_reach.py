"""What tested candidates can come to at most."""

from __future__ import annotations

import math
from contextlib import suppress

import pytest

from understudy.core.refusal import Refusal
from understudy.privacy.accounting.accountant import account
from understudy.privacy.accounting.guarantee import group_privacy
from understudy.privacy.budget import Budget
from understudy.privacy.planning.search import Reach, for_a_record, seeds_for_one
from understudy.privacy.plausibility.privacy_test import TestKind, privacy_test

DELTA = 1e-9


def test_what_a_record_is_left_adds_up_to_what_a_person_may_lose() -> None:
    for person in (Budget(1.0, DELTA), Budget(3.0, 1e-6)):
        for records in (1, 2, 10, 40):
            each = for_a_record(person, records)
            assert each is not None
            whole = group_privacy(each, records)
            assert whole.epsilon == pytest.approx(person.epsilon, rel=1e-12)
            assert whole.delta == pytest.approx(person.delta, rel=1e-9)
    assert for_a_record(Budget(900.0, DELTA), 40) is None


@pytest.mark.parametrize(
    ("k", "attempts"), [(500, 23), (1_000, 63), (2_000, 208), (5_000, 1_086), (8_000, 2_566)]
)
def test_as_many_attempts_as_the_reference_allows(k: int, attempts: int) -> None:
    found = Reach(21_455, 1, DELTA).most_attempts(1.0, k)
    assert 0.99 * attempts - 1 <= found <= attempts


def test_nothing_is_left_for_ten_faces_of_each_of_forty() -> None:
    faces = Reach(200, 10, DELTA)
    assert faces.most_attempts(1.0, 200) == 0
    assert faces.least_epsilon() == pytest.approx(1.39, abs=0.01)
    one_each = Reach(200, 1, DELTA)
    assert one_each.most_attempts(1.0, 200) > 0


@pytest.mark.parametrize(("seeds", "each"), [(200, 10), (40, 1), (134, 3)])
def test_one_attempt_is_paid_for_from_the_least_on(seeds: int, each: int) -> None:
    found = Reach(seeds, each, DELTA)
    least = found.least_epsilon()
    assert found.most_attempts(least * 1.001, seeds) >= 1
    assert found.most_attempts(least * 0.999, seeds) == 0


@pytest.mark.parametrize("kind", ["relative-sensitivity", "plausible-deniability"])
def test_no_plan_that_is_tried_by_hand_costs_a_person_less(kind: TestKind) -> None:
    seeds, each = 60, 2
    floor = Reach(seeds, each, DELTA).least_epsilon()
    gamma = 1.0001 if kind == "plausible-deniability" else None
    asked = for_a_record(Budget(floor, DELTA), each)
    assert asked is not None
    found = []
    for step in range(1, 80):
        test = privacy_test(kind, seeds, step / 40, gamma)
        # Too small an ε0 cannot meet δ.
        with suppress(Refusal):
            found.append(account(test, 1, asked.delta, seeds_at_least=seeds).total.epsilon)
    assert floor <= each * min(found) <= 1.05 * floor


def test_too_few_seeds_are_no_test() -> None:
    for seeds in (0, 1):
        assert math.isinf(Reach(seeds, 1, DELTA).least_epsilon())
        assert Reach(seeds, 1, DELTA).most_attempts(1.0, 2) == 0
    assert Reach(100, 1, DELTA).most_attempts(1.0, 101) == 0


def test_the_seeds_that_one_attempt_needs_are_enough_and_hardly_more() -> None:
    needed = seeds_for_one(1.0, DELTA, 3)
    assert needed is not None
    assert Reach(needed, 3, DELTA).most_attempts(1.0, needed) >= 1
    fewer = int(needed * 0.97)
    assert Reach(fewer, 3, DELTA).most_attempts(1.0, fewer) == 0
