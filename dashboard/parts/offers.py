"""What the planner offers: a plan with seeds, and one without, each to be taken over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import streamlit as st

from dashboard import planning, words
from dashboard.frame import link
from dashboard.planning import Offer, Wish
from dashboard.session import Session
from engine.privacy.accounting.seeds import MISS_SHARE
from engine.refusal import Refusal

_CLAIM = "seeds_at_least"
"""What is known about the table is not changed by a click."""


def seedbased(session: Session, answer: Offer | Refusal | None) -> None:
    """The plan with seeds: what it takes and comes to; or what would make it fit."""
    with st.container(border=True, key="offer-seedbased"):
        st.markdown("**Seedbased: candidates made from real records, and tested**")
        if answer is None:
            _unasked(session.wish)
        elif isinstance(answer, Offer):
            _taken(session, answer)
        elif planning.nothing_fits(session.wish, answer):
            _refused(session, answer)
        else:
            st.caption("Mend the field marked in red, and what it takes stands here.")


def _unasked(wish: Wish) -> None:
    if wish.kept == 0:
        st.caption(
            "Nothing is to be copied from a record, so the seedless plan below is the plan. Raise "
            "“Columns copied” to see what a plan with seeds takes."
        )
    else:
        st.info(
            "Say how many seed records are publicly known to be there, and what the test takes "
            "stands here. Without that number there is the seedless plan.",
            icon=":material/help:",
        )


def _taken(session: Session, offer: Offer) -> None:
    """What a plan that fits takes, and the button that takes it over."""
    plan, made = offer.plan, offer.made
    assert made.seeds is not None
    st.markdown(
        f"{words.counted(plan.protocol, plan.attempts)} at {words.budget(made.total)}: it takes"
    )
    figures = st.columns(4)
    figures[0].metric("k", f"{plan.test.k:,}", help=words.HELP["k"])
    figures[1].metric("ε0", f"{plan.test.epsilon0:g}", help=words.HELP["epsilon0"])
    figures[2].metric("t", f"{made.seeds.t:,}", help=words.HELP["t"])
    if plan.protocol == "attempts":
        figures[3].metric("ρ", words.percent(made.pass_cap), help=words.HELP["pass_cap"])
    if offer.published_k is not None:
        st.caption(
            f"The published rule k = 2t would take k = {offer.published_k:,}. A smaller k turns "
            "away fewer candidates."
        )
    if 2 * plan.test.k > plan.seeds_at_least:
        st.warning(
            "k is more than half of the seeds counted on, so hardly any candidate will pass. "
            "Fewer attempts, or fewer columns copied, make it smaller or easier to reach.",
            icon=":material/filter_alt:",
        )
    button = _Button("Use this plan", "use-seedbased", session.answer)
    _use(session, offer, button, primary=True)
    with st.expander("Why these numbers"):
        st.markdown("\n".join(f"- {words.plain(each)}" for each in offer.explanation))
        st.caption(_set_aside(session))


def _set_aside(session: Session) -> str:
    """Why the test is planned at a smaller δ, and maybe ε, than may be spent."""
    wish, aimed = session.wish, session.aimed()
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


def _refused(session: Session, refusal: Refusal) -> None:
    """Why nothing fits, and each change that would make it fit, to click."""
    st.error(f"**Nothing fits.** {words.plain(refusal.problem)}", icon=":material/block:")
    st.markdown("Any one of these is enough, or the seedless plan below:")
    found = session.ways()
    with st.container(horizontal=True):
        for way in found:
            if way.name != _CLAIM:
                st.button(
                    way.said,
                    key=f"way-{way.name}",
                    on_click=setattr,
                    args=(session.wish, way.name, way.value),
                )
    for way in found:
        if way.name == _CLAIM:
            st.caption(f"{way.said}, if so many are publicly known to be there.")
    st.caption(_set_aside(session))


def seedless(session: Session) -> None:
    """The plan without seeds: always there."""
    with st.container(border=True, key="offer-seedless"):
        st.markdown("**Seedless: a table drawn from the model alone**")
        try:
            offer = session.seedless()
        except Refusal:
            st.caption("Mend the field marked in red, and this plan stands here.")
            return
        st.markdown(
            f"Any number of records at {words.budget(offer.made.total)}: nothing is copied from "
            "a record, every candidate passes, and only the model is paid for."
        )
        alone = not isinstance(session.answer(), Offer)
        button = _Button("Use the seedless plan", "use-seedless", session.seedless)
        _use(session, offer, button, primary=alone)


@dataclass(frozen=True)
class _Button:
    """What takes an offer over: the one that stands when it is pressed, which a number typed just
    before may have changed since it was drawn."""

    label: str
    key: str
    offer: Callable[[], Offer | Refusal | None]


def _use(session: Session, offer: Offer, button: _Button, *, primary: bool) -> None:
    used = session.draft == offer.draft
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "This is the plan in use" if used else button.label,
            type="primary" if primary else "secondary",
            icon=":material/check:" if used else ":material/arrow_back:",
            disabled=used,
            key=button.key,
            on_click=_adopt,
            args=(session, button),
        )
        if used:
            link("generate", "Generate with it")


def _adopt(session: Session, button: _Button) -> None:
    try:
        offer = button.offer()
    except Refusal:
        return
    if not isinstance(offer, Offer):
        return
    session.draft = replace(offer.draft)
    session.notices.append("The plan is in use. What it promises stands in the meter and below.")
