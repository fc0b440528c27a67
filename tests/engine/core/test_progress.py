"""What long work says is heard by whoever listens, and by nobody else."""

from __future__ import annotations

import pytest

from understudy.core.progress import on_stage, report_stage


def test_steps_are_heard_in_order() -> None:
    heard: list[str] = []
    with on_stage(heard.append):
        report_stage("Counting")
        report_stage("Drawing records")
    assert heard == ["Counting", "Drawing records"]


def test_nobody_hears_before_or_after() -> None:
    heard: list[str] = []
    report_stage("before")
    with pytest.raises(ValueError, match="spoilt"), on_stage(heard.append):
        raise ValueError("spoilt")
    report_stage("after")
    assert heard == []


def test_who_listens_inside_hears_alone_while_it_lasts() -> None:
    outer: list[str] = []
    inner: list[str] = []
    with on_stage(outer.append):
        with on_stage(inner.append):
            report_stage("inside")
        report_stage("outside")
    assert (outer, inner) == (["outside"], ["inside"])
