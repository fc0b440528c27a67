"""Keys pressed anywhere on the page, for a presentation: a keyboard's, or those of a clicker."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import streamlit as st

from understudy_dashboard.components import component

Key = Literal["next", "back", "first", "last", "leave"]

_keys = component("keys")


def listen(key: str, heard: Callable[[Key], None]) -> None:
    """Have something done whenever a key is pressed that means something here.

    Args:
        key: names the place on its page.
        heard: called with what the key means, before the page is drawn again.
    """

    def pressed() -> None:
        means = st.session_state[key].pressed
        if means is not None:
            heard(means)

    _keys(key=key, on_pressed_change=pressed)
