"""Which dataset the open table belongs to, and saying that it is another one."""

from __future__ import annotations

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.ledger.book import Book, Dataset
from understudy_dashboard import words
from understudy_dashboard.frame import refuse, showing_refusals
from understudy_dashboard.recognising import reason_for
from understudy_dashboard.session import Session

_NEW = ""


def belonging(session: Session, book: Book, dataset: Dataset, presented: Dataset | None) -> None:
    """Say what the open table is taken for, and offer to correct it.

    Args:
        session: the page's state.
        book: all that the ledger says.
        dataset: what the table is taken for.
        presented: the same with the fingerprint of the table.
    """
    with st.container(border=True):
        st.markdown(
            f"The open table belongs to **{words.plain(dataset.name)}**: "
            f"{_recognised(session, book, dataset, presented)}"
        )
        if not _paid_for(book, dataset, presented):
            with st.expander("These are other people’s records"):
                _correct(session, book, dataset, presented)
        if session.belongs_to is not None:
            st.button(
                "Leave it to the ledger again",
                key="belongs-undo",
                on_click=_undo,
                args=(session,),
            )


def _undo(session: Session) -> None:
    session.belongs_to = session.new_people = None
    session.apart_because, session.apart_table = "", None


def _recognised(session: Session, book: Book, dataset: Dataset, presented: Dataset | None) -> str:
    """Return how the ledger comes to think so."""
    if session.belongs_to is not None:
        return "you said so. The ledger records it with the first run."
    if dataset.id not in book.datasets:
        return "the ledger has seen neither this table nor another of that name before."
    if _paid_for(book, dataset, presented):
        return "the ledger knows this very table by its fingerprint."
    return "its name is the same. If the people in it are the same too, that is right."


def _paid_for(book: Book, dataset: Dataset, presented: Dataset | None) -> bool:
    """Return whether this very table was run on before."""
    table = None if presented is None else presented.table
    return book.tables.get(table or "") == dataset.id


def _correct(session: Session, book: Book, dataset: Dataset, presented: Dataset | None) -> None:
    """Another dataset, named, with a sentence to confirm."""
    name = words.plain(dataset.name)
    st.markdown(
        f"What was spent on **{name}** counts here, as the same people may be in both. Where "
        "nobody is in both, say whose records these are instead."
    )
    others = [each.name for each in book.datasets.values() if each.id != dataset.id]
    picked = _NEW
    if others:
        picked = st.selectbox(
            "They belong to",
            [_NEW, *others],
            format_func=lambda each: each or "a new dataset",
            key="belongs-pick",
        )
    typed = ""
    if picked == _NEW:
        typed = st.text_input("Its name", key="belongs-name", placeholder="clinic survey 2024")
    agreed = st.checkbox(
        f"Nobody in this table is in “{name}”. I know that what was spent there will not count "
        "here, and that if I am wrong, more is spent on somebody than the ledger says.",
        key="belongs-agreed",
    )
    reason = st.text_input(
        "How you know that",
        key="belongs-reason",
        help="It is in the ledger where a table that was spent on looks alike.",
    )
    chosen = picked or typed.strip()
    if st.button(
        "Take it for that", key="belongs-take", disabled=not agreed, icon=":material/swap_horiz:"
    ):
        if not chosen:
            refuse(Refusal("The dataset has no name.", "Give it one, or choose one there is."))
            return
        with showing_refusals():
            session.apart_because = reason_for(reason)
            session.belongs_to, session.apart_table = chosen, None
            session.new_people = None if presented is None else presented.table
            _taken(session, chosen)


def _taken(session: Session, chosen: str) -> None:
    session.notices.append(f"The open table now belongs to {words.plain(chosen)}.")
    st.rerun()
