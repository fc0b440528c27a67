"""Columns that follow from others: the list, what the open table holds in them, the form of one,
and what seems to be one."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import cycle
from typing import Final

import streamlit as st

from understudy.charts.scales import shorten
from understudy.core.refusal import Refusal
from understudy.table.authoring.derivation_edits import list_pairs
from understudy.table.authoring.derivation_suggestions import DerivationSuggestion
from understudy.table.derivations.derivation import FORMULA, Derivation, FormField
from understudy.table.derivations.derived_column import DerivedColumn
from understudy.table.derivations.registry import (
    class_of_derivation,
    list_examples,
    list_kinds_of_derivations,
    parse_formula,
)
from understudy.table.sources.reading import read_table
from understudy_dashboard import words
from understudy_dashboard.frame import (
    IconButton,
    draw_with_buttons,
    mark_internal,
    show_internal,
    show_refusal,
)
from understudy_dashboard.schema_edits import try_change
from understudy_dashboard.session import Session

_LEAD: Final = (
    "A total, an age or the length of a stay follows from other columns. Derive it, and released "
    "rows never contradict themselves in it: no model sees it, it costs no budget, and it is "
    "computed last from the other values of its row. Its formula is published."
)
_LONGEST: Final = 200
_TYPED: Final = "formula"
_NEW: Final = ""
_PAIRS: Final = "pairs"
"""The field of a look-up that a file can fill."""
_FORM: Final = "derivation"


def draw_derivations(session: Session) -> None:
    """Draw the derived columns of the schema, the form of a new one, and suggestions."""
    schema = session.settings.require_schema()
    st.subheader("Columns that follow from others", anchor=False)
    st.markdown(_LEAD)
    for derived in schema.derived:
        draw_derived(session, derived)
    with st.expander("Derive a column", icon=":material/function:"):
        _draw_form(session)
    _draw_suggestions(session)


def draw_derived(session: Session, derived: DerivedColumn, where: str = "list") -> None:
    """Draw a derived column: how it is computed, what the table holds, and the way back."""
    with st.container(border=True, key=f"derived-{where}-{derived.name}"):
        draw_with_buttons(
            f"**{words.escape(derived.name)}**: {words.escape(derived.formula.words)}",
            IconButton(
                key=f"underive-{where}-{derived.name}",
                icon=":material/delete:",
                help="Do not derive it. A column of your file is in the model again.",
                on_click=partial(
                    try_change, session, partial(session.drop_derivation, derived.name)
                ),
            ),
            explanation=words.escape(shorten(derived.formula.formula, _LONGEST)),
        )
        if session.data.table is not None and derived.name in session.data.table.raw.names:
            _draw_mismatch(session, derived, where)


def _draw_mismatch(session: Session, derived: DerivedColumn, where: str) -> None:
    """Draw in how many records of the open table the column is something else."""
    found = session.data.derivation_mismatches(session.settings.require_schema())
    mismatch = next((each for each in found if each.column == derived.name), None)
    if mismatch is None:
        outcome = "Not compared with the table."
    elif mismatch.records:
        outcome = (
            f"**{mismatch.records:,}** of {words.count(mismatch.looked_at, 'row')} of the "
            "table hold something else. The formula is what counts."
        )
    else:
        rows = words.count(mismatch.looked_at, "row")
        outcome = f"All {rows} of the table hold what the formula gives."
    show_internal(f"derived-check-{where}-{derived.name}", outcome)


# The form.


def _draw_form(session: Session) -> None:
    """Draw what is asked for to derive a column: its name, the kind, and what that kind needs."""
    called, computed = st.columns(2)
    with called:
        name = _ask_name(session)
    titles = {**list_kinds_of_derivations(), _TYPED: "A formula that I type"}
    kind = computed.selectbox(
        "Computed as",
        list(titles),
        format_func=titles.__getitem__,
        key=f"{_FORM}-kind-{session.revision}",
    )
    make = _ask_formula(session) if kind == _TYPED else _ask_fields(session, kind)
    with st.container():
        if any(name in rule.names for rule in session.settings.require_schema().rules):
            with suppress(Refusal):
                _draw_moved(session, name, make())
    refused = st.container()
    if not st.button("Derive it", key=f"{_FORM}-keep", icon=":material/check:", type="primary"):
        return
    try:
        if not name:
            raise Refusal("The new column has no name.", "Type one.", field="name")
        session.derive(name, make())
    except Refusal as refusal:
        with refused:
            show_refusal(refusal)
        return
    st.rerun()


def _ask_name(session: Session) -> str:
    """Draw which column is to be derived, and return its name; "" while it has none."""
    table, turn = session.data.table, session.revision
    taken = {each.name for each in session.settings.require_schema().derived}
    in_file = () if table is None else table.raw.names
    name = st.selectbox(
        "Column",
        [_NEW, *(each for each in in_file if each not in taken)],
        format_func=lambda each: each or "A new one",
        key=f"{_FORM}-name-{turn}",
        help="A column of your file leaves the model. A new one is added to what is released.",
    )
    if name == _NEW:
        name = st.text_input("Name of the new column", key=f"{_FORM}-new-{turn}")
    return name.strip()


def _ask_formula(session: Session) -> Callable[[], Derivation]:
    """Draw where a formula is typed, and return what makes a derivation of it."""
    typed = st.text_input(
        "Formula",
        key=f"{_FORM}-{FORMULA}-{session.revision}",
        placeholder=list_examples()[0],
        help="Such as " + "; ".join(f"`{each}`" for each in list_examples()),
    )
    return lambda: parse_formula(typed)


def _ask_fields(session: Session, kind: str) -> Callable[[], Derivation]:
    """Draw the fields of a kind of derivation, and return what makes one of them."""
    schema, turn = session.settings.require_schema(), session.revision
    columns = [*schema.of_file.names, *(each.name for each in schema.derived)]
    derivation, texts = class_of_derivation(kind), dict[str, list[str]]()
    for each, place in zip(derivation.fields, cycle(st.columns(2)), strict=False):
        with place:
            texts[each.name] = _ask(each, columns, f"{kind}-{turn}")
    given = None
    if _PAIRS in texts:
        given = st.file_uploader(
            "Or a file with codes in its first column and texts in its second",
            type=["csv", "xlsx"],
            key=f"{_FORM}-file-{turn}",
        )

    def make() -> Derivation:
        if given is not None:
            pairs = list_pairs(read_table(given.getvalue(), name=given.name, trusted=False))
            texts[_PAIRS] = [f"{code} = {text}" for code, text in pairs]
        return derivation.from_form(texts)

    return make


def _ask(field: FormField, columns: list[str], turn: str) -> list[str]:
    """Draw one field of a derivation, and return what stands in it."""
    key, about = f"{_FORM}-{field.name}-{turn}", field.help or None
    label = f"{field.label} (optional)" if field.optional else field.label
    if field.shape == "columns":
        return st.multiselect(label, columns, key=key, help=about)
    if field.shape == "column":
        chosen = st.selectbox(label, columns, index=None, key=key, help=about)
        return [] if chosen is None else [chosen]
    if field.shape == "lines":
        return st.text_area(label, key=key, help=about).splitlines()
    if field.options:
        return [st.selectbox(label, field.options, key=key, help=about)]
    return [st.text_input(label, key=key, help=about)]


# What seems to be derived.


def _draw_suggestions(session: Session) -> None:
    schema = session.settings.require_schema()
    if session.data.table is None:
        return
    found = session.data.derivation_suggestions(schema)
    if not found:
        return
    seem = "seems" if len(found) == 1 else "seem"
    title = f"{words.count(len(found), 'column')} that {seem} to follow from others"
    with st.expander(title), mark_internal("derivation-suggestions"):
        st.markdown(
            "Read off your table, and none is used. Derive those of which everybody knows it "
            "without the table, such as a total on a form or a published list of codes."
        )
        for suggestion in found:
            draw_suggested_derivation(session, suggestion, "list")


def draw_suggested_derivation(
    session: Session, suggestion: DerivationSuggestion, where: str
) -> None:
    """Draw a suggestion and the button that follows it."""
    text, adopt = st.columns([7, 2], vertical_alignment="center")
    text.markdown(
        f"**{words.escape(suggestion.column)}**: {words.escape(suggestion.derivation.words)}",
        help=words.escape(shorten(suggestion.derivation.formula, _LONGEST)),
    )
    adopt.button(
        "Derive it",
        key=f"derive-{where}-{suggestion.column}",
        icon=":material/function:",
        on_click=partial(
            try_change, session, partial(session.derive, suggestion.column, suggestion.derivation)
        ),
        width="stretch",
    )
    _draw_moved(session, suggestion.column, suggestion.derivation)


def _draw_moved(session: Session, name: str, derivation: Derivation) -> None:
    """Say what will become of the rules on a column once it is derived."""
    moved = session.moved_rules(name, derivation)
    said = [
        f"“{words.escape(rule.title)}” {becomes}"
        for rules, becomes in (
            (moved.lost, "leaves with it, as it cannot be written on other columns"),
            (moved.idle, "is always true then, and is taken out"),
            (
                [rule for rule in session.settings.require_schema().rules
                 if rule.text in moved.rewritten],
                "will stand on the columns that it is derived from",
            ),
        )
        for rule in rules
    ]  # fmt: skip
    if said:
        st.caption(f":material/rule: If you derive it: {'; '.join(said)}.")
