"""Every setting of a plan by itself, for those who want them."""

from __future__ import annotations

import streamlit as st

from dashboard import words
from dashboard.draft import Draft
from dashboard.frame import Fields
from dashboard.parts.advanced import advanced, model_epsilon
from dashboard.parts.controls import choice, fill, number, omega, take
from dashboard.parts.plan_file import presets
from dashboard.session import Session


def by_hand(session: Session, fields: Fields) -> None:
    """Draw the settings, each refusal beside the one it is about."""
    draft, schema = session.draft, session.schema
    assert draft is not None
    assert schema is not None
    presets(session)
    _test(draft, len(schema), fields)
    st.subheader("Candidates", anchor=False)
    omega(draft, len(schema), fields)
    _reader(draft, len(schema), fields)
    st.subheader("The promise", anchor=False)
    number(draft, "delta", fields)
    number(draft, "seeds_at_least", fields)
    _public(draft, fields)
    plain_number(draft, "records_per_person", fields)
    st.subheader("The model", anchor=False)
    model_epsilon(draft, fields)
    advanced(draft, fields)


def _test(draft: Draft, attributes: int, fields: Fields) -> None:
    st.subheader("The test", anchor=False)
    with st.container():
        if draft.seedless(attributes):
            st.caption("A seedless plan has no use for it: every candidate passes.")
    choice(draft, "test", words.LABELS["test"], dict(words.TESTS), words.HELP["test"])
    fields.beside("test")
    number(draft, "k", fields)
    with st.container():
        if draft.test == "plausible-deniability":
            number(draft, "gamma", fields)
    number(draft, "epsilon0", fields, disabled=draft.deterministic)


def _reader(draft: Draft, attributes: int, fields: Fields) -> None:
    """What is counted, and what a reader sees of it."""
    choice(
        draft, "protocol", words.LABELS["protocol"], dict(words.PROTOCOLS), words.HELP["protocol"]
    )
    hidden = draft.protocol == "releases"
    made = "records" if hidden else "rows" if draft.seedless(attributes) else "attempts"
    number(draft, "attempts", fields, called=made)
    with st.container():
        if hidden:
            plain_number(draft, "pass_floor", fields, step=0.05)
        else:
            fields.beside("pass_floor")


def _public(draft: Draft, fields: Fields) -> None:
    """What the custodian confirms to be publicly known; nothing is filled in for them."""
    fill("public_records-box", draft.public_records)
    st.number_input(
        words.LABELS["public_records"],
        value=None,
        step=1,
        min_value=1,
        placeholder="nobody has said",
        key="public_records-box",
        on_change=_open,
        args=(draft, "public_records", "public_records-box"),
        help=words.HELP["public_records"],
    )
    fields.beside("public_records")


def _open(draft: Draft, name: str, key: str) -> None:
    """Carry a number over, or that there is none."""
    setattr(draft, name, st.session_state[key])


def plain_number(draft: Draft, name: str, fields: Fields, *, step: float = 1) -> None:
    """One setting as a number box without a slider."""
    key = f"{name}-box"
    fill(key, getattr(draft, name))
    st.number_input(
        words.LABELS[name],
        step=step,
        format=None if step == 1 else "%g",
        key=key,
        on_change=take,
        args=(draft, name, key),
        help=words.HELP[name],
    )
    fields.beside(name)
