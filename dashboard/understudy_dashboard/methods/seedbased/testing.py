"""The test of a plan with seeds: its parameters, why these, and how many candidates pass."""

from __future__ import annotations

import streamlit as st

from understudy.mechanisms.seedbased.fields.table import FIELDS
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import Promise
from understudy.privacy.accounting.seeds import MISS_SHARE
from understudy_dashboard import words
from understudy_dashboard.methods.seedbased.own import own
from understudy_dashboard.methods.seedbased.planning import Offer
from understudy_dashboard.methods.seedbased.rehearsal import rehearsal
from understudy_dashboard.session import Session


def tested(session: Session, plan: Plan, made: Promise) -> None:
    """Draw it.

    Args:
        session: the page's state.
        plan: the plan in use, with seeds.
        made: what it promises.
    """
    parameters(plan, made)
    if not own(session).planned.by_hand:
        _why(session, own(session).offer())
    rehearsal(session, plan, made)


def parameters(plan: Plan, made: Promise) -> None:
    """k, ε0, t and ρ, and a warning where hardly anything can pass."""
    assert made.seeds is not None
    if 2 * plan.test.k > plan.seeds_at_least:
        st.warning(
            "k is more than half of the seeds counted on, so hardly any candidate will pass. "
            "Fewer attempts, or fewer columns copied, make it smaller or easier to reach.",
            icon=":material/filter_alt:",
        )
    figures = st.columns(4)
    figures[0].metric("k", f"{plan.test.k:,}", help=FIELDS["k"].words.help)
    if plan.test.epsilon0 is not None:
        figures[1].metric("ε0", f"{plan.test.epsilon0:g}", help=FIELDS["epsilon0"].words.help)
    figures[2].metric("t", f"{made.seeds.t or 0:,}", help=FIELDS["t"].words.help)
    if plan.protocol == "attempts":
        figures[3].metric("ρ", words.percent(made.pass_cap), help=words.HELP["pass_cap"])


def _why(session: Session, offer: Offer) -> None:
    """Why these numbers, and what the published rule would take."""
    with st.expander("Why these numbers"):
        if offer.published_k is not None:
            st.caption(
                f"The published rule k = 2t would take k = {offer.published_k:,}. A smaller k "
                "turns away fewer candidates."
            )
        st.markdown("\n".join(f"- {words.plain(each)}" for each in offer.explanation))
        st.caption(_set_aside(session))


def _set_aside(session: Session) -> str:
    """Return why the test is planned at a smaller δ, and maybe ε, than may be spent."""
    wish, aimed = own(session).wish, own(session).aimed()
    said = (
        f"The test is planned at δ = {words.delta(aimed.delta)}: {words.percent(MISS_SHARE)} of "
        "δ is set aside for there being fewer seeds than counted on"
    )
    if wish.protocol == "releases":
        said += ", and as much for a run that has to stop"
    if wish.records_per_person > 1:
        said += (
            f". One person may have {wish.records_per_person:,} records, so one record may cost "
            f"ε = {words.epsilon(aimed.epsilon)} only"
        )
    return f"{said}."
