"""What was foreseen of a table beside what was found, and what it is fit for. Internal."""

from __future__ import annotations

from typing import Final

import streamlit as st

from understudy.charts.excess import Kind, excess_chart, excess_table
from understudy.evaluation.excess import stakes_found
from understudy.evaluation.fitness import fitness
from understudy.mechanisms.foreseeing import foreseen_stakes
from understudy_dashboard.methods.page import RunInspection
from understudy_dashboard.parts.evaluation import titles_of
from understudy_dashboard.parts.fitness import fit_and_unfit
from understudy_dashboard.parts.inspect.excess import excess_of
from understudy_dashboard.parts.pictures import picture

_MOST: Final = 15
"""The most rows of a chart; its table has all of them."""

_NOTHING: Final = (
    "There are too few records, released or held out, to say what the table is fit for."
)


def fit_for(looked: RunInspection) -> None:
    """What the released table is fit for, and what it is not."""
    excess = excess_of(looked)
    if excess is not None:
        fit_and_unfit(fitness(stakes_found(excess), list(titles_of(looked.schema).values())))


def foreseen_and_found(looked: RunInspection) -> None:
    """Draw how much further off than other real records every column and pair is, the worst first,
    and which pairs were foreseen to be counted."""
    after = excess_of(looked)
    if after is None:
        st.info(_NOTHING)
        return
    ahead = foreseen_stakes(looked.decided)
    titles = list(titles_of(looked.schema).values())
    st.caption(
        "Two samples of real records differ too, by chance. Only what the table is further off "
        "than other real records counts here: in so many more records in a hundred can a "
        "statement be wrong. "
        + (
            "Which pairs are counted was foreseen from public numbers, were all tied as usual; "
            "those that are tied more strongly go before."
            if ahead is not None
            else "Nothing was foreseen of this run."
        )
    )
    kinds: tuple[Kind, ...] = ("columns", "pairs")
    for kind in kinds:
        picture(
            excess_chart(after, titles, kind, _MOST),
            excess_table(after, ahead, titles, kind),
            key=f"excess-{kind}",
            alt=f"How much further off than other real records {kind} are",
        )
