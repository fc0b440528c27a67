"""How near each column comes, and why this model: foreseen, from public numbers."""

from __future__ import annotations

import streamlit as st

from understudy.charts.predicted import columns, columns_table
from understudy.mechanisms.seedbased.foresight import about
from understudy.mechanisms.seedbased.models import MODELS
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import Promise
from understudy.runs.duration import roughly
from understudy_dashboard import words
from understudy_dashboard.methods.seedbased.keeping import draw_pair_by_pair, foreseen_of, titles
from understudy_dashboard.methods.seedbased.own import own
from understudy_dashboard.methods.seedbased.planning import Offer
from understudy_dashboard.parts.pictures import picture
from understudy_dashboard.session import Session


def each_column(session: Session, plan: Plan, made: Promise) -> None:
    """Draw it.

    Args:
        session: the page's state.
        plan: the plan in use.
        made: what it promises.
    """
    schema = session.schema
    assert schema is not None
    draw_pair_by_pair(session, plan, made)
    found = foreseen_of(session, plan, made)
    if found is None:
        st.info("Nothing is known of them beforehand.", icon=":material/help:")
    else:
        names = titles(schema)
        picture(
            columns(names, found),
            columns_table(names, found),
            key="predicted-columns",
            alt="How far off each column will be by noise and chance",
            confidential=False,
        )
    if not own(session).planned.by_hand:
        _models(own(session).offer())


def _models(offer: Offer) -> None:
    """How the kinds of model compare for the same budget."""
    proposal = offer.proposal
    if not proposal.models:
        return
    rows = [
        f"| {MODELS[kind].title} | {about(found.column_by_noise)} | {found.counted:,} of "
        f"{len(found.each_pair):,} | {about(found.all_pairs)} |"
        for kind, found in proposal.models.items()
    ]
    st.markdown(
        f"**Why the {offer.plan.model.about.title}**\n\n"
        "| Model | Typical column | Pairs counted | All pairs |\n|:--|--:|--:|--:|\n"
        + "\n".join(rows)
    )
    if proposal.seconds is not None:
        st.caption(f"About {roughly(proposal.seconds)} on one core, for model and rows.")
    st.caption(words.plain(words.COMPARED))
    st.caption(words.plain(_as_published(offer)))


def _as_published(offer: Offer) -> str:
    """Return what the published network would cost."""
    published = offer.proposal.published
    if not published.corrected.bounded:
        return ""
    return (
        f"The published network keeps to the same {words.budget(offer.made.total)} here; by the "
        f"formula it was published with, its noise would cost {published.in_words}."
    )
