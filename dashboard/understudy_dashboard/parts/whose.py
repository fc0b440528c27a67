"""Whose records the open table holds: what is found, and the custodian's word before anything is
spent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import streamlit as st

from understudy.core.numerals import percent
from understudy.ledger.book import Book, Dataset
from understudy.ledger.people import Alike
from understudy.ledger.sketch import Share
from understudy_dashboard import words
from understudy_dashboard.internal import internal
from understudy_dashboard.parts.controls import fill
from understudy_dashboard.session import Session
from understudy_dashboard.signin import person
from understudy_dashboard.spending import alike, book, dataset, own, unsaid, usual_dataset

_KEY, _REASON = "whose", "whose-reason"
_WHO: Final = "Who is in it?"
_NEW: Final = "new"
_NOBODY: Final = "Nobody in it is in a table that was used here before"
_FEW: Final = 6
"""So many choices stand beside one another; more are a list."""
_SOMEBODY = "a dataset of somebody else on this server"
_COMPARED = "Compared with what the ledger knows its tables by."


def whose(session: Session) -> None:
    """Ask whose records the open table holds, and show the answer; it counts as it is given.

    Raises:
        Refusal: the ledger cannot be used.
    """
    presented = dataset(session)
    assert presented is not None
    found = book(session)
    st.markdown("**Whose records are these?**")
    paid = found.datasets.get(found.tables.get(presented.table or "", ""))
    if paid is not None:
        st.markdown(
            f"The ledger knows this very table as **{named(paid, found)}**. What was spent on it "
            "counts, and so will every run."
        )
        return
    st.markdown(
        "What is spent on the same people adds up, in whatever file they come. Nobody but you can "
        "tell who is in this table."
    )
    resembling = alike(session)
    resemblance(resembling, found)
    _who(session, presented, found, [each.dataset for each in resembling])
    asked = unsaid(session)
    chosen = _current_choice(session, presented, found)
    if chosen is not None and ((asked is not None and asked.alike) or _reason(session)):
        _because(session, presented)


def resemblance(alike: Sequence[Alike], found: Book) -> None:
    """Say what a table has in common with tables that were spent on."""
    if not alike:
        return
    with internal("resemblance", _COMPARED):
        for each in alike:
            st.markdown(_said(each, found))


def _said(alike: Alike, found: Book) -> str:
    name, overlap = named(alike.dataset, found), alike.overlap
    if overlap is None:
        return (
            f"The sketch of a table of **{name}** is missing from the ledger’s folder, so this "
            f"one cannot be compared with it. {_spent(alike.dataset, found)}"
        )
    parts = []
    if overlap.of_this.found:
        parts.append(
            f"**{_share(overlap.of_this)} of its different rows** were in a table of **{name}**, "
            f"and {_share(overlap.of_other)} of that table’s are in it."
        )
    if overlap.columns:
        columns = words.count(overlap.columns, "column")
        parts.append(f"{columns} of it are identical to columns of a table of **{name}**.")
    return f"{' '.join(parts)} {_spent(alike.dataset, found)} Are they the same people?"


def _share(share: Share) -> str:
    low, high = share.interval
    return f"{percent(share.estimate)} ({percent(low)} to {percent(high)})"


def _spent(dataset: Dataset, found: Book) -> str:
    spent = found.balance(dataset).spent
    if not spent.bounded:
        return "More than any ε was spent on it."
    return f"ε = {words.epsilon(spent.epsilon)} was spent on it."


def named(dataset: Dataset, found: Book) -> str:
    """Return what a dataset is called; of other people's not even the name is shown."""
    return words.plain(dataset.name) if dataset.id in own(found, person()).datasets else _SOMEBODY


def _who(session: Session, presented: Dataset, found: Book, resembling: Sequence[Dataset]) -> None:
    """Ask for new people, or those of a dataset."""
    usual = usual_dataset(session)
    by_name = [usual] if found.has_people(usual) else []
    mine = [each for each in own(found, person()).datasets.values() if found.has_people(each)]
    known = {each.id: each for each in (*by_name, *resembling, *mine)}
    chosen = _current_choice(session, presented, found)
    choices = {} if by_name and chosen != _NEW else {_NEW: _NOBODY}
    for each in known.values():
        choices[each.id] = f"They are people of “{named(each, found)}”, or some of them are"
    fill(_KEY, chosen if chosen in choices else None)
    settings: dict[str, Any] = {
        "index": None,
        "format_func": choices.__getitem__,
        "key": _KEY,
        "on_change": _take,
        "args": (session, presented.table, known),
    }
    if len(choices) <= _FEW:
        st.radio(_WHO, list(choices), **settings)
    else:
        st.selectbox(_WHO, list(choices), **settings)
    if by_name and session.belongs_to is None and chosen != _NEW:
        st.caption(
            "Its name is the same, so what was spent there counts here. Where nobody is in both, "
            "say so under Ledger."
        )


def _current_choice(session: Session, presented: Dataset, found: Book) -> str | None:
    """Return which of the choices was made."""
    if session.new_people is not None and session.new_people == presented.table:
        return _NEW
    if session.belongs_to is not None or found.has_people(presented):
        return presented.id
    return None


def _take(session: Session, table: str | None, known: Mapping[str, Dataset]) -> None:
    picked = st.session_state[_KEY]
    if picked == _NEW:
        session.belongs_to, session.new_people = None, table
    else:
        session.belongs_to = None if picked is None else known[picked].name
        session.new_people = None


def _reason(session: Session) -> str:
    """Return the reason that was given of this table; "" for none."""
    found = dataset(session)
    return "" if found is None else found.said.reason


def _because(session: Session, presented: Dataset) -> None:
    """Ask why the people are not those of a table that looks like theirs."""
    fill(_REASON, _reason(session))
    st.text_input(
        "How you know that nobody is in both",
        key=_REASON,
        placeholder="such as: another clinic, whose patients are others",
        on_change=_take_reason,
        args=(session, presented),
        help="It is in the ledger, with your word that they are others.",
    )


def _take_reason(session: Session, presented: Dataset) -> None:
    session.apart_because = " ".join(st.session_state[_REASON].split())
    session.apart_table = presented.table
