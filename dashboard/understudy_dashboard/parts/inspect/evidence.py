"""What Inspect works out from a run and the table it was made from. Internal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.mechanisms.mechanism import Evidence
from understudy.runs.evidence import evidence_of
from understudy_dashboard.frame import link, refuse
from understudy_dashboard.methods.page import RunInspection


def from_evidence(
    looked: RunInspection[Any], name: str, make: Callable[[Evidence[Any]], Any], *, turn: int = 0
) -> Any:
    """Return what is made of the evidence of a run, once; None, and a word, where its table is not
    open or it cannot be made.

    Args:
        looked: the run.
        name: what is made, among all that the page keeps.
        make: makes it.
        turn: raised where it is to be made anew.
    """
    session, schema = looked.session, looked.decided.schema
    table = session.schema
    if session.table is None or table is None or table.fingerprint != schema.fingerprint:
        st.info(
            "This needs the confidential table, in the columns and buckets of the run. Open it to "
            "see more of the run here."
        )
        link("data", "Open the table on the Data page", ":material/arrow_back:")
        return None

    def load() -> Any:
        with looked.run.intact():
            return make(evidence_of(looked.run, session.records()))

    try:
        return session.keep(name, (looked.run.identity, turn), load)
    except Refusal as refusal:
        refuse(refusal)
        return None
