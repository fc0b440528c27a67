"""Before any page: who is there, and which pages there are for them.

Whoever is not a custodian gets a navigation that holds the one page meant for them, so no address
leads to another; and no session object, so there is nothing to look at.
"""

from __future__ import annotations

import logging
import time
from pathlib import Path
from typing import Any, Final

import streamlit as st

from understudy_dashboard import words
from understudy_dashboard.people import LOCAL, Nobody, Person
from understudy_dashboard.session import Session
from understudy_dashboard.sign_in import end_sign_in, find_visitor, sign_in_settings

_log = logging.getLogger("understudy.dashboard")

_VIEWS: Final = Path(__file__).with_name("views")
_SEEN: Final = "last-seen"
_WHO: Final = "who"

AWAY: Final = (
    "This page was left alone for a while, so it was closed and its table forgotten. What was "
    "decided about it is kept in its project."
)


def admit_custodian() -> Person | None:
    """Return the custodian at this page; None where it is for somebody else, whose page is then
    drawn."""
    found = find_visitor()
    if (
        isinstance(found, Person)
        and found.role == "custodian"
        and not is_left_alone(st.session_state)
    ):
        _note_arrival(found)
        return found
    _draw_for_others(found)
    return None


def draw_visitor(someone: Person) -> None:
    """Draw who is signed in, and the way out, at the foot of the sidebar."""
    if someone is LOCAL:
        return
    with st.container(key="signed-in"):
        role = "Custodian" if someone.role == "custodian" else "Reviewer"
        st.caption(
            f":material/account_circle: {words.escape(someone.name) or 'Signed in'} · {role}"
        )
        st.button("Sign out", key="sign-out", on_click=sign_out, width="stretch")


def sign_out() -> None:
    """Forget all that this page knows, and sign out: on the server first, then in the browser."""
    forget_session()
    end_sign_in()
    st.logout()


def forget_session() -> None:
    """Forget the table and everything else that this page knows."""
    # What was drawn in fragments refers to these objects; they must be empty, not only gone. There
    # may be several: the tour lays one aside.
    for known in list(st.session_state.values()):
        if isinstance(known, Session):
            known.close()
    st.session_state.clear()


def _draw_for_others(found: Person | Nobody) -> None:
    """Draw the one page that there is for somebody who is no custodian, or was away too long."""
    away = isinstance(found, Person) and found.role == "custodian"
    if "session" in st.session_state:
        forget_session()
    if away:
        st.session_state["away"] = AWAY
        end_sign_in()
        st.logout()
    if isinstance(found, Nobody) or away:
        _draw_only_page("sign_in", "Sign in")
        return
    _note_arrival(found)
    with st.sidebar:
        draw_visitor(found)
    _draw_only_page("packets", "Packets")


def _draw_only_page(name: str, title: str) -> None:
    """Draw a page at whichever address of a page was asked for."""
    first = st.Page(f"views/{name}.py", title=title, url_path=name, default=True)
    others = sorted({path.stem for path in _VIEWS.glob("*.py")} - {name})
    same = [st.Page(f"views/{name}.py", title=title, url_path=other) for other in others]
    st.navigation([first, *same], position="hidden").run()


def is_left_alone(known: Any) -> bool:
    """Return whether nobody has done anything at a page for longer than the server allows.

    Args:
        known: what the page knows, by name.
    """
    how = sign_in_settings()
    if how is None or _SEEN not in known:
        return False
    return bool(time.monotonic() - known[_SEEN] > how.idle_minutes * 60)


def _note_arrival(someone: Person) -> None:
    st.session_state[_SEEN] = time.monotonic()
    if someone is not LOCAL and st.session_state.get(_WHO) != someone.key:
        st.session_state[_WHO] = someone.key
        _log.info("signed in: a %s, %s", someone.role, someone.key)
