"""The settings few need, behind one fold, each with its warning."""

from __future__ import annotations

from functools import cache

import streamlit as st

from understudy.mechanisms.kinds import Text
from understudy.mechanisms.seedbased.fields.table import FIELDS
from understudy.mechanisms.seedbased.models import MODELS
from understudy.models.third_party.claim import Claim
from understudy.models.third_party.offers import claims
from understudy.table.schema import Schema
from understudy_dashboard.frame import Fields
from understudy_dashboard.methods.seedbased.planned import ByHand
from understudy_dashboard.parts.controls import fill
from understudy_dashboard.parts.privacy.form import Extra, Form


def advanced(draft: ByHand, schema: Schema, fields: Fields) -> None:
    """Draw the fold; it opens by itself where something in it is refused."""
    extras = {
        "kind": Extra(_offered(draft), changed=_changed, below=lambda: _outside(draft)),
        "shares": Extra(below=lambda: _learned(draft)),
    }
    form = Form(draft, len(schema), fields, extras, schema)
    folded = [each for each in FIELDS if each.stands == "folded"]
    removable = [each for each in FIELDS if each.switch and each.switch.on == "none"]
    switched = [each.switch.name for each in FIELDS if each.switch and each.name != "t"]
    risky = any(getattr(draft, name) for name in switched)
    with st.expander("Advanced", expanded=fields.about(*(each.name for each in folded)) or risky):
        for each in folded:
            if each.group.title and isinstance(each.kind, Text):
                st.markdown(f"**{each.group.title}**", help=each.words.help)
            form.draw(each)
        st.markdown("**Without noise, for comparison only**")
        for each in removable:
            form.without(each)


def _learned(draft: ByHand) -> None:
    """From which parts the model is learned."""
    st.caption(MODELS[draft.kind].dealt)


def _offered(draft: ByHand) -> list[str]:
    """Return the kinds of model that can be chosen."""
    anothers = bool(draft.outside or _installed())
    return [kind for kind, about in MODELS.items() if anothers or not about.claimed]


def _outside(draft: ByHand) -> None:
    """Which of the third-party models, and what it says of itself."""
    chosen = draft.outside
    if not MODELS[draft.kind].claimed or chosen is None:
        return
    known = {claim.name: claim for claim in (*_installed(), chosen)}
    key = "outside-choice"

    def taken() -> None:
        draft.outside = known[st.session_state[key]]

    fill(key, chosen.name)
    st.selectbox("Which", list(known), key=key, on_change=taken)
    st.caption(f"On its own word, which Understudy does not prove. {chosen.source}")
    st.caption(f"Covered: {chosen.covers}")


@cache
def _installed() -> tuple[Claim, ...]:
    """Looked for once: what is installed changes with a restart."""
    return claims()


def _changed(draft: ByHand) -> None:
    """What only some models have goes back to what all of them have."""
    about = MODELS[draft.kind]
    if about.claimed and draft.outside is None:
        draft.outside = _installed()[0]
    if not about.posterior:
        draft.estimate = "mean"
    if about.structured and draft.structure == 0:
        draft.structure = draft.parameters = draft.parameters / 2
    if not (about.at_once or about.structured) and draft.parameters == 0:
        draft.structure, draft.parameters = 0.0, draft.structure
