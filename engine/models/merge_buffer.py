"""Many things merged into one, as they come."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Generic, TypeVar

T = TypeVar("T")


class MergeBuffer(Generic[T]):
    """What has come so far, merged such that each is merged only about as often as its size
    doubles, however many come; what is held is no more than twice what is left at the end.

    Args:
        merge: makes one of two.
        size: how much memory one takes, in any unit.
    """

    def __init__(self, merge: Callable[[T, T], T], size: Callable[[T], int]) -> None:
        self._merge, self._size = merge, size
        self._each: list[T] = []

    def __len__(self) -> int:
        """How many are left to be merged."""
        return len(self._each)

    def add(self, item: T) -> None:
        """One more."""
        self._each.append(item)
        while len(self._each) > 1 and self._size(self._each[-2]) <= 2 * self._size(self._each[-1]):
            last = self._each.pop()
            self._each.append(self._merge(self._each.pop(), last))

    def merged(self) -> T:
        """All of them.

        Raises:
            ValueError: there were none.
        """
        if not self._each:
            raise ValueError("nothing was added")
        self._each = [reduce(lambda last, one: self._merge(one, last), reversed(self._each))]
        return self._each[0]
