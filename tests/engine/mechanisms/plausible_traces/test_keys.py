"""What is kept of a day."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.mechanisms.plausible_traces import slow
from tests.engine.mechanisms.plausible_traces.town import some_schedules
from understudy.mechanisms.plausible_traces.keys import (
    CARDINALITIES,
    KEEPS,
    Keeps,
    keys_of,
    outline,
)
from understudy.models.mobility.stays import LISTED


@pytest.mark.parametrize(
    ("pattern", "short"),
    [
        ("H", "H"),
        ("HOH", "HOH"),
        ("HOOOH", "HOH"),
        ("HOHOOHOH", "HOH"),
        ("HWOWOWH", "HWOWH"),
        ("HWOOH", "HWOH"),
        ("HOHWHOH", "HOHWHOH"),
        ("OHO", "OHO"),
    ],
)
def test_the_outline_of_a_pattern(pattern: str, short: str) -> None:
    assert outline(pattern) == short


@given(pattern=st.text("HWO", min_size=1, max_size=12))
def test_the_outline_of_an_outline_is_itself(pattern: str) -> None:
    assert outline(outline(pattern)) == outline(pattern)
    assert ("W" in outline(pattern)) == ("W" in pattern)
    assert all(outline(outline(each)) == outline(each) for each in LISTED)


@pytest.mark.parametrize("keeps", KEEPS)
def test_two_days_have_one_key_where_what_is_kept_of_them_is_the_same(keeps: Keeps) -> None:
    told = some_schedules()
    found = keys_of(told, keeps)
    assert (found < CARDINALITIES).all()
    plain = []
    for row in range(len(told)):
        stays = int((told.sort[row] >= 0).sum())
        day = {
            "works": bool(told.works[row]),
            "sort": told.sort[row, :stays].tolist(),
            "start": told.start[row, :stays].tolist(),
        }
        plain.append(slow.key(day, keeps))
    pairs = list(itertools.combinations(range(len(told)), 2))
    same = [bool((found[one] == found[other]).all()) for one, other in pairs]
    assert same == [plain[one] == plain[other] for one, other in pairs]
    assert 0 < np.mean(same) < 1
