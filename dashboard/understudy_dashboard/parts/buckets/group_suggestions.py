"""Groups that are suggested for a column of categories, each with what it would gain."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.table.authoring.group_suggestions import FEWEST, Suggestion, suggested_groups
from understudy.table.authoring.hierarchies import MOST_BYTES, groups_of_file
from understudy.table.buckets import ByGroups
from understudy.table.column import Column
from understudy.table.domain import Domain
from understudy_dashboard import words
from understudy_dashboard.frame import refuse
from understudy_dashboard.methods.page import page_of
from understudy_dashboard.parts.buckets.levels import chain
from understudy_dashboard.session import Session

_SHOWN: Final = 6
_EXAMPLE: Final = """\
| code | minor group | major group | share |
|---|---|---|---|
| 111 | 11 Legislators | 1 Managers | 0.4 |
| 112 | 11 Legislators | 1 Managers | 0.7 |
"""


def group_suggestions(session: Session, column: Column, take: Callable[[Column], None]) -> None:
    """The suggestions as cards, and an upload of a hierarchy.

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
    found = _found(session, column, categories)
    opened = bool(found) and not grouped
    with st.expander("Suggested groups", icon=":material/lightbulb:", expanded=opened):
        _cards(column, found, take)
        _upload(session, column, categories)


def _cards(
    column: Column, found: Sequence[tuple[Suggestion, str]], take: Callable[[Column], None]
) -> None:
    """What is suggested, each with its gain."""
    if found:
        st.caption(
            "From the declared categories and files you took in, never from your records. The gain "
            "is foreseen from public numbers, at the present settings of the Privacy page."
        )
        with st.container(horizontal=True, key="suggested-groups"):
            for place, (suggestion, gain) in enumerate(found[:_SHOWN]):
                _card(column, suggestion, gain, place, take)
    else:
        st.caption("The categories suggest none by themselves. A hierarchy may.")


def _found(session: Session, column: Column, categories: Domain) -> list[tuple[Suggestion, str]]:
    """Return each suggestion and its gain in words, those that gain most first."""
    domain, of_file = session.editing.hierarchies.get(column.name, (None, ()))
    own: tuple[Suggestion, ...] = session.keep(
        "suggested groups", (column.name, categories), lambda: suggested_groups(categories)
    )
    found = (*(of_file if domain == categories else ()), *own)
    choices = (column, *(each.taken(column) for each in found))
    counts = page_of(session.method).related(session, choices) if found else None
    if counts is None:
        return [(each, "") for each in found]
    now, *then = counts
    ranked = sorted(zip(found, then, strict=True), key=lambda each: (-each[1], -each[0].groups))
    return [(each, _gain(now, after)) for each, after in ranked]


def _gain(now: int, then: int) -> str:
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


def _card(
    column: Column,
    suggestion: Suggestion,
    gain: str,
    place: int,
    take: Callable[[Column], None],
) -> None:
    then = suggestion.taken(column)
    taken = then == column
    with st.container(border=True, width=200):
        st.markdown(
            f"**{words.count(suggestion.groups, 'group')}** · {words.plain(suggestion.name)}"
        )
        left = f"; {suggestion.left:,} of them in no group" if suggestion.left else ""
        st.caption(f"The largest holds {words.percent(suggestion.largest)} of the codes{left}.")
        if suggestion.levels:
            st.caption(f"Kept above them: {chain(then)}.")
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
            else f"Put {words.plain(column.name)} into these groups. Undo takes it back.",
        )


def _upload(session: Session, column: Column, categories: Domain) -> None:
    """A hierarchy or public frequencies, of which each level is suggested."""
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
            refuse(refusal)
            return
        if session.editing.hierarchies.get(column.name) == (categories, made):
            st.caption(f"{_levels(made)} can be taken above.")
            return
    session.editing.hierarchies[column.name] = (categories, made)
    st.rerun()


def _levels(made: Sequence[Suggestion]) -> str:
    return words.count(len(made), "grouping")
