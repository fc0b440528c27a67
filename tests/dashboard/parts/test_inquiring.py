"""Watching an inquiry on a page: while it works, and however it ended."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from understudy.runs.inquiry import InquiryFolder
from understudy.runs.watched import Progress
from understudy_dashboard.parts.evaluation import describe_progress, fraction_done


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
    assert fraction_done(Progress("starting", 1)) == 0.02
    assert fraction_done(Progress("starting", 0)) == 0.02
    assert fraction_done(Progress("evaluating", 4, done=2)) == 0.5
    assert fraction_done(Progress("evaluating", 4, done=5)) == 1.0


def test_before_the_first_step_it_is_starting() -> None:
    assert describe_progress(Progress("starting", 1)) == "Starting"
    assert (
        describe_progress(Progress("evaluating", 4, done=4, message="Last")) == "Last, step 4 of 4"
    )
