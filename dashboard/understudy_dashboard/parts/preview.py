"""How often each value of a column occurs. Internal."""

from __future__ import annotations

import streamlit as st

from understudy.charts import histogram
from understudy.table.schema import Column
from understudy_dashboard.parts.pictures import Picture, draw
from understudy_dashboard.session import Session


def column_preview(session: Session, column: Column) -> None:
    """The values of a column as they are described, whatever is wrong with other columns."""
    counts = session.fitting(column).counts
    drawn: Picture = session.keep(
        "preview",
        (column, counts.tobytes()),
        lambda: Picture(
            histogram.values(column, counts, height=230), histogram.values_table(column, counts)
        ),
    )
    draw(
        drawn,
        key=f"histogram-{column.name}",
        alt=f"How often each value of {column.name} occurs",
    )


def bucket_preview(session: Session, column: Column) -> None:
    """The same as the model sees it where the column is a parent: by bucket."""
    counts = session.fitting(column).counts
    drawn: Picture = session.keep(
        "bucket preview",
        (column, counts.tobytes()),
        lambda: Picture(histogram.buckets(column, counts), histogram.buckets_table(column, counts)),
    )
    draw(
        drawn,
        key=f"buckets-{column.name}",
        alt=f"How many records fall in each bucket of {column.name}",
    )
    if not counts.sum():
        st.caption("None of the table’s values fits what the column may contain.")
