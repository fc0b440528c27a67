"""Buckets: how precisely each column is seen when it helps to predict others."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from understudy.table.schema import Schema
from understudy_dashboard import words
from understudy_dashboard.frame import link, needs_answers, reminds_of_declaration, show
from understudy_dashboard.methods.page import page_of
from understudy_dashboard.parts.buckets.bucketing import bucketing
from understudy_dashboard.parts.buckets.long_lists import long_lists
from understudy_dashboard.parts.buckets.told_apart import still_seen
from understudy_dashboard.parts.columns import choose
from understudy_dashboard.parts.confirm import confirm
from understudy_dashboard.parts.undoing import undoing
from understudy_dashboard.session import Session


def _body(session: Session) -> None:
    if not needs_answers(session):
        return
    schema = session.schema
    assert schema is not None
    if schema.declaration is None:
        reminds_of_declaration(session)
    undoing(
        session,
        "Where a column helps to predict others, its **bucket** stands for its value. Few wide "
        "buckets keep the noise small, many narrow ones keep fine differences. Released values "
        "stay as precise as ever.",
    )
    # Whoever comes back to the Data page finds its problems in front again.
    session.editing.order = ()
    long_lists(session, schema)
    name = choose(session, schema.names)
    column = schema.column(name)
    with st.container(key="one-bucketing"):
        form, follows = st.columns([3, 2], gap="large")
    with form:
        bucketing(session, column)
        still_seen(session, column)
    with follows:
        page_of(session.method).buckets(session, column)
    page_of(session.method).marking(session)
    with st.expander("All columns"):
        st.dataframe(_overview(schema), hide_index=True, alt="The buckets of every column")
    if schema.declaration is not None and not schema.declared:
        confirm(session, "buckets")
    link("privacy", "Next: Privacy")


def _overview(schema: Schema) -> pd.DataFrame:
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


show(
    "Buckets",
    "Choose how coarsely each column is seen when it helps to predict others.",
    _body,
)
