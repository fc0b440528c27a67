"""The address of what was the Trade-off page: it leads to Privacy, where many plans are tried."""

from __future__ import annotations

import streamlit as st

from understudy_dashboard.methods.page import page_of
from understudy_dashboard.session import current

_session = current()
if _session.settings.schema is not None:
    page_of(_session.settings.method).many_plans()
st.switch_page("views/privacy.py")
