"""Columns whose lists are too long to be related to much, until they are put into groups."""

from __future__ import annotations

from typing import Final

import streamlit as st

from understudy.table.buckets import EachValue
from understudy.table.column import Column
from understudy.table.schema import Schema
from understudy_dashboard import words
from understudy_dashboard.parts.buckets.group_editor import MOST_CHIPS
from understudy_dashboard.session import Session

_SHOWN: Final = 3


def long_lists(session: Session, schema: Schema) -> None:
    """Name them, longest first, each with a button that goes to it."""
    found = ungrouped(schema)
    with st.container():
        if not found:
            return
        st.markdown(
            "**Group these first:** so many values, each by itself, are hard to relate to others."
        )
        with st.container(horizontal=True):
            for column in found[:_SHOWN]:
                st.button(
                    f"{words.plain(column.title or column.name)}: {column.domain.size:,} values",
                    key=f"long-{column.name}",
                    icon=":material/lightbulb:",
                    disabled=column.name == session.column,
                    on_click=setattr,
                    args=(session, "column", column.name),
                )


def ungrouped(schema: Schema) -> tuple[Column, ...]:
    """Return the columns of many categories, each its own bucket; the longest lists first."""
    found = [
        each
        for each in schema.columns
        if not each.ordered
        and isinstance(each.buckets, EachValue)
        and each.domain.size > MOST_CHIPS
    ]
    return tuple(sorted(found, key=lambda each: -each.domain.size))
