"""Packets: what was issued, for whoever reviews it. The one page of a reviewer."""

from __future__ import annotations

import streamlit as st

from understudy.report.shelf import Packet, list_issued
from understudy.report.verdict import CAVEAT, verify_apart
from understudy_dashboard import words
from understudy_dashboard.frame import showing_refusals
from understudy_dashboard.parts.packets import draw_download, draw_report, format_issue_day
from understudy_dashboard.sign_in import current_person

_STATES = {"passed": "passed", "failed": "failed", "skipped": "left out"}


def _draw_page() -> None:
    current_person()
    st.title("Packets", anchor=False)
    st.markdown(
        "What custodians have issued for review: a synthetic table, what is promised about it, and "
        "how that follows. Nothing here was computed from confidential records without noise."
    )
    found = list_issued()
    if not found:
        st.info(
            "No packet has been issued yet. A custodian makes one on the Release page of a "
            "project, and issues it there; from then on it is listed here.",
            icon=":material/inventory_2:",
        )
        return
    by_name = {each.identity: each for each in found}
    chosen = st.selectbox(
        "Packet",
        list(by_name),
        format_func=lambda name: _describe_packet(by_name[name]),
        key="packet",
    )
    with st.container(border=True):
        _draw_packet(by_name[chosen])


def _describe_packet(packet: Packet) -> str:
    assert packet.issued is not None
    mark = "Demonstration · " if packet.stained else ""
    return f"{mark}{packet.cover.title} · issued {format_issue_day(packet.issued.at)}"


def _draw_packet(packet: Packet) -> None:
    assert packet.issued is not None
    st.subheader(words.escape(packet.cover.title), anchor=False)
    st.caption(
        f"Issued by {words.escape(packet.issued.by)} on {format_issue_day(packet.issued.at)} · "
        f"{words.escape(packet.held)}"
    )
    if not packet.whole:
        st.error(
            "The files of this packet are not those that were issued. Do not rely on it, and tell "
            "whoever issued it.",
            icon=":material/gpp_bad:",
        )
        return
    st.markdown(f"Promised in total: **{words.format_budget(packet.total)}**")
    draw_download(packet)
    read, checks, contents = st.tabs(["Report", "Checks", "What is in it"])
    with read:
        draw_report(packet)
    with checks:
        _draw_checks(packet)
    with contents:
        rows = [{"File": name, "Bytes": f"{size:,}"} for name, size in packet.files]
        st.table(rows)


def _draw_checks(packet: Packet) -> None:
    st.markdown(
        "Nothing confidential is needed to check a packet: the promise is computed again from its "
        "settings, and every file is compared. To do it away from this server, download the "
        f"packet and type `understudy verify {packet.identity}.zip`."
    )
    if not st.button("Check this packet", icon=":material/fact_check:", key="check"):
        return
    with st.spinner("Checking…"):
        verdict = verify_apart(packet.path)
    if verdict.outcome == "another version":
        st.warning(CAVEAT, icon=":material/warning:")
    elif verdict.passed:
        st.success("Every check passed.", icon=":material/verified:")
    else:
        st.error("Not every check passed. Do not rely on this packet.", icon=":material/gpp_bad:")
    st.table([{"Check": each.title, "": _STATES[each.state]} for each in verdict.checks])


with showing_refusals():
    _draw_page()
