"""What the planner asks: what it is for, what may be spent, what is wanted and publicly known."""

from __future__ import annotations

import streamlit as st

from dashboard import planning, words
from dashboard.frame import Fields
from dashboard.parts.controls import choice, fill, take
from dashboard.planning import Offer, Wish
from dashboard.session import Session
from engine.privacy import wording
from engine.privacy.budget import Budget
from engine.privacy.strength import AMOUNTS_TO, strength


def purpose(wish: Wish) -> None:
    """The first question."""
    st.subheader("What is the synthetic table for?", anchor=False)
    fill("wish-purpose", wish.purpose)
    st.radio(
        "What is the synthetic table for?",
        list(words.PURPOSES),
        format_func=words.PURPOSES.__getitem__,
        captions=[words.SERVES[name] for name in words.PURPOSES],
        key="wish-purpose",
        on_change=take,
        args=(wish, "purpose", "wish-purpose"),
        horizontal=True,
        label_visibility="collapsed",
    )


def questions(session: Session, fields: Fields) -> None:
    """Draw the questions, each refusal beside the one it is about."""
    wish = session.wish
    st.subheader("What may be spent, and what is publicly known?", anchor=False)
    epsilon, delta, records, persons = st.columns(4, gap="small", vertical_alignment="bottom")
    with epsilon:
        _number(wish, "epsilon", "ε at most", "epsilon", step=0.5, format="%g")
    with delta:
        _number(wish, "delta", "δ at most", "delta", step=1e-10, format="%.3g")
    with records:
        _number(wish, "records_at_least", words.LABELS["records_at_least"], None, optional=True)
    with persons:
        _number(wish, "records_per_person", words.LABELS["records_per_person"], None)
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
    wish, said = session.wish, []
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
    wish = session.wish
    rows, said = st.columns([1, 3], gap="small", vertical_alignment="center")
    with rows:
        _number(wish, "rows", words.LABELS["rows"], None)
    with said:
        st.caption(
            "As many as you like: they all come from the one model, and more of them cost nothing "
            "more. About as many as the real table has is usual."
        )
    fields.beside("rows")


def _alike(session: Session, fields: Fields) -> None:
    """What records made from seeds take: how many, what is copied, from how many, who sees what."""
    wish = session.wish
    hidden = wish.protocol == "releases"
    count, kept, seeds = st.columns([1, 1, 2], gap="small", vertical_alignment="bottom")
    with count:
        label = "How many records?" if hidden else "How many attempts?"
        _number(wish, "count", label, "records" if hidden else "attempts")
    with kept:
        _number(wish, "kept", "Columns copied", "kept")
    with seeds:
        _number(
            wish,
            "seeds_at_least",
            "Seed records, at least",
            "seeds_at_least",
            optional=True,
            unknown="worked out from the records",
        )
    fields.beside("attempts", "kept", "omega", "seeds_at_least", "k")
    with st.container():
        st.caption(f"{_copied(session)} {_about_seeds(session)}")
    reader, test = st.columns(2, gap="medium")
    with reader:
        _reader(wish, fields)
    with test:
        st.markdown("**Which test?**")
        choice(wish, "test", words.LABELS["test"], dict(words.TESTS), words.HELP["test"])
        st.caption(words.WHICH_TEST)


def _copied(session: Session) -> str:
    wish, schema = session.wish, session.schema
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
    answer = session.answer()
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
    unknown: str = "not known yet",
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
        placeholder=unknown if optional else None,
        on_change=_open if optional else take,
        args=(wish, name, key),
        help=words.HELP[help_ or name],
    )


def _open(wish: Wish, name: str, key: str) -> None:
    """Carry a number over, or that there is none."""
    setattr(wish, name, st.session_state[key])
