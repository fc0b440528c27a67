"""Whose records the open table holds: what is found, and the custodian's word before anything is
spent."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dashboard import words
from dashboard.frame import showing_refusals
from dashboard.internal import internal
from dashboard.recognising import reason_for
from dashboard.session import Session
from dashboard.signin import person
from dashboard.spending import book, own, unsaid
from engine.core.numerals import percent
from engine.ledger.book import Book, Dataset
from engine.ledger.people import Alike, OpenQuestions
from engine.ledger.sketch import Share

_NEW, _SAME = "new", "same"
_SOMEBODY = "a dataset of somebody else on this server"
_COMPARED = "Compared with what the ledger knows its tables by."


def whose(session: Session) -> bool:
    """Ask whose records the open table holds, where that was not said.

    Returns:
        Whether nothing is left to be said.

    Raises:
        Refusal: the ledger cannot be used.
    """
    asked = unsaid(session)
    if asked is None:
        return True
    with st.container(border=True):
        st.subheader("Whose records are these?", anchor=False)
        st.markdown(
            "What is spent on the same people adds up, in whatever file they come. Nobody but you "
            "can tell who is in this table, so nothing is spent before you said it."
        )
        found = book(session)
        resemblance(asked.alike, found)
        with showing_refusals():
            _answer(session, asked, found)
    return False


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
        parts.append(f"{columns} of it, from top to bottom, stood in a table of **{name}** too.")
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
    """What a dataset is called; of other people's not even the name is shown."""
    return words.plain(dataset.name) if dataset.id in own(found, person()).datasets else _SOMEBODY


def _answer(session: Session, asked: OpenQuestions, found: Book) -> None:
    likely = [each.dataset for each in asked.alike]
    further = [each for each in own(found, person()).datasets.values() if found.has_people(each)]
    known = [*likely, *(each for each in further if each.id not in {one.id for one in likely})]
    choices = {_NEW: _new(asked), _SAME: "They are people of a dataset here, or some of them are"}
    said = st.radio(
        "Who is in it?",
        [_NEW, _SAME] if known else [_NEW],
        index=None,
        format_func=choices.__getitem__,
        key="whose",
    )
    picked, reason = known[0] if known else None, ""
    if said == _SAME:
        picked = st.selectbox(
            "Of which",
            known,
            format_func=lambda each: named(each, found),
            key="whose-dataset",
            help="What was spent on them counts, and so will this run.",
        )
    elif said == _NEW and likely:
        reason = st.text_input(
            "How you know that nobody is in both",
            key="whose-reason",
            help="It stands in the ledger, with your word that they are others.",
        )
    if st.button(
        "That is so",
        key="whose-said",
        type="primary",
        disabled=said is None,
        icon=":material/check:",
    ):
        if said == _SAME and picked is not None:
            session.belongs_to, session.new_people = picked.name, None
        else:
            session.apart_because = reason_for(reason) if likely else ""
            session.new_people = asked.dataset.table
        st.rerun()


def _new(asked: OpenQuestions) -> str:
    if asked.alike and not asked.unknown:
        name = words.plain(asked.dataset.name)
        return f"They are people of “{name}”, and none of them is in the others"
    return "Nobody in it is in a table that was used here before"
