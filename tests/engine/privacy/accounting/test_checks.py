"""The numbers an account is asked about, checked in words."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from understudy.core.refusal import Refusal
from understudy.privacy.accounting import accountant
from understudy.privacy.accounting.account import Protocol


def refused(call: Callable[[], None]) -> Refusal:
    with pytest.raises(Refusal) as refusal:
        call()
    assert refusal.value.problem.endswith(".")
    assert refusal.value.remedy.endswith(".")
    return refusal.value


@pytest.mark.parametrize("count", [0, -5, 2.5, True, "7", None, accountant.MOST_UNITS + 1])
@pytest.mark.parametrize(
    ("protocol", "what"),
    [("attempts", "attempts"), ("releases", "records"), ("published", "records")],
)
def test_a_count(count: object, protocol: Protocol, what: str) -> None:
    refusal = refused(lambda: accountant.check_count(count, protocol))
    assert refusal.field == "attempts"
    assert f"number of {what} has" in refusal.problem
    for allowed in (1, np.int64(3), accountant.MOST_UNITS):
        accountant.check_count(allowed, protocol)


@pytest.mark.parametrize("delta", [0.0, 1.0, -1e-9, math.nan, math.inf, "1e-9", None, True])
def test_a_delta(delta: object) -> None:
    assert refused(lambda: accountant.check_delta(delta)).field == "delta"
    accountant.check_delta(1e-300)
    accountant.check_delta(np.float64(0.5))


@pytest.mark.parametrize("t", [0, 50, 51, 2.5, True])
def test_a_t(t: object) -> None:
    assert refused(lambda: accountant.check_t(t, 50)).field == "t"
    accountant.check_t(1, 50)
    accountant.check_t(49, 50)


@pytest.mark.parametrize("seeds", [0, -1, 99.5, True, 10**19])
def test_a_bound_on_the_seeds(seeds: object) -> None:
    assert refused(lambda: accountant.check_seeds(1e-9, seeds)).field == "seeds_at_least"  # type: ignore[arg-type]
    accountant.check_seeds(1e-9, None, 10**9)
    accountant.check_seeds(1e-9, 50, 50)


def test_a_bound_on_the_seeds_against_k_and_delta() -> None:
    assert refused(lambda: accountant.check_seeds(1e-9, 49, 50)).field == "k"
    assert refused(lambda: accountant.check_seeds(1e-3, 1_000, 50)).field == "delta"
    accountant.check_seeds(0.99e-3, 1_000, 50)


@pytest.mark.parametrize("floor", [None, 0.0, -0.1, 1.01, math.nan, "0.1", True])
def test_a_pass_floor(floor: object) -> None:
    assert refused(lambda: accountant.check_floor(floor, "releases")).field == "pass_floor"
    accountant.check_floor(0.1, "releases")
    accountant.check_floor(1, "releases")


@pytest.mark.parametrize("protocol", ["attempts", "published"])
def test_a_pass_floor_belongs_to_releases(protocol: Protocol) -> None:
    assert refused(lambda: accountant.check_floor(0.1, protocol)).field == "pass_floor"
    accountant.check_floor(None, protocol)


@pytest.mark.parametrize("records", [0, -1, 1.5, True, None, 1001])
def test_records_per_person(records: object) -> None:
    assert refused(lambda: accountant.check_group(records)).field == "records_per_person"
    accountant.check_group(1)
    accountant.check_group(np.int32(1000))
