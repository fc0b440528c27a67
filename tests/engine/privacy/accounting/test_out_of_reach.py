"""A δ out of reach, and that each remedy for it works."""

import math
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.core.refusal import Refusal
from understudy.privacy.accounting.accountant import account
from understudy.privacy.accounting.unit import Unit, delta_at
from understudy.privacy.plausibility.privacy_test import (
    PlausibleDeniability,
    PrivacyTest,
    RelativeSensitivity,
)

CENSUS = PlausibleDeniability(k=50, gamma=4, epsilon0=1)


def advice(remedy: str, test: PrivacyTest) -> list[dict[str, Any]]:
    """The changes a remedy proposes, as arguments."""
    changes: list[dict[str, Any]] = []
    if found := re.search(r"k of ([\d,]+)", remedy):
        changes.append({"test": test.model_copy(update={"k": whole(found[1])})})
    if found := re.search(r"\bt of ([\d,]+)", remedy):
        changes.append({"t": whole(found[1])})
    if found := re.search(r"δ of ([\d.e-]+)", remedy):
        changes.append({"delta": float(found[1])})
    if found := re.search(r"more than ([\d,]+) (attempt|record)", remedy):
        changes.append({"count": whole(found[1])})
    if remedy == "Choose a larger ε0.":
        changes.append({"test": test.model_copy(update={"epsilon0": 200.0})})
    if remedy == "Choose a larger δ, and a larger ε0.":
        changes.append({"test": test.model_copy(update={"epsilon0": 200.0}), "delta": 1e-7})
    assert changes
    return changes


def refused(run: dict[str, Any]) -> Refusal | None:
    try:
        account(**run)
    except Refusal as refusal:
        return refusal
    return None


def whole(said: str) -> int:
    return int(said.replace(",", ""))


@given(
    test=st.one_of(
        st.builds(
            PlausibleDeniability,
            k=st.integers(2, 60),
            gamma=st.just(4.0),
            epsilon0=st.floats(0.05, 30),
        ),
        st.builds(RelativeSensitivity, k=st.integers(2, 60), epsilon0=st.floats(0.05, 30)),
    ),
    count=st.integers(1, 10**7),
    exponent=st.floats(-33, -7),
    t=st.one_of(st.none(), st.integers(1, 59)),
    seeds=st.sampled_from([None, 60, 80, 100_000]),
    protocol=st.sampled_from(["attempts", "releases", "published"]),
    floor=st.sampled_from([1e-9, 0.1]),
)
def test_each_remedy_for_a_delta_out_of_reach_works(
    test: PrivacyTest,
    count: int,
    exponent: float,
    t: int | None,
    seeds: int | None,
    protocol: str,
    floor: float,
) -> None:
    run: dict[str, Any] = {
        "test": test,
        "count": count,
        "delta": 10.0**exponent,
        "t": None if t is None else min(t, test.k - 1),
        "seeds_at_least": seeds,
        "protocol": protocol,
        "pass_floor": floor if protocol == "releases" else None,
    }
    refusal = refused(run)
    for change in advice(refusal.remedy, test) if refusal else []:
        account(**{**run, **change})
    assert refusal is None or refusal.field == "delta"


def test_a_delta_out_of_reach_says_what_would_do() -> None:
    with pytest.raises(Refusal) as refusal:
        account(CENSUS, 1_000, 1e-20)
    assert refusal.value.field == "delta"
    assert "1,000 attempts" in refusal.value.problem
    assert "k of 54" in refusal.value.remedy
    assert "no more than 38 attempts" in refusal.value.remedy
    with pytest.raises(Refusal) as refusal:
        account(CENSUS, 1_000, 1e-23, seeds_at_least=52)
    assert "k of" not in refusal.value.remedy


@pytest.mark.parametrize("count", range(2, 40))
def test_a_count_that_fails_by_the_last_place_is_not_advised(count: int) -> None:
    delta = math.nextafter(count * delta_at(Unit(50, 1.0, 1.0, "laplace"), 1), 0)
    with pytest.raises(Refusal) as refusal:
        account(CENSUS, count, delta)
    for change in advice(refusal.value.remedy, CENSUS):
        account(**{"test": CENSUS, "count": count, "delta": delta, **change})


def test_records_are_called_so() -> None:
    with pytest.raises(Refusal) as refusal:
        account(CENSUS, 1_000, 1e-20, protocol="published")
    assert "1,000 records" in refusal.value.problem
    assert "no more than 38 records" in refusal.value.remedy


def test_a_delta_finer_than_the_coin_is_named() -> None:
    with pytest.raises(Refusal) as refusal:
        account(CENSUS, 1_000, 1e-28)
    assert "under 1e-30" in refusal.value.problem
    assert "k of" not in refusal.value.remedy


@pytest.mark.parametrize(
    ("test", "count", "records"),
    [
        (RelativeSensitivity(k=5_000, epsilon0=0.008), 1_000, 20),
        (RelativeSensitivity(k=2_000, epsilon0=0.05), 100, 40),
        (CENSUS, 3, 20),
    ],
)
@pytest.mark.parametrize("t", [None, 20])
def test_each_remedy_for_a_person_of_many_records_works(
    test: PrivacyTest, count: int, records: int, t: int | None
) -> None:
    run: dict[str, Any] = {"count": count, "delta": 1e-9, "t": t, "records_per_person": records}
    with pytest.raises(Refusal) as refusal:
        account(test, **run)
    assert refusal.value.field == "records_per_person"
    assert f"{records} records per person" in refusal.value.problem
    assert "fewer records per person" in refusal.value.remedy
    account(test, **{**run, "records_per_person": 1})
    if "k of" in refusal.value.remedy or "more than" in refusal.value.remedy:
        for change in advice(refusal.value.remedy, test):
            account(**{"test": test, **run, **change})
