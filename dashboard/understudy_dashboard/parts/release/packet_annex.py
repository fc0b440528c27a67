"""The internal annex, offered apart from the packet. Internal."""

from __future__ import annotations

from typing import Any

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.report.annex import NAME, annex
from understudy.report.browser import chromium, page_as_pdf
from understudy.runs.folder import RunFolder
from understudy_dashboard.internal import internal
from understudy_dashboard.session import Session
from understudy_dashboard.spending import looked_at


def packet_annex(session: Session, run: RunFolder) -> None:
    """Downloads of the annex, made when they are asked for."""
    with internal("annex"):
        st.markdown("**The internal annex** · what was kept and what was lost, as measured.")
        if looked_at(session, run) is None:
            st.caption("This run kept no figures, so there is nothing to put into an annex.")
            return
        st.caption(
            "For the board’s own eyes, beside the packet and no part of it. Every page of it says "
            "that it is internal. “Measure everything” on the Inspect page adds all measures."
        )
        with st.container(horizontal=True):
            _download(run, "html", "text/html", lambda: annex(run).encode())
            if chromium() is not None:
                _download(run, "pdf", "application/pdf", lambda: _printed(run))


def _download(run: RunFolder, kind: str, mime: str, make: Any) -> None:
    st.download_button(
        f"Internal annex ({kind.upper()})",
        data=make,
        file_name=f"{NAME}-{run.identity}.{kind}",
        mime=mime,
        on_click="ignore",
        icon=":material/visibility_lock:",
        key=f"annex-{kind}",
    )


def _printed(run: RunFolder) -> bytes:
    made = page_as_pdf(annex(run))
    if made is None:
        raise Refusal("The annex could not be printed.", "Take the HTML, and print that.")
    return made
