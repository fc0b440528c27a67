"""Comparison of JSON values; numbers may differ in their last digits, as between processors."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

LAST_PLACES: Final = 2.0**-40
"""How far two figures may differ, relatively, and count as the same. Processors disagree in the
last places of a logarithm; twelve digits are far more than anything here is read by."""


def are_alike(one: Any, other: Any) -> bool:
    """Return whether two plain values are the same, figures except for their last places."""
    if type(one) is float and type(other) is float:
        return math.isclose(one, other, rel_tol=LAST_PLACES)
    return type(one) is type(other) and bool(one == other)


@dataclass(frozen=True)
class JsonDifference:
    """A place at which two JSON values are not alike.

    Attributes:
        where: the place, such as “.table.rows”.
        one, other: what stands there; None also where nothing does.
    """

    where: str
    one: Any
    other: Any

    @property
    def of_figures(self) -> bool:
        """Whether a number or a yes or no is on either side, and not only words."""
        return any(isinstance(each, int | float) for each in (self.one, self.other))


def find_differences(one: Any, other: Any, at: str = "") -> Iterator[JsonDifference]:
    """Yield every place at which two JSON values are not alike, in order."""
    if isinstance(one, dict) and isinstance(other, dict):
        for name in (*one, *(name for name in other if name not in one)):
            if name in one and name in other:
                yield from find_differences(one[name], other[name], f"{at}.{name}")
            else:
                yield JsonDifference(f"{at}.{name}", one.get(name), other.get(name))
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for place, pair in enumerate(zip(one, other, strict=True)):
            yield from find_differences(*pair, f"{at}[{place}]")
    elif not are_alike(one, other):
        yield JsonDifference(at, one, other)


def find_difference(one: Any, other: Any) -> str | None:
    """Return where two JSON values differ first, such as “.table.rows”; None where nowhere."""
    first = next(find_differences(one, other), None)
    return None if first is None else first.where
