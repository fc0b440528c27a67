"""The meter: the total of the plan as it stands and what its dataset has left, always in view."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.ledger.book import Balance
from understudy.ledger.totals import Spend, add_up
from understudy.privacy.budget import Neighbours
from understudy.runs.debit import make_debit
from understudy_dashboard import words
from understudy_dashboard.frame import showing_refusals
from understudy_dashboard.glossary import explain_terms
from understudy_dashboard.ledger_status import balance_of
from understudy_dashboard.methods.words import plan_words
from understudy_dashboard.questions import list_open_questions
from understudy_dashboard.session import Session


def draw_meter(session: Session) -> None:
    """Draw the meter."""
    with st.container(key="meter", gap="small"):
        st.markdown("**What this plan promises**")
        with showing_refusals():
            _draw_plan(session)
        with showing_refusals():
            _draw_dataset(session)


def _draw_plan(session: Session) -> None:
    if session.settings.schema is None:
        st.caption(
            explain_terms("Open a table, and the total (ε, δ) of what you plan is shown here.")
        )
        return
    left = list_open_questions(session)
    if left:
        st.caption(":material/help: No total yet: a question on **Data** is open.")
        return
    try:
        decided = session.settings.planned_run()
    except Refusal:
        st.caption(
            ":material/block: No total yet: **Privacy** says what there is to mend in this plan."
        )
        return
    promised, covered = (
        decided.guarantee.total,
        plan_words(session.settings.method).cover_line(decided),
    )
    if not promised.bounded:
        st.warning(covered, icon=":material/warning:")
        return
    epsilon, delta = st.columns(2, gap="small")
    epsilon.metric("Total ε", words.epsilon(promised.epsilon), help=words.HELP["epsilon"])
    delta.metric("Total δ", words.delta(promised.delta), help=words.HELP["delta"])
    st.caption(explain_terms(covered))
    population = words.describe_population(decided.guarantee.population)
    if population is not None:
        st.caption(population)


def _draw_dataset(session: Session) -> None:
    """Draw what was spent on the records that are open, what this run takes, and what is left."""
    found = balance_of(session)
    if found is None:
        return
    planned, taken = _plan_run(session)
    st.markdown(f"**{words.escape(found.dataset.name)}**, all its runs")
    spent = (
        "nothing" if not found.spends else _format_epsilon(found.spent.epsilon, found.spent.bounded)
    )
    lines = [
        ("Spent so far", spent),
        ("The next run takes", _describe_taken(found, taken) if planned else "–"),
    ]
    if found.left is not None:
        lines.append(("Left of its budget", words.show_left(found.left)))
        lines.append(("Left after that run", _describe_left(found, taken) if planned else "–"))
    _draw_table("Ledger", "ε", lines)
    if taken is not None:
        converted = _describe_conversion(found, taken)
        if converted:
            st.caption(converted)
    if found.left is None:
        st.caption("It has no budget. You can set one under Ledger.")
    if found.unpromised:
        st.caption(_describe_unpromised(found))


def _plan_run(session: Session) -> tuple[bool, Spend | None]:
    """Return whether the settings make a plan, and what a run of it would add; None for no
    promise."""
    if list_open_questions(session):
        return False, None
    try:
        return True, make_debit(session.settings.planned_run()).spend
    except Refusal:
        return False, None


def _describe_taken(found: Balance, taken: Spend | None) -> str:
    """Return what the run takes, as the ledger adds it up with the others."""
    if taken is None:
        return "no promise"
    adds = add_up([taken], found.adding(taken).neighbours)
    return words.epsilon(adds.epsilon) if adds.bounded else "past any ε"


def _describe_conversion(found: Balance, taken: Spend) -> str:
    """Return a sentence that the ledger adds up figures for other tables than this run's are for;
    "" where not."""
    adds = found.adding(taken).neighbours
    if adds is Neighbours.TABLES:
        return ""
    said = f"The ledger adds these up between {adds.describe_inputs(1)}."
    unlike = {each.neighbours for each in (*found.spends, taken)} - {adds}
    if unlike:
        said += " Figures for a record added or removed count there at twice their ε."
    return said


def _describe_left(found: Balance, taken: Spend | None) -> str:
    """Return what the run would leave; or that the budget does not hold it, the δ included."""
    budget = found.dataset.budget
    after = found.adding(taken)
    if taken is None or budget is None or not after.fits(budget) or after.left is None:
        return "not enough"
    return words.show_left(after.left)


def _format_epsilon(epsilon: float, bounded: bool) -> str:
    return words.epsilon(epsilon) if bounded else "past any ε"


def _describe_unpromised(found: Balance) -> str:
    run = "further run" if found.spends else "run"
    return f"{words.count(found.unpromised, run)} promised nothing and cannot be added."


def _draw_table(what: str, figure: str, lines: Sequence[tuple[str, str]]) -> None:
    rows = "\n".join(f"| {name} | {value} |" for name, value in lines)
    st.markdown(f"| {what} | {figure} |\n|:--|--:|\n{rows}")
