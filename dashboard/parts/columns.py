"""All columns at a glance, and one of them at a time to look at closely."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dashboard import words
from dashboard.internal import internal
from dashboard.parts.column_form import column_form, leave_out
from dashboard.session import Session
from engine.charts.lettering import shortened
from engine.table.encoding import Outside, Policy, choices
from engine.table.schema import Categories, Column, Schema

_ROW, _MOST_ROWS = 35, 12
_LONGEST, _NAMED = 18, 3


def columns(session: Session) -> None:
    """The columns: an overview, and the form of the one chosen."""
    schema = session.schema
    assert schema is not None
    ordered = _problems_first(session, schema)
    _overview(session, schema, ordered)
    name = choose(session, ordered)
    column = schema.column(name)
    with st.container(border=True):
        for note in session.notes.get(name, ()):
            st.warning(words.plain(note), icon=":material/search:")
        column_form(session, column)
        _outside(session, column)
        leave_out(session, column)
    _left_out(session)


def choose(session: Session, names: tuple[str, ...]) -> str:
    """Which column to look at: from the list, or one further or back."""
    if session.column not in names:
        session.column = names[0]
    place = names.index(session.column)
    pick, back, on = st.columns([6, 1, 1], vertical_alignment="bottom")

    def take() -> None:
        session.column = st.session_state["column"]

    st.session_state["column"] = session.column
    pick.selectbox(
        f"Column ({place + 1} of {len(names)})",
        names,
        key="column",
        on_change=take,
        format_func=lambda name: _titled(session, name),
    )

    def move(step: int) -> None:
        session.column = names[(place + step) % len(names)]

    back.button("Previous", key="previous", on_click=move, args=(-1,), width="stretch")
    on.button("Next", key="next", on_click=move, args=(1,), width="stretch")
    return session.column


def _titled(session: Session, name: str) -> str:
    title = session.schema.column(name).title if session.schema else ""
    return f"{name} · {title}" if title else name


def _problems_first(session: Session, schema: Schema) -> tuple[str, ...]:
    """Columns with values outside first, then those with notes, then the rest."""
    found = session.outside()
    troubled = {name for name, each in found.items() if each.total}
    noted = {name for name, notes in session.notes.items() if notes}
    return tuple(sorted(schema.names, key=lambda name: (name not in troubled, name not in noted)))


def _overview(session: Session, schema: Schema, names: tuple[str, ...]) -> None:
    """Every column in a line."""
    found = session.outside()
    frame = pd.DataFrame(
        [
            {
                "Column": name,
                "Title": schema.column(name).title,
                "To look at": _to_look_at(session, name, found.get(name)),
                "Kind": words.KINDS[schema.column(name).domain.kind],
                "May contain": domain_in_words(schema.column(name)),
                "Missing": "allowed" if schema.column(name).missing else "never",
            }
            for name in names
        ]
    )
    empty = [name for name in ("Title", "To look at") if not frame[name].any()]
    st.dataframe(
        frame.drop(columns=empty),
        hide_index=True,
        height=_ROW * (min(len(names), _MOST_ROWS) + 1) + 3,
        alt="What each column may contain",
    )


def _to_look_at(session: Session, name: str, found: Outside | None) -> str:
    reasons = []
    if found is not None and found.total:
        chosen = session.policies.get(name, "refuse")
        reasons.append(
            "values outside" if chosen == "refuse" else f"values outside: {_ACTION[chosen]}"
        )
    if session.notes.get(name):
        reasons.append(words.count(len(session.notes[name]), "note"))
    return ", ".join(reasons)


_ACTION = {"missing": "as missing", "clip": "moved inside"}


def domain_in_words(column: Column) -> str:
    """What a column may contain, in a few words."""
    domain = column.domain
    if isinstance(domain, Categories):
        listed = ", ".join(
            shortened(label, _LONGEST) for label in (domain.labels or domain.values)[:_NAMED]
        )
        more = f", and {domain.size - _NAMED:,} more" if domain.size > _NAMED else ""
        return f"{words.count(domain.size, 'category', 'categories')}: {listed}{more}"
    steps = "" if domain.step == 1 else f" in steps of {domain.step:,f}"
    return f"{domain.minimum:,f} to {domain.maximum:,f}{steps}"


def _outside(session: Session, column: Column) -> None:
    """How many values the form does not cover, and what to do about them."""
    found = session.outside().get(column.name)
    if found is None or not (found.total or found.rounded):
        return
    with internal("outside", "Counted in your table."):
        if found.rounded:
            st.caption(f"{words.count(found.rounded, 'value')} between two steps: rounded.")
        if not found.total:
            return
        st.markdown(f"**{words.count(found.total, 'value')} outside:** {_reasons(found)}.")
        offered = choices(column)
        chosen = session.policies.get(column.name, "refuse")
        picked: Policy = st.radio(
            "What should become of them?",
            offered,
            index=offered.index(chosen),
            format_func=words.POLICIES.__getitem__,
            horizontal=True,
            key=f"policy-{column.name}-{session.revision}-{len(offered)}",
            help=words.HELP["policies"],
        )
        if picked != chosen:
            session.policies[column.name] = picked
            st.rerun()
        if picked == "refuse":
            st.caption(
                "Until you choose, or the form covers them, nothing can be generated."
                + ("" if len(offered) > 1 else " Allow missing above to have a choice.")
            )


def _reasons(found: Outside) -> str:
    named = (
        (found.unknown, "not in the list"),
        (found.too_low, "below the smallest"),
        (found.too_high, "above the largest"),
        (found.not_a_number, "not a number"),
        (found.missing, "missing, which is not allowed"),
    )
    return ", ".join(f"{number:,} {reason}" for number, reason in named if number)


def _left_out(session: Session) -> None:
    if not session.left_out:
        return
    out = len(session.left_out)
    with st.expander(f"{words.count(out, 'column')} left out", expanded=out < 4):
        for name, (column, why) in list(session.left_out.items()):
            text, button = st.columns([5, 1], vertical_alignment="center")
            text.markdown(f"**{words.plain(name)}** · {words.plain(why)}")
            if column is not None and button.button("Use it", key=f"back-{name}", width="stretch"):
                session.bring_back(name)
                st.rerun()
