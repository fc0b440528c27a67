"""Every setting of a plan by itself, for those who want them."""

from __future__ import annotations

from typing import Final

import streamlit as st

from understudy.mechanisms.seedbased.fields.groups import TEST
from understudy.mechanisms.seedbased.fields.table import FIELDS
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import Promise
from understudy_dashboard.frame import Fields
from understudy_dashboard.methods.seedbased.accounting import promised
from understudy_dashboard.methods.seedbased.advanced import advanced
from understudy_dashboard.methods.seedbased.own import own
from understudy_dashboard.methods.seedbased.pass_curve import pass_curve
from understudy_dashboard.methods.seedbased.presets import presets
from understudy_dashboard.methods.seedbased.rehearsal import rehearsal
from understudy_dashboard.parts.privacy.form import Extra, Form
from understudy_dashboard.session import Session

_OF_SEEDS: Final = frozenset({"seeds_at_least", *(each.name for each in FIELDS.within(TEST))})
"""What a plan without seeds has no use for."""


def by_hand(session: Session, plan: Plan | None, made: Promise | None, fields: Fields) -> None:
    """Every setting on the left; beside them, at once, what passes and how the total comes about.

    Args:
        session: the page's state.
        plan, made: the plan in use, and what it promises; None where there is none.
        fields: shows a refusal beside the setting it is about.
    """
    with st.container(key="by-hand"):
        settings, figures = st.columns([2, 3], gap="large")
    with settings:
        _settings(session, fields)
    with figures:
        fields.rest()
        if plan is None or made is None:
            return
        if made.seeds is not None:
            st.subheader("How many candidates pass", anchor=False)
            pass_curve(session, plan, made, key="passing-by-hand")
            rehearsal(session, plan, made)
        promised(plan, made)


def _settings(session: Session, fields: Fields) -> None:
    """The settings group by group, each refusal beside the one it is about."""
    draft, schema = own(session).hand, session.schema
    assert schema is not None
    presets(session)
    columns = len(schema)
    seedless = draft.used.seedless(columns)
    extras = {
        "omega": Extra(below=lambda: fields.beside("domain")),
        "reading": Extra(below=lambda: _copies_nothing(seedless)),
    }
    form = Form(draft, columns, fields, extras, schema)
    for group in FIELDS.groups:
        shown = [each for each in FIELDS.within(group) if each.stands == "open"]
        if seedless:
            shown = [each for each in shown if each.name not in _OF_SEEDS]
        if shown:
            st.subheader(group.title, anchor=False)
        for each in shown:
            form.draw(each)
    advanced(draft, schema, fields)


def _copies_nothing(seedless: bool) -> None:
    if seedless:
        st.caption("Seedless: nothing is copied from a record, and no attempt costs anything.")
