"""What the planner asks: what it is for, what may be spent, what is wanted and publicly known."""

from __future__ import annotations

import streamlit as st

from dashboard import words
from dashboard.frame import Fields
from dashboard.methods.seedbased import planning
from dashboard.methods.seedbased.own import own
from dashboard.methods.seedbased.planning import Offer, Wish
from dashboard.parts.controls import choice, plain_number
from dashboard.sentences import per_person
from dashboard.session import Session
from engine.mechanisms.seedbased.fields.of_candidates import PROTOCOLS, SEES
from engine.mechanisms.seedbased.fields.of_test import TESTS
from engine.mechanisms.seedbased.fields.table import FIELDS
from engine.mechanisms.seedbased.fields.wanted import PURPOSES, SERVES, WANTED
from engine.privacy import wording
from engine.privacy.budget import Budget
from engine.privacy.strength import AMOUNTS_TO, strength


def purpose(wish: Wish) -> None:
    """The first question."""
    what = "What is the synthetic table for?"
    st.subheader(what, anchor=False)
    choice(wish, "purpose", what, dict(PURPOSES), captions=list(SERVES.values()))


def questions(session: Session, fields: Fields) -> None:
    """Draw the questions, each refusal beside the one it is about."""
    wish = own(session).wish
    st.subheader("What may be spent, and what is publicly known?", anchor=False)
    epsilon, delta, records, persons = st.columns(4, gap="small", vertical_alignment="bottom")
    with epsilon:
        _number(wish, "epsilon")
    with delta:
        _number(wish, "delta")
    with records:
        _number(wish, "records", "records_at_least")
    with persons:
        people = session.schema.people if session.schema is not None else None
        if people is None:
            _number(wish, "records_per_person")
        else:
            st.caption(per_person(people))
    fields.beside("epsilon", "delta", "records_at_least", "records_per_person")
    with st.container():
        st.caption(_spent(session))
    st.subheader("How much is wanted?", anchor=False)
    if wish.purpose == "table":
        _whole(session, fields)
    else:
        _alike(session, fields)


def _spent(session: Session) -> str:
    """What the numbers mean."""
    wish, said = own(session).wish, []
    if planning.in_range(wish.epsilon) and 0 < wish.delta < 1:
        wanted = Budget(wish.epsilon, wish.delta)
        said += [words.unbroken(wording.belief_sentence(wanted)), AMOUNTS_TO[strength(wanted)]]
    if session.table is not None and session.table.sample:
        said.append(
            "The sample is simulated and its size is public, so its number of records is taken "
            "from it."
        )
    elif wish.records_at_least is None:
        said.append(
            "Enter a number of records that everybody may know is reached, not one you counted: "
            "with it, how near each plan will come can be said beforehand. What you enter is kept "
            "as confirmed to be public."
        )
    return " ".join(said)


def _whole(session: Session, fields: Fields) -> None:
    wish = own(session).wish
    rows, said = st.columns([1, 3], gap="small", vertical_alignment="center")
    with rows:
        _number(wish, "rows")
    with said:
        st.caption(
            "As many as you like: they all come from the one model, and more of them cost nothing "
            "more. About as many as the real table has is usual."
        )
    fields.beside("rows")


def _alike(session: Session, fields: Fields) -> None:
    """What records made from seeds take: how many, what is copied, from how many, who sees what."""
    wish = own(session).wish
    count, kept, seeds = st.columns([1, 1, 2], gap="small", vertical_alignment="bottom")
    with count:
        _number(wish, "attempts", "count")
    with kept:
        _number(wish, "kept")
    with seeds:
        _number(wish, "seeds_at_least")
    fields.beside("attempts", "kept", "omega", "seeds_at_least", "k")
    with st.container():
        st.caption(f"{_copied(session)} {_about_seeds(session)}")
    reader, test = st.columns(2, gap="medium")
    with reader:
        _reader(wish, fields)
    with test:
        st.markdown("**Which test?**")
        said = FIELDS["test"].words
        choice(wish, "test", said.title, dict(TESTS), said.help)
        st.caption(words.WHICH_TEST)


def _copied(session: Session) -> str:
    wish, schema = own(session).wish, session.schema
    assert schema is not None
    afresh = len(schema) - wish.kept
    if wish.kept == 0:
        return "Nothing is copied from a real record: every column is drawn from the model."
    if afresh < 0:
        return ""
    return (
        f"Each candidate copies {words.count(wish.kept, 'column')} from a real record, the first "
        f"in order of dependency; the other {afresh} are drawn afresh from the model, so "
        f"ω\u00a0=\u00a0{afresh}."
    )


def _about_seeds(session: Session) -> str:
    """What a number of seeds means for the table."""
    answer = own(session).answer()
    if isinstance(answer, Offer) and answer.made.records_at_least is not None:
        return (
            "Each record becomes a seed with a chance of "
            f"{words.percent(answer.plan.shares.seeds)}, so the table has to be publicly known to "
            f"have at least {answer.made.records_at_least:,} records for "
            f"{words.count(answer.plan.seeds_at_least, 'seed')} to be there for certain."
        )
    return "Enter a number of seeds that everybody may know is reached, not one you counted."


def _reader(wish: Wish, fields: Fields) -> None:
    st.markdown("**What will a reader see?**")
    said, sees = FIELDS["protocol"].words, list(SEES.values())
    choice(wish, "protocol", said.title, dict(PROTOCOLS), said.help, captions=sees, across=False)
    with st.container():
        if wish.protocol == "releases":
            _number(wish, "pass_floor")
    fields.beside("pass_floor")


def _number(wish: Wish, name: str, held: str = "") -> None:
    """One question that a number answers.

    Args:
        wish: the answers.
        name: the field of what is wanted, or of a plan.
        held: what the answer is called there, where that is another name.
    """
    field = next(table[name] for table in (WANTED, FIELDS) if name in table)
    said = field.said({"protocol": wish.protocol})
    plain_number(wish, field, said, name=held or name, key=f"wish-{held or name}")
