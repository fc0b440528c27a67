"""What long work says is heard by whoever listens, and by nobody else."""

from __future__ import annotations

import pytest

from understudy.core.telling import listening, tell


def test_steps_are_heard_in_order() -> None:
    heard: list[str] = []
    with listening(heard.append):
        tell("Counting")
        tell("Drawing records")
    assert heard == ["Counting", "Drawing records"]


def test_nobody_hears_before_or_after() -> None:
    heard: list[str] = []
    tell("before")
    with pytest.raises(ValueError, match="spoilt"), listening(heard.append):
        raise ValueError("spoilt")
    tell("after")
    assert heard == []


def test_who_listens_inside_hears_alone_while_it_lasts() -> None:
    outer: list[str] = []
    inner: list[str] = []
    with listening(outer.append):
        with listening(inner.append):
            tell("inside")
        tell("outside")
    assert (outer, inner) == (["outside"], ["inside"])
