"""The meter: the total of the plan as it stands, always in view."""

from __future__ import annotations

import streamlit as st

from dashboard import sentences, words
from dashboard.frame import answered
from dashboard.session import Session
from dashboard.spending import Spent, spent
from engine.refusal import Refusal
from engine.synthesis.promise import Promise


def meter(session: Session) -> None:
    """Draw the meter."""
    with st.container(key="meter", gap="small"):
        st.markdown("**What this plan promises**")
        with answered():
            _plan(session)
            _so_far(spent())


def _plan(session: Session) -> None:
    if session.schema is None:
        st.caption("Open a table, and the total (ε, δ) of what you plan stands here.")
        return
    try:
        plan, made = session.plan(), session.promise()
    except Refusal as refusal:
        st.caption(
            f":material/block: No total yet: {words.plain(refusal.problem)} See **Privacy**."
        )
        return
    if not made.total.bounded:
        st.warning(sentences.covered(plan, made), icon=":material/warning:")
        return
    epsilon, delta = st.columns(2, gap="small")
    epsilon.metric("Total ε", words.epsilon(made.total.epsilon), help=words.HELP["epsilon"])
    delta.metric("Total δ", words.delta(made.total.delta), help=words.HELP["delta"])
    st.caption(sentences.covered(plan, made))
    _parts(made)


def _parts(made: Promise) -> None:
    """Each part on a line; they see different records."""
    seeds = "nothing" if made.seeds is None else words.epsilon(made.seeds.total.epsilon)
    lines = (
        ("Seeds (attempts)", seeds),
        ("Model: structure", words.epsilon(made.structure.epsilon)),
        ("Model: parameters", words.epsilon(made.parameters.epsilon)),
    )
    rows = "\n".join(f"| {name} | {figure} |" for name, figure in lines)
    st.markdown(f"| Part | ε |\n|:--|--:|\n{rows}")
    st.caption("The parts see different records, so the largest counts.")


def _so_far(so_far: Spent) -> None:
    if so_far.runs:
        st.caption(
            f"**Spent so far in this folder:** {words.count(so_far.runs, 'release run')}, "
            f"together {words.budget(so_far.total)}."
        )
    if so_far.unpromised:
        st.caption(
            f"{words.count(so_far.unpromised, 'further run')} promised nothing and cannot be added."
        )
