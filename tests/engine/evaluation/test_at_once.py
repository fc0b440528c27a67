"""The same for several things on two cores."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.core.refusal import Refusal
from understudy.core.threads import Meanwhile, map_at_once


@given(st.lists(st.integers()))
def test_answers_come_in_the_order_of_the_things(things: list[int]) -> None:
    assert map_at_once(lambda each: each * each, things) == [each * each for each in things]


def test_two_are_looked_at_at_once() -> None:
    """Neither is done before the other has begun."""
    both = threading.Barrier(2, timeout=30)

    def met(thing: int) -> int:
        both.wait()
        return thing

    assert map_at_once(met, [1, 2]) == [1, 2]


def test_an_error_is_passed_on() -> None:
    with pytest.raises(ZeroDivisionError):
        map_at_once(lambda each: 1 // each, [1, 0, 2])


def test_other_work_goes_on_until_what_is_made_meanwhile_is_looked_at() -> None:
    other_work_done = threading.Event()

    def make() -> dict[str, int]:
        assert other_work_done.wait(30)
        return {"one": 1, "two": 2}

    made = Meanwhile(make)
    other_work_done.set()
    assert dict(made) == {"one": 1, "two": 2}
    assert len(made) == 2
    assert "three" not in made


def test_an_error_of_what_is_made_meanwhile_is_raised_where_that_is_looked_at() -> None:
    def fail() -> dict[str, int]:
        raise Refusal("It cannot be made.", "Make something else.")

    made = Meanwhile(fail)
    for look in (len, list, lambda each: each["one"]):
        with pytest.raises(Refusal, match="cannot be made"):
            look(made)
