"""The ledger as a whole: that nobody changed it, and taking it to an auditor."""

from __future__ import annotations

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.ledger.book import Book
from understudy.runs.control import home_ledger
from understudy_dashboard import words
from understudy_dashboard.frame import refuse


def books(book: Book) -> None:
    """The check, and the export."""
    if not book.events:
        return
    st.subheader("The ledger as a whole", anchor=False)
    st.success(
        f"**Whole.** {words.count(book.events, 'event')}, each sealed with the hash of the one "
        "before, so that nothing in it can be changed unseen.",
        icon=":material/link:",
    )
    st.markdown(
        "**Its last hash.** Whoever notes it elsewhere can tell later whether the end was cut "
        "off, or all of it written anew."
    )
    st.code(book.head, language=None)
    _against()
    st.download_button(
        "Export the ledger",
        data=lambda: home_ledger().export().encode(),
        file_name="ledger.jsonl",
        mime="application/jsonl",
        on_click="ignore",
        icon=":material/download:",
        key="ledger-export",
    )
    st.caption(
        ":material/shield_person: For a review board or an auditor: the settings of every run, "
        "what it spent, when it was planned, how it ended, and the hashes of what was released. "
        "It holds no internal figures and nothing a guess of the table could be tested against. "
        "Not for publication: that a run was started, stopped or failed, and when, is covered by "
        "no guarantee."
    )


def _against() -> None:
    """Check the chain against a hash from elsewhere."""
    noted = st.text_input(
        "A hash noted earlier, to check against", key="ledger-head", placeholder="64 hex digits"
    ).strip()
    with st.container():
        if not noted:
            return
        try:
            home_ledger().verify(noted)
        except Refusal as refusal:
            refuse(refusal)
            return
        st.success("The ledger leads on from that hash.", icon=":material/check:")
