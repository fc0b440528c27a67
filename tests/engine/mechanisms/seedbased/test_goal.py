from __future__ import annotations

import numpy as np
import pytest

from tests.support import category_schema
from understudy.core.refusal import Refusal
from understudy.mechanisms.seedbased.attempts import Goal
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import promise
from understudy.models.omega import Omega

SCHEMA = category_schema(3, 4, 2, 5)


def goal(**settings: object) -> Goal:
    plan = Plan.of(SCHEMA, **settings)
    return Goal.of(plan, promise(plan, SCHEMA))


def test_every_attempt_is_made_whatever_passes() -> None:
    public = goal(attempts=70)
    assert public == Goal(70, None)
    assert not public.is_reached(69, 69)
    assert public.is_reached(70, 0)
    assert len(public.cut(np.zeros((9, 4), np.uint16), 1_000)) == 9
    public.check(0)


def test_records_are_made_until_there_are_enough_or_the_attempts_run_out() -> None:
    hidden = goal(attempts=70, protocol="releases", pass_floor=0.2)
    assert hidden.records == 70
    assert hidden.attempts > 350
    assert hidden.is_reached(100, 70)
    assert not hidden.is_reached(hidden.attempts - 1, 69)
    assert hidden.is_reached(hidden.attempts, 69)


def test_the_first_that_pass_are_released() -> None:
    codes = np.arange(12, dtype=np.uint16).reshape(6, 2)
    assert Goal(1_000, 70).cut(codes, 66).tolist() == codes[:4].tolist()
    assert Goal(1_000, 70).cut(codes, 10).tolist() == codes.tolist()


def test_a_seedless_run_makes_as_many_attempts_as_records() -> None:
    assert goal(attempts=70, protocol="releases", omega=Omega(low=4, high=4)) == Goal(70, 70)


def test_too_few_records_are_refused_without_a_number() -> None:
    Goal(1_000, 70).check(70)
    with pytest.raises(Refusal) as refused:
        Goal(1_000, 70).check(69)
    assert refused.value.field == "pass_floor"
    assert not any(letter.isdigit() for letter in str(refused.value))
