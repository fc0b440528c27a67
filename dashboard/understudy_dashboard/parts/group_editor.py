"""Groups of categories: chips that are dragged, lists that are filled, a table of many,
suggestions, and the levels above.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import pandas as pd
import streamlit as st

from understudy.core.refusal import Refusal
from understudy.table.authoring.edits import without_level
from understudy.table.authoring.group_suggestions import FEWEST, GroupSuggestion, suggested_groups
from understudy.table.authoring.hierarchies import MOST_BYTES, groups_of_file
from understudy.table.authoring.partial_groups import Grouping
from understudy.table.buckets import ByGroups
from understudy.table.column import Column
from understudy.table.domain import Domain
from understudy.table.levels import REST
from understudy_dashboard import words
from understudy_dashboard.components import load_component
from understudy_dashboard.frame import show_refusal
from understudy_dashboard.methods.page import page_of
from understudy_dashboard.session import Session


def describe_levels(column: Column) -> str:
    """Return the levels above the buckets of a column, in a few words: “19 groups, then 4”, or
    “years, then decades”."""
    if column.ordered:
        return ", then ".join(_name_levels(column))
    first, *others = _list_sizes(column)
    return ", then ".join((words.count(first, "group"), *(f"{each:,}" for each in others)))


def _name_levels(column: Column) -> list[str]:
    """Return what the parts of each level above the buckets are called."""
    if column.ordered:
        return [column.name_level(level) for level in range(2, column.coarsest + 1)]
    return [f"{size:,} groups" for size in _list_sizes(column)]


def draw_levels(session: Session, column: Column) -> None:
    """Draw what is kept above the groups of a column; each level can be dropped."""
    if not column.levels:
        return

    def drop(place: int) -> None:
        assert session.settings.schema is not None
        session.describe(session.settings.schema.replace(without_level(column, place)))

    with st.container(horizontal=True, vertical_alignment="center", key="levels-above"):
        st.markdown(
            f"Kept above these {'ranges' if column.ordered else 'groups'}: "
            f"**{describe_levels(column)}**. The calibrated model uses whichever level keeps most "
            "despite the noise.",
            width="content",
        )
        for place, named in enumerate(_name_levels(column)):
            st.button(
                f"Drop the {named}",
                key=f"drop-level-{session.revision}-{column.name}-{place}",
                on_click=drop,
                args=(place,),
                help="Take this level out. Undo takes it back.",
            )


def _list_sizes(column: Column) -> list[int]:
    """Return how many groups each level above has, without that of missing."""
    sizes = (column.level_size(level) for level in range(2, column.coarsest + 1))
    return [size - column.missing_count for size in sizes]


_HEIGHT: Final = 320

Keep = Callable[[Grouping], None]


def draw_group_table(column: Column, made: Grouping, keep: Keep) -> None:
    """Draw the two tables with what can be done to what is chosen in them.

    Args:
        column: of categories.
        made: its groups so far.
        keep: remembers other groups.
    """
    with st.container(key="group-table"):
        groups, codes = st.columns([2, 3], gap="medium")
    with groups:
        _draw_groups(column, made, keep)
    with codes:
        _draw_codes(column, made, keep)


def _draw_groups(column: Column, made: Grouping, keep: Keep) -> None:
    """Draw the groups: chosen ones are merged, one is renamed, any are undone."""
    frame = pd.DataFrame(
        {
            "Group": [label for label, _ in made.groups],
            "Codes": [len(values) for _, values in made.groups],
        }
    )
    chosen = _choose_rows(
        frame, f"groups-{column.name}-{_state_of(made)}", "The groups and their sizes"
    )
    names = [made.groups[place][0] for place in chosen]
    st.caption(
        f"Chosen: {', '.join(map(words.escape, names[:4]))}{' …' if len(names) > 4 else ''}"
        if names
        else f"{words.count(len(made.groups), 'group')}. Tick some to merge, rename or undo them."
    )
    with st.container(horizontal=True):
        st.button(
            "Merge",
            key=f"merge-{column.name}",
            disabled=len(chosen) < 2,
            on_click=lambda: keep(made.merge_groups(chosen)),
        )
        st.button(
            "Undo the group" if len(chosen) < 2 else "Undo the groups",
            key=f"ungroup-{column.name}",
            disabled=not chosen or len(chosen) == len(made.groups),
            help="Its codes are then in none, and fall in with everything else.",
            on_click=lambda: keep(_drop_chosen(made, chosen)),
        )
    one = chosen[0] if len(chosen) == 1 else None
    if one is not None:
        key = f"rename-{column.name}-{_state_of(made)}-{one}"
        st.text_input(
            "Name of this group",
            value=made.groups[one][0],
            key=key,
            on_change=lambda: keep(made.rename_group(one, st.session_state[key].strip())),
        )


def _draw_codes(column: Column, made: Grouping, keep: Keep) -> None:
    """Draw the categories that a search finds; those chosen, or else all found, go into a group."""
    search = st.text_input(
        "Search codes, labels and groups",
        key=f"search-groups-{column.name}",
        icon=":material/search:",
        placeholder="such as nurse, or 31",
    )
    found = _tabulate_codes(column, made)
    if search.strip():
        hit = found.map(str.casefold).map(lambda text: search.strip().casefold() in text)
        found = found[hit.any(axis=1)]
    chosen = _choose_rows(
        found,
        f"codes-{column.name}-{search.strip()}-{_state_of(made)}",
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
            on_click=lambda: keep(_drop_empty(made.move_values(values, None))),
        )
    st.caption(
        f"{words.count(len(found), 'code')} shown. Ticked ones are moved; with a search and no "
        "tick, all that it finds."
    )


def _tabulate_codes(column: Column, made: Grouping) -> pd.DataFrame:
    """Return every category with its label and group, by its place."""
    group = {value: label for label, values in made.groups for value in values}
    values = column.domain.texts
    shown = {"Code": list(values)}
    if column.domain.given_labels:
        shown["Label"] = list(column.domain.given_labels)
    return pd.DataFrame({**shown, "Group": [group.get(value, made.rest or "") for value in values]})


def _choose_rows(frame: pd.DataFrame, key: str, alt: str) -> list[int]:
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


def _state_of(made: Grouping) -> int:
    """Return a number that changes with the groups, so that earlier ticks are let go."""
    return hash(made)


def _drop_empty(made: Grouping) -> Grouping:
    """Return the groups without the empty ones, unless all are."""
    kept = tuple(each for each in made.groups if each[1])
    return Grouping(kept or made.groups, made.rest)


def _drop_chosen(made: Grouping, groups: Sequence[int]) -> Grouping:
    kept = tuple(each for place, each in enumerate(made.groups) if place not in groups)
    return Grouping(kept, made.rest)


MOST_CHIPS: Final = 40
"""Of more categories there is a table to search."""

_mount = load_component("groups")


def draw_group_editor(session: Session, column: Column, key: str) -> ByGroups:
    """Edit groups as chips and as lists, and say what buckets they make.

    Raises:
        Refusal: they make none by themselves; a category in no group is the column's to refuse.
    """
    categories = column.domain
    if categories.size > MOST_CHIPS:
        draw_group_table(
            column, grouping_of(session, column), lambda made: keep_grouping(session, column, made)
        )
        _draw_rest(session, column, key)
        return grouping_of(session, column).buckets()
    _draw_chips(session, column)
    _draw_rest(session, column, key)
    with st.expander("Edit the groups as lists"):
        _draw_lists(session, column, key)
    return grouping_of(session, column).buckets()


def grouping_of(session: Session, column: Column) -> Grouping:
    """Return the groups being made for a column; afresh where its buckets were changed
    elsewhere."""
    kept = session.editing.groups.get(column.name)
    if kept is not None and kept[0] == column.buckets:
        return kept[1].within(set(column.domain.texts))
    return Grouping.of(column)


def keep_grouping(session: Session, column: Column, made: Grouping) -> None:
    """Remember groups that the column's buckets need not have yet."""
    session.editing.groups[column.name] = (column.buckets, made)


def _draw_chips(session: Session, column: Column) -> None:
    """Draw the groups as boxes to drag categories between."""
    key, values = _group_key_of(column.name), column.domain.texts
    places = {value: place for place, value in enumerate(values)}

    def follow() -> None:
        take_group_deeds(session, column.name, st.session_state[key]["deeds"])

    made = grouping_of(session, column)
    _mount(
        key=key,
        data={
            "values": column.labels[: len(values)],
            "groups": [
                {"label": label, "members": [places[value] for value in each]}
                for label, each in made.groups
            ],
            "rest": made.rest,
            "left": [places[value] for value in made.list_ungrouped(values)],
            "answered": session.editing.answered.get(key, 0),
        },
        on_deeds_change=follow,
    )


def take_group_deeds(session: Session, name: str, told: Any) -> None:
    """Do to the groups of a column what somebody did with its chips.

    Args:
        session: the page's state.
        name: the column.
        told: what the component told, deeds that were answered before among them.
    """
    schema = session.settings.schema
    if schema is None or name not in schema.names or schema.column(name).ordered:
        return
    column = schema.column(name)
    for deed in session.editing.list_unanswered(_group_key_of(name), told):
        made = grouping_of(session, column)
        keep_grouping(session, column, _change_groups(made, column.domain.texts, deed))


def _group_key_of(name: str) -> str:
    return f"groups-of-{name}"


def _change_groups(made: Grouping, values: tuple[str, ...], deed: dict[str, Any]) -> Grouping:
    """Return the groups after what somebody did to them; the same where it makes no sense."""
    group, to = deed.get("group"), deed.get("to")
    if deed["act"] == "move" and isinstance(deed.get("values"), list):
        moved = [
            values[place]
            for place in deed["values"]
            if isinstance(place, int) and 0 <= place < len(values)
        ]
        if to == "new":
            return made.add_group(moved)
        return made.move_values(moved, int(to) if isinstance(to, str) and to.isdecimal() else None)
    if not isinstance(group, int) or not 0 <= group < len(made.groups):
        return made
    if deed["act"] == "rename" and isinstance(deed.get("label"), str):
        return made.rename_group(group, deed["label"].strip())
    return made.drop_group(group) if deed["act"] == "drop" else made


def _draw_rest(session: Session, column: Column, key: str) -> None:
    """Draw whether there is a group for every category in no other, and what it is called."""
    made = grouping_of(session, column)
    box_key, name_key = f"rest-{key}", f"rest-name-{key}"
    st.session_state[box_key] = made.rest is not None
    st.session_state[name_key] = made.rest or REST

    def change() -> None:
        wanted, name = st.session_state[box_key], st.session_state[name_key].strip()
        now = grouping_of(session, column)
        keep_grouping(session, column, Grouping(now.groups, name if wanted else None))

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


def _draw_lists(session: Session, column: Column, key: str) -> None:
    """Draw the groups as one list each."""
    made, values = grouping_of(session, column), column.domain.texts
    labels = dict(zip(values, column.labels, strict=False))
    taken = {value for _, each in made.groups for value in each}
    for number, (label, each) in enumerate(made.groups):
        name, drop = st.columns([6, 1], vertical_alignment="bottom")
        name_key, members_key = f"label-{key}-{number}", f"members-{key}-{number}"
        st.session_state[name_key], st.session_state[members_key] = label, list(each)
        name.text_input(
            f"Group {number + 1}",
            key=name_key,
            on_change=lambda number=number, name_key=name_key: keep_grouping(
                session,
                column,
                grouping_of(session, column).rename_group(
                    number, st.session_state[name_key].strip()
                ),
            ),
        )
        st.multiselect(
            f"Group {number + 1} holds",
            [value for value in values if value in each or value not in taken],
            key=members_key,
            format_func=lambda value: labels[value],
            label_visibility="collapsed",
            placeholder="Choose its categories",
            on_change=lambda number=number, members_key=members_key: keep_grouping(
                session,
                column,
                grouping_of(session, column).fill_group(number, st.session_state[members_key]),
            ),
        )
        drop.button(
            ":material/delete:",
            key=f"drop-{key}-{number}",
            help=f"Remove group {number + 1}",
            on_click=lambda number=number: keep_grouping(
                session, column, grouping_of(session, column).drop_group(number)
            ),
            disabled=len(made.groups) == 1,
            width="stretch",
        )
    st.button(
        "Add a group",
        key=f"add-{key}",
        on_click=lambda: keep_grouping(session, column, grouping_of(session, column).add_group()),
    )


_SHOWN: Final = 6
_EXAMPLE: Final = """\
| code | minor group | major group | share |
|---|---|---|---|
| 111 | 11 Legislators | 1 Managers | 0.4 |
| 112 | 11 Legislators | 1 Managers | 0.7 |
"""


def draw_suggestions(session: Session, column: Column, take: Callable[[Column], None]) -> None:
    """Draw the suggestions as cards, and an upload of a hierarchy.

    Args:
        session: the page's state.
        column: of categories.
        take: puts the column in other groups.
    """
    categories = column.domain
    if categories.size < FEWEST:
        return
    # Once there are groups, they are what is worked on.
    grouped = isinstance(column.buckets, ByGroups)
    found = _find_suggestions(session, column, categories)
    opened = bool(found) and not grouped
    with st.expander("Suggested groups", icon=":material/lightbulb:", expanded=opened):
        _draw_cards(column, found, take)
        _ask_hierarchy(session, column, categories)


def _draw_cards(
    column: Column, found: Sequence[tuple[GroupSuggestion, str]], take: Callable[[Column], None]
) -> None:
    """Draw what is suggested, each with its gain."""
    if found:
        st.caption(
            "From the declared categories and files you took in, never from your records. The gain "
            "is foreseen from public numbers, at the present settings of the Privacy page."
        )
        with st.container(horizontal=True, key="suggested-groups"):
            for place, (suggestion, gain) in enumerate(found[:_SHOWN]):
                _draw_card(column, suggestion, gain, place, take)
    else:
        st.caption("The categories suggest none by themselves. A hierarchy may.")


def _find_suggestions(
    session: Session, column: Column, categories: Domain
) -> list[tuple[GroupSuggestion, str]]:
    """Return each suggestion and its gain in words, those that gain most first."""
    domain, of_file = session.editing.hierarchies.get(column.name, (None, ()))
    own: tuple[GroupSuggestion, ...] = session.cache.keep(
        "suggested groups", (column.name, categories), lambda: suggested_groups(categories)
    )
    found = (*(of_file if domain == categories else ()), *own)
    choices = (column, *(each.group_column(column) for each in found))
    counts = page_of(session.settings.method).count_related(session, choices) if found else None
    if counts is None:
        return [(each, "") for each in found]
    now, *then = counts
    ranked = sorted(zip(found, then, strict=True), key=lambda each: (-each[1], -each[0].groups))
    return [(each, _describe_gain(now, after)) for each, after in ranked]


def _describe_gain(now: int, then: int) -> str:
    """Return what taking a suggestion changes."""
    if then > now:
        more = then - now
        said = (
            f"{more:,} more {'column' if more == 1 else 'columns'}"
            if now
            else words.count(then, "column")
        )
        return f"Can then be related to **{said}**; its own detail stays."
    if then == now == 0:
        return "Hardly related to any other column yet: that takes more records or a larger ε."
    if then == now:
        return f"Related to {words.count(now, 'other column')}, as now; its own detail stays."
    return f"Can then be related to {now - then:,} fewer columns."


def _draw_card(
    column: Column,
    suggestion: GroupSuggestion,
    gain: str,
    place: int,
    take: Callable[[Column], None],
) -> None:
    then = suggestion.group_column(column)
    taken = then == column
    with st.container(border=True, width=200):
        st.markdown(
            f"**{words.count(suggestion.groups, 'group')}** · {words.escape(suggestion.name)}"
        )
        left = f"; {suggestion.left:,} of them in no group" if suggestion.left else ""
        st.caption(f"The largest holds {words.percent(suggestion.largest)} of the codes{left}.")
        if suggestion.levels:
            st.caption(f"Kept above them: {describe_levels(then)}.")
        if gain:
            st.markdown(gain)
        st.button(
            "In use" if taken else "Take these groups",
            key=f"suggestion-{column.name}-{place}",
            disabled=taken,
            on_click=take,
            args=(then,),
            help=None
            if taken
            else f"Put {words.escape(column.name)} into these groups. Undo takes it back.",
        )


def _ask_hierarchy(session: Session, column: Column, categories: Domain) -> None:
    """Draw an upload of a hierarchy or public frequencies, each level of which is suggested."""
    with st.popover("Take in a hierarchy", icon=":material/account_tree:"):
        st.markdown(
            "Codes in the first column, a level of groups in each further one. A column headed "
            "**share** or **frequency** holds what is publicly known of how frequent each code is."
        )
        st.markdown(_EXAMPLE)
        given = st.file_uploader(
            "A published hierarchy of the codes",
            type=["csv", "tsv", "txt", "xlsx"],
            key=f"hierarchy-{session.revision}-{column.name}",
            max_upload_size=MOST_BYTES >> 20,
        )
        if given is None:
            return
        try:
            made = groups_of_file(given.getvalue(), given.name, categories)
        except Refusal as refusal:
            show_refusal(refusal)
            return
        if session.editing.hierarchies.get(column.name) == (categories, made):
            st.caption(f"{_count_groupings(made)} can be taken above.")
            return
    session.editing.hierarchies[column.name] = (categories, made)
    st.rerun()


def _count_groupings(made: Sequence[GroupSuggestion]) -> str:
    return words.count(len(made), "grouping")
