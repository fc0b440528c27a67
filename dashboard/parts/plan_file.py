"""Saving the plan as a file, loading one, and two starting points."""

from __future__ import annotations

import streamlit as st

from dashboard.demo import demonstrating
from dashboard.draft import Draft
from dashboard.frame import refuse
from dashboard.parts.kept_plans import kept_plans
from dashboard.parts.schema_file import text_of
from dashboard.session import Session
from engine.core.refusal import Refusal
from engine.mechanisms.seedbased.plan import Plan
from engine.mechanisms.seedbased.proposal import shares_for

_PUBLISHED = (
    "test",
    "protocol",
    "k",
    "gamma",
    "epsilon0",
    "deterministic",
    "omega_low",
    "omega_high",
    "omega_ranges",
    "reading",
    "t_by_hand",
    "sampled",
    "seeds",
    "structure",
    "parameters",
    "held_out",
)


def plan_file(session: Session, plan: Plan | None) -> None:
    """The plan as a file, to take away and to bring back."""
    _save(plan)
    _load(session)
    kept_plans(session, plan)


def presets(session: Session) -> None:
    """Two starting points."""
    draft, schema = session.draft, session.schema
    assert draft is not None
    assert schema is not None
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "As published",
            on_click=_as_published,
            args=(session,),
            key="preset-published",
            help="The settings of the published census evaluation: plausible deniability with "
            "k = 50, γ = 4 and ε0 = 1, on the network of the publication.",
        )
        st.button(
            "Seedless",
            on_click=_seedless,
            args=(draft, len(schema)),
            key="preset-seedless",
            help="ω = all columns: nothing is copied from a record, and only the model is paid "
            "for, whatever the number of rows.",
        )


def _as_published(session: Session) -> None:
    schema, draft = session.schema, session.draft
    assert draft is not None
    assert schema is not None
    fresh = Draft.of(Plan.of(schema))
    if draft.seedless(len(schema)):
        # Rows of a whole table are no measure for attempts, each of which is paid for.
        draft.attempts = session.wish.count
    for name in _PUBLISHED:
        setattr(draft, name, getattr(fresh, name))
    draft.kind, draft.outside = "network", None
    # ω ∈ [5, 11] of 11 attributes, as in the census evaluation.
    draft.omega_low, draft.omega_high = (len(schema) - 1) // 2, len(schema)
    draft.omega_ranges = draft.omega_low < draft.omega_high


def _seedless(draft: Draft, attributes: int) -> None:
    draft.omega_low = draft.omega_high = attributes
    draft.omega_ranges = False
    draft.deterministic = draft.noiseless = False
    shares = shares_for(draft.kind, 0.0)
    draft.seeds, draft.structure, draft.parameters, draft.held_out = shares.each


def _save(plan: Plan | None) -> None:
    st.download_button(
        "Save the plan",
        data="" if plan is None else plan.to_json(),
        file_name="plan.json",
        mime="application/json",
        on_click="ignore",
        disabled=plan is None,
        icon=":material/download:",
        key="plan-download",
        help="The settings only; nothing in it comes from the records.",
    )


def _load(session: Session) -> None:
    if demonstrating():
        return
    turn = session.plans_loaded
    with st.popover("Load a plan", icon=":material/upload:"):
        given = st.file_uploader("A plan file", type=["json"], key=f"plan-{turn}")
        if given is None:
            return
        try:
            session.adopt(Plan.from_json(text_of(given.getvalue())))
        except Refusal as refusal:
            refuse(refusal)
            return
        session.plans_loaded += 1
        session.notices.append("The plan is loaded.")
        st.rerun()
