"""Privacy: the method, its settings, and what they promise as they move."""

from __future__ import annotations

from understudy_dashboard.frame import needs_answers, reminds_of_declaration, show, showing_refusals
from understudy_dashboard.methods.page import page_of
from understudy_dashboard.parts.privacy.method_choice import method_choice
from understudy_dashboard.session import Session


def _body(session: Session) -> None:
    if not needs_answers(session):
        return
    reminds_of_declaration(session)
    method_choice(session)
    with showing_refusals():
        page_of(session.method).privacy(session)


show(
    "Privacy",
    "Say what may be spent. The meter follows every change.",
    _body,
)
