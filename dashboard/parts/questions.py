"""What the planner asks: what may be spent, what is wanted, and what is publicly known."""

from __future__ import annotations

import streamlit as st

from dashboard import planning, sentences, words
from dashboard.frame import Fields
from dashboard.parts.controls import choice, fill, take
from dashboard.planning import Offer, Wish
from dashboard.session import Session
from engine.privacy.budget import Budget


def questions(session: Session, fields: Fields) -> None:
    """Draw the questions, each refusal beside the one it is about."""
    wish = session.wish
    st.subheader("What may be spent, and for what?", anchor=False)
    _budget(wish, fields)
    _wanted(session, fields)
    st.subheader("What is publicly known?", anchor=False)
    _known(session, fields)
    st.subheader("What will a reader see?", anchor=False)
    _reader(wish, fields)
    st.subheader("Which test?", anchor=False)
    choice(wish, "test", words.LABELS["test"], dict(words.TESTS), words.HELP["test"])
    st.caption(words.WHICH_TEST)


def _budget(wish: Wish, fields: Fields) -> None:
    """How much may be spent?"""
    epsilon, delta = st.columns(2, gap="small")
    with epsilon:
        _number(wish, "epsilon", "ε at most", "epsilon", step=0.5, format="%g")
    with delta:
        _number(wish, "delta", "δ at most", "delta", step=1e-10, format="%.3g")
    fields.beside("epsilon", "delta")
    with st.container():
        if planning.in_range(wish.epsilon) and 0 < wish.delta < 1:
            st.caption(sentences.meaning(Budget(wish.epsilon, wish.delta)))


def _wanted(session: Session, fields: Fields) -> None:
    """How much is wanted for it?"""
    wish, schema = session.wish, session.schema
    assert schema is not None
    hidden = wish.protocol == "releases"
    count, kept = st.columns(2, gap="small")
    with count:
        label = "How many records?" if hidden else "How many attempts?"
        _number(wish, "count", label, "records" if hidden else "attempts")
    with kept:
        _number(wish, "kept", "Columns copied", "kept")
    fields.beside("attempts", "kept", "omega")
    afresh = len(schema) - wish.kept
    with st.container():
        if wish.kept == 0:
            st.caption(
                "Nothing is copied from a real record: every column is drawn from the model."
            )
        elif afresh >= 0:
            st.caption(
                f"Each candidate copies {words.count(wish.kept, 'column')} from a real record, "
                f"the first in order of dependency; the other {afresh} are drawn afresh from the "
                f"model, so ω\u00a0=\u00a0{afresh}."
            )


def _known(session: Session, fields: Fields) -> None:
    """How many seeds, and how many records a person has."""
    wish = session.wish
    seeds, persons = st.columns(2, gap="small")
    with seeds:
        _number(wish, "seeds_at_least", "Seed records, at least", "seeds_at_least", optional=True)
    with persons:
        _number(wish, "records_per_person", words.LABELS["records_per_person"], None)
    fields.beside("seeds_at_least", "k", "records_per_person")
    with st.container():
        st.caption(_about_seeds(session))


def _about_seeds(session: Session) -> str:
    """What a number of seeds means for the table."""
    draft = session.draft
    assert draft is not None
    share = f"Each record becomes a seed with a chance of {words.percent(draft.seeds)}"
    answer = session.answer()
    if isinstance(answer, Offer) and answer.made.records_at_least is not None:
        said = (
            f"{share}, so the table has to be publicly known to have at least "
            f"{answer.made.records_at_least:,} records."
        )
    else:
        said = f"{share}. Enter a number that everybody may know is reached, not one you counted."
    if session.table is not None and session.table.sample:
        said += " The sample is simulated and its size is public, so its number is taken from it."
    return said


def _reader(wish: Wish, fields: Fields) -> None:
    fill("wish-protocol", wish.protocol)
    st.radio(
        words.LABELS["protocol"],
        list(words.PROTOCOLS),
        format_func=words.PROTOCOLS.__getitem__,
        captions=[words.SEES[name] for name in words.PROTOCOLS],
        key="wish-protocol",
        on_change=take,
        args=(wish, "protocol", "wish-protocol"),
        help=words.HELP["protocol"],
        label_visibility="collapsed",
    )
    with st.container():
        if wish.protocol == "releases":
            _number(wish, "pass_floor", words.LABELS["pass_floor"], "pass_floor", step=0.05)
    fields.beside("pass_floor")


def _number(
    wish: Wish,
    name: str,
    label: str,
    help_: str | None,
    *,
    optional: bool = False,
    step: float = 1,
    format: str | None = None,
) -> None:
    """One question that a number answers; an optional one may be left open."""
    key = f"wish-{name}"
    fill(key, getattr(wish, name))
    st.number_input(
        label,
        value=None if optional else "min",
        step=step,
        format=format if format or step == 1 else "%g",
        key=key,
        placeholder="not known yet" if optional else None,
        on_change=_open if optional else take,
        args=(wish, name, key),
        help=words.HELP[help_ or name],
    )


def _open(wish: Wish, name: str, key: str) -> None:
    """Carry a number over, or that there is none."""
    setattr(wish, name, st.session_state[key])
