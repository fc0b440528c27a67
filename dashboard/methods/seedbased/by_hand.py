"""Every setting of a plan by itself, for those who want them."""

from __future__ import annotations

import streamlit as st

from dashboard.frame import Fields
from dashboard.methods.seedbased.advanced import advanced
from dashboard.methods.seedbased.draft import Draft
from dashboard.methods.seedbased.own import own
from dashboard.methods.seedbased.presets import presets
from dashboard.parts.privacy.form import Extra, Form
from dashboard.session import Session
from engine.mechanisms.seedbased.fields.groups import TEST
from engine.mechanisms.seedbased.fields.table import FIELDS


def by_hand(session: Session, fields: Fields) -> None:
    """Draw the settings group by group, each refusal beside the one it is about."""
    draft, schema = own(session).draft, session.schema
    assert schema is not None
    presets(session)
    columns = len(schema)
    extras = {
        "omega": Extra(below=lambda: fields.beside("domain")),
        "reading": Extra(below=lambda: _copies_nothing(draft, columns)),
    }
    form = Form(draft, columns, fields, extras, schema)
    for group in FIELDS.groups:
        shown = [each for each in FIELDS.within(group) if each.stands == "open"]
        if shown:
            st.subheader(group.title, anchor=False)
        if group == TEST:
            with st.container():
                if draft.seedless(columns):
                    st.caption("A seedless plan has no use for it: every candidate passes.")
        for each in shown:
            form.draw(each)
    advanced(draft, schema, fields)


def _copies_nothing(draft: Draft, columns: int) -> None:
    if draft.seedless(columns):
        st.caption("Seedless: nothing is copied from a record, and no attempt costs anything.")
