"""Watching an inquiry on a page: while it works, and however it ended. What stands on the page
while the rest is being measured. What is said of a run that works: how long still, and nothing
that is not known. What a table is fit for, on a page.
"""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.builders import TROUBLE, TROUBLED, evaluation
from understudy.core.progress import on_stage, read_count, report_count
from understudy.evaluation.evaluation import Evaluation
from understudy.evaluation.measure import REALS, RELEASED
from understudy.runs.inquiry import InquiryFolder
from understudy.runs.work_folder import Progress
from understudy_dashboard.parts.evaluation import describe_progress, evaluation_fraction, list_rows
from understudy_dashboard.parts.watch import _describe_stage, estimate_seconds


@pytest.fixture
def folder(tmp_path: Path) -> InquiryFolder:
    path = tmp_path / "20260101T000000-release-aa" / "internal" / "evaluation"
    path.mkdir(parents=True)
    return InquiryFolder(path)


def page(folder: InquiryFolder) -> AppTest:
    """A page that watches this inquiry, and says below whether it was drawn to its end."""

    def script(path: str) -> None:
        from pathlib import Path

        import streamlit as st

        from understudy.runs.inquiry import InquiryFolder
        from understudy_dashboard.parts.evaluation import watch_inquiry

        watch_inquiry(InquiryFolder(Path(path)))
        st.markdown("the rest of the page")

    drawn = AppTest.from_function(script, kwargs={"path": str(folder.path)}).run()
    assert not drawn.exception
    assert drawn.markdown[-1].value == "the rest of the page"
    return drawn


def at_work(**settings: object) -> Progress:
    now = Progress(
        "evaluating",
        34,
        done=16,
        started=time.time() - 3_700,
        process=os.getpid(),
        message="Accuracy of *prediction*",
    )
    return Progress(**{**vars(now), **settings})  # type: ignore[arg-type]


def test_it_shows_what_is_measured_and_for_how_long(folder: InquiryFolder) -> None:
    folder.report(at_work())
    drawn = page(folder)
    (bar,) = drawn.get("progress")
    assert bar.proto.value == 100 * 16 // 34  # type: ignore[attr-defined]
    assert bar.proto.text == r"Accuracy of \*prediction\*, step 17 of 34"  # type: ignore[attr-defined]
    assert "1 h 1 min so far" in drawn.caption[0].value


def test_cancel_asks_it_to_stop_and_says_so(folder: InquiryFolder) -> None:
    folder.report(at_work())
    drawn = page(folder)
    drawn.button(key="cancel-20260101T000000-release-aa-evaluation").click().run()
    assert folder.cancelling
    assert not drawn.button
    assert drawn.caption[-1].value == "Stopping…"


@pytest.mark.parametrize(
    ("state", "message", "told"),
    [
        ("failed", "The disk is full. Free some space and ask again.", "The disk is full"),
        ("cancelled", "", "Nothing was released or spent"),
    ],
)
@pytest.mark.parametrize("before", [True, False])
def test_a_bad_end_is_told_in_words_with_what_is_left(
    folder: InquiryFolder, state: str, message: str, told: str, before: bool
) -> None:
    if before:
        (folder.path / "result-1").mkdir()
    folder.report(at_work(state=state, message=message))
    drawn = page(folder)
    assert told in [*drawn.error, *drawn.info][0].value
    assert ("still there" in "".join(each.value for each in drawn.caption)) == before
    assert not drawn.button


def test_a_process_that_is_gone_is_told(folder: InquiryFolder) -> None:
    folder.report(at_work(process=2**22 + 1))
    assert "gone" in page(folder).error[0].value


def test_a_good_end_needs_no_words(folder: InquiryFolder) -> None:
    folder.report(at_work(state="finished", message=""))
    drawn = page(folder)
    assert not drawn.error
    assert not drawn.info
    assert len(drawn.markdown) == 1


def test_the_bar_moves_by_steps_and_is_never_empty_or_over() -> None:
    assert evaluation_fraction(Progress("starting", 1)) == 0.02
    assert evaluation_fraction(Progress("starting", 0)) == 0.02
    assert evaluation_fraction(Progress("evaluating", 4, done=2)) == 0.5
    assert evaluation_fraction(Progress("evaluating", 4, done=5)) == 1.0


def test_before_the_first_step_it_is_starting() -> None:
    assert describe_progress(Progress("starting", 1)) == "Starting"
    assert (
        describe_progress(Progress("evaluating", 4, done=4, message="Last")) == "Last, step 4 of 4"
    )


def part(*keys: str) -> Evaluation:
    whole = evaluation()
    found = tuple(each for each in whole.findings if each.key in keys)
    return Evaluation(whole.tables, whole.held_out, whole.target, found)


def test_the_latest_figure_comes_first_beside_real_records() -> None:
    first, second = list_rows(part("total-variation", "total-variation-pairs"))
    assert first["Measure"] == "Total variation of pairs of columns"
    assert second["Measure"] == "Total variation of columns"
    for row in (first, second):
        assert all("%" in row[each] for each in ("Released", "Other real ones", "Further off"))


def test_further_off_is_the_difference() -> None:
    whole = part("total-variation-pairs").findings[0].by_subject
    (row,) = list_rows(part("total-variation-pairs"))
    apart = 100 * (whole[RELEASED].value - whole[REALS].value)
    assert float(row["Further off"].split("\N{NO-BREAK SPACE}")[0]) == round(apart, 1)


def test_what_cannot_be_measured_says_why() -> None:
    (row,) = list_rows(part(TROUBLED))
    assert row["Released"] == TROUBLE
    assert row["Further off"] == ""


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
        from understudy.runs.work_folder import Progress
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


def test_every_pair_that_is_not_counted_stands_under_why_it_is_not() -> None:
    def page() -> None:
        from understudy.evaluation.fitness import Use
        from understudy_dashboard.parts.panel import draw_uses

        lost = Use("How “a” × “b” and 2 further pairs go together", "they are not counted",
                   ("“a” with “b” and “c”", "“b” with “c”"))  # fmt: skip
        draw_uses((Use("Teaching", "it is"),), (lost, Use("Finding people", "nobody’s")))

    drawn = AppTest.from_function(page).run()
    assert not drawn.exception
    (named,) = drawn.expander
    assert named.label == "All of them by name"
    said = named.markdown[0].value
    assert said.startswith("They are not counted:")
    assert all(pair in said for pair in ("“a” with “b” and “c”", "“b” with “c”"))
