"""Release: what is promised, the packet for the board, and the table alone.

Nothing on it is internal but the annex at its foot, which is marked.
"""

from __future__ import annotations

import json
from typing import Any

import streamlit as st

from understudy.privacy.budget import Budget
from understudy.report.shelf import list_packets
from understudy.runs.folder import RunFolder
from understudy_dashboard import words
from understudy_dashboard.frame import draw_link, show_page
from understudy_dashboard.parts.inferences import draw_inferences
from understudy_dashboard.parts.packets import (
    draw_annex,
    draw_making,
    draw_packet,
    draw_packet_form,
    format_issue_day,
    shelf_of,
)
from understudy_dashboard.parts.panel import TITLE, PanelScope, draw_panel
from understudy_dashboard.parts.released_outputs import (
    draw_acceptance_figures,
    draw_downloads,
    draw_first_look,
)
from understudy_dashboard.parts.run_list import choose_run
from understudy_dashboard.session import Session


def _draw_body(session: Session) -> None:
    run = choose_run(session, "release")
    if run is None:
        st.info("There is nothing to release yet.")
        draw_link("generate", "Go to Generate", ":material/arrow_back:")
        return
    if not run.guarantee.exists():
        st.info("This run has released nothing: it has not finished, or was stopped.")
        draw_link("generate", "Go to Generate", ":material/arrow_back:")
        return
    with run.intact():
        said = json.loads(run.guarantee.read_text(encoding="utf-8"))
    _draw_stain(said)
    _draw_statement(said, run.identity)
    draw_acceptance_figures(run)
    _draw_packet(session, run, said)
    draw_first_look(run, said)
    draw_downloads(run, said)
    draw_inferences(session, run)
    st.subheader("Not for release", anchor=False)
    draw_annex(session, run)


def _draw_stain(said: dict[str, Any]) -> None:
    if "stain" in said:
        with st.container(key="stain"):
            st.markdown(f":material/warning: **{words.escape(said['stain'])}**")


def _draw_packet(session: Session, run: RunFolder, said: dict[str, Any]) -> None:
    st.subheader("The packet for the review board", anchor=False)
    with st.container():
        if draw_making(session, run):
            return
    found = [each for each in list_packets(shelf_of(session)) if each.shelved.run == run.identity]
    protocol = said["guarantee"]["protocol"]
    if not found:
        draw_packet_form(session, run, protocol)
        return
    draw_packet(session, run.identity, found)
    with st.expander("Make another packet of this run"):
        draw_packet_form(session, run, protocol)


def _draw_statement(said: dict[str, Any], key: str) -> None:
    guarantee = said["guarantee"]
    st.subheader("What is promised", anchor=False)
    if guarantee["epsilon"] is not None and "stain" not in said:
        total = Budget(guarantee["epsilon"], guarantee["delta"])
        figures = st.columns([1, 1, 3])
        figures[0].metric("ε", words.epsilon(total.epsilon), help=words.HELP["epsilon"])
        figures[1].metric("δ", words.delta(total.delta), help=words.HELP["delta"])
    st.markdown(words.split_paragraphs(words.escape(guarantee["statement"])))
    if "stain" in said:
        return
    st.markdown(f"**What it covers.** {words.escape(guarantee['covers'])}")
    st.markdown(f"**Compared are** {words.escape(guarantee['compares'])}.")
    _draw_declaration(said.get("declared_public"))
    with st.expander(TITLE):
        draw_panel(PanelScope.of_statement(guarantee), key)


def _draw_declaration(declared: dict[str, Any] | None) -> None:
    if declared is None:
        return
    note = f" “{words.escape(declared['note'])}”" if declared.get("note") else ""
    st.markdown(f"**Declared public** on {format_issue_day(str(declared['at']))}.{note}")


show_page(
    "Release",
    "What is promised about what was released, and the packet that a review board can check.",
    _draw_body,
)
