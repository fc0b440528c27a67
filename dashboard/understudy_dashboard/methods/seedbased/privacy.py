"""The Privacy page of seedbased synthesis: the planner's questions, the outcome, and what it rests
on one level down.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.mechanisms.seedbased.fields.candidate_fields import PROTOCOLS, SEES, TESTS
from understudy.mechanisms.seedbased.fields.planner_fields import PURPOSES, SERVES, WANTED
from understudy.mechanisms.seedbased.fields.table import FIELDS
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import Promise
from understudy.mechanisms.seedbased.proposal import count_rows
from understudy.privacy import wording
from understudy_dashboard import words
from understudy_dashboard.frame import FieldRefusals, draw_link
from understudy_dashboard.methods.seedbased import pass_rate, planner, utility
from understudy_dashboard.methods.seedbased.accounting import (
    draw_beliefs,
    draw_charts,
    draw_promise,
)
from understudy_dashboard.methods.seedbased.by_hand import draw_by_hand
from understudy_dashboard.methods.seedbased.many_plans import draw_many_plans
from understudy_dashboard.methods.seedbased.method_settings import PlannerAnswers, plan_choice
from understudy_dashboard.methods.seedbased.pass_rate import draw_test
from understudy_dashboard.methods.seedbased.priorities import draw_acceptance
from understudy_dashboard.methods.seedbased.utility import draw_column_errors, draw_keeping
from understudy_dashboard.parts.controls import draw_choice, draw_number, draw_plain_number
from understudy_dashboard.parts.plan_decision import (
    BY_HAND,
    MEANING,
    TOTAL,
    PlanDecision,
    draw_decision,
    find_open_detail,
    open_detail,
)
from understudy_dashboard.session import Session
from understudy_dashboard.words import describe_people


def ask_purpose(answers: PlannerAnswers) -> None:
    """Draw the first question."""
    what = "What is the synthetic table for?"
    st.subheader(what, anchor=False)
    draw_choice(answers, "purpose", what, dict(PURPOSES), captions=list(SERVES.values()))


def ask_questions(
    session: Session, answers: PlannerAnswers, fields: FieldRefusals, made: Promise | None
) -> None:
    """Draw the questions, each refusal beside the one it is about.

    Args:
        session: the page's state.
        answers: what they were answered.
        fields: shows the refusal.
        made: what the plan in use promises; None where there is none.
    """
    st.subheader("What may be spent?", anchor=False)
    _ask_epsilon(session, answers, made)
    fields.beside("epsilon")
    with st.container():
        if made is not None and made.total.bounded:
            st.markdown(words.keep_together(wording.in_short(made.total)))
    alike = answers.purpose == "alike"
    if alike:
        _ask_candidates(session, answers, fields)
    else:
        _ask_rows(session, answers)
    fields.beside("rows", "records_at_least")
    folded = ("delta", "records_per_person", "seeds_at_least", "pass_floor")
    with st.expander("Further conditions", expanded=fields.about(*folded)):
        _ask_number(answers, "delta")
        people = session.settings.schema.people if session.settings.schema is not None else None
        if people is None:
            _ask_number(answers, "records_per_person")
        else:
            st.caption(describe_people(people))
        fields.beside("delta", "records_per_person")
        if alike:
            _ask_test(session, answers, fields)
    fields.rest()


def _ask_epsilon(session: Session, answers: PlannerAnswers, made: Promise | None) -> None:
    """Ask what may be spent; of a plan set by hand, show what it comes to, which no slider
    reaches."""
    field = WANTED["epsilon"]
    if not plan_choice(session).planned.by_hand:
        draw_number(answers, field, field.words, key="wish-epsilon")
    elif made is None or not made.total.bounded:
        st.caption("This plan promises no ε.")
    else:
        said = replace(field.words, label="ε of this plan")
        draw_plain_number(answers, field, said, key="wish-epsilon")


def _ask_rows(session: Session, answers: PlannerAnswers) -> None:
    """Ask how many rows are made, and of how many records."""
    known, schema = session.settings.sizes.records, session.settings.require_schema()
    rows = count_rows(schema, answers.rows)
    of = f", of at least {known:,} records" if known else ""
    why = "More rows cost nothing more."
    if rows != answers.rows:
        why = "As many as the known totals count: no other number has them exactly."
    st.caption(f"**{rows:,} rows**{of}. {why}")
    draw_link("data", "Change it on Data", icon=None)


def _ask_candidates(session: Session, answers: PlannerAnswers, fields: FieldRefusals) -> None:
    """Ask what records made from seeds take: how many, and what is copied."""
    count, kept = st.columns(2, gap="small", vertical_alignment="bottom")
    with count:
        _ask_number(answers, "attempts", "count")
    with kept:
        _ask_number(answers, "kept")
    fields.beside("attempts", "kept", "omega", "k")
    st.caption(_describe_copies(session))
    if session.settings.sizes.records is None:
        draw_link("data", "Say on Data how many records there are", icon=None)


def _ask_test(session: Session, answers: PlannerAnswers, fields: FieldRefusals) -> None:
    """Ask how many seeds there are, who sees what, and by which test."""
    _ask_number(answers, "seeds_at_least")
    st.caption(_describe_seeds(session))
    fields.beside("seeds_at_least")
    _ask_protocol(answers, fields)
    said = FIELDS["test"].words
    draw_choice(answers, "test", said.title, dict(TESTS), said.help)
    st.caption(words.WHICH_TEST)


def _describe_copies(session: Session) -> str:
    planned, schema = plan_choice(session).planned, session.settings.schema
    assert schema is not None
    kept = planned.wish.kept
    fewest, most = planned.draft.count_copied(len(schema)) if planned.by_hand else (kept, kept)
    afresh = len(schema) - most
    if most == 0:
        return "Nothing is copied from a real record: every column is drawn from the model."
    if afresh < 0:
        return ""
    if fewest < most:
        return (
            f"Each candidate copies {fewest} to {most} columns from a real record, the first in "
            "order of dependency: how many is drawn for each. The others are drawn afresh from "
            f"the model, so ω\u00a0=\u00a0{afresh}–{len(schema) - fewest}."
        )
    return (
        f"Each candidate copies {words.count(most, 'column')} from a real record; the other "
        f"{afresh} are drawn afresh from the model, so ω\u00a0=\u00a0{afresh}."
    )


def _describe_seeds(session: Session) -> str:
    """Return what a number of seeds means for the table."""
    try:
        offer = plan_choice(session).offer()
    except Refusal:
        offer = None
    if offer is not None and offer.made.records_at_least is not None:
        return (
            "Each record becomes a seed with a chance of "
            f"{words.percent(offer.plan.shares.seeds)}, so the table has to be publicly known to "
            f"have at least {offer.made.records_at_least:,} records for "
            f"{words.count(offer.plan.seeds_at_least, 'seed')} to be there for certain."
        )
    return "Give a minimum that is already public, not your own count."


def _ask_protocol(answers: PlannerAnswers, fields: FieldRefusals) -> None:
    st.markdown("**What will a reader see?**")
    said, sees = FIELDS["protocol"].words, list(SEES.values())
    draw_choice(
        answers, "protocol", said.title, dict(PROTOCOLS), said.help, captions=sees, across=False
    )
    with st.container():
        if answers.protocol == "releases":
            _ask_number(answers, "pass_floor")
    fields.beside("pass_floor")


def _ask_number(answers: PlannerAnswers, name: str, held: str = "") -> None:
    """Draw one question that a number answers.

    Args:
        answers: what was answered.
        name: the field of what is wanted, or of a plan.
        held: what the answer is called there, where that is another name.
    """
    field = next(table[name] for table in (WANTED, FIELDS) if name in table)
    said = field.choose_words({"protocol": answers.protocol})
    draw_plain_number(answers, field, said, name=held or name, key=f"wish-{held or name}")


_CLAIMS: Final = ("seeds_at_least", "records_at_least")
"""What is known about the table is not changed by a click."""


def draw_remedies(session: Session, refusal: Refusal) -> None:
    """Say why, and offer the ways out."""
    st.error(f"**Nothing fits.** {words.escape(refusal.problem)}", icon=":material/block:")
    st.markdown("Any one of these is enough, or a whole table:")
    found = plan_choice(session).list_remedies()
    answers = plan_choice(session).ask_questions(None)
    with st.container(horizontal=True):
        for way in found:
            if way.name not in _CLAIMS:
                st.button(
                    way.said,
                    key=f"way-{way.name}",
                    on_click=setattr,
                    args=(answers, way.name, way.value),
                )
    for way in found:
        if way.name in _CLAIMS:
            st.caption(f"{way.said}, if so many are publicly known to be there.")


_SHOWN: Final = "comes-of-it"
_PASSING, _NEAR = "How many pass", "How near it comes"


def draw_outcome(session: Session, plan: Plan | None, made: Promise | None) -> None:
    """Draw what comes of a plan; where no candidate is tested, only how near it comes.

    Args:
        session: the page's state.
        plan, made: the plan in use, and what it promises; None where there is none.
    """
    means = utility.MEANS
    passing = plan is not None and made is not None and made.seeds is not None
    with st.container(horizontal=True, vertical_alignment="center"):
        title = st.container()
        if passing:
            passing = _ask_view() == _PASSING
            means = pass_rate.MEANS if passing else means
    title.subheader("What comes of it?", anchor=False, help=means, width="content")
    if passing and plan is not None and made is not None:
        _draw_passing(session, plan, made)
    else:
        utility.draw_curve(session, plan, made)


def _ask_view() -> str:
    found: str = st.segmented_control(
        "Shown",
        (_PASSING, _NEAR),
        default=_PASSING,
        required=True,
        key=_SHOWN,
        label_visibility="collapsed",
    )
    return found


def _draw_passing(session: Session, plan: Plan, made: Promise) -> None:
    rehearsed = pass_rate.draw_pass_curve(session, plan, made, key="passing")
    if not rehearsed and find_open_detail() != MANY:
        st.button(
            "Rehearse it, under “Many plans at once”",
            key="rehearse-passing",
            type="tertiary",
            icon=":material/theater_comedy:",
            on_click=_open_many_plans,
        )


def _open_many_plans() -> None:
    open_detail(MANY)


COLUMNS: Final = "Each column and each pair"
TEST: Final = "What passes the test"
MANY: Final = "Many plans at once"


def list_details(
    session: Session,
    plan: Plan | None,
    made: Promise | None,
    fields: FieldRefusals,
    start: Plan | None = None,
) -> dict[str, Callable[[], object]]:
    """Return what there is to look into, by title; of a plan without seeds nothing about seeds.

    Args:
        session: the page's state.
        plan, made: the plan in use, and what it promises; None where there is none.
        fields: shows a refusal beside a setting.
        start: what many plans are tried around where none is in use.
    """
    found: dict[str, Callable[[], object]] = {}
    if plan is not None and made is not None:
        found[MEANING] = lambda: draw_beliefs(session, made)
        found[TOTAL] = lambda: _draw_total(session, plan, made)
        found[COLUMNS] = lambda: draw_column_errors(session, plan, made)
        if made.seeds is not None:
            found[TEST] = lambda: draw_test(session, plan, made)
        tested_plan = plan if made.seeds is not None else None
        found[MANY] = lambda: draw_many_plans(session, plan, tested_plan)
    elif start is not None:
        found[MANY] = lambda: draw_many_plans(session, None, start)
    found[BY_HAND] = lambda: draw_by_hand(session, plan, made, fields)
    return found


def _draw_total(session: Session, plan: Plan, made: Promise) -> None:
    draw_promise(plan, made)
    if made.seeds is not None:
        draw_charts(session, plan, made.seeds)


_HAND: Final = (
    "**This plan is set by hand.** Its settings are under “Set every parameter yourself”. "
    "Answering here replaces them with the planner’s plan."
)


def draw_privacy(session: Session) -> None:
    """Draw the page."""
    plan, made, refusal = _work_out(session)
    by_hand = plan_choice(session).planned.by_hand
    fields = FieldRefusals(refusal)
    # What was set by hand is refused beside its own field.
    asked = FieldRefusals(None) if by_hand else fields
    fits = (
        refusal is None
        or by_hand
        or not planner.is_unsatisfiable(plan_choice(session).wish, refusal)
    )
    answers = plan_choice(session).ask_questions(
        made.total if made is not None and made.total.bounded else None
    )

    def draw_purpose() -> None:
        # What comes and goes has a place of its own: what stands below it, and may be typed in,
        # would otherwise be built anew.
        with st.container():
            if by_hand:
                _note_by_hand(session)
        ask_purpose(answers)

    def draw_kept() -> None:
        with st.container():
            if refusal is not None and not fits:
                draw_remedies(session, refusal)
            elif plan is None or made is None:
                if not (by_hand and find_open_detail() == BY_HAND):
                    fields.rest()
                st.info("Correct the field marked in red to see the figures again.")
            else:
                draw_keeping(session, plan, made)
        draw_acceptance(session, plan, fields)

    # Where nothing fits, looking around is what helps.
    start = None if fits else plan_choice(session).plan_as_asked()
    draw_decision(
        session,
        PlanDecision(
            purpose=draw_purpose,
            spending=lambda: ask_questions(
                session, answers, asked if fits else FieldRefusals(None), made
            ),
            outcome=lambda: draw_outcome(session, plan, made),
            keeping=draw_kept,
            plan=plan if made is not None else None,
            details=list_details(session, plan, made, fields, start),
        ),
    )


def _work_out(session: Session) -> tuple[Plan | None, Promise | None, Refusal | None]:
    try:
        return plan_choice(session).plan(), plan_choice(session).promise(), None
    except Refusal as refusal:
        return None, None, refusal


def _note_by_hand(session: Session) -> None:
    """Say that the plan is not the planner's, and draw the way back to it."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f":material/tune: {_HAND}", width="stretch")
        st.button(
            "Use the planner’s plan",
            key="use-planner",
            icon=":material/undo:",
            on_click=plan_choice(session).follow,
        )
