"""What refuses, caught: the one way to ask for a refusal in the tests of this room."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from understudy.core.refusal import Refusal

SECRET = "SECRET"
"""Stands in the tests for what a refusal must never quote."""


def refused(call: Callable[..., object], *arguments: Any, **settings: Any) -> Refusal:
    """The refusal of a call, which says what to do and quotes nothing."""
    with pytest.raises(Refusal) as caught:
        call(*arguments, **settings)
    assert SECRET not in str(caught.value)
    assert caught.value.remedy
    return caught.value
