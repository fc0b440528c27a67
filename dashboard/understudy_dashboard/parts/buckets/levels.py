"""The levels of groups that are kept above those of a column."""

from __future__ import annotations

import streamlit as st

from understudy.table.authoring.editing import without_level
from understudy.table.column import Column
from understudy_dashboard import words
from understudy_dashboard.session import Session


def chain(column: Column) -> str:
    """Return the levels above the groups of a column, in a few words: “19 groups, then 4”."""
    first, *others = _sizes(column)
    return ", then ".join((words.count(first, "group"), *(f"{each:,}" for each in others)))


def levels_above(session: Session, column: Column) -> None:
    """What is kept above the groups of a column; each level can be dropped."""
    if not column.levels:
        return

    def drop(place: int) -> None:
        assert session.schema is not None
        session.describe(session.schema.replace(without_level(column, place)))

    with st.container(horizontal=True, vertical_alignment="center", key="levels-above"):
        st.markdown(
            f"Kept above these groups: **{chain(column)}**. The calibrated model uses whichever "
            "level keeps most despite the noise.",
            width="content",
        )
        for place, size in enumerate(_sizes(column)):
            st.button(
                f"Drop the {size:,} groups",
                key=f"drop-level-{session.revision}-{column.name}-{place}",
                on_click=drop,
                args=(place,),
                help="Take this level out. Undo takes it back.",
            )


def _sizes(column: Column) -> list[int]:
    """Of each level above the groups, how many groups it has, without that of missing."""
    sizes = (column.level_size(level) for level in range(2, column.coarsest + 1))
    return [size - column.missing for size in sizes]
