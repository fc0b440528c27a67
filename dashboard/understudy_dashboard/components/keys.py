"""Parts that draw nothing themselves: keys of a presentation, and what Streamlit’s markup lacks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import streamlit as st

from understudy_dashboard.components import load_component

Key = Literal["next", "back", "first", "last", "leave"]

_KEYS = load_component("keys")


def listen_for_keys(key: str, heard: Callable[[Key], None]) -> None:
    """Have something done whenever a key is pressed that means something here.

    Args:
        key: names the place on its page.
        heard: called with what the key means, before the page is drawn again.
    """

    def hear_key() -> None:
        means = st.session_state[key].pressed
        if means is not None:
            heard(means)

    _KEYS(key=key, on_pressed_change=hear_key)


_MENDING = load_component("mending")


def mend_page() -> None:
    """Give every popover the name of the button that opened it, and the colours of the page, and
    have a number that is typed where a plan is decided count at the next pause. Draws nothing."""
    _MENDING(key="mending")
