"""Sorting integers together with their original positions."""

from __future__ import annotations

import numpy as np

from understudy.core.arrays import IntArray


def free_bits(count: int) -> int:
    """Return the most bits that each of `count` numbers may have for `sort_with_places`."""
    return 63 - count.bit_length()


def sort_with_places(numbers: IntArray) -> tuple[IntArray, IntArray]:
    """Return the numbers in ascending order and the original position of each; a stable sort.

    A number and its position are packed into one integer and sorted in place, which takes a
    fraction of the time of `argsort`.

    Args:
        numbers: 0 or more, of at most `free_bits` bits. The array is overwritten.
    """
    bits = len(numbers).bit_length()
    numbers <<= bits
    numbers |= np.arange(len(numbers))
    numbers.sort()
    places = numbers & ((1 << bits) - 1)
    numbers >>= bits
    return numbers, places
