"""The INTERNAL mark: one look for whatever comes from confidential records without noise."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from understudy_dashboard import words
from understudy_dashboard.glossary import explain_terms


@contextmanager
def internal(key: str, why: str | None = None) -> Iterator[None]:
    """Provide a frame with the mark, around figures that must not leave the custodian's hands.

    Args:
        key: names the frame on its page.
        why: a sentence of its own, where there is more to say than that it is internal.
    """
    with st.container(key=f"internal-{key}"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.badge("INTERNAL", icon=":material/visibility_lock:", color="orange")
            st.caption(explain_terms(why or words.INTERNAL))
        yield
