"""What a packet shows of itself alike to its custodian and to a reviewer."""

from __future__ import annotations

from datetime import datetime
from typing import Final

import streamlit as st

from understudy.report.packet import packet_as_zip
from understudy.report.shelf import Packet

_REPORT_HEIGHT: Final = 860


def day(at: str) -> str:
    """Return a moment in ISO 8601 as a day, in this computer's time."""
    return f"{datetime.fromisoformat(at).astimezone():%-d %B %Y}"


def download(packet: Packet) -> None:
    """A button for all of it in one file, which is made when it is pressed."""
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


def report(packet: Packet) -> None:
    """The report of the packet, as it is printed."""
    # It has no scripts, says so itself, loads nothing, and all that was typed is escaped in it.
    st.iframe(
        packet.report.read_text(encoding="utf-8"),
        height=_REPORT_HEIGHT,
        alt=f"The report of {packet.cover.title}",
    )
