"""Whether a column is a survey weight, whether it is used, and what weights add up to."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.table.authoring.edits import with_population, with_role
from understudy.table.authoring.first_schema import WEIGHT_NOTE
from understudy.table.authoring.identifiers import is_called_weight
from understudy.table.cells import parse_number
from understudy.table.column import Column, Role
from understudy_dashboard import words
from understudy_dashboard.frame import show_refusal
from understudy_dashboard.session import Session

_ANSWERS: Final[dict[Role, str]] = {
    "weight": "Yes, use it",
    "other weight": "Yes, but do not use it",
    "": "No",
}


def draw_weight(session: Session, column: Column) -> None:
    """Draw the questions on a survey weight; nothing for a column that is none and is not called
    like one."""
    called = column.domain.numeric and is_called_weight(column.name) and not column.role
    if not called and column.role not in ("weight", "other weight"):
        return
    _ask_use(session, column)
    if column.role == "weight":
        _draw_others(session, column)
        _ask_population(session, column)


def _ask_use(session: Session, column: Column) -> None:
    """Ask whether a column is a survey weight and is used; nobody has said so before an answer."""
    said = bool(column.role) or column.name in session.editing.checked
    answers = list(_ANSWERS)
    answer: Role | None = st.radio(
        "Is it a survey weight?",
        answers,
        index=answers.index(column.role) if said else None,
        format_func=_ANSWERS.__getitem__,
        key=f"weight-{column.name}-{session.revision}",
        horizontal=True,
        help="A weight that is used is modelled in few cells, so that noise leaves its total what "
        "it is; released rows are weighted with it, and so is the evaluation. One that nobody "
        "will use costs detail elsewhere: leave the column out.",
    )
    if answer is None or (said and answer == column.role):
        return
    _settle_note(session, column.name)
    if not answer:
        session.editing.checked.add(column.name)
    session.describe(session.settings.require_schema().replace(with_role(column, answer)))
    st.rerun()


def _settle_note(session: Session, name: str) -> None:
    """Take away the note that asks whether a column is a survey weight."""
    notes = session.data.notes.get(name, ())
    rest = tuple(note for note in notes if note != WEIGHT_NOTE)
    session.data.notes = {**session.data.notes, name: rest}


def _draw_others(session: Session, column: Column) -> None:
    """Name other weights that are used too, of which one has to be chosen."""
    others = [name for name in session.settings.require_schema().weights if name != column.name]
    if others:
        named = ", ".join(map(words.escape, others))
        st.warning(
            f"Used as survey weights are also: {named}. Say of all but one that it is not used.",
            icon=":material/balance:",
        )


def _ask_population(session: Session, column: Column) -> None:
    """Ask for the public number that all weights of the population add up to."""
    before = column.population
    typed = st.text_input(
        "All weights of the population add up to",
        value="" if before is None else f"{before:f}",
        key=f"population-{column.name}-{session.revision}",
        placeholder="a public number, such as 8900000; optional",
        help="Take it from a publication, and not from your table. The packet then says by what "
        "released weights are multiplied for totals of the population, and files for SPSS and "
        "Stata have a column that is.",
    ).strip()
    try:
        changed = with_population(column, _read_number(typed))
        if changed == column:
            return
    except Refusal as refusal:
        show_refusal(refusal)
        return
    session.describe(session.settings.require_schema().replace(changed), by_form=True)
    st.rerun()


def _read_number(typed: str) -> Decimal | None:
    """Return the number that was typed, separators left out; None for nothing.

    Raises:
        Refusal: it is no number.
    """
    number = parse_number(typed.replace(",", "").replace(" ", ""))
    if typed and number is None:
        raise Refusal(f"“{typed}” is no number.", "Enter one such as 8900000.", field="population")
    return number
