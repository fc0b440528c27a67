"""How much a benchmark does."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Literal

Size = Literal["full", "quick", "tiny"]
"""What the documents state; about a tenth of it; and as little as every line of it needs, a few
seconds, which says that it still runs and nothing about speed."""


def measured(measure: Callable[..., dict[str, Any]], size: Size) -> dict[str, Any]:
    """The figures of a benchmark at a size; at `quick` where it knows nothing smaller."""
    if "size" in inspect.signature(measure).parameters:
        return measure(size=size)
    return measure(quick=size != "full")
