"""The account of one dataset: its budget, what was spent, what is left, and every run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pandas as pd
import streamlit as st

from understudy.core.refusal import Refusal
from understudy.ledger.book import Balance, Book, Run
from understudy.ledger.words import explain_shares
from understudy.mechanisms.companions import UNTAGGED
from understudy.mechanisms.plan import TAG
from understudy.privacy.budget import Budget, Neighbours
from understudy.runs.control import home_ledger
from understudy_dashboard import words
from understudy_dashboard.frame import refuse
from understudy_dashboard.methods.words import title_of, words_of
from understudy_dashboard.spending import moment

_STARTING = Budget(3.0, 1e-8)
_BETWEEN = {
    Neighbours.TABLES: "with a person’s records, and without them",
    Neighbours.REPLACEMENTS: "of one number of records, a person’s replaced by others",
}


def dataset_account(book: Book, balance: Balance) -> None:
    """Draw the account."""
    st.subheader(words.plain(balance.dataset.name), anchor=False)
    _figures(balance)
    st.markdown(_adds_up(balance))
    if balance.unpromised:
        run = "further run" if balance.spends else "run"
        st.caption(
            f"{words.count(balance.unpromised, run)} promised nothing (a fixed seed, or no "
            "noise) and cannot be part of a total."
        )
    _budget(balance)
    st.markdown("**Every run**")
    _runs(book.runs_of(balance.dataset), book.run_shares(balance.dataset))
    if balance.spends:
        more = explain_shares(balance.spends)
        st.caption(f"{more} Every figure is rounded up.".strip())


def _figures(balance: Balance) -> None:
    spent, budget, left = st.columns(3, border=True)
    allowed = balance.dataset.budget
    spent.metric(
        "Spent, ε",
        words.epsilon(balance.spent.epsilon) if balance.spent.bounded else "past any ε",
        help=words.HELP["epsilon"],
    )
    spent.caption(_at(balance.spent.delta if balance.spent.bounded else None))
    budget.metric("Budget, ε", "none set" if allowed is None else words.epsilon(allowed.epsilon))
    budget.caption(_at(None if allowed is None else allowed.delta))
    left.metric("Left, ε", "–" if balance.left is None else words.left(balance.left))
    left.caption(
        "Without a budget nothing is refused."
        if allowed is None
        else f"and δ = {words.left(max(0.0, allowed.delta - balance.spent.delta))}; a run that "
        "takes more is refused"
    )


def _at(delta: float | None) -> str:
    return " " if delta is None else f"at δ = {words.delta(delta)}"


def _adds_up(balance: Balance) -> str:
    """Return how the runs come to the total."""
    if not balance.spends:
        return "Nothing was spent on it yet."
    if len(balance.spends) == 1:
        return f"One run: what it promises is what was spent.{_between(balance)}"
    runs = words.count(len(balance.spends), "run")
    if not balance.spent.bounded:
        return f"Together, {runs} promise nothing to a person who has so many records."
    said = (
        f"{runs} on the same people add up, one by one, to {words.budget(balance.spent)}. That "
        f"holds however the settings of the later ones were chosen.{_between(balance)}"
    )
    population = balance.population
    if population is not None:
        said += (
            f" Between populations of which the table is a secret sample, that is "
            f"{words.budget(population)}; it says nothing about who is in the table."
        )
    composed = balance.fixed_beforehand
    if not composed.bounded:
        return said
    return (
        f"{said} Had all of them been fixed before the first, optimal composition would put them "
        f"at {words.budget(composed)}."
    )


def _between(balance: Balance) -> str:
    """Between which tables, where those are not the usual ones."""
    if balance.neighbours is Neighbours.TABLES:
        return ""
    return f" It is a figure between {balance.neighbours.compared(1)}."


def _budget(balance: Balance) -> None:
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
            _set(balance, Budget(most, added), between)


def _set(balance: Balance, budget: Budget, between: Neighbours) -> None:
    try:
        home_ledger().budget(balance.dataset.name, budget, neighbours=between)
    except Refusal as refusal:
        refuse(refusal)
        return
    st.rerun()


def _runs(runs: tuple[Run, ...], shares: Mapping[str, Budget]) -> None:
    if not runs:
        st.caption("None yet.")
        return
    more = any(run.promised != shares.get(run.id) for run in runs)
    every = pd.DataFrame([_row(run) | (_share(shares.get(run.id)) if more else {}) for run in runs])
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
    "Planned", "State", "ε", "δ", "Adds to ε", "Adds to δ", "Method", "Counted",
)  # fmt: skip
"""The columns that there is room for, so that none is cut off; the others are a fold away."""


def _share(share: Budget | None) -> dict[str, str]:
    """Return what a run adds to the total, if some run adds more than it promises by itself."""
    if share is None:
        return {"Adds to ε": "nothing", "Adds to δ": ""}
    if not share.bounded:
        return {"Adds to ε": "past any ε", "Adds to δ": ""}
    return {"Adds to ε": words.epsilon(share.epsilon), "Adds to δ": words.delta(share.delta)}


def _row(run: Run) -> dict[str, Any]:
    debit, promised = run.debit, run.promised
    kind = str(debit.plan.get(TAG, UNTAGGED))
    return {
        "Planned": moment(run.planned),
        "State": words.OUTCOMES[run.state],
        "ε": "no promise" if promised is None else words.epsilon(promised.epsilon),
        "δ": "" if promised is None else words.delta(promised.delta),
        "Method": title_of(kind),
        **words_of(kind).ledger(debit),
        "Records per person": debit.records_per_person,
        **_hashes(run.artefacts),
        "Run": run.id,
    }


def _hashes(artefacts: Mapping[str, str]) -> dict[str, str]:
    """Return what was released, by its fingerprints: a table, or all outputs."""
    names = {name: sha256 for name, sha256 in artefacts.items() if name != "guarantee.json"}
    alone = len(names) < 2
    several = "\n".join(f"{sha256} {name}" for name, sha256 in sorted(names.items()))
    return {
        "Outputs, SHA-256": next(iter(names.values()), "") if alone else several,
        "Guarantee, SHA-256": artefacts.get("guarantee.json", ""),
    }
