"""What the planner asks: what it is for, what may be spent, and what is wanted."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.mechanisms.seedbased.fields.of_candidates import PROTOCOLS, SEES
from understudy.mechanisms.seedbased.fields.of_test import TESTS
from understudy.mechanisms.seedbased.fields.table import FIELDS
from understudy.mechanisms.seedbased.fields.wanted import PURPOSES, SERVES, WANTED
from understudy.mechanisms.seedbased.promise import Promise
from understudy.privacy import wording
from understudy_dashboard import words
from understudy_dashboard.frame import Fields, link
from understudy_dashboard.methods.seedbased.own import own
from understudy_dashboard.methods.seedbased.planned import Asked
from understudy_dashboard.parts.controls import choice, number, plain_number
from understudy_dashboard.sentences import per_person
from understudy_dashboard.session import Session


def purpose(answers: Asked) -> None:
    """The first question."""
    what = "What is the synthetic table for?"
    st.subheader(what, anchor=False)
    choice(answers, "purpose", what, dict(PURPOSES), captions=list(SERVES.values()))


def questions(session: Session, answers: Asked, fields: Fields, made: Promise | None) -> None:
    """Draw the questions, each refusal beside the one it is about.

    Args:
        session: the page's state.
        answers: what they were answered.
        fields: shows the refusal.
        made: what the plan in use promises; None where there is none.
    """
    st.subheader("What may be spent?", anchor=False)
    _epsilon(session, answers, made)
    fields.beside("epsilon")
    with st.container():
        if made is not None and made.total.bounded:
            st.markdown(words.unbroken(wording.in_short(made.total)))
    alike = answers.purpose == "alike"
    if alike:
        _alike(session, answers, fields)
    else:
        _whole(session, answers)
    fields.beside("rows", "records_at_least")
    folded = ("delta", "records_per_person", "seeds_at_least", "pass_floor")
    with st.expander("Further conditions", expanded=fields.about(*folded)):
        _number(answers, "delta")
        people = session.schema.people if session.schema is not None else None
        if people is None:
            _number(answers, "records_per_person")
        else:
            st.caption(per_person(people))
        fields.beside("delta", "records_per_person")
        if alike:
            _tested(session, answers, fields)
    fields.rest()


def _epsilon(session: Session, answers: Asked, made: Promise | None) -> None:
    """Ask what may be spent; of a plan set by hand, show what it comes to, which no slider
    reaches."""
    field = WANTED["epsilon"]
    if not own(session).planned.by_hand:
        number(answers, field, field.words, key="wish-epsilon")
    elif made is None or not made.total.bounded:
        st.caption("This plan promises no ε.")
    else:
        said = replace(field.words, label="ε of this plan")
        plain_number(answers, field, said, key="wish-epsilon")


def _whole(session: Session, answers: Asked) -> None:
    """How many rows are made, and of how many records."""
    known, rows = session.sizes.records, answers.rows
    of = f", of at least {known:,} records" if known else ""
    st.caption(f"**{rows:,} rows**{of}. More rows cost nothing more.")
    link("data", "Change it on Data", icon=None)


def _alike(session: Session, answers: Asked, fields: Fields) -> None:
    """What records made from seeds take: how many, and what is copied."""
    count, kept = st.columns(2, gap="small", vertical_alignment="bottom")
    with count:
        _number(answers, "attempts", "count")
    with kept:
        _number(answers, "kept")
    fields.beside("attempts", "kept", "omega", "k")
    st.caption(_copied(session))
    if session.sizes.records is None:
        link("data", "Say on Data how many records there are", icon=None)


def _tested(session: Session, answers: Asked, fields: Fields) -> None:
    """How many seeds there are, who sees what, and by which test."""
    _number(answers, "seeds_at_least")
    st.caption(_about_seeds(session))
    fields.beside("seeds_at_least")
    _reader(answers, fields)
    said = FIELDS["test"].words
    choice(answers, "test", said.title, dict(TESTS), said.help)
    st.caption(words.WHICH_TEST)


def _copied(session: Session) -> str:
    planned, schema = own(session).planned, session.schema
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


def _about_seeds(session: Session) -> str:
    """Return what a number of seeds means for the table."""
    try:
        offer = own(session).offer()
    except Refusal:
        offer = None
    if offer is not None and offer.made.records_at_least is not None:
        return (
            "Each record becomes a seed with a chance of "
            f"{words.percent(offer.plan.shares.seeds)}, so the table has to be publicly known to "
            f"have at least {offer.made.records_at_least:,} records for "
            f"{words.count(offer.plan.seeds_at_least, 'seed')} to be there for certain."
        )
    return "Enter a number of seeds that everybody may know is reached, not one you counted."


def _reader(answers: Asked, fields: Fields) -> None:
    st.markdown("**What will a reader see?**")
    said, sees = FIELDS["protocol"].words, list(SEES.values())
    choice(answers, "protocol", said.title, dict(PROTOCOLS), said.help, captions=sees, across=False)
    with st.container():
        if answers.protocol == "releases":
            _number(answers, "pass_floor")
    fields.beside("pass_floor")


def _number(answers: Asked, name: str, held: str = "") -> None:
    """One question that a number answers.

    Args:
        answers: what was answered.
        name: the field of what is wanted, or of a plan.
        held: what the answer is called there, where that is another name.
    """
    field = next(table[name] for table in (WANTED, FIELDS) if name in table)
    said = field.said({"protocol": answers.protocol})
    plain_number(answers, field, said, name=held or name, key=f"wish-{held or name}")
