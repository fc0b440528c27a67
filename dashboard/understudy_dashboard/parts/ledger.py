"""The accounts of the ledger: what was spent on a dataset, and which dataset a table belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pandas as pd
import streamlit as st

from understudy.core.refusal import Refusal
from understudy.ledger.book import Balance, Book, Dataset, Run
from understudy.ledger.words import explain_shares
from understudy.mechanisms.companions import UNTAGGED
from understudy.mechanisms.plan import TAG
from understudy.privacy.budget import Budget, Neighbours
from understudy.runs.control import home_ledger
from understudy_dashboard import words
from understudy_dashboard.frame import show_refusal, showing_refusals
from understudy_dashboard.ledger_status import format_moment
from understudy_dashboard.methods.words import method_title, plan_words
from understudy_dashboard.open_project import read_reason
from understudy_dashboard.session import Session


def draw_books(book: Book) -> None:
    """Draw the check, and the export."""
    if not book.events:
        return
    st.subheader("The ledger as a whole", anchor=False)
    st.success(
        f"**Whole.** {words.count(book.events, 'event')}, each sealed with the hash of the one "
        "before, so that nothing in it can be changed unseen.",
        icon=":material/link:",
    )
    st.markdown(
        "**Its last hash.** Keep a copy elsewhere: it reveals later truncation or rewriting."
    )
    st.code(book.head, language=None)
    _check_against()
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


def _check_against() -> None:
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
            show_refusal(refusal)
            return
        st.success("The ledger leads on from that hash.", icon=":material/check:")


_NEW = ""


def draw_dataset(session: Session, book: Book, dataset: Dataset, presented: Dataset | None) -> None:
    """Say what the open table is taken for, and offer to correct it.

    Args:
        session: the page's state.
        book: all that the ledger says.
        dataset: what the table is taken for.
        presented: the same with the fingerprint of the table.
    """
    with st.container(border=True):
        st.markdown(
            f"The open table belongs to **{words.escape(dataset.name)}**: "
            f"{_explain_recognition(session, book, dataset, presented)}"
        )
        if not _was_run_on(book, dataset, presented):
            with st.expander("These are other people’s records"):
                _ask_correction(session, book, dataset, presented)
        if session.belongs_to is not None:
            st.button(
                "Leave it to the ledger again",
                key="belongs-undo",
                on_click=_undo_choice,
                args=(session,),
            )


def _undo_choice(session: Session) -> None:
    session.belongs_to = session.new_people = None
    session.apart_because, session.apart_table = "", None


def _explain_recognition(
    session: Session, book: Book, dataset: Dataset, presented: Dataset | None
) -> str:
    """Return why the ledger takes the open table for one of this dataset."""
    if session.belongs_to is not None:
        return "you said so. The ledger records it with the first run."
    if dataset.id not in book.datasets:
        return "the ledger has seen neither this table nor another of that name before."
    if _was_run_on(book, dataset, presented):
        return "the ledger knows this very table by its fingerprint."
    return "its name is the same. If the people in it are the same too, that is right."


def _was_run_on(book: Book, dataset: Dataset, presented: Dataset | None) -> bool:
    """Return whether this very table was run on before."""
    table = None if presented is None else presented.table
    return book.tables.get(table or "") == dataset.id


def _ask_correction(
    session: Session, book: Book, dataset: Dataset, presented: Dataset | None
) -> None:
    """Draw a choice of another dataset by name, with a sentence to confirm."""
    name = words.escape(dataset.name)
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
            show_refusal(
                Refusal("The dataset has no name.", "Give it one, or choose one there is.")
            )
            return
        with showing_refusals():
            session.apart_because = read_reason(reason)
            session.belongs_to, session.apart_table = chosen, None
            session.new_people = None if presented is None else presented.table
            _announce_dataset(session, chosen)


def _announce_dataset(session: Session, chosen: str) -> None:
    session.notices.append(f"The open table now belongs to {words.escape(chosen)}.")
    st.rerun()


_STARTING = Budget(3.0, 1e-8)
_BETWEEN = {
    Neighbours.TABLES: "with a person’s records, and without them",
    Neighbours.REPLACEMENTS: "of one number of records, a person’s replaced by others",
}


def draw_account(book: Book, balance: Balance) -> None:
    """Draw the account."""
    st.subheader(words.escape(balance.dataset.name), anchor=False)
    _draw_figures(balance)
    st.markdown(_explain_total(balance))
    if balance.unpromised:
        run = "further run" if balance.spends else "run"
        st.caption(
            f"{words.count(balance.unpromised, run)} promised nothing (a fixed seed, or no "
            "noise) and cannot be part of a total."
        )
    _ask_budget(balance)
    st.markdown("**Every run**")
    _draw_runs(book.runs_of(balance.dataset), book.run_shares(balance.dataset))
    if balance.spends:
        more = explain_shares(balance.spends)
        st.caption(f"{more} Every figure is rounded up.".strip())


def _draw_figures(balance: Balance) -> None:
    spent, budget, left = st.columns(3, border=True)
    allowed = balance.dataset.budget
    spent.metric(
        "Spent, ε",
        words.epsilon(balance.spent.epsilon) if balance.spent.bounded else "past any ε",
        help=words.HELP["epsilon"],
    )
    spent.caption(_describe_delta(balance.spent.delta if balance.spent.bounded else None))
    budget.metric("Budget, ε", "none set" if allowed is None else words.epsilon(allowed.epsilon))
    budget.caption(_describe_delta(None if allowed is None else allowed.delta))
    left.metric("Left, ε", "–" if balance.left is None else words.show_left(balance.left))
    left.caption(
        "Without a budget nothing is refused."
        if allowed is None
        else f"and δ = {words.show_left(max(0.0, allowed.delta - balance.spent.delta))}; a run "
        "that "
        "takes more is refused"
    )


def _describe_delta(delta: float | None) -> str:
    return " " if delta is None else f"at δ = {words.delta(delta)}"


def _explain_total(balance: Balance) -> str:
    """Return how the runs come to the total."""
    if not balance.spends:
        return "Nothing was spent on it yet."
    if len(balance.spends) == 1:
        return f"One run: what it promises is what was spent.{_describe_neighbours(balance)}"
    runs = words.count(len(balance.spends), "run")
    if not balance.spent.bounded:
        return f"Together, {runs} promise nothing to a person who has so many records."
    said = (
        f"{runs} on the same people add up, one by one, to {words.format_budget(balance.spent)}. "
        "That "
        f"holds however the settings of the later ones were chosen.{_describe_neighbours(balance)}"
    )
    population = balance.population
    if population is not None:
        said += (
            f" Between populations of which the table is a secret sample, that is "
            f"{words.format_budget(population)}; it says nothing about who is in the table."
        )
    composed = balance.fixed_beforehand
    if not composed.bounded:
        return said
    return (
        f"{said} Had all of them been fixed before the first, optimal composition would put them "
        f"at {words.format_budget(composed)}."
    )


def _describe_neighbours(balance: Balance) -> str:
    """Return between which tables, where those are not the usual ones."""
    if balance.neighbours is Neighbours.TABLES:
        return ""
    return f" It is a figure between {balance.neighbours.describe_inputs(1)}."


def _ask_budget(balance: Balance) -> None:
    """Set or change what may be spent."""
    allowed = balance.dataset.budget
    label = "Set a budget" if allowed is None else "Change the budget"
    shown = allowed or _STARTING
    with st.expander(label), st.form(f"budget-{balance.dataset.id}", border=False):
        st.markdown(
            "What may be spent on these people in all, over all runs. A run that would exceed it "
            "is refused before it draws its first random number."
        )
        epsilon, delta = st.columns(2)
        most = epsilon.number_input(
            "ε of the budget", value=shown.epsilon, step=0.5, format="%g", key="budget-epsilon"
        )
        added = delta.number_input(
            "δ of the budget", value=shown.delta, step=1e-9, format="%.3g", key="budget-delta"
        )
        kinds = list(_BETWEEN)
        usual = balance.neighbours if allowed is None else balance.dataset.neighbours
        between = st.radio(
            "Between which tables",
            kinds,
            index=kinds.index(usual),
            format_func=_BETWEEN.__getitem__,
            key="budget-neighbours",
            help="Figures are added only where they compare the same tables. A figure for a record "
            "added or removed counts for a replaced one at twice its ε; the other way there is no "
            "conversion, so a method that promises something only for replaced records is refused "
            "by the first kind of budget.",
        )
        st.caption(
            "The δ of all runs add up too: for ten runs at δ = 1e-9, allow 1e-8. Each change "
            "stays in the ledger for an auditor to see."
        )
        if st.form_submit_button("Save the budget", icon=":material/savings:"):
            _set_budget(balance, Budget(most, added), between)


def _set_budget(balance: Balance, budget: Budget, between: Neighbours) -> None:
    try:
        home_ledger().budget(balance.dataset.name, budget, neighbours=between)
    except Refusal as refusal:
        show_refusal(refusal)
        return
    st.rerun()


def _draw_runs(runs: tuple[Run, ...], shares: Mapping[str, Budget]) -> None:
    if not runs:
        st.caption("None yet.")
        return
    more = any(run.promised != shares.get(run.id) for run in runs)
    every = pd.DataFrame(
        [_row_of(run) | (_format_share(shares.get(run.id)) if more else {}) for run in runs]
    )
    shown = [name for name in every if name in _AT_A_GLANCE]
    st.dataframe(every[shown], hide_index=True, alt="Every run that was paid for")
    with st.expander("Settings, names and fingerprints of every run"):
        rest = [name for name in every if name not in shown]
        st.dataframe(
            every[["Run", *(name for name in rest if name != "Run")]],
            hide_index=True,
            alt="What else the ledger says of every run",
        )


_AT_A_GLANCE: Final = (
    "Planned",
    "State",
    "ε",
    "δ",
    "Adds to ε",
    "Adds to δ",
    "Method",
    "Counted",
)
"""The columns that there is room for, so that none is cut off; the others are a fold away."""


def _format_share(share: Budget | None) -> dict[str, str]:
    """Return what a run adds to the total, if some run adds more than it promises by itself."""
    if share is None:
        return {"Adds to ε": "nothing", "Adds to δ": ""}
    if not share.bounded:
        return {"Adds to ε": "past any ε", "Adds to δ": ""}
    return {"Adds to ε": words.epsilon(share.epsilon), "Adds to δ": words.delta(share.delta)}


def _row_of(run: Run) -> dict[str, Any]:
    debit, promised = run.debit, run.promised
    kind = str(debit.plan.get(TAG, UNTAGGED))
    return {
        "Planned": format_moment(run.planned),
        "State": words.OUTCOMES[run.state],
        "ε": "no promise" if promised is None else words.epsilon(promised.epsilon),
        "δ": "" if promised is None else words.delta(promised.delta),
        "Method": method_title(kind),
        **plan_words(kind).ledger(debit),
        "Records per person": debit.records_per_person,
        **_list_hashes(run.artefacts),
        "Run": run.id,
    }


def _list_hashes(artefacts: Mapping[str, str]) -> dict[str, str]:
    """Return what was released, by its fingerprints: a table, or all outputs."""
    names = {name: sha256 for name, sha256 in artefacts.items() if name != "guarantee.json"}
    alone = len(names) < 2
    several = "\n".join(f"{sha256} {name}" for name, sha256 in sorted(names.items()))
    return {
        "Outputs, SHA-256": next(iter(names.values()), "") if alone else several,
        "Guarantee, SHA-256": artefacts.get("guarantee.json", ""),
    }
