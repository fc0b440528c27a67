"""Groups of categories: chips that are dragged, lists that are filled, or a table of many."""

from __future__ import annotations

from typing import Any, Final

import streamlit as st

from understudy.table.authoring.grouping import Grouping
from understudy.table.buckets import ByGroups
from understudy.table.column import Column
from understudy.table.levels import REST
from understudy_dashboard.components import component
from understudy_dashboard.parts.buckets.group_table import group_table
from understudy_dashboard.session import Session

MOST_CHIPS: Final = 40
"""Of more categories there is a table to search."""

_mount = component("groups")


def group_editor(session: Session, column: Column, key: str) -> ByGroups:
    """Edit groups as chips and as lists, and say what buckets they make.

    Raises:
        Refusal: they make none by themselves; a category in no group is the column's to refuse.
    """
    categories = column.domain
    if categories.size > MOST_CHIPS:
        group_table(column, grouping(session, column), lambda made: keep(session, column, made))
        _rest(session, column, key)
        return grouping(session, column).buckets()
    _chips(session, column)
    _rest(session, column, key)
    with st.expander("Edit the groups as lists"):
        _lists(session, column, key)
    return grouping(session, column).buckets()


def grouping(session: Session, column: Column) -> Grouping:
    """Return the groups being made for a column; afresh where its buckets were changed
    elsewhere."""
    kept = session.editing.groups.get(column.name)
    if kept is not None and kept[0] == column.buckets:
        return kept[1].within(set(column.domain.texts))
    return Grouping.of(column)


def keep(session: Session, column: Column, made: Grouping) -> None:
    """Remember groups that the column's buckets need not have yet."""
    session.editing.groups[column.name] = (column.buckets, made)


def _chips(session: Session, column: Column) -> None:
    """The groups as boxes to drag categories between."""
    key, values = _key(column.name), column.domain.texts
    places = {value: place for place, value in enumerate(values)}

    def follow() -> None:
        answer(session, column.name, st.session_state[key]["deeds"])

    made = grouping(session, column)
    _mount(
        key=key,
        data={
            "values": column.labels[: len(values)],
            "groups": [
                {"label": label, "members": [places[value] for value in each]}
                for label, each in made.groups
            ],
            "rest": made.rest,
            "left": [places[value] for value in made.left(values)],
            "answered": session.editing.answered.get(key, 0),
        },
        on_deeds_change=follow,
    )


def answer(session: Session, name: str, told: Any) -> None:
    """Do to the groups of a column what somebody did with its chips.

    Args:
        session: the page's state.
        name: the column.
        told: what the component told, deeds that were answered before among them.
    """
    schema = session.schema
    if schema is None or name not in schema.names or schema.column(name).ordered:
        return
    column = schema.column(name)
    for deed in session.editing.unanswered(_key(name), told):
        made = grouping(session, column)
        keep(session, column, _done(made, column.domain.texts, deed))


def _key(name: str) -> str:
    return f"groups-of-{name}"


def _done(made: Grouping, values: tuple[str, ...], deed: dict[str, Any]) -> Grouping:
    """Return the groups after what somebody did to them; the same where it makes no sense."""
    group, to = deed.get("group"), deed.get("to")
    if deed["act"] == "move" and isinstance(deed.get("values"), list):
        moved = [
            values[place]
            for place in deed["values"]
            if isinstance(place, int) and 0 <= place < len(values)
        ]
        if to == "new":
            return made.added(moved)
        return made.moved(moved, int(to) if isinstance(to, str) and to.isdecimal() else None)
    if not isinstance(group, int) or not 0 <= group < len(made.groups):
        return made
    if deed["act"] == "rename" and isinstance(deed.get("label"), str):
        return made.renamed(group, deed["label"].strip())
    return made.dropped(group) if deed["act"] == "drop" else made


def _rest(session: Session, column: Column, key: str) -> None:
    """Whether there is a group for every category in no other, and what it is called."""
    made = grouping(session, column)
    box_key, name_key = f"rest-{key}", f"rest-name-{key}"
    st.session_state[box_key] = made.rest is not None
    st.session_state[name_key] = made.rest or REST

    def change() -> None:
        wanted, name = st.session_state[box_key], st.session_state[name_key].strip()
        now = grouping(session, column)
        keep(session, column, Grouping(now.groups, name if wanted else None))

    box, name = st.columns([3, 2], vertical_alignment="bottom")
    box.checkbox(
        "Everything else goes together",
        key=box_key,
        on_change=change,
        help="It also takes a category that is added later. Without it, every category has to be "
        "in a group.",
    )
    name.text_input(
        "Name of that group", key=name_key, on_change=change, disabled=made.rest is None
    )


def _lists(session: Session, column: Column, key: str) -> None:
    """The groups as one list each."""
    made, values = grouping(session, column), column.domain.texts
    labels = dict(zip(values, column.labels, strict=False))
    taken = {value for _, each in made.groups for value in each}
    for number, (label, each) in enumerate(made.groups):
        name, drop = st.columns([6, 1], vertical_alignment="bottom")
        name_key, members_key = f"label-{key}-{number}", f"members-{key}-{number}"
        st.session_state[name_key], st.session_state[members_key] = label, list(each)
        name.text_input(
            f"Group {number + 1}",
            key=name_key,
            on_change=lambda number=number, name_key=name_key: keep(
                session,
                column,
                grouping(session, column).renamed(number, st.session_state[name_key].strip()),
            ),
        )
        st.multiselect(
            f"Group {number + 1} holds",
            [value for value in values if value in each or value not in taken],
            key=members_key,
            format_func=lambda value: labels[value],
            label_visibility="collapsed",
            placeholder="Choose its categories",
            on_change=lambda number=number, members_key=members_key: keep(
                session,
                column,
                grouping(session, column).filled(number, st.session_state[members_key]),
            ),
        )
        drop.button(
            ":material/delete:",
            key=f"drop-{key}-{number}",
            help=f"Remove group {number + 1}",
            on_click=lambda number=number: keep(
                session, column, grouping(session, column).dropped(number)
            ),
            disabled=len(made.groups) == 1,
            width="stretch",
        )
    st.button(
        "Add a group",
        key=f"add-{key}",
        on_click=lambda: keep(session, column, grouping(session, column).added()),
    )
