"""Where it is known from what columns may contain, said in groups, and the confirmation that all of
it is public knowledge.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import streamlit as st

from understudy.core.numerals import join_first
from understudy.core.refusal import Refusal
from understudy.table.authoring.column_origins import (
    OriginGroup,
    confirm_by_name,
    group_origins,
    list_origins,
    list_unsaid,
    read_line,
    set_origin,
)
from understudy.table.authoring.declaration import name_left_out
from understudy.table.column import Column, describe_origin
from understudy.table.rules.not_applicable import list_open_codes
from understudy.table.schema import Schema
from understudy_dashboard import words
from understudy_dashboard.frame import show_refusal
from understudy_dashboard.parts.controls import fill_widget
from understudy_dashboard.session import Session

_EXAMPLE: Final = "such as: the questionnaire of 2024"
_NAMED: Final = 12


def draw_confirmation(session: Session, place: str) -> None:
    """Ask for the confirmation, or show that it is there.

    Args:
        session: the page's state.
        place: the page it stands on, to tell the widgets apart.
    """
    schema = session.settings.schema
    assert schema is not None
    st.subheader("Public knowledge", anchor=False)
    if schema.declared and schema.declaration is not None:
        when = f"{schema.declaration.at.astimezone():%-d %B %Y}"
        note = f" “{words.escape(schema.declaration.note)}”" if schema.declaration.note else ""
        st.success(f"Confirmed on {when}.{note}", icon=":material/verified:")
        _draw_known(schema.columns)
        return
    if schema.declaration is not None:
        st.info(
            "Columns, buckets, whose the rows are or the way the file is read changed after the "
            "confirmation, so it is asked for again."
        )
    _draw_what_is_confirmed(session, schema)
    with st.container(key="origins"):
        _draw_origins(session, schema, place)
    key = f"{place}-{schema.fingerprint}"
    note = st.text_input(
        "Where the whole of it is published",
        key=f"note-{key}",
        placeholder="such as Codebook of 2024; may stay empty",
    )
    public = words.PUBLIC_KNOWLEDGE + words.PUBLIC_DERIVATIONS * bool(schema.derived)
    public += words.PUBLIC_RULES * bool(schema.declared_rules)
    public += words.PUBLIC_TOTALS * bool(schema.totals)
    agreed = st.checkbox(public, key=f"public-{key}")
    half = session.rule_draft is not None and session.rule_draft.is_begun
    if half:
        st.warning(
            "A rule was begun on the Data page and is not finished: finish it, or do without it.",
            icon=":material/rule:",
        )
    waits = _list_waits(schema)
    with st.container(horizontal=True, vertical_alignment="center"):
        pressed = st.button(
            "Confirm",
            type="primary",
            disabled=not agreed or half or bool(waits),
            key=f"confirm-{place}",
            icon=":material/rule:",
        )
        if waits:
            st.caption(f"Waits for {' and '.join(waits)}.")
    if pressed:
        if session.data.table is not None:
            schema = name_left_out(schema, session.data.table.raw)
        session.describe(schema.declare_public(note=note.strip()), by_form=True)
        session.notices.append("Confirmed. It is kept in the schema file and goes to the board.")
        st.rerun()


def _list_waits(schema: Schema) -> list[str]:
    """Return what is still to be said before a schema can be confirmed."""
    left = list_unsaid(schema)
    asked = [column.name for column in schema.columns if column.domain.question]
    unruled = list(dict.fromkeys(each.column.name for each in list_open_codes(schema)))
    return [
        *([f"the source of {words.count(len(left), 'column')}"] if left else []),
        *(
            [f"how values are written in {words.escape(join_first(asked, _NAMED))}"]
            if asked
            else []
        ),
        *(
            [f"when exactly {words.escape(', '.join(unruled[:_NAMED]))} is not applicable"]
            if unruled
            else []
        ),
    ]


def count_unsaid(schema: Schema) -> str:
    """Return how many columns have no source yet, in a sentence."""
    left = len(list_unsaid(schema))
    if not left:
        return "Every column has a source."
    return f"{left:,} of {words.count(len(schema), 'column')} {_have(left)} no source yet."


def _have(number: int) -> str:
    return "has" if number == 1 else "have"


def _draw_what_is_confirmed(session: Session, schema: Schema) -> None:
    """Draw what whoever confirms a schema has to think of."""
    st.markdown(
        "List every value that *could* occur, not only those that do: a value taken from "
        "somebody’s record gives it away before any noise is added."
    )
    if schema.people is not None:
        st.markdown(
            "The number of rows kept per person must be public too: take it from the study design, "
            "such as the number of waves, and not from the table."
        )
    if session.left_out:
        st.markdown(
            f"Left out of your file: {words.count(len(session.left_out), 'column')}. The data "
            "dictionary and the packet name each with the kind of reason, and no value of it."
        )


def _draw_origins(session: Session, schema: Schema, place: str) -> None:
    """Draw each group of columns with a line for its source, and how many columns are left."""
    left = list_unsaid(schema)
    icon = ":material/pending:" if left else ":material/check_circle:"
    st.markdown(f"{icon} **{count_unsaid(schema)}** The board reads what you write here.")
    groups = group_origins(schema)
    asked = {name for group in groups for name in group.names}
    _draw_known([column for column in schema.columns if column.name not in asked])
    above = ""
    for group in groups:
        with st.container(border=True, key=f"group-{place}-{group.names[0]}"):
            _draw_group(session, group, place, above)
        if group.origin != "table":
            above = describe_origin(group.origin, group.source) or above
    if left:
        _ask_by_name(session, left, place)


def _draw_group(session: Session, group: OriginGroup, place: str, above: str) -> None:
    """Draw what columns a group has, and the line that says where they are known from.

    Args:
        session: the page's state.
        group: the columns.
        place: the page it stands on.
        above: what was said of the group before; "" if nothing was.
    """
    about, said = st.columns([2, 3], gap="medium", vertical_alignment="center")
    with about:
        sign = ":material/check:" if group.origin else ":material/help:"
        st.markdown(f"{sign} **{group.title}**")
        st.caption(words.escape(group.first_names))
    key = f"{place}-{session.revision}-{group.names[0]}-{len(group.names)}"
    with said:
        if group.origin == "table":
            st.markdown("Read off the table, and confirmed by name.")
            st.button(
                "Take that back",
                key=f"take-back-{key}",
                on_click=say_source,
                args=(session, group.names, ""),
            )
            return
        if above and not group.origin:
            st.button(
                "The same source as above",
                key=f"same-{key}",
                type="tertiary",
                icon=":material/arrow_upward:",
                on_click=say_source,
                args=(session, group.names, above),
            )
        ask_line(
            session,
            group.names,
            describe_origin(group.origin, group.source),
            f"Where {group.title} {'is' if len(group.names) == 1 else 'are'} known from",
            f"line-{key}",
            hidden=True,
        )


def ask_line(
    session: Session,
    names: Sequence[str],
    line: str,
    label: str,
    key: str,
    *,
    hidden: bool = False,
) -> None:
    """Draw the field for where some columns are known from; it counts as it is left.

    Args:
        session: the page's state.
        names: of the columns.
        line: what was said so far; "" for nothing.
        label: of the field.
        key: of the field.
        hidden: whether the label is for screen readers alone.
    """

    def follow() -> None:
        say_source(session, names, st.session_state[key])

    fill_widget(key, line)
    st.text_input(
        label,
        key=key,
        on_change=follow,
        placeholder=_EXAMPLE,
        label_visibility="collapsed" if hidden else "visible",
        help=None
        if hidden
        else "In a line: the questionnaire, the codebook, the law or the design of the data that "
        "has these values. It is published. An empty line takes back what was said.",
    )


def say_source(session: Session, names: Sequence[str], line: str) -> None:
    """Take in where some columns are known from; "" if that is to be open again."""
    schema = session.settings.require_schema()
    origin, source = read_line(line)
    try:
        said = set_origin(schema, origin, names, source)
    except Refusal as refusal:
        session.cautions.append(words.escape(f"{refusal.problem} {refusal.remedy}"))
        return
    if origin:
        session.editing.checked.update(names)
    session.describe(said, by_form=True)


def _ask_by_name(session: Session, left: Sequence[str], place: str) -> None:
    """Draw the choice of columns that are known from nowhere but the table, each by its name."""
    with st.expander("Some are known from nowhere else", icon=":material/warning:"):
        st.markdown(
            "Their values were read off people’s records, and no noise protects them. Choose each "
            "such column by its name; the board reads that they were read off the table. It is "
            "safer to leave a column out, or to list what is publicly known."
        )
        key = f"by-name-{place}-{session.revision}-{len(left)}"
        chosen = st.multiselect(
            "Columns that were read off the table", left, key=key, select_all=False
        )
        if st.button(
            f"Confirm {words.count(len(chosen), 'column')} by name",
            key=f"confirm-{key}",
            disabled=not chosen,
        ):
            try:
                said = confirm_by_name(session.settings.require_schema(), chosen)
            except Refusal as refusal:
                show_refusal(refusal)
                return
            session.describe(said, by_form=True)
            st.rerun()


def _draw_known(columns: Sequence[Column]) -> None:
    """Draw where columns are known from of which it is said, a line a source."""
    lines = []
    for known, names in list_origins(columns).items():
        told = words.escape(f"{known[:1].upper()}{known[1:]}: {join_first(names, _NAMED)}")
        lines.append(f"- {told}")
    if lines:
        st.markdown("\n".join(lines))
