"""A buffer that merges items as they arrive."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Generic, TypeVar

T = TypeVar("T")


class MergeBuffer(Generic[T]):
    """Items merged such that each takes part in a number of merges logarithmic in their number. The
    buffer holds at most twice the size of the final result.

    Args:
        merge: merges two items into one.
        size: the size of an item, in any unit.
    """

    def __init__(self, merge: Callable[[T, T], T], size: Callable[[T], int]) -> None:
        self._merge, self._size = merge, size
        self._each: list[T] = []

    def __len__(self) -> int:
        """Return the number of items not merged yet."""
        return len(self._each)

    def add(self, item: T) -> None:
        """Add an item."""
        self._each.append(item)
        while len(self._each) > 1 and self._size(self._each[-2]) <= 2 * self._size(self._each[-1]):
            last = self._each.pop()
            self._each.append(self._merge(self._each.pop(), last))

    def merged(self) -> T:
        """Return all items merged into one.

        Raises:
            ValueError: there is no item.
        """
        if not self._each:
            raise ValueError("nothing was added")
        self._each = [reduce(lambda last, one: self._merge(one, last), reversed(self._each))]
        return self._each[0]
