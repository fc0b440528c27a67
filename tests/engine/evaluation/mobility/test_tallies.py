"""Sums over people, and without some of them."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from understudy.evaluation.mobility.counts import Counted, Summed


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2)), max_size=20),
    st.lists(st.integers(0, 2), min_size=5, max_size=5),
)
def test_leaving_out_a_block_is_counting_without_its_people(
    entries: list[tuple[int, int]], blocks: list[int]
) -> None:
    person, key = (np.array([each[at] for each in entries], dtype=np.int64) for at in (0, 1))
    counted, block = Counted(person, key, 3), np.array(blocks)
    whole = [sum(k == at for _, k in entries) for at in range(3)]
    without = [
        [sum(k == at and blocks[who] != left for who, k in entries) for at in range(3)]
        for left in range(3)
    ]
    assert counted.left_out(block, 3).tolist() == [whole, *without]
    assert counted.left_out(block, 0).tolist() == [whole]
    each = np.zeros((5, 3))
    for who, k in entries:
        each[who, k] += 1
    assert Summed(each).left_out(block, 3).tolist() == [whole, *without]
    assert Summed(each).left_out(block, 0).tolist() == [whole]
