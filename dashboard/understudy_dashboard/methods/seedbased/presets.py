"""Two starting points for a plan of seedbased synthesis."""

from __future__ import annotations

import streamlit as st

from understudy.mechanisms.seedbased.models import PUBLISHED
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.proposal import shares_for
from understudy_dashboard.methods.seedbased.draft import Draft
from understudy_dashboard.methods.seedbased.own import own
from understudy_dashboard.methods.seedbased.planned import ByHand
from understudy_dashboard.session import Session

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


def presets(session: Session) -> None:
    """Two starting points."""
    draft, schema = own(session).hand, session.schema
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
    schema, draft = session.schema, own(session).hand
    assert schema is not None
    fresh = Draft.of(Plan.of(schema))
    if draft.used.seedless(len(schema)):
        # Rows of a whole table are no measure for attempts, each of which is paid for.
        draft.attempts = own(session).wish.count
    for name in _PUBLISHED:
        setattr(draft, name, getattr(fresh, name))
    draft.kind, draft.outside = PUBLISHED, None
    # ω ∈ [5, 11] of 11 attributes, as in the census evaluation.
    draft.omega_low, draft.omega_high = (len(schema) - 1) // 2, len(schema)
    draft.omega_ranges = draft.omega_low < draft.omega_high


def _seedless(draft: ByHand, attributes: int) -> None:
    draft.omega_low = draft.omega_high = attributes
    draft.omega_ranges = False
    draft.deterministic = draft.noiseless = False
    shares = shares_for(draft.kind, 0.0)
    draft.seeds, draft.structure, draft.parameters, draft.held_out = shares.each
