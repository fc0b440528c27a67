"""What a decision rests on, one level down: a fold for each part, drawn when it is opened."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import streamlit as st

from understudy_dashboard.frame import showing_refusals

KEY: Final = "privacy-details"
"""Under which the page's state says which of them is open."""
MEANING: Final = "What the promise means"
TOTAL: Final = "How the total comes about"
BY_HAND: Final = "Set every parameter yourself"


def find_open_detail() -> str | None:
    """Return the title of the fold that is open."""
    found: str | None = st.session_state.get(KEY)
    return found


def open_detail(title: str | None) -> None:
    """Open one of them, and close the others; None closes all."""
    st.session_state[KEY] = title


def draw_details(offered: Mapping[str, Callable[[], object]]) -> None:
    """Draw the folds, at most one of them open, and every parameter last.

    Args:
        offered: what is drawn in each, by its title.
    """
    if find_open_detail() not in offered:
        open_detail(None)
    # Where the settings make no plan most of them go. What is typed in stays where it was.
    with st.container():
        for title, draw in offered.items():
            if title != BY_HAND:
                _fold(title, draw)
    if BY_HAND in offered:
        _fold(BY_HAND, offered[BY_HAND])


def _fold(title: str, draw: Callable[[], object]) -> None:
    key = f"{KEY}-{title}"
    st.session_state[key] = find_open_detail() == title
    fold = st.expander(title, key=key, on_change=_turn, args=(title,))
    if fold.open:
        with fold, showing_refusals():
            draw()


def _turn(title: str) -> None:
    """Follow a fold that somebody opened or closed."""
    open_detail(None if find_open_detail() == title else title)
