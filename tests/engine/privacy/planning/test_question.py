"""What a custodian knows and wants, checked in words."""

from dataclasses import replace
from typing import Any

import pytest

from understudy.core.refusal import Refusal
from understudy.privacy.accounting.unit import unit_of
from understudy.privacy.budget import Budget
from understudy.privacy.planning.question import LARGEST_EPSILON, Question
from understudy.privacy.planning.search import smallest_k_for
from understudy.privacy.plausibility.privacy_test import PlausibleDeniability, RelativeSensitivity
from understudy.privacy.plausibility.threshold import LARGEST_K

ASKED = Question(1.0, 1e-9, 1_000)

REFUSED = [
    ("epsilon", {"epsilon": 0}),
    ("epsilon", {"epsilon": -1.0}),
    ("epsilon", {"epsilon": "1"}),
    ("epsilon", {"epsilon": True}),
    ("epsilon", {"epsilon": float("nan")}),
    ("epsilon", {"epsilon": LARGEST_EPSILON + 1}),
    ("delta", {"delta": 0.0}),
    ("delta", {"delta": 1.0}),
    ("delta", {"delta": 1e-3, "seeds_at_least": 1_000}),
    ("attempts", {"count": 0}),
    ("attempts", {"count": 1.5}),
    ("seeds_at_least", {"seeds_at_least": 0}),
    ("pass_floor", {"pass_floor": 0.1}),
    ("pass_floor", {"protocol": "releases"}),
    ("kind", {"kind": "sensitivity"}),
    ("gamma", {"kind": "plausible-deniability", "gamma": 1.0}),
]


@pytest.mark.parametrize(("field", "change"), REFUSED)
def test_what_is_out_of_range_is_refused(field: str, change: dict[str, Any]) -> None:
    ASKED.check()
    with pytest.raises(Refusal) as refusal:
        replace(ASKED, **change).check()
    assert refusal.value.field == field


def test_gamma_is_looked_at_by_the_test_that_has_one() -> None:
    assert ASKED.test(7, 0.5) == RelativeSensitivity(k=7, epsilon0=0.5)
    asked = replace(ASKED, kind="plausible-deniability", gamma=3.0)
    assert asked.test(7, 0.5) == PlausibleDeniability(k=7, gamma=3.0, epsilon0=0.5)
    replace(ASKED, gamma=0.0).check()


@pytest.mark.parametrize("equal", [False, True])
def test_the_unit_is_that_of_the_account(equal: bool) -> None:
    asked = replace(
        ASKED,
        protocol="releases",
        pass_floor=0.1,
        seeds_at_least=5_000,
        equal_likelihood=equal,
    )
    assert asked.unit == unit_of(asked.test(2, 1.0), 5_000, 0.1, equal)
    assert asked.target == Budget(1.0, 1e-9)
    assert asked.found() == smallest_k_for(asked.unit, 1_000, Budget(1.0, 1e-9))


def test_no_k_is_larger_than_the_seeds_that_are_certain() -> None:
    assert ASKED.largest_k == LARGEST_K
    assert replace(ASKED, seeds_at_least=700).largest_k == 700
    assert replace(ASKED, seeds_at_least=10**15).largest_k == LARGEST_K


def test_it_is_counted_in_words() -> None:
    assert ASKED.counted == "1,000 attempts"
    assert replace(ASKED, count=1, protocol="published").counted == "1 record"
    assert replace(ASKED, protocol="releases", pass_floor=0.1).counts == "record"
