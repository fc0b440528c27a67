"""Starting a run: what it will cost, what it would be refused for, the confirmation, and the
button."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from understudy.core.numerals import describe_roughly
from understudy.core.refusal import Refusal
from understudy.ledger.book import Balance
from understudy.ledger.totals import Spend, can_add_up
from understudy.ledger.words import refuse_over_budget
from understudy.mechanisms.expected_utility import foresee_seconds
from understudy.mechanisms.mechanism import CheaperPlan, PlannedRun
from understudy.mechanisms.plan import PUBLIC_PEOPLE, PUBLIC_RECORDS, MechanismPlan
from understudy.mechanisms.registry import method_named
from understudy.privacy.budget import Neighbours
from understudy.runs.control import WAITS, check_start, start
from understudy.runs.debit import list_affordable, make_debit
from understudy.runs.work import Job
from understudy_dashboard import words
from understudy_dashboard.frame import draw_link, show_refusal, showing_refusals
from understudy_dashboard.ledger_status import balance_of, dataset_of, open_book
from understudy_dashboard.methods.words import plan_words
from understudy_dashboard.parts.controls import fill_widget
from understudy_dashboard.parts.panel import TITLE, PanelScope, draw_panel
from understudy_dashboard.parts.run_history import RESUME
from understudy_dashboard.questions import check_answered
from understudy_dashboard.session import Session

_PUBLIC = (PUBLIC_RECORDS, PUBLIC_PEOPLE)


@dataclass(frozen=True)
class CountedRecords:
    """A number that a promise counts on to be public knowledge.

    Attributes:
        needed: it.
        said: the number that was confirmed; None for none.
        what: what is counted, such as “records”.
        exactly: whether it is this very number that counts, and not that there are as many.
        help: what the method says of it.
    """

    needed: int
    said: int | None
    what: str
    exactly: bool
    help: str | None

    @property
    def is_confirmed(self) -> bool:
        """Whether the confirmed number is enough."""
        if self.said is None:
            return False
        return self.said == self.needed if self.exactly else self.said >= self.needed

    @classmethod
    def of(cls, session: Session, records: int) -> CountedRecords:
        """Return the number of records as entered on the Data page, if no plan can be made before
        it is confirmed."""
        return cls(
            records, None, "records", exactly=False, help=_find_help(session, PUBLIC_RECORDS)
        )

    @classmethod
    def by(cls, session: Session, decided: PlannedRun) -> CountedRecords | None:
        """Return what the promise of a plan counts on; None for nothing.

        Where it counts on nothing before a number is confirmed, the one that was said on the Data
        page is what there is to confirm.
        """
        found, plan = decided.guarantee, decided.plan
        of_people = found.people_at_least is not None
        setting, what = (PUBLIC_PEOPLE, "people") if of_people else (PUBLIC_RECORDS, "records")
        if found.records_among:
            what = f"records {words.escape(found.records_among)}"
        needed = found.people_at_least if of_people else found.records_at_least
        if needed is None and _find_refusal(decided, _PUBLIC) is not None:
            needed = session.settings.sizes.records
        if needed is None or not found.total.bounded:
            return None
        exactly = found.neighbours is Neighbours.REPLACEMENTS
        said = getattr(plan, setting, None)
        return cls(needed, said, what, exactly=exactly, help=_find_help(session, setting))


def draw_confirmations(session: Session, job: Job, decided: PlannedRun) -> bool:
    """Draw what there is to confirm, and what the start of a run would refuse.

    Args:
        session: the page's state.
        job: what would be started.
        decided: its plan, with what it promises.

    Returns:
        Whether it would refuse nothing.
    """
    counted = None if job.seed is not None else CountedRecords.by(session, decided)
    if counted is not None:
        ask_public(session, counted)
    try:
        check_start(job, decided)
    except Refusal as refusal:
        # An open box beside it says already that nobody has confirmed it.
        asked = counted is not None and not counted.is_confirmed
        if not (asked and _find_refusal(decided, _PUBLIC) is not None):
            show_refusal(refusal)
            _draw_mending(session, refusal)
        return False
    return True


def ask_public(session: Session, counted: CountedRecords) -> None:
    """Ask for a number to be confirmed as public knowledge, or show that it was."""
    if counted.is_confirmed and counted.said != counted.needed:
        st.caption(
            f"It counts on {counted.needed:,} {counted.what}, and you said that {counted.said:,} "
            "are publicly known to be there."
        )
        return
    key = f"public-{counted.needed}"
    fill_widget(key, counted.is_confirmed)
    st.checkbox(
        f"It is public knowledge that the table has {counted.needed:,} {counted.what}"
        if counted.exactly
        else f"It is public knowledge that the table has at least {counted.needed:,} "
        f"{counted.what}, whoever is taken out of it",
        key=key,
        on_change=_take_confirmation,
        args=(session, key, counted.needed),
        help=counted.help,
    )
    if counted.what == "people" and counted.said is None:
        draw_link(
            "privacy", "It has fewer: say how many on the Privacy page", ":material/arrow_back:"
        )


def _take_confirmation(session: Session, key: str, records: int) -> None:
    """Keep what was confirmed, or that it no longer is."""
    session.settings.of_method().confirm(records if st.session_state[key] else None)


def _find_refusal(decided: PlannedRun, fields: tuple[str, ...]) -> Refusal | None:
    """Return why something is called public knowledge that nobody confirmed, if it is about one of
    these settings."""
    try:
        decided.mechanism.check_public(decided)
    except Refusal as refusal:
        return refusal if refusal.field in fields else None
    return None


def _draw_mending(session: Session, refusal: Refusal) -> None:
    """Lead to where a refusal can be answered."""
    fields = method_named(session.settings.method).fields
    if refusal.field in ("records", PUBLIC_RECORDS) and session.settings.sizes.records is not None:
        draw_link("data", "Correct the number of records on the Data page", ":material/arrow_back:")
    elif refusal.field is not None and refusal.field in fields:
        title = fields[refusal.field].words.title
        draw_link("privacy", f"Mend “{title}” on the Privacy page", ":material/arrow_back:")
    else:
        draw_link("privacy", "Mend it on the Privacy page", ":material/arrow_back:")


def _find_help(session: Session, setting: str) -> str | None:
    fields = method_named(session.settings.method).fields
    return (fields[setting].words.help or None) if setting in fields else None


_NOTHING = "nothing made from confidential records."


def draw_start(session: Session) -> None:
    """Restate the plan, and offer to run it."""
    if not session.settings.declared:
        st.warning(
            "Nothing can be generated before somebody has confirmed that what the columns may "
            "contain is public knowledge.",
            icon=":material/rule:",
        )
        draw_link("data", "Confirm on the Data page", ":material/arrow_back:")
        return
    try:
        decided = session.settings.planned_run()
    except Refusal as refusal:
        show_refusal(refusal)
        records = session.settings.sizes.records
        if refusal.field == PUBLIC_RECORDS and records is not None:
            ask_public(session, CountedRecords.of(session, records))
        draw_link("privacy", "Mend it on the Privacy page", ":material/arrow_back:")
        return
    if not _check_fit(session):
        return
    with showing_refusals():
        _ask_confirmation(session, decided)


def _check_fit(session: Session) -> bool:
    """Return whether the table can be put into codes; if not, say what stands in the way."""
    if session.data.table is None:
        st.info("The table is no longer open. Open it again to generate.")
        draw_link("data", "Go to Data", ":material/arrow_back:")
        return False
    try:
        session.records()
    except Refusal as refusal:
        show_refusal(refusal)
        if session.settings.schema is not None and refusal.field in session.settings.schema.names:
            session.column = refusal.field
        draw_link("data", "Decide on the Data page", ":material/arrow_back:")
        return False
    return True


def _draw_plan(decided: PlannedRun, fixed: bool) -> None:
    """Draw what the run costs and what that allows, in one sentence, and what it means."""
    said, found = plan_words(decided.plan.kind), decided.guarantee
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
                f"**This run spends {words.format_budget(found.total)}**, and what may be "
                "published "
                f"after it is {said.describe_publishable(decided)}"
            )
            st.markdown(words.split_paragraphs(words.describe_promise(decided)))
            if found.neighbours is not Neighbours.TABLES:
                st.markdown(words.describe_neighbours(found))
            population = words.describe_population(found.population)
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
        draw_panel(PanelScope.of(found), "planned")


def _draw_duration(session: Session, decided: PlannedRun) -> None:
    """Say how long the run will take, where its method foresees it."""
    key = decided.plan.to_json(), decided.schema.fingerprint
    seconds: float | None = session.cache.keep("duration", key, lambda: foresee_seconds(decided))
    if seconds is not None:
        st.caption(
            f":material/schedule: It will take about {describe_roughly(seconds)} on a usual "
            "machine. The time left is shown while it runs."
        )


def _draw_further(session: Session, taken: Spend | None) -> None:
    """Say that a second run is a second spend."""
    before = balance_of(session)
    if before is None or not before.spends or taken is None:
        return
    after = before.adding(taken)
    spent, then = (
        words.format_budget(each.spent) if each.spent.bounded else "more than any ε"
        for each in (before, after)
    )
    st.info(
        f"**This is a further spend.** {words.count(len(before.spends), 'run')} on "
        f"“{words.escape(before.dataset.name)}” already spent {spent}; with this one it is {then}. "
        "Running again with the same settings costs as much as the first time.",
        icon=":material/account_balance_wallet:",
    )


def _draw_affordable(session: Session, plan: MechanismPlan, taken: Spend | None) -> bool:
    """Return whether the budget of the dataset holds the run; if not, say so, and what it would
    hold."""
    before = balance_of(session)
    budget = None if before is None else before.dataset.budget
    if before is None or budget is None:
        return True
    if taken is not None and before.adding(taken).fits(budget):
        return True
    over = refuse_over_budget(before, taken)
    held = taken is None or can_add_up([taken], before.dataset.neighbours)
    remedy = (
        "Spend less, or raise the budget on purpose."
        if held
        else "Choose another method on the Privacy page, or set the budget between tables whose "
        "records are replaced, on the Ledger page."
    )
    show_refusal(Refusal(over.problem, remedy))
    _draw_ways_out(session, plan, before)
    with st.container(horizontal=True):
        draw_link("privacy", "Spend less: change the plan", ":material/arrow_back:")
        draw_link("ledger", "See or change the budget on the Ledger page", ":material/menu_book:")
    return False


def _draw_ways_out(session: Session, plan: MechanismPlan, before: Balance) -> None:
    """Draw the nearest plans that the budget does hold, to click."""
    schema = session.settings.schema
    assert schema is not None
    found: tuple[CheaperPlan, ...] = session.cache.keep(
        "within", (plan.to_json(), before), lambda: list_affordable(plan, schema, before)
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
                on_click=session.settings.adopt,
                args=(way.plan,),
            )


def _ask_confirmation(session: Session, decided: PlannedRun) -> None:
    """Draw what the run costs, ask whether that was read, and draw the button."""
    key = f"{session.started}"
    stated = st.container()
    seed = _ask_seed(key)
    taken = make_debit(decided, stained=seed is not None).spend
    with stated:
        _draw_plan(decided, fixed=seed is not None)
        _draw_duration(session, decided)
        _draw_further(session, taken)
        affordable = _draw_affordable(session, decided.plan, taken)
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
        _start_run(session, job, place)


def _ask_seed(key: str) -> int | None:
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


def _start_run(session: Session, job: Job, place: DeltaGenerator) -> None:
    try:
        with place, st.spinner("Starting…"):
            check_answered(session)
            session.run = start(job, session.runs_at, dataset=dataset_of(session)).identity
            # The page may be drawn anew from here, and must not offer what is under way.
            session.started += 1
            session.watching = True
    except Refusal as refusal:
        if refusal.field != WAITS:
            with place:
                show_refusal(refusal)
                _link_to_mend(session, refusal)
            return
        _announce_waiting(session, refusal)
    st.rerun()


def _link_to_mend(session: Session, refusal: Refusal) -> None:
    """Lead to the page on which a refusal of the start can be answered, where one can."""
    if refusal.field in ("budget", "ledger"):
        draw_link("ledger", "Go to the Ledger page", ":material/menu_book:")
    elif session.settings.schema is not None and refusal.field in (
        "table",
        *session.settings.schema.names,
    ):
        draw_link("data", "Decide on the Data page", ":material/arrow_back:")
    elif refusal.field not in ("out", None):
        draw_link("privacy", "Mend it on the Privacy page", ":material/arrow_back:")


def _announce_waiting(session: Session, refusal: Refusal) -> None:
    """Say why a run that is paid for has no process, and have the page offer it and no second
    spend."""
    session.started += 1
    with suppress(Refusal):
        # Where its folder has not its name yet, this gives it.
        open_book(session)
    said = words.escape(f"{refusal.problem} {refusal.remedy}")
    session.cautions.append(f"{said} Press **{RESUME}** on this page.")
