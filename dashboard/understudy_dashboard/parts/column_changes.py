"""One change made to many columns at once: one step, which one click takes back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final, get_args

import streamlit as st

from understudy.core.numerals import join_first
from understudy.core.refusal import Refusal
from understudy.mechanisms.fields import POLICIES
from understudy.table.authoring.edits import (
    Change,
    allow_missing,
    forbid_missing,
    give_meanings,
    with_category,
    with_kind,
    with_origin,
    with_range,
    with_role,
)
from understudy.table.column import KNOWN, ORIGINS, ROLES, Origin, Role
from understudy.table.fit import Policy
from understudy.table.kinds import check_setting, list_kinds
from understudy.table.missing_codes import MISSING_TOKENS, unlabelled
from understudy.table.omissions import CHOSEN_REASONS, WHY, Why
from understudy.table.schema import MOST_COLUMNS
from understudy_dashboard import words
from understudy_dashboard.frame import FieldRefusals, show_refusal
from understudy_dashboard.parts.column_form import (
    MISSING_HELP,
    MISSING_LINES,
    format_missing,
    parse_missing_lines,
)
from understudy_dashboard.schema_edits import (
    bring_back_each,
    change_each,
    leave_out_each,
    settle_each,
    use_only,
)
from understudy_dashboard.session import Session

_TOLD: Final = 4
_MEANINGS: Final = "Meanings of codes for missing"
_MORE: Final = "Change something else in them"
Deed = Callable[[Session, tuple[str, ...]], str]
"""What a button does to the columns, and what it says afterwards."""


def draw_changes(session: Session) -> None:
    """Draw what to change in all the columns that are chosen, and a button that does it."""
    names = session.editing.picked
    listed = words.escape(join_first(names, _TOLD))
    head, done = st.columns([3, 1], vertical_alignment="center")
    head.markdown(f"**{words.count(len(names), 'column')} chosen** · {listed}")
    done.button(
        "Choose none", key="bulk-none", on_click=_choose_none, args=(session,), width="stretch"
    )
    if session.editing.changed_together:
        # A second click on the same spot must not change them once more.
        st.selectbox(
            _MORE,
            list(_FORMS),
            index=None,
            placeholder="Choose what",
            key="bulk-more",
            on_change=_begin_another_change,
            args=(session,),
        )
    else:
        _draw_form(session, names)
    _draw_refused(session)


def _draw_form(session: Session, names: tuple[str, ...]) -> None:
    """Draw what to change, and the button that does it once."""
    if "bulk-what" not in st.session_state:
        st.session_state["bulk-what"] = _suggest_change(session, names)
    what = st.selectbox("What to change in all of them", list(_FORMS), key="bulk-what")
    refusal: Refusal | None = None
    try:
        deed: Deed | None = _FORMS[what](session)
    except Refusal as refused:
        deed, refusal = None, refused
    FieldRefusals(refusal).rest()
    if st.button(
        _label_button(what, len(names)),
        type="primary",
        key="bulk-apply",
        disabled=deed is None,
        icon=":material/done_all:",
    ):
        assert deed is not None
        try:
            session.notices.append(deed(session, names))
        except Refusal as refused:
            show_refusal(refused)
            return
        session.editing.changed_together = True
        st.rerun()


def _suggest_change(session: Session, names: tuple[str, ...]) -> str:
    """Return what is to be changed first in these columns: the meanings of codes for missing,
    where some have none."""
    attention = session.data.attention(session.settings.require_schema())
    unnamed = any("missing" in attention.get(name, ()) for name in names)
    return _MEANINGS if unnamed else next(iter(_FORMS))


def _begin_another_change(session: Session) -> None:
    st.session_state["bulk-what"] = st.session_state["bulk-more"]
    session.editing.changed_together = False
    session.editing.refused = {}


def _choose_none(session: Session) -> None:
    session.editing.picked = ()
    session.editing.turn += 1
    session.editing.refused = {}


def _label_button(what: str, number: int) -> str:
    return f"{_VERBS.get(what, 'Change')} {words.count(number, 'column')}"


def _draw_refused(session: Session) -> None:
    """Draw which columns stayed as they were, and why."""
    with st.container():
        refused = session.editing.refused
        if not refused:
            return
        lines = [
            f"- **{words.escape(name)}**: {words.escape(why.problem)} {words.escape(why.remedy)}"
            for name, why in refused.items()
        ]
        said = f"{words.count(len(refused), 'column')} stayed as before."
        st.warning("\n".join([said, "", *lines]), icon=":material/rule:")


def _ask_kind(session: Session) -> Deed:
    kinds = list_kinds()
    kind: str = st.radio(
        "They contain",
        list(kinds),
        format_func=lambda kind: kinds[kind].title,
        key="bulk-kind",
        horizontal=True,
    )
    return _change_each(partial(with_kind, kind=kind))


def _ask_missing(session: Session) -> Deed:
    allowed = st.radio(
        "A value may be missing",
        ("yes", "no"),
        key="bulk-missing",
        format_func=str.title,
        horizontal=True,
    )
    if allowed == "no":
        return _change_each(forbid_missing)
    own = st.checkbox(
        "Written in the file the same way in all of them",
        key="bulk-own-tokens",
        help="Without this, each column keeps its texts for missing, or takes the usual ones.",
    )
    if not own:
        return _change_each(allow_missing)
    lines = st.text_area(
        MISSING_LINES,
        value=format_missing(unlabelled(MISSING_TOKENS[:2])),
        key="bulk-tokens",
        help=MISSING_HELP,
    )
    return _change_each(lambda column: allow_missing(column, parse_missing_lines(lines)))


def _ask_meanings(session: Session) -> Deed:
    lines = st.text_area(
        MISSING_LINES,
        value="-8 = not asked\n-9 = refused",
        key="bulk-meanings",
        help="Each column takes the meanings of those codes for missing that it has. A category "
        "that is one of them becomes a code for missing.",
    )
    return _change_each(lambda column: give_meanings(column, parse_missing_lines(lines)))


def _ask_range(session: Session) -> Deed:
    fields = (
        ("minimum", "Smallest"),
        ("maximum", "Largest"),
        ("step", "In steps of"),
        ("precision", "Precision, if continuous"),
    )
    places = st.columns(len(fields))
    texts = {
        name: place.text_input(label, key=f"bulk-{name}", placeholder="as it is")
        for place, (name, label) in zip(places, fields, strict=True)
    }
    given = {name: text for name, text in texts.items() if text.strip()}
    for name, text in given.items():
        check_setting(None, name, text)
    st.caption("A field left empty stays as it is in each column.")
    return _change_each(partial(with_range, **given))


def _ask_values_outside(session: Session) -> Deed:
    policy: Policy = st.radio(
        "What should become of values outside?",
        get_args(Policy),
        format_func=words.POLICIES.__getitem__,
        key="bulk-policy",
        help=POLICIES.words.help,
    )

    def deed(session: Session, names: tuple[str, ...]) -> str:
        return _describe_changed(len(settle_each(session, names, policy)))

    return deed


def _ask_category(session: Session) -> Deed:
    text, label = st.columns(2)
    value = text.text_input("As it stands in the file", key="bulk-value").strip()
    called = label.text_input("For people to read", key="bulk-label", placeholder="the same")
    if not value:
        raise Refusal("No category is given.", "Enter how it is written in the file.")
    return _change_each(partial(with_category, value=value, label=called.strip()))


def _ask_origin(session: Session) -> Deed:
    origin: Origin = st.selectbox(
        "What they may contain is known from",
        KNOWN,
        format_func=lambda each: ORIGINS[each],
        key="bulk-origin",
    )
    source = st.text_input(
        "In your words",
        key="bulk-source",
        placeholder="such as: questions 3 to 36; may stay empty",
    )
    st.caption(
        "Say so only of columns whose lists and bounds agree with it. The board reads it, and they "
        "count as looked through."
    )
    change = _change_each(partial(with_origin, origin=origin, source=" ".join(source.split())))

    def deed(session: Session, names: tuple[str, ...]) -> str:
        session.editing.checked.update(names)
        return change(session, names)

    return deed


def _ask_role(session: Session) -> Deed:
    role: Role = st.radio(
        "They are",
        list(ROLES),
        format_func=lambda each: ROLES[each].capitalize(),
        key="bulk-role",
        horizontal=True,
    )
    st.caption("It is kept in the schema file and told in the data dictionary; it changes no plan.")
    return _change_each(partial(with_role, role=role))


def _mark_checked(session: Session) -> Deed:
    st.caption("It takes them off the list of columns that need attention; nothing else changes.")

    def deed(session: Session, names: tuple[str, ...]) -> str:
        session.editing.checked.update(names)
        return f"{words.count(len(names), 'column')} looked through."

    return deed


def _leave_columns_out(session: Session) -> Deed:
    st.caption("They stay in your file and are in nothing that is released.")

    def deed(session: Session, names: tuple[str, ...]) -> str:
        assert session.settings.schema is not None
        used = tuple(name for name in names if name in session.settings.schema.names)
        leave_out_each(session, used)
        return f"{words.count(len(used), 'column')} left out."

    return deed


def _use_only_these(session: Session) -> Deed:
    st.caption(
        f"All other columns are left out. {MOST_COLUMNS} columns at most can be used together."
    )

    def deed(session: Session, names: tuple[str, ...]) -> str:
        use_only(session, names)
        return f"{words.count(len(session.settings.schema or ()), 'column')} in use."

    return deed


def _keep_empty(session: Session) -> Deed:
    kept = st.radio(
        "In the released table",
        ("empty", "out"),
        format_func={
            "empty": "Keep them as empty columns, so that its header is that of your file",
            "out": "Do without them",
        }.__getitem__,
        key="bulk-empty",
    )
    st.caption("Of those chosen, it counts for the columns that are left out.")

    def deed(session: Session, names: tuple[str, ...]) -> str:
        out = tuple(name for name in names if name in session.left_out)
        session.keep_empty(*out, empty=kept == "empty")
        return _describe_changed(len(out))

    return deed


def _ask_why(session: Session) -> Deed:
    why: Why = st.selectbox(
        "Kind of reason, as it is published",
        CHOSEN_REASONS,
        format_func=lambda each: WHY[each].capitalize(),
        key="bulk-why",
    )
    st.caption("Of those chosen, it counts for the columns that are left out.")

    def deed(session: Session, names: tuple[str, ...]) -> str:
        people = session.settings.require_schema().people
        whose = None if people is None else people.person
        out = [name for name in names if name in session.left_out and name != whose]
        session.say_why(*out, why=why)
        return _describe_changed(len(out))

    return deed


def _bring_columns_back(session: Session) -> Deed:
    st.caption(f"{MOST_COLUMNS} columns at most can be used together.")

    def deed(session: Session, names: tuple[str, ...]) -> str:
        before = len(session.settings.schema or ())
        bring_back_each(session, names)
        return f"{words.count(len(session.settings.schema or ()) - before, 'column')} used again."

    return deed


def _change_each(change: Change) -> Deed:
    def deed(session: Session, names: tuple[str, ...]) -> str:
        assert session.settings.schema is not None
        used = [name for name in names if name in session.settings.schema.names]
        return _describe_changed(len(change_each(session, used, change)))

    return deed


def _describe_changed(changed: int) -> str:
    return f"{words.count(changed, 'column')} changed." if changed else "Nothing changed."


_FORMS: Final[Mapping[str, Callable[[Session], Deed]]] = {
    "What they contain": _ask_kind,
    "Missing values": _ask_missing,
    _MEANINGS: _ask_meanings,
    "Range and steps of numbers": _ask_range,
    "Values outside": _ask_values_outside,
    "Add a category": _ask_category,
    "Where they are known from": _ask_origin,
    "What they are to the table": _ask_role,
    "Mark as looked through": _mark_checked,
    "Leave them out": _leave_columns_out,
    "Use them again": _bring_columns_back,
    "Use only these": _use_only_these,
    "Keep them as empty columns": _keep_empty,
    "Why they are left out": _ask_why,
}
_VERBS: Final[Mapping[str, str]] = {
    "Mark as looked through": "Mark",
    "Leave them out": "Leave out",
    "Use them again": "Use",
    "Use only these": "Use only",
    "Add a category": "Add it to",
}
