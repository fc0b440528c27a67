"""The frame of a page: its title, refusals, links, sentences with buttons, and the border around
what is internal."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import streamlit as st

from understudy.core.debug import traceback_sentence, write_traceback
from understudy.core.refusal import Refusal
from understudy_dashboard import words
from understudy_dashboard.glossary import explain_terms
from understudy_dashboard.questions import list_open_questions, name_missing
from understudy_dashboard.session import Session, current
from understudy_dashboard.silence_output import describe_error


@contextmanager
def mark_internal(key: str, why: str | None = None) -> Iterator[None]:
    """Provide a frame with the mark, around figures that must not leave the custodian's hands.

    Args:
        key: names the frame on its page.
        why: a sentence of its own, such as the figure itself; that it is internal if None.
    """
    with st.container(key=f"internal-{key}"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.badge("INTERNAL", icon=":material/visibility_lock:", color="orange")
            st.caption(explain_terms(why or words.INTERNAL))
        yield


def show_internal(key: str, sentence: str) -> None:
    """Draw a sentence with the mark; the key names its frame."""
    with mark_internal(key, sentence):
        pass


def show_unchecked(key: str, refusal: Refusal) -> None:
    """Say with the mark why the open table cannot be compared with what is declared."""
    problem = words.escape(refusal.problem)
    show_internal(key, f"Not checked against the table yet: {problem}")


_log = logging.getLogger("understudy.dashboard")


def show_page(title: str, lead: str, body: Callable[[Session], None]) -> None:
    """Draw a page.

    Args:
        title: its name.
        lead: one sentence on what it is for.
        body: draws the rest.
    """
    st.title(title, anchor=False)
    st.markdown(explain_terms(lead))
    session = current()
    with st.container():
        for notice in session.notices:
            st.success(notice, icon=":material/check:")
        for caution in session.cautions:
            st.warning(caution, icon=":material/sync_problem:")
    session.notices.clear()
    session.cautions.clear()
    with showing_refusals():
        body(session)


@contextmanager
def showing_refusals() -> Iterator[None]:
    """Turn a refusal into its sentences, and anything unforeseen into one that quotes nothing."""
    try:
        yield
    except Refusal as refusal:
        show_refusal(refusal)
    except Exception as error:
        show_unforeseen(error)


def show_unforeseen(error: Exception) -> None:
    """Log and show that something unforeseen happened, and quote nothing of it."""
    _log.error("%s", describe_error(error))
    write_traceback(error)
    st.error(f"{words.UNFORESEEN} {words.escape(traceback_sentence())}", icon=":material/error:")


def show_refusal(refusal: Refusal) -> None:
    """Show a refusal here."""
    st.error(
        f"**{words.escape(refusal.problem)}** {words.escape(refusal.remedy)}",
        icon=":material/block:",
    )


class FieldRefusals:
    """A refusal waiting to be shown beside the field it is about.

    Each place for one is drawn whether it is filled or not: what comes and goes would move the
    widgets below it, and a widget that moves loses what is being typed.
    """

    def __init__(self, refusal: Refusal | None) -> None:
        self._refusal = refusal

    def about(self, *names: str) -> bool:
        """Return whether the refusal is about one of these fields."""
        return self._refusal is not None and self._refusal.field in names

    def beside(self, *names: str) -> None:
        """Show the refusal if it is about one of these fields."""
        with st.container():
            if self._refusal is not None and self._refusal.field in names:
                show_refusal(self._refusal)
                self._refusal = None

    def rest(self) -> None:
        """Show the refusal if no field has."""
        with st.container():
            if self._refusal is not None:
                show_refusal(self._refusal)
                self._refusal = None


def draw_link(page: str, label: str, icon: str | None = ":material/arrow_forward:") -> None:
    """Draw a link to another page."""
    st.page_link(f"views/{page}.py", label=label, icon=icon, width="content")


@dataclass(frozen=True)
class IconButton:
    """A small button at the end of a sentence.

    Attributes:
        key: of the button.
        icon: its sign.
        help: what it does, in words.
        on_click: does it.
        disabled: whether it cannot be used now.
    """

    key: str
    icon: str
    help: str
    on_click: Callable[[], None]
    disabled: bool = False


def draw_with_buttons(sentence: str, *buttons: IconButton, explanation: str | None = None) -> None:
    """Draw a sentence with small buttons at its end, side by side.

    Args:
        sentence: in Markdown.
        buttons: one at least.
        explanation: shown on request, such as the formula of what the sentence says.
    """
    key = f"with-buttons-{buttons[0].key}"
    with st.container(horizontal=True, wrap=False, vertical_alignment="center", key=key):
        st.markdown(sentence, help=explanation, width="stretch")
        for each in buttons:
            st.button(
                "",
                icon=each.icon,
                key=each.key,
                help=each.help,
                on_click=each.on_click,
                disabled=each.disabled,
            )


def require_schema(session: Session) -> bool:
    """Return whether the page can go on; if not, say what is missing and where to get it."""
    if session.settings.schema is not None:
        return True
    st.info("There is no table yet. This step works on one.", icon=":material/table:")
    draw_link("data", "Go to Data", ":material/arrow_back:")
    return False


def have_answers(session: Session) -> bool:
    """Return whether a page after the questions of the Data page can go on; if not, say what is
    missing and where to say it.

    Raises:
        Refusal: the ledger cannot be used.
    """
    if not require_schema(session):
        return False
    left = list_open_questions(session)
    if not left:
        return True
    st.warning(
        f"{name_missing(left)} The promise depends on it, so this step waits for the answer.",
        icon=":material/help:",
    )
    draw_link("data", "Answer on the Data page", ":material/arrow_back:")
    return False


def remind_of_declaration(session: Session) -> None:
    """Say that the confirmation is missing, where it is."""
    if session.settings.schema is None or session.settings.declared:
        return
    st.warning(
        "Nobody has confirmed yet that what the columns may contain is public knowledge. You "
        "can look around, but nothing can be generated until then.",
        icon=":material/rule:",
    )
    draw_link("data", "Confirm on the Data page", ":material/arrow_back:")
