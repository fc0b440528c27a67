"""Privacy: the method, its settings, and what they promise as they move."""

from __future__ import annotations

from understudy_dashboard.frame import (
    have_answers,
    remind_of_declaration,
    show_page,
    showing_refusals,
)
from understudy_dashboard.methods.page import page_of
from understudy_dashboard.parts.known_totals import draw_totals_in_words
from understudy_dashboard.parts.method_choice import draw_method_choice
from understudy_dashboard.parts.rules import draw_rules_in_words
from understudy_dashboard.session import Session


def _draw_body(session: Session) -> None:
    if not have_answers(session):
        return
    remind_of_declaration(session)
    draw_rules_in_words(session)
    draw_totals_in_words(session)
    draw_method_choice(session)
    with showing_refusals():
        page_of(session.settings.method).privacy(session)


show_page(
    "Privacy",
    "Say what may be spent. The meter follows every change.",
    _draw_body,
)
