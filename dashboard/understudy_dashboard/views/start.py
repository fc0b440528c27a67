"""Projects: where somebody begins, and goes on."""

from __future__ import annotations

import streamlit as st

from understudy.core.home import home
from understudy.runs.control import list_runs
from understudy_dashboard import words
from understudy_dashboard.frame import show_page
from understudy_dashboard.ledger_status import title_of_run
from understudy_dashboard.open_project import open_catalogue
from understudy_dashboard.parts.project_list import draw_archived, draw_projects
from understudy_dashboard.parts.table_sources import LEADS_ON, draw_opening
from understudy_dashboard.session import Session, current
from understudy_dashboard.sign_in import current_person

_MOST = 10


def _draw_body(session: Session) -> None:
    found = open_catalogue()
    listed = found.list_projects()
    shown = [each for each in listed if not each.about.archived]
    away = [each for each in listed if each.about.archived]
    if shown:
        _draw_new(session)
        draw_projects(session, shown)
    else:
        _draw_first(session)
    draw_archived(session, away)
    _draw_outside(session)
    for name in found.unreadable():
        st.caption(
            f":material/warning: The folder {words.escape(name)} among the projects cannot be "
            "read: "
            "it is damaged, or of another version of Understudy."
        )


def _draw_new(session: Session) -> None:
    if st.button("New project", icon=":material/create_new_folder:", key="project-new"):
        session.close()
        st.switch_page("views/data.py")


def _draw_first(session: Session) -> None:
    """Draw the empty page: what a project is, and the way to the first."""
    st.markdown(
        "A project begins with a table. It remembers what you decide about the table, the "
        "runs you make and what you hand on; the table itself stays where it is, and is asked "
        "for again next time. Begin with simulated people to see how it all works, or with a "
        "table of your own."
    )
    if session.data.table is None:
        st.session_state[LEADS_ON] = True
        draw_opening(session)


def _draw_outside(session: Session) -> None:
    """Draw runs that were made without a project."""
    outside = () if current_person().key else list_runs(home())
    if not outside:
        return
    with st.expander(f"Runs outside any project ({len(outside)})", key="outside"):
        st.caption("Made on the command line without a project.")
        for run in outside[:_MOST]:
            text, button = st.columns([7, 2], vertical_alignment="center")
            text.markdown(title_of_run(session, run))
            if button.button("Look at it", key=f"outside-{run.identity}", width="stretch"):
                session.close()
                session.run = run.identity
                st.switch_page("views/inspect.py")
        if len(outside) > _MOST:
            st.caption(f"and {words.count(len(outside) - _MOST, 'older run')}.")


def _go_on() -> None:
    """Go on to Data, with its notices, once a table was opened here."""
    session = current()
    # One that was opened on Data has no notice left.
    here = session.question or (session.data.table and session.notices)
    if st.session_state.get(LEADS_ON) and here:
        st.switch_page("views/data.py")


_go_on()
show_page(
    "Projects",
    "Go on with a project, or begin one.",
    _draw_body,
)
