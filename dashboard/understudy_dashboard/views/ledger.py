"""Ledger: whose records were spent how much on, what may still be spent, and the proof of it."""

from __future__ import annotations

import streamlit as st

from understudy.ledger.book import Balance, Book
from understudy_dashboard.frame import draw_link, show_page
from understudy_dashboard.ledger_status import balance_of, dataset_of, keep_own_datasets, open_book
from understudy_dashboard.parts.ledger import draw_account, draw_books, draw_dataset
from understudy_dashboard.people import LOCAL
from understudy_dashboard.session import Session
from understudy_dashboard.sign_in import current_person

_KEY = "ledger-dataset"


def _draw_body(session: Session) -> None:
    who = current_person()
    found, here = keep_own_datasets(open_book(session), who), balance_of(session)
    if here is not None and session.data.table is not None:
        draw_dataset(session, found, here.dataset, dataset_of(session))
    shown = _choose_dataset(found, here)
    if shown is None:
        st.info(
            "Nothing was run yet, and no budget is set. Open a table, and its account is shown "
            "here.",
            icon=":material/menu_book:",
        )
        draw_link("data", "Go to Data", ":material/arrow_back:")
        return
    draw_account(found, shown)
    if who is LOCAL:
        draw_books(found)
    else:
        st.caption(
            ":material/menu_book: You see the datasets of your own projects. The ledger as a whole "
            "is with whoever runs this server, who checks and exports it on the command line."
        )


def _choose_dataset(found: Book, here: Balance | None) -> Balance | None:
    """Return the dataset to look at: that of the open table first; None if there is none at all."""
    by_id = {each.dataset.id: each for each in found.balances}
    if here is not None:
        by_id = {here.dataset.id: here, **by_id}
    if len(by_id) > 1:
        if st.session_state.get(_KEY) not in by_id:
            st.session_state[_KEY] = next(iter(by_id))
        picked = st.selectbox(
            "Dataset",
            list(by_id),
            format_func=lambda each: by_id[each].dataset.name,
            key=_KEY,
        )
        return by_id[picked]
    return next(iter(by_id.values()), None)


show_page(
    "Ledger",
    "What was spent on whose records, and what may still be spent. Entries are only ever added.",
    _draw_body,
)
