"""What must survive: a target, columns, and pairs and triples, with what is foreseen of each."""

from __future__ import annotations

from typing import Final

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.mechanisms.seedbased.fields.table import FIELDS
from understudy.mechanisms.seedbased.foresight import foreseen
from understudy.mechanisms.seedbased.marked import Foreseen, check_marks, foreseen_of_marks
from understudy.models.marks import Marks
from understudy.models.predicted import Predicted
from understudy.table.schema import Schema
from understudy_dashboard import words
from understudy_dashboard.frame import refuse
from understudy_dashboard.methods.seedbased.draft import Draft
from understudy_dashboard.methods.seedbased.own import own
from understudy_dashboard.parts.controls import fill
from understudy_dashboard.session import Session

_NONE: Final = "none"
_ENDS: Final = ("One column", "with", "and (optional)")


def marking(session: Session) -> None:
    """Mark what matters most, so that it gets budget first."""
    schema = session.schema
    assert schema is not None
    draft = own(session).planned.draft
    with st.expander(_heading(draft.marks), icon=":material/star:", key="must-survive"):
        st.markdown(
            "Mark what your table is for, and it is measured first and more precisely, all else a "
            "little less so: ε stays the same, and is only divided otherwise. Marks are part of "
            "the plan and public. Choose them by the questions to be answered, not by looking at "
            "the table."
        )
        target, columns = st.columns(2)
        with target:
            _target(session, schema)
        with columns:
            _columns(session, schema)
        _together(session, schema)
        _marked(session, schema)


def _heading(marks: Marks) -> str:
    if not marks:
        return "What must survive: nothing is marked"
    many = len(marks.together)
    told = [
        f"target {words.plain(marks.target)}" if marks.target else "",
        words.count(len(marks.columns), "column") if marks.columns else "",
        f"{many:,} pair{'' if many == 1 else 's'} or triple{'' if many == 1 else 's'}"
        if many
        else "",
    ]
    return f"What must survive: {', '.join(filter(None, told))}"


def _target(session: Session, schema: Schema) -> None:
    said = FIELDS["target"].words
    fill("mark-target", own(session).planned.draft.target or _NONE)

    def take() -> None:
        chosen = st.session_state["mark-target"]
        own(session).planned.draft.target = None if chosen == _NONE else chosen

    st.selectbox(
        said.label,
        [_NONE, *schema.names],
        key="mark-target",
        format_func=lambda name: "no target" if name == _NONE else _titled(schema, name),
        on_change=take,
        help=said.help,
    )


def _columns(session: Session, schema: Schema) -> None:
    said = FIELDS["survive"].words
    fill("mark-columns", list(own(session).planned.draft.survive))

    def take() -> None:
        own(session).planned.draft.survive = list(st.session_state["mark-columns"])

    st.multiselect(
        said.label,
        schema.names,
        key="mark-columns",
        format_func=lambda name: _titled(schema, name),
        placeholder="none",
        on_change=take,
        help=said.help,
    )


def _together(session: Session, schema: Schema) -> None:
    """Two or three boxes to search columns in, and a button that marks them together."""
    st.markdown(f"**{FIELDS['together'].words.label}**", help=FIELDS["together"].words.help)
    *boxes, button = st.columns([3, 3, 3, 2], vertical_alignment="bottom")
    chosen: list[str | None] = [
        box.selectbox(
            label,
            schema.names,
            index=None,
            key=f"mark-end-{place}",
            format_func=lambda name: _titled(schema, name),
            placeholder="Search a column",
        )
        for place, (box, label) in enumerate(zip(boxes, _ENDS, strict=True))
    ]
    group = [name for name in chosen if name is not None]
    draft = own(session).planned.draft
    known = {frozenset(each) for each in draft.together}

    def take() -> None:
        draft.together = [*draft.together, group]
        for place in range(len(_ENDS)):
            st.session_state[f"mark-end-{place}"] = None

    button.button(
        "Mark",
        key="mark-together",
        icon=":material/star:",
        disabled=not 2 <= len(set(group)) == len(group) or frozenset(group) in known,
        on_click=take,
        width="stretch",
    )


def _marked(session: Session, schema: Schema) -> None:
    """Each mark with what is foreseen of it, and a button that takes a pair or triple away."""
    draft = own(session).planned.draft
    if not draft.marks:
        return
    found, trouble = _foreseen(session, schema)
    told = {} if found is None else {each.names: each for each in _of(found, draft, schema)}
    for place, group in enumerate(draft.together):
        line, away = st.columns([9, 1], vertical_alignment="center")
        each = told.get(tuple(group)) or Foreseen(tuple(group), None)
        line.markdown(words.plain(each.said(schema)) if told else _named(schema, group))
        away.button(
            ":material/close:",
            key=f"unmark-{place}",
            help=f"Take the mark off {' with '.join(group)}",
            on_click=_take_away,
            args=(draft, place),
        )
    rest = [each for names, each in told.items() if list(names) not in draft.together]
    if rest:
        st.markdown("\n".join(f"- {words.plain(each.said(schema))}" for each in rest))
    if trouble is not None:
        refuse(trouble)
    elif found is None:
        st.caption(
            "How near each will come is shown here once it is said how many records the table is "
            "publicly known to have."
        )
    else:
        st.caption(
            "Off by noise and chance, foreseen from public numbers: 1 % means that 1 row in 100 "
            "would have to change. After a run, Inspect measures what is marked first."
        )


def _take_away(draft: Draft, place: int) -> None:
    draft.together = [each for index, each in enumerate(draft.together) if index != place]


def _foreseen(session: Session, schema: Schema) -> tuple[Predicted | None, Refusal | None]:
    """Return what is foreseen under the settings in use, and what cannot be measured."""
    mine = own(session)
    try:
        plan, made = mine.plan(), mine.promise()
    except Refusal as refusal:
        return None, refusal
    records = plan.public_records or mine.wish.records_at_least
    if records is None:
        return None, None
    key = (schema.fingerprint, plan.to_json(), made.record_delta, records)
    found = session.keep(
        "foreseen of marks",
        key,
        lambda: foreseen(plan, schema, made, records, plan.attempts),
    )
    try:
        check_marks(plan.changed(schema, public_records=records), schema, made)
    except Refusal as refusal:
        return found, refusal
    return found, None


def _of(found: Predicted, draft: Draft, schema: Schema) -> tuple[Foreseen, ...]:
    return foreseen_of_marks(found, draft.marks, schema)


def _named(schema: Schema, group: list[str]) -> str:
    return " with ".join(f"**{words.plain(_titled(schema, name))}**" for name in group)


def _titled(schema: Schema, name: str) -> str:
    title = schema.column(name).title
    return f"{name} · {title}" if title else name
