"""What is known of a full evaluation while the rest is being measured. Internal."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import streamlit as st

from understudy.charts.readings import read_whole, value_text
from understudy.evaluation.evaluation import Evaluation
from understudy.evaluation.measure import BEST, RELEASED, About, Finding, Measured, reference
from understudy.evaluation.registry import abouts
from understudy.evaluation.relative_score import excess
from understudy_dashboard import words

_ROW, _MOST = 36, 380
"""Pixels: of a row, and of all of them."""


def known_so_far(partial: Path) -> None:
    """Each figure that is known, the latest first."""
    evaluation = Evaluation.load(partial)
    if evaluation is None:
        return
    rows = rows_of(evaluation)
    st.markdown(f"**Known so far: {words.count(len(rows), 'measure')}**")
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        height=min(_ROW * (len(rows) + 1), _MOST),
        alt="What was found so far, the latest first",
    )


def rows_of(evaluation: Evaluation) -> list[dict[str, str]]:
    """Return a row for each measure that was taken, the latest first: the released table beside
    other real records or people, and how much further off it is; or why it could not be
    measured."""
    known = abouts()
    return [_row(known[each.key], each) for each in reversed(evaluation.findings)]


def _row(about: About, finding: Finding) -> dict[str, str]:
    by, real = finding.by_subject, reference(finding.by_subject, BEST)
    first = by.get(RELEASED) or next(iter(by.values()), None)
    further = excess(about, finding).get(RELEASED)
    return {
        "Measure": about.name,
        "Released": finding.trouble or read_whole(about, first),
        "Other real ones": "" if real is None else read_whole(about, Measured(real.value)),
        "Further off": "" if further is None else value_text(about, max(0.0, further)),
    }
