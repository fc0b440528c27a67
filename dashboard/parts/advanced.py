"""The settings few need, behind one fold, each with its warning."""

from __future__ import annotations

from functools import cache

import streamlit as st

from dashboard import words
from dashboard.draft import Draft
from dashboard.frame import Fields
from dashboard.parts.controls import choice, fill, number, switch, take
from engine.models.third_party.claim import Claim
from engine.models.third_party.offers import claims

_PARTS = {
    "seeds": "Seeds",
    "structure": "Structure",
    "parameters": "Parameters",
    "held_out": "Held out",
}

_KINDS = {
    "calibrated": "calibrated, the best for what it costs",
    "network": "network, as published",
    "marginals": "independent columns",
}
_TOGETHER = (
    "This model is learned from the two middle parts together, so it does not matter how they are "
    "divided between them."
)
_LEARNED = {
    "network": "Which columns depend on which is learned from the second part, how they do from "
    "the third.",
    "marginals": "This model is learned from the third part; the second is of no use to it.",
}


def advanced(draft: Draft, fields: Fields) -> None:
    """Draw the fold; it opens by itself where something in it is refused."""
    refused = fields.about("t", "shares", "sampling", "model", "kind", "estimate")
    risky = draft.deterministic or draft.noiseless or draft.sampled
    with st.expander("Advanced", expanded=refused or risky):
        _t(draft, fields)
        _shares(draft, fields)
        _model(draft, fields)
        _without_noise(draft)
        _sampling(draft, fields)


def _t(draft: Draft, fields: Fields) -> None:
    if switch(draft, "t_by_hand", "Choose t by hand", words.HELP["t"]):
        fill("t-box", draft.t)
        st.number_input(
            words.LABELS["t"],
            step=1,
            key="t-box",
            on_change=take,
            args=(draft, "t", "t-box"),
            disabled=draft.deterministic,
        )
    fields.beside("t")


def _shares(draft: Draft, fields: Fields) -> None:
    st.markdown("**Where each record goes**", help=words.HELP["shares"])
    # Four in one row would break their names in two.
    cells = (*st.columns(2), *st.columns(2))
    for column, (name, label) in zip(cells, _PARTS.items(), strict=True):
        key = f"{name}-share"
        fill(key, getattr(draft, name))
        column.number_input(
            label, step=0.05, format="%g", key=key, on_change=take, args=(draft, name, key)
        )
    with st.container():
        st.caption(_LEARNED.get(draft.kind, _TOGETHER))
    fields.beside("shares")


def _model(draft: Draft, fields: Fields) -> None:
    kinds = dict(_KINDS)
    if draft.outside is not None or _installed():
        kinds["outside"] = "of another package"
    choice(draft, "kind", "Model", kinds, words.HELP["kind"], change=_changed)
    with st.container():
        if draft.kind == "outside" and draft.outside is not None:
            _outside(draft, draft.outside)
        if draft.kind in ("network", "marginals"):
            estimates = {"mean": "mean", "sampled": "one draw"}
            choice(draft, "estimate", "Estimated by the", estimates, words.HELP["estimate"])
    fields.beside("model", "kind", "estimate")


def _outside(draft: Draft, chosen: Claim) -> None:
    """Which of the third-party models, and what it says of itself."""
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


def _changed(draft: Draft) -> None:
    """What only some models have goes back to what all of them have."""
    if draft.kind == "outside" and draft.outside is None:
        draft.outside = _installed()[0]
    if draft.kind not in ("network", "marginals"):
        draft.estimate = "mean"
    if draft.kind == "network" and draft.structure == 0:
        draft.structure = draft.parameters = draft.parameters / 2
    if draft.kind == "marginals" and draft.parameters == 0:
        draft.structure, draft.parameters = 0.0, draft.structure


def _without_noise(draft: Draft) -> None:
    st.markdown("**Without noise, for comparison only**")
    if switch(draft, "deterministic", "Test without noise", words.HELP["deterministic"]):
        st.warning(
            "Without noise on k there is no differential privacy. Use this to compare, not to "
            "release.",
            icon=":material/warning:",
        )
    if switch(draft, "noiseless", "Model without noise", words.HELP["noiseless"]):
        st.warning(
            "The model would be learned from exact counts of confidential records, and nothing "
            "is promised. Use this to compare, not to release.",
            icon=":material/warning:",
        )


def _sampling(draft: Draft, fields: Fields) -> None:
    st.markdown("**Sampling**")
    on = switch(draft, "sampled", "The table is a secret random sample", words.HELP["sampling"])
    if on:
        fill("sampling-box", draft.sampling)
        st.number_input(
            words.LABELS["sampling"],
            step=0.01,
            format="%g",
            key="sampling-box",
            on_change=take,
            args=(draft, "sampling", "sampling-box"),
        )
        st.warning(
            "Only true if nobody can know who was sampled, and each person was chosen "
            "independently of all others. If in doubt, leave it off.",
            icon=":material/warning:",
        )
    fields.beside("sampling")


def model_epsilon(draft: Draft, fields: Fields) -> None:
    """ε of the model, unless it is learned without noise."""
    number(draft, "model_epsilon", fields, disabled=draft.noiseless)
