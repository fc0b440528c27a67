"""How often each value of a column occurs, with the buckets' borders. Internal."""

from __future__ import annotations

import altair as alt
import numpy as np
import numpy.typing as npt
import pandas as pd
import streamlit as st

from dashboard import words
from dashboard.internal import internal
from dashboard.parts.pictures import picture
from dashboard.session import Session
from engine.charts.lettering import distinct
from engine.charts.palette import BLUE, GOLD, GREY, SERIES
from engine.refusal import Refusal
from engine.table.schema import Column

_MOST_NAMED = 30
_COLOURS = (*SERIES, GOLD, GREY)


def preview(session: Session, column: Column) -> None:
    """The histogram of a column over its codes, coloured by bucket."""
    with internal("preview", "Counted in your table, to see the buckets at work."):
        try:
            records = session.records()
        except Refusal as refusal:
            st.info(f"No picture yet: {words.plain(refusal.problem)} See the Data page.")
            return
        assert session.schema is not None
        counts = records.counts(session.schema.index(column.name))
        picture(
            histogram(column, counts),
            histogram_table(column, counts),
            key=f"histogram-{column.name}",
            alt=f"How often each value of {column.name} occurs, coloured by bucket",
        )
        if not _legend(column):
            st.caption("Colours alternate from bucket to bucket.")


def histogram_table(column: Column, counts: npt.NDArray[np.int64]) -> pd.DataFrame:
    """One row a value: its bucket and how many records hold it."""
    return pd.DataFrame(
        {
            "Value": distinct(column.labels),
            "Bucket": [column.bucket_labels[bucket] for bucket in column.bucket_map],
            "Records": counts,
        }
    )


def histogram(column: Column, counts: npt.NDArray[np.int64]) -> alt.Chart:
    """Bars over the codes; neighbouring buckets alternate in colour."""
    frame = histogram_table(column, counts)
    frame["place"] = range(len(frame))
    frame["stripe"] = [int(bucket) % 2 for bucket in column.bucket_map]
    named = len(frame) <= _MOST_NAMED
    chart: alt.Chart = (
        alt.Chart(frame)
        .mark_bar()
        .encode(
            x=alt.X(
                "Value:N",
                sort=list(frame["Value"]),
                title=column.title or column.name,
                axis=alt.Axis(
                    labelAngle=-40 if named else 0,
                    labelOverlap="greedy",
                    labelLimit=140,
                    ticks=named,
                ),
            ),
            y=alt.Y("Records:Q", title="records"),
            color=_colour(column),
            tooltip=["Value", "Bucket", alt.Tooltip("Records:Q", format=",")],
        )
        .properties(height=320, background="transparent")
    )
    return chart


def _legend(column: Column) -> bool:
    """Whether the buckets are groups, and few enough to have a colour each."""
    return column.buckets.kind == "groups" and column.bucket_count <= len(_COLOURS)


def _colour(column: Column) -> alt.Color:
    if _legend(column):
        names = list(column.bucket_labels)
        scale = alt.Scale(domain=names, range=list(_COLOURS[: len(names)]))
        return alt.Color("Bucket:N", scale=scale, legend=alt.Legend(orient="top", title=None))
    return alt.Color("stripe:N", scale=alt.Scale(domain=[0, 1], range=[BLUE, GREY]), legend=None)
