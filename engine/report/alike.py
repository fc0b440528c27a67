"""Whether two figures are the same, as far as computers agree on them."""

from __future__ import annotations

import math
from typing import Any, Final

LAST_PLACES: Final = 2.0**-40
"""How far two figures may differ, relatively, and count as the same. Processors disagree in the
last places of a logarithm; twelve digits are far more than anything here is read by."""


def alike(one: Any, other: Any) -> bool:
    """Whether two plain values are the same, figures but for their last places."""
    if type(one) is float and type(other) is float:
        return math.isclose(one, other, rel_tol=LAST_PLACES)
    return type(one) is type(other) and bool(one == other)


def difference(one: Any, other: Any, at: str = "") -> str | None:
    """Where two JSON values differ first, such as “.table.rows”; None where nowhere."""
    if isinstance(one, dict) and isinstance(other, dict):
        lonely = [name for name in (*one, *other) if name not in one or name not in other]
        if lonely:
            return f"{at}.{lonely[0]}"
        pairs = [(one[name], other[name], f"{at}.{name}") for name in one]
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        both = enumerate(zip(one, other, strict=True))
        pairs = [(*pair, f"{at}[{place}]") for place, pair in both]
    else:
        return None if alike(one, other) else at
    found = (difference(*pair) for pair in pairs)
    return next((where for where in found if where is not None), None)
