"""Which differences of a column are left once it is put into buckets."""

from __future__ import annotations

from typing import Final

import streamlit as st

from understudy.table.column import MISSING_LABEL
from understudy.table.schema import Column
from understudy_dashboard import words
from understudy_dashboard.internal import internal
from understudy_dashboard.parts.preview import bucket_preview
from understudy_dashboard.session import Session

_NAMED: Final = 12


def still_seen(session: Session, column: Column) -> None:
    """Which differences the model can still see, in words and in your table."""
    st.markdown("**What the model can still see**")
    st.markdown(told_apart(column))
    if session.table is None:
        st.caption("Open the table on the Data page to see how many records each bucket holds.")
        return
    with internal("buckets", "Counted in your table: how many records each bucket holds."):
        bucket_preview(session, column)


def told_apart(column: Column) -> str:
    """Return which differences are left, in words."""
    labels = column.bucket_labels[: column.bucket_count - column.missing]
    beside = f" Missing values are told from all of them as “{MISSING_LABEL}”."
    missing = beside if column.missing else ""
    if len(labels) == 1:
        return (
            "Nothing: every value falls in one bucket, so the column cannot help to predict "
            f"another.{missing}"
        )
    if len(labels) == column.domain.size:
        return f"Every value: all {column.domain.size:,} are told apart.{missing}"
    if column.ordered:
        named = [words.plain(label) for label in labels[:_NAMED]]
        said, inside = f"{len(labels):,} ranges: ", "Within a range all values look the same."
    else:
        sizes = [int((column.bucket_map == bucket).sum()) for bucket in range(len(labels))]
        named = [
            words.plain(label) + (f" ({size:,} categories)" if size > 1 else "")
            for label, size in zip(labels[:_NAMED], sizes, strict=False)
        ]
        said, inside = f"{len(labels):,} groups: ", "Within a group all categories look the same."
    more = f" and {len(labels) - _NAMED:,} more" if len(labels) > _NAMED else ""
    return f"{said}{' · '.join(f'**{each}**' for each in named)}{more}. {inside}{missing}"
