"""Buckets: how precisely each column is seen when it helps to predict others."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from understudy.table.schema import Schema
from understudy_dashboard import words
from understudy_dashboard.frame import draw_link, have_answers, remind_of_declaration, show_page
from understudy_dashboard.methods.page import page_of
from understudy_dashboard.parts.bucket_editor import draw_buckets, draw_differences, draw_long_lists
from understudy_dashboard.parts.columns import choose_column, draw_undoing
from understudy_dashboard.parts.confirmation import draw_confirmation
from understudy_dashboard.session import Session


def _draw_body(session: Session) -> None:
    if not have_answers(session):
        return
    schema = session.settings.schema
    assert schema is not None
    if schema.declaration is None:
        remind_of_declaration(session)
    draw_undoing(
        session,
        "Where a column helps to predict others, its **bucket** stands for its value. Few wide "
        "buckets keep the noise small, many narrow ones keep fine differences. Released values "
        "stay as precise as ever.",
    )
    # Whoever comes back to the Data page finds its problems in front again.
    session.editing.order = ()
    draw_long_lists(session, schema)
    name = choose_column(session, schema.names)
    column = schema.column(name)
    with st.container(key="one-bucketing"):
        form, follows = st.columns([3, 2], gap="large")
    with form:
        draw_buckets(session, column)
        draw_differences(session, column)
    with follows:
        page_of(session.settings.method).buckets(session, column)
    page_of(session.settings.method).marking(session)
    with st.expander("All columns"):
        st.dataframe(_tabulate_buckets(schema), hide_index=True, alt="The buckets of every column")
    if schema.declaration is not None and not schema.declared:
        draw_confirmation(session, "buckets")
    draw_link("privacy", "Next: Privacy")


def _tabulate_buckets(schema: Schema) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "Column": column.name,
                "Title": column.title,
                "Values": column.cardinality,
                "Buckets": column.bucket_count,
                "How": words.BUCKETS[column.buckets.kind],
            }
            for column in schema.columns
        ]
    )


show_page(
    "Buckets",
    "Choose how coarsely each column is seen when it helps to predict others.",
    _draw_body,
)
