"""The open project, in the sidebar: its name, and what can be done with the whole of it."""

from __future__ import annotations

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.projects import table_copy
from understudy.projects.project import Project, ProjectAbout
from understudy_dashboard import words
from understudy_dashboard.demo import is_demonstration
from understudy_dashboard.frame import link, refuse, showing_refusals
from understudy_dashboard.recognising import catalogue
from understudy_dashboard.session import Session


def project_box(session: Session) -> None:
    """Draw the name of the open project, and a fold with what can be done."""
    project = session.project
    if project is None:
        return
    with showing_refusals(), st.container(key="project", gap="small"):
        about = project.about()
        fold = st.popover(
            f"**{words.plain(about.name)}**",
            icon=":material/folder_open:",
            key="project-fold",
            on_change="rerun",
            width="stretch",
            help="The open project: rename it, or keep a copy of its table",
        )
        if table_copy.is_kept(project):
            st.caption(":material/warning: Holds a copy of the confidential table.")
        if fold.open:
            with fold:
                rename(project, about, "box")
                if not (about.sample or is_demonstration()):
                    _keeping(session, project)
                link("start", "All projects", ":material/folder:")


def rename(project: Project, about: ProjectAbout, place: str) -> None:
    """A field for another name."""
    with st.form(f"rename-{place}-{project.identity}", border=False):
        name = st.text_input("Name", about.name, key=f"name-{place}-{project.identity}")
        asked = st.form_submit_button("Rename", icon=":material/edit:")
        below = st.container()
    if not asked or name.strip() == about.name:
        return
    try:
        catalogue().rename(project, name)
    except Refusal as refusal:
        with below:
            refuse(refusal)
        return
    st.rerun()


def _keeping(session: Session, project: Project) -> None:
    """A copy of the table, where somebody asks for one."""
    st.markdown("**A copy of the table**")
    if table_copy.is_kept(project):
        st.caption(
            "The project’s folder holds every record of the table, so that it opens by itself. "
            "Whoever can read that folder can read them."
        )
        if st.button("Erase the copy", icon=":material/delete:", key="copy-erase"):
            table_copy.erase(project)
            session.notices.append("The copy of the table is erased.")
            st.rerun()
        return
    st.caption(
        "None is kept: the table is asked for again each time. A copy spares you that, and is one "
        "more place the records lie in."
    )
    table = session.table
    agreed = st.checkbox(
        "Keep every record in the project’s folder on this computer",
        key="copy-agreed",
        disabled=table is None,
    )
    if st.button(
        "Keep a copy",
        icon=":material/save:",
        key="copy-keep",
        disabled=table is None or not agreed,
    ):
        assert table is not None
        table_copy.keep(project, table.raw, table.name)
        session.cautions.append(
            "A copy of the confidential table now lies in the project’s folder, until you erase it."
        )
        st.rerun()
