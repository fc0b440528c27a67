"""Watching an inquiry into a run: read from its folder, so that closing the page loses nothing."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import streamlit as st

from understudy.runs.duration import duration
from understudy.runs.inquiry import InquiryFolder
from understudy.runs.watched import Progress
from understudy_dashboard import words
from understudy_dashboard.frame import showing_refusals

_EVERY = 1.0
_FROM = 0.02


Shown = Callable[[Path], None]
"""Draws what is in the folder of a result, of which a part may be there already."""


def _nothing(folder: Path) -> None:
    """For inquiries that show nothing before their end."""


def watch_inquiry(folder: InquiryFolder, so_far: Shown = _nothing) -> None:
    """Follow an inquiry until it ends, then draw the whole page afresh.

    One that has ended already is not followed: how it failed is told, and a finished one says
    nothing here, as its result speaks for it.

    Args:
        folder: of the inquiry.
        so_far: draws what is known while it goes on.
    """
    progress = folder.progress()
    if not progress.ended:
        _follow(folder, so_far)
    elif progress.state == "failed":
        st.error(words.plain(progress.message), icon=":material/error:")
        _before(folder)
    elif progress.state == "cancelled":
        st.info("Cancelled. Nothing was released or spent.", icon=":material/cancel:")
        _before(folder)


@st.fragment(run_every=_EVERY)
def _follow(folder: InquiryFolder, so_far: Shown) -> None:
    with showing_refusals():
        progress = folder.progress()
        if progress.ended:
            st.rerun()
        st.progress(fraction(progress), text=said(progress))
        st.caption(
            f"{duration(max(0.0, time.time() - progress.started))} so far. It goes on while you "
            "look at other pages. Nothing is released or spent."
        )
        _cancel(folder)
        partial = folder.so_far
        if partial is not None:
            so_far(partial)


def fraction(progress: Progress) -> float:
    """Return how far the bar stands, in [0, 1]: every step counts the same."""
    if not progress.attempts:
        return _FROM
    return max(_FROM, min(1.0, progress.done / progress.attempts))


def said(progress: Progress) -> str:
    """Return what the inquiry is at, for above the bar."""
    if not progress.message:
        return "Starting"
    step = min(progress.done + 1, progress.attempts)
    return f"{words.plain(progress.message)}, step {step} of {progress.attempts}"


def _cancel(folder: InquiryFolder) -> None:
    if folder.cancelling:
        st.caption("Stopping…")
    else:
        st.button(
            "Cancel",
            icon=":material/stop:",
            key=f"cancel-{folder.path.parent.parent.name}-{folder.path.name}",
            on_click=folder.cancel,
        )


def _before(folder: InquiryFolder) -> None:
    """Say that what was found before is not lost, where there is some."""
    if folder.result.exists():
        st.caption("What was found the time before is still there.")
