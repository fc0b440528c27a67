from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from understudy.models.categorical import free_bits, sort_with_places


@given(st.lists(st.one_of(st.integers(0, 3), st.integers(0, (1 << 56) - 1)), max_size=60))
def test_numbers_ascend_and_equal_ones_keep_their_order(numbers: list[int]) -> None:
    unsorted = np.array(numbers, dtype=np.int64)
    assert free_bits(len(numbers)) >= 56
    found, places = sort_with_places(unsorted)
    assert list(zip(found.tolist(), places.tolist(), strict=True)) == sorted(
        (number, place) for place, number in enumerate(numbers)
    )


def test_there_is_room_for_the_largest_number_that_is_allowed() -> None:
    for count in (1, 2, 255, 256):
        largest = (1 << free_bits(count)) - 1
        numbers = np.full(count, largest, dtype=np.int64)
        numbers[-1] = 0
        found, places = sort_with_places(numbers)
        assert found[0] == 0
        assert places[0] == count - 1
        assert (found[1:] == largest).all()
