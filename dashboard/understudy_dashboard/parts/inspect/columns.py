"""Every column in the real and in the released table, laid over each other. Internal."""

from __future__ import annotations

from typing import Final

import numpy as np
import streamlit as st

from understudy.charts.overlaid import overlaid, overlaid_table
from understudy.evaluation.fitness import further_off
from understudy.table.records import Records
from understudy_dashboard import words
from understudy_dashboard.frame import link
from understudy_dashboard.methods.page import RunInspection
from understudy_dashboard.parts.evaluation import titles_of
from understudy_dashboard.parts.inspect.excess import excess_of
from understudy_dashboard.parts.inspect.relations import real_records, released_records
from understudy_dashboard.parts.pictures import picture

_AT_FIRST: Final = 6
_ACROSS: Final = 2


def every_column(looked: RunInspection) -> None:
    """The columns, the worst first: a few at once, and all where that is asked for."""
    real = real_records(looked.session, looked.decided)
    if real is None:
        st.info(
            "Open the confidential table, in the columns and buckets of the run, to see each "
            "column of it and of the released one laid over each other."
        )
        link("data", "Open the table on the Data page", ":material/arrow_back:")
        return
    made = released_records(looked.session, looked.run, looked.schema)
    if made is None:
        st.info("No record was released, so there is nothing to compare.")
        return
    ranked = _ranked(looked)
    shown = ranked[:_AT_FIRST]
    if len(ranked) > _AT_FIRST and st.toggle(
        f"All {len(ranked)} columns", key=f"all-columns-{looked.run.identity}"
    ):
        shown = ranked
    for first in range(0, len(shown), _ACROSS):
        for at, (place, said) in zip(
            st.columns(_ACROSS), shown[first : first + _ACROSS], strict=False
        ):
            with at:
                _column(looked, place, said, real, made)


def _ranked(looked: RunInspection) -> list[tuple[int, str]]:
    """Return every column with what is said of it, the worst first; in their order where none was
    measured."""
    excess = excess_of(looked)
    if excess is None:
        return [(place, "") for place in range(len(looked.schema))]
    return [(place, further_off(each)) for (place,), each in excess.worst_columns()]


def _column(looked: RunInspection, place: int, said: str, real: Records, made: Records) -> None:
    column = looked.schema.columns[place]
    title = list(titles_of(looked.schema).values())[place]
    ours, theirs = (
        np.bincount(records.codes[:, place], minlength=column.cardinality)
        for records in (real, made)
    )
    st.markdown(f"**{words.plain(title)}**")
    picture(
        overlaid(column, ours, theirs, said),
        overlaid_table(column, ours, theirs),
        key=f"column-{place}",
        alt=f"Shares of the values of {title}, real and synthetic",
    )
