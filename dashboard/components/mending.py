"""What Streamlit's own markup lacks, put in as it appears: names for who cannot see the
page, and its theme for what stands outside of it."""

from __future__ import annotations

from dashboard.components import component

_mending = component("mending")


def mend() -> None:
    """Give every popover the name of the button that opened it, and the colours of the page. Draws
    nothing."""
    _mending(key="mending")
