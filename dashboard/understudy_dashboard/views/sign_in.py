"""The page of a shared server for whoever has not signed in, or has no part here."""

from __future__ import annotations

import streamlit as st

from understudy_dashboard.people import Nobody
from understudy_dashboard.sign_in import end_sign_in, find_visitor, sign_in_settings


def _leave() -> None:
    end_sign_in()
    st.logout()


def _draw_page() -> None:
    found = find_visitor()
    _, middle, _ = st.columns([1, 2, 1])
    with middle:
        st.title("Understudy", anchor=False)
        away = st.session_state.get("away")
        if away:
            st.info(away, icon=":material/lock_clock:")
        if isinstance(found, Nobody) and found.why:
            st.warning(found.why, icon=":material/badge:")
        else:
            st.markdown(
                "Synthetic tables that stand in for confidential ones. Sign in to go on: as a "
                "custodian to your own projects, as a reviewer to the packets that were issued."
            )
        if sign_in_settings() is None:
            st.button("Go on", type="primary", on_click=st.session_state.clear)
            return
        st.button("Sign in", type="primary", icon=":material/login:", on_click=st.login)
        if isinstance(found, Nobody) and found.why:
            st.button("Sign out", icon=":material/logout:", on_click=_leave)


_draw_page()
