"""What the planner offers: a plan for each purpose, side by side, the one for this purpose first;
each in two sentences, with what it comes to, and to be taken over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import streamlit as st

from dashboard import words
from dashboard.frame import link
from dashboard.methods.seedbased import planning
from dashboard.methods.seedbased.own import own
from dashboard.methods.seedbased.planning import Offer, Wish
from dashboard.session import Session
from engine.core.refusal import Refusal
from engine.mechanisms.seedbased.fields.table import FIELDS
from engine.mechanisms.seedbased.models import MODELS
from engine.mechanisms.seedbased.proposal import about, why
from engine.privacy.accounting.seeds import MISS_SHARE
from engine.runs.duration import roughly

_CLAIMS = ("seeds_at_least", "records_at_least")
"""What is known about the table is not changed by a click."""

_GOOD_FOR = {
    "table": "Teaching, software, methods, and every question about the table as a whole.",
    "alike": "A small table whose rows each resemble a real one in the columns copied.",
}


def offers(session: Session, answer: Offer | Refusal | None) -> None:
    """Both plans; the one that is proposed on the left."""
    st.subheader("What is proposed", anchor=False)
    left, right = st.columns(2, gap="medium")
    table_first = own(session).wish.purpose == "table"
    with left if table_first else right:
        _seedless(session, proposed=table_first or not isinstance(answer, Offer))
    with right if table_first else left:
        _seedbased(session, answer, proposed=not table_first)


def _seedless(session: Session, *, proposed: bool) -> None:
    """The plan without seeds: always there."""
    with st.container(border=True, key="offer-seedless"):
        _heading("Seedless: the whole table from the model", proposed)
        try:
            offer = own(session).seedless()
        except Refusal:
            st.caption("Mend the field marked in red, and this plan stands here.")
            return
        _told(session, offer)
        button = _Button("Use the seedless plan", "use-seedless", own(session).seedless)
        _use(session, offer, button, primary=proposed)
        _models(session, offer)


def _seedbased(session: Session, answer: Offer | Refusal | None, *, proposed: bool) -> None:
    """The plan with seeds: what it takes and comes to; or what would make it fit."""
    with st.container(border=True, key="offer-seedbased"):
        _heading(
            "Seedbased: rows made from real ones, and tested",
            proposed and isinstance(answer, Offer),
        )
        if answer is None:
            _unasked(own(session).wish)
        elif isinstance(answer, Offer):
            _taken(session, answer, proposed)
        elif planning.nothing_fits(own(session).wish, answer):
            _refused(session, answer)
        elif proposed:
            st.caption("Mend the field marked in red, and what it takes stands here.")
        else:
            st.caption(
                f"What it takes cannot be said yet. {words.plain(answer.problem)} "
                f"{words.plain(answer.remedy)}"
            )


def _heading(text: str, proposed: bool) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{text}**")
        if proposed:
            st.badge("Proposed", icon=":material/thumb_up:", color="blue")


def _told(session: Session, offer: Offer) -> None:
    """A plan in two sentences, and what it comes to."""
    assert session.schema is not None
    for sentence in why(offer.proposal, session.schema):
        st.markdown(words.plain(sentence))
    head, *lines = (
        f"| {name.replace(' ', words.FIXED)} | {value} |" for name, value in _figures(offer)
    )
    st.markdown("\n".join([head, "|:--|:--|", *lines]))


def _figures(offer: Offer) -> list[tuple[str, str]]:
    plan, proposal = offer.plan, offer.proposal
    what = {"table": words.count(plan.attempts, "row")}.get(
        proposal.purpose, words.counted(plan.protocol, plan.attempts)
    )
    found = proposal.predicted
    lines = [
        ("Promise", f"{words.budget(offer.made.total)}, for {what}"),
        ("Good for", _GOOD_FOR[proposal.purpose]),
        (
            "Model",
            f"{plan.model.about.title}, at ε = {words.epsilon(plan.model.epsilon)}"
            if plan.model.epsilon is not None
            else plan.model.about.title,
        ),
    ]
    if found is not None:
        noise = f"typical column {about(found.column_by_noise)}"
        drawn = f"typical column {about(found.typical_column)}"
        if found.counted:
            noise += f", pair {about(found.pair_by_noise)}"
            drawn += f", pair {about(found.typical_pair)}"
        lines.append(("Off by noise", noise))
        lines.append(("And by chance", f"{drawn}, in {what}"))
    if proposal.seconds is not None:
        lines.append(("Time", f"about {roughly(proposal.seconds)} on one core, for model and rows"))
    return lines


def _models(session: Session, offer: Offer) -> None:
    """How the kinds of model compare for the same budget."""
    models = offer.proposal.models
    if not models:
        return
    assert session.schema is not None
    pairs = len(session.schema) * (len(session.schema) - 1) // 2
    with st.expander("Why this model"):
        rows = [
            f"| {MODELS[kind].title} | {about(found.column_by_noise)} | {found.counted:,} of "
            f"{pairs:,} | {about(found.all_pairs)} |"
            for kind, found in models.items()
        ]
        st.markdown(
            "| Model | Typical column | Pairs counted | All pairs |\n|:--|--:|--:|--:|\n"
            + "\n".join(rows)
        )
        st.caption(words.plain(words.COMPARED))
        st.caption(words.plain(_as_published(offer)))


def _as_published(offer: Offer) -> str:
    """What the published network would cost."""
    published = offer.proposal.published
    if published is None or not published.bounded:
        return ""
    return (
        f"The published network keeps to the same {words.budget(offer.made.total)} here; by the "
        f"formula it was published with, its noise would cost {words.budget(published)}."
    )


def _unasked(wish: Wish) -> None:
    if wish.kept == 0:
        st.caption(
            "Nothing is to be copied from a record, so the seedless plan is the plan. Raise "
            "“Columns copied” to see what a plan with seeds takes."
        )
    else:
        st.info(
            "Say how many records the table is publicly known to have, and what the test takes "
            "stands here. Without that number there is the seedless plan.",
            icon=":material/help:",
        )


def _taken(session: Session, offer: Offer, proposed: bool) -> None:
    """What a plan that fits takes, and the button that takes it over."""
    plan, made = offer.plan, offer.made
    assert made.seeds is not None
    _told(session, offer)
    if 2 * plan.test.k > plan.seeds_at_least:
        st.warning(
            "k is more than half of the seeds counted on, so hardly any candidate will pass. "
            "Fewer attempts, or fewer columns copied, make it smaller or easier to reach.",
            icon=":material/filter_alt:",
        )
    button = _Button("Use the seedbased plan", "use-seedbased", own(session).answer)
    _use(session, offer, button, primary=proposed)
    _models(session, offer)
    with st.expander("What the test takes, and why"):
        figures = st.columns(4)
        figures[0].metric("k", f"{plan.test.k:,}", help=FIELDS["k"].words.help)
        figures[1].metric("ε0", f"{plan.test.epsilon0:g}", help=FIELDS["epsilon0"].words.help)
        figures[2].metric("t", f"{made.seeds.t:,}", help=FIELDS["t"].words.help)
        if plan.protocol == "attempts":
            figures[3].metric("ρ", words.percent(made.pass_cap), help=words.HELP["pass_cap"])
        if offer.published_k is not None:
            st.caption(
                f"The published rule k = 2t would take k = {offer.published_k:,}. A smaller k "
                "turns away fewer candidates."
            )
        st.markdown("\n".join(f"- {words.plain(each)}" for each in offer.explanation))
        st.caption(_set_aside(session))


def _set_aside(session: Session) -> str:
    """Why the test is planned at a smaller δ, and maybe ε, than may be spent."""
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


def _refused(session: Session, refusal: Refusal) -> None:
    """Why nothing fits, and each change that would make it fit, to click."""
    st.error(f"**Nothing fits.** {words.plain(refusal.problem)}", icon=":material/block:")
    st.markdown("Any one of these is enough, or the seedless plan:")
    found = own(session).ways()
    with st.container(horizontal=True):
        for way in found:
            if way.name not in _CLAIMS:
                st.button(
                    way.said,
                    key=f"way-{way.name}",
                    on_click=setattr,
                    args=(own(session).wish, way.name, way.value),
                )
    for way in found:
        if way.name in _CLAIMS:
            st.caption(f"{way.said}, if so many are publicly known to be there.")
    st.caption(_set_aside(session))


@dataclass(frozen=True)
class _Button:
    """What takes an offer over: the one that stands when it is pressed, which a number typed just
    before may have changed since it was drawn."""

    label: str
    key: str
    offer: Callable[[], Offer | Refusal | None]


def _use(session: Session, offer: Offer, button: _Button, *, primary: bool) -> None:
    used = own(session).draft == offer.draft
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
    own(session).use(replace(offer.draft))
    session.notices.append("The plan is in use. What it promises stands in the meter and below.")
