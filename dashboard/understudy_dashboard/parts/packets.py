"""A packet on the page: its title page, its contents, its check, the annex, and handing it over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any, Final

import streamlit as st

from understudy.core.home import home
from understudy.core.refusal import Refusal
from understudy.report.annex import NAME, write_annex
from understudy.report.browser import MISSING, find_chromium, print_pdf
from understudy.report.cover import LONGEST_LINE, LONGEST_NOTE, Cover
from understudy.report.files import describe_file
from understudy.report.packet import packet_as_zip
from understudy.report.packet_process import PacketMaking, begin_packet, find_making
from understudy.report.shelf import Packet, discard_packet, issue_packet
from understudy.report.verdict import CAVEAT, PacketVerdict
from understudy.report.verify import check_packet
from understudy.runs.folder import RunFolder
from understudy_dashboard import words
from understudy_dashboard.frame import FieldRefusals, mark_internal, show_refusal, showing_refusals
from understudy_dashboard.ledger_status import load_measurements
from understudy_dashboard.session import Session

_REPORT_HEIGHT: Final = 860


def format_issue_day(at: str) -> str:
    """Return a moment in ISO 8601 as a day, in this computer's time."""
    return f"{datetime.fromisoformat(at).astimezone():%-d %B %Y}"


def draw_download(packet: Packet) -> None:
    """Draw a button for all of it in one file, which is made when it is pressed."""
    st.download_button(
        "Download the packet",
        data=lambda: packet_as_zip(packet),
        file_name=f"{packet.identity}.zip",
        mime="application/zip",
        on_click="ignore",
        type="primary",
        icon=":material/download:",
        key="packet-download",
        help="One zip file with everything, for the board and for whoever uses the table.",
    )


def draw_report(packet: Packet) -> None:
    """Draw the report of the packet, as it is printed."""
    # It has no scripts, says so itself, loads nothing, and all that was typed is escaped in it.
    st.iframe(
        packet.report.read_text(encoding="utf-8"),
        height=_REPORT_HEIGHT,
        alt=f"The report of {packet.cover.title}",
    )


def draw_annex(session: Session, run: RunFolder) -> None:
    """Draw downloads of the annex, made when they are asked for."""
    with mark_internal("annex"):
        st.markdown("**The internal annex** · what was kept and what was lost, as measured.")
        if load_measurements(session, run) is None:
            st.caption("This run kept no figures, so there is nothing to put into an annex.")
            return
        st.caption(
            "For the board’s own eyes, beside the packet and no part of it. Every page of it says "
            "that it is internal. “Measure everything” on the Inspect page adds all measures."
        )
        with st.container(horizontal=True):
            _draw_annex_download(run, "html", "text/html", lambda: write_annex(run).encode())
            if find_chromium() is not None:
                _draw_annex_download(run, "pdf", "application/pdf", lambda: _print_annex(run))


def _draw_annex_download(run: RunFolder, kind: str, mime: str, make: Any) -> None:
    st.download_button(
        f"Internal annex ({kind.upper()})",
        data=make,
        file_name=f"{NAME}-{run.identity}.{kind}",
        mime=mime,
        on_click="ignore",
        icon=":material/visibility_lock:",
        key=f"annex-{kind}",
    )


def _print_annex(run: RunFolder) -> bytes:
    made = print_pdf(write_annex(run))
    if made is None:
        raise Refusal("The annex could not be printed.", "Take the HTML, and print that.")
    return made


_FORM_REFUSED: Final = "packet-refused"
_EVERY: Final = 0.5
CHOSEN: Final = "packet-chosen"
"""Where the name of the packet that is looked at stands, by run."""

_HELP: Final[Mapping[str, str]] = {
    "title": "What the board will call it. The name of your file and of the project stay here.",
    "by": "Your name and role, as the board knows you.",
    "dataset": "What the data are called in public, such as the survey and its year.",
    "dated": "Stands on the title page as you type it. No other date is in the packet.",
    "note": "Anything the reader should know, such as what the table may be used for.",
}
_NO_DATE: Final = (
    " Under this protocol nobody may learn how long the run took, and an exact date would say how "
    "long at most: leave it empty, or give the year."
)


def shelf_of(session: Session) -> Path:
    """Return where the packets of the open project are; those of no project are in the home
    folder."""
    return home() / "packets" if session.project is None else session.project.packets


def draw_packet_form(session: Session, run: RunFolder, protocol: str) -> None:
    """Draw the fields of the title page, and the button that makes the packet."""
    kept = {**_fill_afresh(protocol), **session.cover}
    fields = FieldRefusals(st.session_state.pop(_FORM_REFUSED, None))
    st.caption(
        "What you type here is printed on the packet, word for word, and is public. Nothing that "
        "is internal can get into a packet: it is made from what was released, the settings and "
        "what was declared public, and from nothing else."
    )
    left, right = st.columns(2, gap="medium")
    with left:
        _ask_line(session, "title", "Title", kept, fields)
        _ask_line(session, "dataset", "What the data are called in public", kept, fields)
    with right:
        _ask_line(session, "by", "Your name and role", kept, fields)
        more = _NO_DATE if protocol == "releases" else ""
        _ask_line(session, "dated", "Date on the title page", kept, fields, more)
    st.text_area(
        "Note to the reader",
        value=kept["note"],
        key="packet-note",
        max_chars=LONGEST_NOTE,
        height=90,
        help=_HELP["note"],
        on_change=_keep_line,
        args=(session, "note"),
    )
    fields.beside("note")
    if find_chromium() is None:
        st.caption(MISSING)
    if st.button("Make the packet", type="primary", icon=":material/package_2:", key="packet-make"):
        _make_packet(session, run, kept)
    fields.rest()


def _fill_afresh(protocol: str) -> dict[str, str]:
    """Return what stands in the fields of a project that no packet was made of."""
    today = "" if protocol == "releases" else f"{date.today():%-d %B %Y}"
    return {"title": "", "by": "", "dataset": "", "dated": today, "note": ""}


def _ask_line(
    session: Session,
    name: str,
    label: str,
    kept: dict[str, str],
    fields: FieldRefusals,
    more: str = "",
) -> None:
    st.text_input(
        label,
        value=kept[name],
        key=f"packet-{name}",
        max_chars=LONGEST_LINE,
        help=_HELP[name] + more,
        on_change=_keep_line,
        args=(session, name),
    )
    fields.beside(name)


def _keep_line(session: Session, name: str) -> None:
    """Keep what was typed with its project: widgets forget it when another page is drawn."""
    session.cover = {**session.cover, name: st.session_state[f"packet-{name}"]}


def _make_packet(session: Session, run: RunFolder, kept: Mapping[str, str]) -> None:
    try:
        begin_packet(run, shelf_of(session), Cover(**kept))
    except Refusal as refusal:
        st.session_state[_FORM_REFUSED] = refusal
    st.rerun()


def draw_making(session: Session, run: RunFolder) -> bool:
    """Return whether a packet of this run is being made; how far it is. What became of one that is
    no longer is said once."""
    making = find_making(run, shelf_of(session))
    if making is None:
        return False
    progress = making.progress()
    if not progress.ended:
        _follow_making(making)
        return True
    if making.made is None:
        st.error(words.escape(progress.message), icon=":material/error:")
    else:
        st.session_state.setdefault(CHOSEN, {})[run.identity] = making.made
        st.success("The packet is made. It is a draft until you issue it.", icon=":material/check:")
    making.forget()
    return False


@st.fragment(run_every=_EVERY)
def _follow_making(making: PacketMaking) -> None:
    with showing_refusals():
        progress = making.progress()
        if progress.ended:
            st.rerun()
        at = words.escape(progress.message) or "Starting"
        st.progress(max(0.05, progress.done / max(1, progress.attempts)), text=at)
        st.caption("It goes on while you look at other pages.")


_REFUSED: Final = "packet-issue-refused"
_SIGNS: Final = {
    "passed": f":material/check_circle:{words.FIXED}passed",
    "failed": f":material/cancel:{words.FIXED}**failed**",
    "skipped": f":material/remove_circle:{words.FIXED}not{words.FIXED}checked",
}


def draw_packet(session: Session, run: str, found: Sequence[Packet]) -> None:
    """Draw the packets of a run, one of them looked at.

    Args:
        session: the page's state.
        run: the name of the run.
        found: its packets, newest first; at least one.
    """
    packet = _ask_packet(run, found)
    with st.container(border=True, key="packet-card"):
        _draw_head(packet)
        if not packet.whole:
            st.error(
                "The files of this packet are not those that were made. Do not hand it on; make "
                "it again.",
                icon=":material/gpp_bad:",
            )
            return
        draw_download(packet)
        contents, checks, read = st.tabs(
            ["What is in it", "Is it sound?", "The report"],
            key=f"packet-tabs-{packet.identity}",
            on_change="rerun",
        )
        if contents.open:
            with contents:
                _draw_contents(packet)
        if checks.open:
            with checks:
                _draw_checks(check_packet(packet))
        if read.open:
            with read:
                draw_report(packet)
        _draw_handover(session, run, packet)


def _ask_packet(run: str, found: Sequence[Packet]) -> Packet:
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
            format_func=lambda name: _describe_line(by_name[name]),
            key=key,
            on_change=lambda: chosen.update({run: st.session_state[key]}),
        )
    return by_name[chosen[run]]


def _describe_line(packet: Packet) -> str:
    return f"{packet.cover.title} · {_describe_standing(packet)} · {packet.identity}"


def _describe_standing(packet: Packet) -> str:
    return "draft" if packet.issued is None else f"issued on {format_issue_day(packet.issued.at)}"


def _draw_head(packet: Packet) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"##### {words.escape(packet.cover.title)}")
        if packet.issued is None:
            st.badge("Draft", icon=":material/edit_note:", color="gray")
        else:
            st.badge(
                f"Issued on {format_issue_day(packet.issued.at)}",
                icon=":material/approval:",
                color="green",
            )
    signed = (packet.cover.by, packet.cover.dataset, packet.cover.dated)
    parts = [words.escape(part) for part in signed if part]
    parts.append(words.escape(packet.held))
    if packet.stained:
        parts.append("**demonstration, not private**")
    elif packet.total.bounded:
        parts.append(
            words.format_budget(packet.total).replace(" = ", f"{words.FIXED}={words.FIXED}")
        )
    st.caption(" · ".join(parts))


def _draw_contents(packet: Packet) -> None:
    rows = [
        f"| `{name}` | {describe_file(name)} | {_format_size(size)} |"
        for name, size in packet.files
    ]
    st.markdown("\n".join(["| File | What it is | Size |", "| --- | --- | ---: |", *rows]))
    if not any(name == "report.pdf" for name, _ in packet.files):
        st.caption("The report is there as HTML only, which prints the same from any browser.")


def _format_size(count: int) -> str:
    if count < 1_000:
        return f"{count:,}{words.FIXED}bytes"
    return (
        f"{count / 1e3:,.0f}{words.FIXED}kB"
        if count < 1_000_000
        else f"{count / 1e6:,.1f}{words.FIXED}MB"
    )


def _draw_checks(verdict: PacketVerdict) -> None:
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
        f"| {_SIGNS[each.state]} | {words.escape(each.title)} | {words.escape(each.said)} |"
        for each in verdict.checks
    ]
    st.markdown("\n".join(["| | Check | Found |", "| --- | --- | --- |", *rows]))


def _draw_handover(session: Session, run: str, packet: Packet) -> None:
    if packet.issued is not None:
        st.caption(
            f"Issued by {words.escape(packet.issued.by)}. Its files are never changed; reviewers "
            "who sign in see it in their list. To hand over something else, make another."
        )
        return
    _draw_printed(packet)
    fields = FieldRefusals(st.session_state.pop(_REFUSED, None))
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
        discard_packet(packet)
        session.notices.append("The draft is deleted. The run and its table are still there.")
        st.rerun()
    if pressed:
        _issue_packet(session, packet, by)


def _draw_printed(packet: Packet) -> None:
    """Draw everything that somebody typed for this packet, before it is handed over."""
    cover = packet.cover
    said = {
        "Title": cover.title,
        "Data": cover.dataset,
        "By": cover.by,
        "Date": cover.dated,
        "Note": cover.note,
    }
    st.markdown("**Printed in this packet, word for word**")
    st.markdown("\n".join(f"- {name}: {_format_or_none(text)}" for name, text in said.items()))


def _format_or_none(text: str) -> str:
    return words.escape(" · ".join(text.splitlines())) if text else "*nothing*"


def _issue_packet(session: Session, packet: Packet, by: str) -> None:
    if not check_packet(packet).passed:
        show_refusal(Refusal("A check of this packet failed.", "Make it again."))
        return
    try:
        issue_packet(packet, by)
    except Refusal as refusal:
        st.session_state[_REFUSED] = refusal
    else:
        session.notices.append("The packet is issued.")
    st.rerun()
