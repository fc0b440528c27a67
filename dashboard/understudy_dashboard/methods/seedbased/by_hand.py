"""Every setting of a plan, its presets, and the settings that few need, for those who want them."""

from __future__ import annotations

from functools import cache
from typing import Final

import streamlit as st

from understudy.mechanisms.kinds import Text
from understudy.mechanisms.seedbased.fields.model_fields import TEST
from understudy.mechanisms.seedbased.models import MODELS, PUBLISHED
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import Promise
from understudy.mechanisms.seedbased.proposal import shares_for
from understudy.models.third_party.claim import Claim
from understudy.models.third_party.offers import offered_claims
from understudy.table.schema import Schema
from understudy_dashboard.frame import FieldRefusals
from understudy_dashboard.methods.seedbased.accounting import draw_promise
from understudy_dashboard.methods.seedbased.method_settings import plan_choice
from understudy_dashboard.methods.seedbased.pass_rate import draw_pass_curve, draw_rehearsal
from understudy_dashboard.methods.seedbased.planner import TABLE, Draft
from understudy_dashboard.parts.controls import fill_widget
from understudy_dashboard.parts.form import Extra, Form
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


def draw_presets(session: Session) -> None:
    """Draw two starting points."""
    draft, schema = plan_choice(session).hand, session.settings.schema
    assert schema is not None
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "As published",
            on_click=_set_as_published,
            args=(session,),
            key="preset-published",
            help="The settings of the published census evaluation: plausible deniability with "
            "k = 50, γ = 4 and ε0 = 1, on the network of the publication.",
        )
        st.button(
            "Seedless",
            on_click=_set_seedless,
            args=(draft, len(schema)),
            key="preset-seedless",
            help="ω = all columns: nothing is copied from a record, and only the model is paid "
            "for, whatever the number of rows.",
        )


def _set_as_published(session: Session) -> None:
    schema, draft = session.settings.schema, plan_choice(session).hand
    assert schema is not None
    fresh = Draft.of_plan(Plan.of(schema))
    if draft.is_seedless(len(schema)):
        # Rows of a whole table are no measure for attempts, each of which is paid for.
        draft.attempts = plan_choice(session).wish.count
    for name in _PUBLISHED:
        setattr(draft, name, getattr(fresh, name))
    draft.kind, draft.outside = PUBLISHED, None
    # ω ∈ [5, 11] of 11 attributes, as in the census evaluation.
    draft.omega_low, draft.omega_high = (len(schema) - 1) // 2, len(schema)
    draft.omega_ranges = draft.omega_low < draft.omega_high


def _set_seedless(draft: Draft, attributes: int) -> None:
    draft.omega_low = draft.omega_high = attributes
    draft.omega_ranges = False
    draft.deterministic = draft.noiseless = False
    shares = shares_for(draft.kind, 0.0)
    draft.seeds, draft.structure, draft.parameters, draft.held_out = shares.each


def draw_advanced(draft: Draft, schema: Schema, fields: FieldRefusals) -> None:
    """Draw the fold; it opens by itself where something in it is refused."""
    extras = {
        "kind": Extra(
            _list_models(draft),
            changed=_reset_model_settings,
            below=lambda: _ask_outside_model(draft),
        ),
        "shares": Extra(below=lambda: _draw_dealing(draft)),
    }
    form = Form(draft, len(schema), fields, extras, schema)
    folded = [each for each in TABLE if each.stands == "folded"]
    removable = [each for each in TABLE if each.switch and each.switch.on == "none"]
    switched = [each.switch.name for each in TABLE if each.switch and each.name != "t"]
    risky = any(getattr(draft, name) for name in switched)
    with st.expander("Advanced", expanded=fields.about(*(each.name for each in folded)) or risky):
        for each in folded:
            if each.group.title and isinstance(each.kind, Text):
                st.markdown(f"**{each.group.title}**", help=each.words.help)
            form.draw(each)
        st.markdown("**Without noise, for comparison only**")
        for each in removable:
            form.draw_removal(each)


def _draw_dealing(draft: Draft) -> None:
    """Say from which parts the model is learned."""
    st.caption(MODELS[draft.kind].dealt)


def _list_models(draft: Draft) -> list[str]:
    """Return the kinds of model that can be chosen."""
    anothers = bool(draft.outside or _list_installed())
    return [kind for kind, about in MODELS.items() if anothers or not about.claimed]


def _ask_outside_model(draft: Draft) -> None:
    """Ask which of the third-party models, and what it says of itself."""
    chosen = draft.outside
    if not MODELS[draft.kind].claimed or chosen is None:
        return
    known = {claim.name: claim for claim in (*_list_installed(), chosen)}
    key = "outside-choice"

    def take_settings() -> None:
        draft.outside = known[st.session_state[key]]

    fill_widget(key, chosen.name)
    st.selectbox("Which", list(known), key=key, on_change=take_settings)
    st.caption(f"On its own word, which Understudy does not prove. {chosen.source}")
    st.caption(f"Covered: {chosen.covers}")


@cache
def _list_installed() -> tuple[Claim, ...]:
    """Return the claims of installed models, looked for once: what is installed changes with a
    restart."""
    return offered_claims()


def _reset_model_settings(draft: Draft) -> None:
    """Reset what only some models have to what all of them have."""
    about = MODELS[draft.kind]
    if about.claimed and draft.outside is None:
        draft.outside = _list_installed()[0]
    if not about.posterior:
        draft.estimate = "mean"
    if about.structured and draft.structure == 0:
        draft.structure = draft.parameters = draft.parameters / 2
    if not (about.at_once or about.structured) and draft.parameters == 0:
        draft.structure, draft.parameters = 0.0, draft.structure


_OF_SEEDS: Final = frozenset({"seeds_at_least", *(each.name for each in TABLE.within(TEST))})
"""What a plan without seeds has no use for."""


def draw_by_hand(
    session: Session, plan: Plan | None, made: Promise | None, fields: FieldRefusals
) -> None:
    """Draw every setting on the left; beside them, at once, what passes and how the total comes
    about.

    Args:
        session: the page's state.
        plan, made: the plan in use, and what it promises; None where there is none.
        fields: shows a refusal beside the setting it is about.
    """
    with st.container(key="by-hand"):
        settings, figures = st.columns([2, 3], gap="large")
    with settings:
        _draw_settings(session, fields)
    with figures:
        fields.rest()
        if plan is None or made is None:
            return
        if made.seeds is not None:
            st.subheader("How many candidates pass", anchor=False)
            draw_pass_curve(session, plan, made, key="passing-by-hand")
            draw_rehearsal(session, plan, made)
        draw_promise(plan, made)


def _draw_settings(session: Session, fields: FieldRefusals) -> None:
    """Draw the settings group by group, each refusal beside the one it is about."""
    draft, schema = plan_choice(session).hand, session.settings.schema
    assert schema is not None
    draw_presets(session)
    columns = len(schema)
    seedless = draft.is_seedless(columns)
    extras = {
        "omega": Extra(below=lambda: fields.beside("domain")),
        "reading": Extra(below=lambda: _note_seedless(seedless)),
    }
    form = Form(draft, columns, fields, extras, schema)
    shown = [each for each in TABLE if each.stands == "open"]
    if seedless:
        shown = [each for each in shown if each.name not in _OF_SEEDS]
    form.draw_by_group(TABLE, shown)
    draw_advanced(draft, schema, fields)


def _note_seedless(seedless: bool) -> None:
    if seedless:
        st.caption("Seedless: nothing is copied from a record, and no attempt costs anything.")
