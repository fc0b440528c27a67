"""What is said of a run that works: how long still, and nothing that is not known."""

from __future__ import annotations

import re

import pytest
from streamlit.testing.v1 import AppTest

from understudy.core.progress import on_stage, read_count, report_count
from understudy.runs.watched import Progress
from understudy_dashboard.parts.watch import _describe_stage, estimate_seconds


def test_the_time_left_follows_from_the_pace_so_far() -> None:
    said: list[str] = []
    with on_stage(said.append):
        report_count("Scoring candidates", 1_200, 4_800)
    assert read_count(said[0]) == (1_200, 4_800)
    working = Progress("learning", 10, started=100.0, updated=132.0, message=said[0])
    assert estimate_seconds(working) == pytest.approx(96.0)


@pytest.mark.parametrize("message", ["", "Scoring candidates: 0 of 4,800", "Calibrating"])
def test_nothing_is_said_of_it_before_it_is_known(message: str) -> None:
    assert estimate_seconds(Progress("learning", 10, message=message)) is None


def test_no_time_is_promised_while_a_model_is_learned() -> None:
    def drawn() -> None:
        from understudy.runs.watched import Progress
        from understudy_dashboard.parts import watch

        watch._draw_figures(None, Progress("learning", 10))  # type: ignore[arg-type]

    page = AppTest.from_function(drawn).run()
    assert not page.exception
    (said,) = page.caption
    assert not re.search("second|minute|hour|million", said.value)


def test_the_time_left_stands_beside_the_step() -> None:
    said = "Scoring candidates: 1,200 of 4,800"
    shown = _describe_stage(Progress("learning", 10, started=100.0, updated=132.0, message=said))
    assert said in shown
    assert shown.endswith("about 2 min left")
