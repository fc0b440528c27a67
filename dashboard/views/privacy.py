"""Privacy: the settings, and what they promise as they move."""

from __future__ import annotations

import streamlit as st

from dashboard.draft import Draft
from dashboard.frame import Fields, link, needs_schema, reminds_of_declaration, show
from dashboard.parts.accounting import charts, promised
from dashboard.parts.advanced import advanced, model_epsilon
from dashboard.parts.controls import number, omega
from dashboard.parts.plan_file import presets
from dashboard.parts.rehearsal import rehearsal
from dashboard.session import Session
from engine.refusal import Refusal
from engine.synthesis.plan import Plan
from engine.synthesis.promise import Promise


def _body(session: Session) -> None:
    if not needs_schema(session):
        return
    draft, schema = session.draft, session.schema
    assert draft is not None
    assert schema is not None
    reminds_of_declaration(session)
    plan, made, refusal = _computed(session)
    presets(session, plan if made is not None else None)
    fields = Fields(refusal)
    settings, figures = st.columns([2, 3], gap="large")
    with settings:
        _settings(draft, len(schema), fields)
    with figures:
        fields.rest()
        if plan is None or made is None:
            st.info("Mend the field marked in red, and the figures come back.")
        else:
            promised(plan, made)
            charts(plan, made)
            st.subheader("How many candidates pass", anchor=False)
            rehearsal(session, plan, made)
    if made is not None:
        link("generate", "Next: Generate")


def _computed(session: Session) -> tuple[Plan | None, Promise | None, Refusal | None]:
    try:
        return session.plan(), session.promise(), None
    except Refusal as refusal:
        return None, None, refusal


def _settings(draft: Draft, attributes: int, fields: Fields) -> None:
    st.subheader("The test", anchor=False)
    with st.container():
        if draft.seedless(attributes):
            st.caption("A seedless plan has no use for it: every candidate passes.")
    number(draft, "k", fields)
    number(draft, "gamma", fields)
    number(draft, "epsilon0", fields, disabled=draft.deterministic)
    st.subheader("Candidates", anchor=False)
    omega(draft, attributes, fields)
    number(draft, "attempts", fields)
    st.subheader("The promise", anchor=False)
    number(draft, "delta", fields)
    number(draft, "seeds_at_least", fields)
    st.subheader("The model", anchor=False)
    model_epsilon(draft, fields)
    advanced(draft, fields)


show(
    "Privacy",
    "Decide how well each record is hidden. The meter follows every change.",
    _body,
)
