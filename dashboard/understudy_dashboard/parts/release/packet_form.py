"""What the custodian types on a packet's title page, and making the packet."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Final

import streamlit as st

from understudy.core.home import home
from understudy.core.refusal import Refusal
from understudy.report.browser import MISSING, chromium
from understudy.report.cover import LONGEST_LINE, LONGEST_NOTE, Cover
from understudy.report.making import Making, begin, making_of
from understudy.runs.folder import RunFolder
from understudy_dashboard import words
from understudy_dashboard.frame import Fields, showing_refusals
from understudy_dashboard.session import Session

_REFUSED: Final = "packet-refused"
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


def shelf(session: Session) -> Path:
    """Return where the packets of the open project are; those of no project are in the home
    folder."""
    return home() / "packets" if session.project is None else session.project.packets


def packet_form(session: Session, run: RunFolder, protocol: str) -> None:
    """The fields of the title page, and the button that makes the packet."""
    kept = {**_fresh(protocol), **session.cover}
    fields = Fields(st.session_state.pop(_REFUSED, None))
    st.caption(
        "What you type here is printed on the packet, word for word, and is public. Nothing that "
        "is internal can get into a packet: it is made from what was released, the settings and "
        "what was declared public, and from nothing else."
    )
    left, right = st.columns(2, gap="medium")
    with left:
        _line(session, "title", "Title", kept, fields)
        _line(session, "dataset", "What the data are called in public", kept, fields)
    with right:
        _line(session, "by", "Your name and role", kept, fields)
        more = _NO_DATE if protocol == "releases" else ""
        _line(session, "dated", "Date on the title page", kept, fields, more)
    st.text_area(
        "Note to the reader",
        value=kept["note"],
        key="packet-note",
        max_chars=LONGEST_NOTE,
        height=90,
        help=_HELP["note"],
        on_change=_keep,
        args=(session, "note"),
    )
    fields.beside("note")
    if chromium() is None:
        st.caption(MISSING)
    if st.button("Make the packet", type="primary", icon=":material/package_2:", key="packet-make"):
        _make(session, run, kept)
    fields.rest()


def _fresh(protocol: str) -> dict[str, str]:
    """Return what stands in the fields of a project that no packet was made of."""
    today = "" if protocol == "releases" else f"{date.today():%-d %B %Y}"
    return {"title": "", "by": "", "dataset": "", "dated": today, "note": ""}


def _line(
    session: Session, name: str, label: str, kept: dict[str, str], fields: Fields, more: str = ""
) -> None:
    st.text_input(
        label,
        value=kept[name],
        key=f"packet-{name}",
        max_chars=LONGEST_LINE,
        help=_HELP[name] + more,
        on_change=_keep,
        args=(session, name),
    )
    fields.beside(name)


def _keep(session: Session, name: str) -> None:
    """Keep what was typed with its project: widgets forget it when another page is drawn."""
    session.cover = {**session.cover, name: st.session_state[f"packet-{name}"]}


def _make(session: Session, run: RunFolder, kept: Mapping[str, str]) -> None:
    try:
        begin(run, shelf(session), Cover(**kept))
    except Refusal as refusal:
        st.session_state[_REFUSED] = refusal
    st.rerun()


def being_made(session: Session, run: RunFolder) -> bool:
    """Return whether a packet of this run is being made; how far it is. What became of one that is
    no longer is said once."""
    making = making_of(run, shelf(session))
    if making is None:
        return False
    progress = making.progress()
    if not progress.ended:
        _follow(making)
        return True
    if making.made is None:
        st.error(words.plain(progress.message), icon=":material/error:")
    else:
        st.session_state.setdefault(CHOSEN, {})[run.identity] = making.made
        st.success("The packet is made. It is a draft until you issue it.", icon=":material/check:")
    making.forget()
    return False


@st.fragment(run_every=_EVERY)
def _follow(making: Making) -> None:
    with showing_refusals():
        progress = making.progress()
        if progress.ended:
            st.rerun()
        at = words.plain(progress.message) or "Starting"
        st.progress(max(0.05, progress.done / max(1, progress.attempts)), text=at)
        st.caption("It goes on while you look at other pages.")
