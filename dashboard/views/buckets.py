"""Buckets: how precisely each column is seen when it helps to predict others."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dashboard import words
from dashboard.frame import link, needs_schema, reminds_of_declaration, show
from dashboard.parts.bucketing import bucketing
from dashboard.parts.columns import choose
from dashboard.parts.confirm import confirm
from dashboard.parts.preview import preview
from dashboard.session import Session
from engine.table.schema import Schema


def _body(session: Session) -> None:
    if not needs_schema(session):
        return
    schema = session.schema
    assert schema is not None
    if schema.declaration is None:
        reminds_of_declaration(session)
    st.markdown(
        "When a column helps to predict others, the model sees its **bucket**, not its exact "
        "value. Few wide buckets keep the noise small; many narrow ones keep fine differences. "
        "Released values stay as precise as ever."
    )
    name = choose(session, schema.names)
    column = schema.column(name)
    form, picture = st.columns([2, 3], gap="large")
    with form:
        bucketing(session, column)
        st.metric(
            "Buckets", f"{column.bucket_count:,}", help="Missing values have one of their own."
        )
        st.caption(f"for {words.count(column.cardinality, 'possible value')}")
    with picture:
        preview(session, column)
    with st.expander("All columns"):
        st.dataframe(_overview(schema), hide_index=True)
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
