"""What Streamlit's own markup lacks, put in as it appears: names for who cannot see the
page, its theme for what stands outside of it, and that a number counts while it is typed."""

from __future__ import annotations

from understudy_dashboard.components import component

_mending = component("mending")


def mend() -> None:
    """Give every popover the name of the button that opened it, and the colours of the page, and
    have a number that is typed where a plan is decided count at the next pause. Draws nothing."""
    _mending(key="mending")
