"""A packet on the page: what is in it, whether it checks out, its report, and handing it over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.report.checked import checked_packet
from understudy.report.files import about
from understudy.report.shelf import Packet, discard, issue
from understudy.report.verdict import CAVEAT, Verdict
from understudy_dashboard import words
from understudy_dashboard.frame import Fields, refuse
from understudy_dashboard.parts.packet_parts import day, download, report
from understudy_dashboard.parts.release.packet_form import CHOSEN
from understudy_dashboard.session import Session

_REFUSED: Final = "packet-issue-refused"
_SIGNS: Final = {
    "passed": f":material/check_circle:{words.FIXED}passed",
    "failed": f":material/cancel:{words.FIXED}**failed**",
    "skipped": f":material/remove_circle:{words.FIXED}not{words.FIXED}checked",
}


def packet_card(session: Session, run: str, found: Sequence[Packet]) -> None:
    """The packets of a run, one of them looked at.

    Args:
        session: the page's state.
        run: the name of the run.
        found: its packets, newest first; at least one.
    """
    packet = _chosen(run, found)
    with st.container(border=True, key="packet-card"):
        _head(packet)
        if not packet.whole:
            st.error(
                "The files of this packet are not those that were made. Do not hand it on; make "
                "it again.",
                icon=":material/gpp_bad:",
            )
            return
        download(packet)
        contents, checks, read = st.tabs(
            ["What is in it", "Is it sound?", "The report"],
            key=f"packet-tabs-{packet.identity}",
            on_change="rerun",
        )
        if contents.open:
            with contents:
                _contents(packet)
        if checks.open:
            with checks:
                _checks(checked_packet(packet))
        if read.open:
            with read:
                report(packet)
        _handing_over(session, run, packet)


def _chosen(run: str, found: Sequence[Packet]) -> Packet:
    """Return the packet that is looked at: the one last chosen or made, or the newest."""
    by_name = {each.identity: each for each in found}
    chosen: dict[str, str] = st.session_state.setdefault(CHOSEN, {})
    if chosen.get(run) not in by_name:
        chosen[run] = found[0].identity
    if len(found) > 1:
        key = "packet-which"
        st.session_state[key] = chosen[run]
        st.selectbox(
            "Packet of this run",
            list(by_name),
            format_func=lambda name: _line(by_name[name]),
            key=key,
            on_change=lambda: chosen.update({run: st.session_state[key]}),
        )
    return by_name[chosen[run]]


def _line(packet: Packet) -> str:
    return f"{packet.cover.title} · {_standing(packet)} · {packet.identity}"


def _standing(packet: Packet) -> str:
    return "draft" if packet.issued is None else f"issued on {day(packet.issued.at)}"


def _head(packet: Packet) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"##### {words.plain(packet.cover.title)}")
        if packet.issued is None:
            st.badge("Draft", icon=":material/edit_note:", color="gray")
        else:
            st.badge(
                f"Issued on {day(packet.issued.at)}", icon=":material/approval:", color="green"
            )
    signed = (packet.cover.by, packet.cover.dataset, packet.cover.dated)
    parts = [words.plain(part) for part in signed if part]
    parts.append(words.plain(packet.held))
    if packet.stained:
        parts.append("**demonstration, not private**")
    elif packet.total.bounded:
        parts.append(words.budget(packet.total).replace(" = ", f"{words.FIXED}={words.FIXED}"))
    st.caption(" · ".join(parts))


def _contents(packet: Packet) -> None:
    rows = [f"| `{name}` | {about(name)} | {_size(size)} |" for name, size in packet.files]
    st.markdown("\n".join(["| File | What it is | Size |", "| --- | --- | ---: |", *rows]))
    if not any(name == "report.pdf" for name, _ in packet.files):
        st.caption("The report is there as HTML only, which prints the same from any browser.")


def _size(count: int) -> str:
    if count < 1_000:
        return f"{count:,}{words.FIXED}bytes"
    return (
        f"{count / 1e3:,.0f}{words.FIXED}kB"
        if count < 1_000_000
        else f"{count / 1e6:,.1f}{words.FIXED}MB"
    )


def _checks(verdict: Verdict) -> None:
    if verdict.outcome == "another version":
        st.warning(CAVEAT, icon=":material/warning:")
    elif verdict.passed:
        st.success(
            "Every check passed. Whoever gets the packet can make the same checks, without the "
            "confidential table: `understudy verify` and the name of the zip file.",
            icon=":material/verified:",
        )
    else:
        st.error("A check failed. Do not hand this packet on; make it again.")
    rows = [
        f"| {_SIGNS[each.state]} | {words.plain(each.title)} | {words.plain(each.said)} |"
        for each in verdict.checks
    ]
    st.markdown("\n".join(["| | Check | Found |", "| --- | --- | --- |", *rows]))


def _handing_over(session: Session, run: str, packet: Packet) -> None:
    if packet.issued is not None:
        st.caption(
            f"Issued by {words.plain(packet.issued.by)}. Its files are never changed; reviewers "
            "who sign in see it in their list. To hand over something else, make another."
        )
        return
    _printed(packet)
    fields = Fields(st.session_state.pop(_REFUSED, None))
    name, button, other = st.columns([4, 2, 2], vertical_alignment="bottom")
    with name:
        by = st.text_input(
            "Issued by", value=packet.cover.by, key=f"packet-by-{packet.identity}",
            help="Who hands it to the board. From then on nothing of the packet may change, and "
            "reviewers who sign in see it.",
        )  # fmt: skip
    pressed = button.button("Issue it", icon=":material/approval:", key="packet-issue",
                            width="stretch")  # fmt: skip
    drop = other.button("Delete this draft", key="packet-discard", width="stretch")
    fields.beside("by")
    fields.rest()
    if drop:
        discard(packet)
        session.notices.append("The draft is deleted. The run and its table are still there.")
        st.rerun()
    if pressed:
        _issue(session, packet, by)


def _printed(packet: Packet) -> None:
    """Everything that somebody typed for this packet, before it is handed over."""
    cover = packet.cover
    said = {
        "Title": cover.title,
        "Data": cover.dataset,
        "By": cover.by,
        "Date": cover.dated,
        "Note": cover.note,
    }
    st.markdown("**Printed in this packet, word for word**")
    st.markdown("\n".join(f"- {name}: {_or_nothing(text)}" for name, text in said.items()))


def _or_nothing(text: str) -> str:
    return words.plain(" · ".join(text.splitlines())) if text else "*nothing*"


def _issue(session: Session, packet: Packet, by: str) -> None:
    if not checked_packet(packet).passed:
        refuse(Refusal("A check of this packet failed.", "Make it again."))
        return
    try:
        issue(packet, by)
    except Refusal as refusal:
        st.session_state[_REFUSED] = refusal
    else:
        session.notices.append("The packet is issued.")
    st.rerun()
