from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import category_schema
from understudy.evaluation.comparison import distances
from understudy.table.records import Records

SCHEMA = category_schema(3, 2, 4)


def some(seed: int, count: int) -> Records:
    rng = np.random.default_rng(seed)
    codes = np.column_stack([rng.integers(0, size, count) for size in (3, 2, 4)])
    return Records(SCHEMA, codes.astype(np.uint16))


def by_definition(ours: list[object], theirs: list[object]) -> float:
    return (
        sum(
            abs(ours.count(cell) / len(ours) - theirs.count(cell) / len(theirs))
            for cell in {*ours, *theirs}
        )
        / 2
    )


@given(st.integers(0, 2**31), st.integers(1, 40), st.integers(1, 40))
def test_distances_are_total_variation(seed: int, one: int, other: int) -> None:
    ours, theirs = some(seed, one), some(seed + 1, other)
    found = distances(ours, theirs)
    for first in range(3):
        assert found.single[first] == pytest.approx(
            by_definition(ours.codes[:, first].tolist(), theirs.codes[:, first].tolist())
        )
        for second in range(first + 1, 3):
            cells = [
                [tuple(row) for row in table.codes[:, [first, second]].tolist()]
                for table in (ours, theirs)
            ]
            assert found.pairs[first, second] == pytest.approx(by_definition(*cells))
            assert found.pairs[second, first] == found.pairs[first, second]
    assert len(found.each_pair) == 3
    assert found.typical_pair == sorted(found.each_pair)[1]
    assert found.farthest_pair == max(found.each_pair)


def test_a_table_is_no_distance_from_itself() -> None:
    found = distances(some(1, 30), some(1, 30))
    assert found.pairs.max() == 0
