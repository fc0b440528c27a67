"""Starting a run: what it will cost, the confirmation, and the button."""

from __future__ import annotations

from contextlib import suppress

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from understudy.core.refusal import Refusal
from understudy.ledger.book import Balance
from understudy.ledger.totals import Spend, addable
from understudy.ledger.words import over_budget
from understudy.mechanisms.foreseeing import foresee_seconds
from understudy.mechanisms.mechanism import CheaperPlan, PlannedRun
from understudy.mechanisms.plan import PUBLIC_RECORDS, MechanismPlan
from understudy.privacy.budget import Neighbours
from understudy.runs.affording import within
from understudy.runs.control import WAITS, start
from understudy.runs.debit import debit_of
from understudy.runs.duration import roughly
from understudy.runs.work import Job
from understudy_dashboard import sentences, words
from understudy_dashboard.frame import link, refuse, showing_refusals
from understudy_dashboard.methods.words import words_of
from understudy_dashboard.parts.generate.confirming import Counted, ask_public, draw_confirmations
from understudy_dashboard.parts.generate.resuming import RESUME
from understudy_dashboard.parts.panel import TITLE, Scope, panel
from understudy_dashboard.questions import check_answered
from understudy_dashboard.session import Session
from understudy_dashboard.spending import balance, book, dataset

_NOTHING = "nothing made from confidential records."


def starting(session: Session) -> None:
    """Restate the plan and offer to run it."""
    if not session.declared:
        st.warning(
            "Nothing can be generated before somebody has confirmed that what the columns may "
            "contain is public knowledge.",
            icon=":material/rule:",
        )
        link("data", "Confirm on the Data page", ":material/arrow_back:")
        return
    try:
        decided = session.planned_run()
    except Refusal as refusal:
        refuse(refusal)
        records = session.sizes.records
        if refusal.field == PUBLIC_RECORDS and records is not None:
            ask_public(session, Counted.of(session, records))
        link("privacy", "Mend it on the Privacy page", ":material/arrow_back:")
        return
    if not _fits(session):
        return
    with showing_refusals():
        _ask(session, decided)


def _fits(session: Session) -> bool:
    """Return whether the table can be put into codes; if not, say what stands in the way."""
    if session.table is None:
        st.info("The table is no longer open. Open it again to generate.")
        link("data", "Go to Data", ":material/arrow_back:")
        return False
    try:
        session.records()
    except Refusal as refusal:
        refuse(refusal)
        if session.schema is not None and refusal.field in session.schema.names:
            session.column = refusal.field
        link("data", "Decide on the Data page", ":material/arrow_back:")
        return False
    return True


def _restate(decided: PlannedRun, fixed: bool) -> None:
    """What the run costs and what that allows, in one sentence, and what it means."""
    said, found = words_of(decided.plan.kind), decided.guarantee
    with st.container(border=True):
        if fixed:
            st.markdown(
                "**This run promises nothing.** Anybody who knows the seed can repeat the noise "
                "and take it away."
            )
        elif not found.total.bounded:
            st.markdown(f"**This run promises nothing.** {said.covers(decided)}")
        else:
            st.markdown(
                f"**This run spends {words.budget(found.total)}**, and what may be published "
                f"after it is {said.publishable(decided)}"
            )
            st.markdown(sentences.in_paragraphs(sentences.promised(decided)))
            if found.neighbours is not Neighbours.TABLES:
                st.markdown(sentences.between(found))
            population = sentences.of_population(found.population)
            if population is not None:
                st.markdown(population)
        if fixed or not found.total.bounded:
            st.markdown(f"**What may be published:** {_NOTHING}")
    if fixed:
        return
    warning = said.advice(decided)
    if warning:
        st.warning(warning, icon=":material/balance:")
    with st.expander(TITLE):
        panel(Scope.of(found), "planned")


def _say_duration(session: Session, decided: PlannedRun) -> None:
    """Say how long the run will take, where its method foresees it."""
    key = decided.plan.to_json(), decided.schema.fingerprint
    seconds: float | None = session.keep("duration", key, lambda: foresee_seconds(decided))
    if seconds is not None:
        st.caption(
            f":material/schedule: It will take about {roughly(seconds)} on a usual machine. The "
            "time left is shown while it runs."
        )


def _further(session: Session, taken: Spend | None) -> None:
    """That a second run is a second spend."""
    before = balance(session)
    if before is None or not before.spends or taken is None:
        return
    after = before.adding(taken)
    spent, then = (
        words.budget(each.spent) if each.spent.bounded else "more than any ε"
        for each in (before, after)
    )
    st.info(
        f"**This is a further spend.** {words.count(len(before.spends), 'run')} on "
        f"“{words.plain(before.dataset.name)}” already spent {spent}; with this one it is {then}. "
        "Running again with the same settings costs as much as the first time.",
        icon=":material/account_balance_wallet:",
    )


def _affordable(session: Session, plan: MechanismPlan, taken: Spend | None) -> bool:
    """Return whether the budget of the dataset holds the run; if not, say so, and what it would
    hold."""
    before = balance(session)
    budget = None if before is None else before.dataset.budget
    if before is None or budget is None:
        return True
    if taken is not None and before.adding(taken).fits(budget):
        return True
    over = over_budget(before, taken)
    held = taken is None or addable([taken], before.dataset.neighbours)
    remedy = (
        "Spend less, or raise the budget on purpose."
        if held
        else "Choose another method on the Privacy page, or set the budget between tables whose "
        "records are replaced, on the Ledger page."
    )
    refuse(Refusal(over.problem, remedy))
    _ways_out(session, plan, before)
    with st.container(horizontal=True):
        link("privacy", "Spend less: change the plan", ":material/arrow_back:")
        link("ledger", "See or change the budget on the Ledger page", ":material/menu_book:")
    return False


def _ways_out(session: Session, plan: MechanismPlan, before: Balance) -> None:
    """The nearest plans that the budget does hold, to click."""
    schema = session.schema
    assert schema is not None
    found: tuple[CheaperPlan, ...] = session.keep(
        "within", (plan.to_json(), before), lambda: within(plan, schema, before)
    )
    if not found:
        st.markdown("What is left of the budget holds no plan like this one.")
        return
    st.markdown("What is left of the budget holds:")
    with st.container(horizontal=True):
        for place, way in enumerate(found):
            st.button(
                way.said[:1].upper() + way.said[1:],
                key=f"within-{place}",
                on_click=session.adopt,
                args=(way.plan,),
            )


def _ask(session: Session, decided: PlannedRun) -> None:
    """What it costs, whether that was read, and the button."""
    key = f"{session.started}"
    stated = st.container()
    seed = _fixed_seed(key)
    taken = debit_of(decided, stained=seed is not None).spend
    with stated:
        _restate(decided, fixed=seed is not None)
        _say_duration(session, decided)
        _further(session, taken)
        affordable = _affordable(session, decided.plan, taken)
    agreed = st.checkbox(
        "I have read what this run spends and what may be published", key=f"agreed-{key}"
    )
    job = Job(session.records(), decided.plan, seed=seed, made=decided)
    startable = draw_confirmations(session, job, decided)
    place = st.container()
    if st.button(
        "Generate",
        type="primary",
        disabled=not (agreed and affordable and startable),
        key="generate",
        icon=":material/play_arrow:",
    ):
        _start(session, job, place)


def _fixed_seed(key: str) -> int | None:
    """Return a fixed seed, where a demonstration is asked for."""
    with st.expander("Demonstration with a fixed seed"):
        fixed = st.checkbox(
            "Use a fixed seed: for demonstrations only, and every file says so",
            key=f"fixed-{key}",
            help="The same seed makes the same table again. Every file is marked.",
        )
        seed = st.number_input(
            "Seed", min_value=0, value=1, step=1, key=f"seed-{key}", disabled=not fixed
        )
        if fixed:
            st.warning(
                "The table will not be private, and its files will say so.",
                icon=":material/warning:",
            )
    return int(seed) if fixed else None


def _start(session: Session, job: Job, place: DeltaGenerator) -> None:
    try:
        with place, st.spinner("Starting…"):
            check_answered(session)
            session.run = start(job, session.runs_at, dataset=dataset(session)).identity
            # The page may be drawn anew from here, and must not offer what is under way.
            session.started += 1
            session.watching = True
    except Refusal as refusal:
        if refusal.field != WAITS:
            with place:
                refuse(refusal)
                _where_to_mend(session, refusal)
            return
        _announce_waiting(session, refusal)
    st.rerun()


def _where_to_mend(session: Session, refusal: Refusal) -> None:
    """Lead to the page on which a refusal of the start can be answered, where one can."""
    if refusal.field in ("budget", "ledger"):
        link("ledger", "Go to the Ledger page", ":material/menu_book:")
    elif session.schema is not None and refusal.field in ("table", *session.schema.names):
        link("data", "Decide on the Data page", ":material/arrow_back:")
    elif refusal.field not in ("out", None):
        link("privacy", "Mend it on the Privacy page", ":material/arrow_back:")


def _announce_waiting(session: Session, refusal: Refusal) -> None:
    """Say why a run that is paid for has no process, and have the page offer it and no second
    spend."""
    session.started += 1
    with suppress(Refusal):
        # Where its folder has not its name yet, this gives it.
        book(session)
    said = words.plain(f"{refusal.problem} {refusal.remedy}")
    session.cautions.append(f"{said} Press **{RESUME}** on this page.")
