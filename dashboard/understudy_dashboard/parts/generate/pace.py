"""How fast a run goes."""

from __future__ import annotations

import streamlit as st

from understudy.runs.duration import duration
from understudy.runs.watched import Progress


def pace(what: str, progress: Progress) -> None:
    """So many are done, so many a second, and the time that is left."""
    done, fast, left = st.columns(3)
    done.metric(what, f"{progress.done:,} of {progress.attempts:,}")
    fast.metric("A second", f"{progress.pace:,.0f}" if progress.pace else "–")
    seconds = progress.seconds_left
    left.metric("Time left", "–" if seconds is None else duration(seconds))
