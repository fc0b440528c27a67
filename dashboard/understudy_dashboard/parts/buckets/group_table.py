"""Groups of many categories as two tables: the groups, and the categories, searched and chosen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import pandas as pd
import streamlit as st

from understudy.table.authoring.grouping import Grouping
from understudy.table.column import Column
from understudy_dashboard import words

_HEIGHT: Final = 320

Keep = Callable[[Grouping], None]


def group_table(column: Column, made: Grouping, keep: Keep) -> None:
    """The two tables with what can be done to what is chosen in them.

    Args:
        column: of categories.
        made: its groups so far.
        keep: remembers other groups.
    """
    with st.container(key="group-table"):
        groups, codes = st.columns([2, 3], gap="medium")
    with groups:
        _groups(column, made, keep)
    with codes:
        _codes(column, made, keep)


def _groups(column: Column, made: Grouping, keep: Keep) -> None:
    """The groups: chosen ones are merged, one is renamed, any are undone."""
    frame = pd.DataFrame(
        {
            "Group": [label for label, _ in made.groups],
            "Codes": [len(values) for _, values in made.groups],
        }
    )
    chosen = _chosen(frame, f"groups-{column.name}-{_state(made)}", "The groups and their sizes")
    names = [made.groups[place][0] for place in chosen]
    st.caption(
        f"Chosen: {', '.join(map(words.plain, names[:4]))}{' …' if len(names) > 4 else ''}"
        if names
        else f"{words.count(len(made.groups), 'group')}. Tick some to merge, rename or undo them."
    )
    with st.container(horizontal=True):
        st.button(
            "Merge",
            key=f"merge-{column.name}",
            disabled=len(chosen) < 2,
            on_click=lambda: keep(made.merged(chosen)),
        )
        st.button(
            "Undo the group" if len(chosen) < 2 else "Undo the groups",
            key=f"ungroup-{column.name}",
            disabled=not chosen or len(chosen) == len(made.groups),
            help="Its codes are then in none, and fall in with everything else.",
            on_click=lambda: keep(_without(made, chosen)),
        )
    one = chosen[0] if len(chosen) == 1 else None
    if one is not None:
        key = f"rename-{column.name}-{_state(made)}-{one}"
        st.text_input(
            "Name of this group",
            value=made.groups[one][0],
            key=key,
            on_change=lambda: keep(made.renamed(one, st.session_state[key].strip())),
        )


def _codes(column: Column, made: Grouping, keep: Keep) -> None:
    """The categories that a search finds; those chosen, or else all found, go into a group."""
    search = st.text_input(
        "Search codes, labels and groups",
        key=f"search-groups-{column.name}",
        icon=":material/search:",
        placeholder="such as nurse, or 31",
    )
    found = _listed(column, made)
    if search.strip():
        hit = found.map(str.casefold).map(lambda text: search.strip().casefold() in text)
        found = found[hit.any(axis=1)]
    chosen = _chosen(
        found,
        f"codes-{column.name}-{search.strip()}-{_state(made)}",
        "The categories and the group of each",
    )
    places: list[int] = found.index[chosen].tolist()
    if not chosen and search.strip():
        places = found.index.tolist()
    values = [column.domain.texts[place] for place in places]
    key = f"into-{column.name}"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        into = st.selectbox(
            "Into the group",
            [label for label, _ in made.groups],
            index=None,
            key=key,
            accept_new_options=True,
            placeholder="Choose one, or type a new name",
        )
        st.button(
            f"Move {words.count(len(values), 'code')}" if values else "Move",
            key=f"move-{column.name}",
            disabled=not values or not into,
            on_click=lambda: keep(made.split(values, str(into).strip())),
        )
        st.button(
            "To everything else",
            key=f"rest-of-{column.name}",
            disabled=not values or made.rest is None,
            on_click=lambda: keep(_emptied(made.moved(values, None))),
        )
    st.caption(
        f"{words.count(len(found), 'code')} shown. Ticked ones are moved; with a search and no "
        "tick, all that it finds."
    )


def _listed(column: Column, made: Grouping) -> pd.DataFrame:
    """Return every category with its label and group, by its place."""
    group = {value: label for label, values in made.groups for value in values}
    values = column.domain.texts
    shown = {"Code": list(values)}
    if column.domain.given_labels:
        shown["Label"] = list(column.domain.given_labels)
    return pd.DataFrame({**shown, "Group": [group.get(value, made.rest or "") for value in values]})


def _chosen(frame: pd.DataFrame, key: str, alt: str) -> list[int]:
    """Show a table whose rows can be ticked, and tell the places of those that are."""
    answer: Any = st.dataframe(
        frame,
        hide_index=True,
        height=min(_HEIGHT, 36 * (len(frame) + 2)),
        key=key,
        on_select="rerun",
        selection_mode="multi-row",
        alt=alt,
    )
    return [place for place in answer["selection"]["rows"] if place < len(frame)]


def _state(made: Grouping) -> int:
    """Changes with the groups, so that what was ticked before is let go."""
    return hash(made)


def _emptied(made: Grouping) -> Grouping:
    """Return the groups without the empty ones, unless all are."""
    kept = tuple(each for each in made.groups if each[1])
    return Grouping(kept or made.groups, made.rest)


def _without(made: Grouping, groups: Sequence[int]) -> Grouping:
    kept = tuple(each for place, each in enumerate(made.groups) if place not in groups)
    return Grouping(kept, made.rest)
