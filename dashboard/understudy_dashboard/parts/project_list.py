"""The projects of a person, a row each, and the open one in the sidebar."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.projects import table_copy
from understudy.projects.catalogue import ListedProject
from understudy.projects.project import Project, ProjectAbout
from understudy.report.shelf import list_packets
from understudy.runs.control import list_runs
from understudy_dashboard import words
from understudy_dashboard.demo import is_demonstration
from understudy_dashboard.frame import draw_link, show_refusal, showing_refusals
from understudy_dashboard.ledger_status import read_about, read_progress
from understudy_dashboard.open_project import enter_project, open_catalogue
from understudy_dashboard.session import Session


def draw_project(session: Session) -> None:
    """Draw the name of the open project, and a fold with what can be done."""
    project = session.project
    if project is None:
        return
    with showing_refusals(), st.container(key="project", gap="small"):
        about = project.about()
        fold = st.popover(
            f"**{words.escape(about.name)}**",
            icon=":material/folder_open:",
            key="project-fold",
            on_change="rerun",
            width="stretch",
            help="The open project: rename it, or keep a copy of its table",
        )
        if table_copy.keeps_table(project):
            st.caption(":material/warning: Holds a copy of the confidential table.")
        if fold.open:
            with fold:
                draw_renaming(project, about, "box")
                if not (about.sample or is_demonstration()):
                    _draw_keeping(session, project)
                draw_link("start", "All projects", ":material/folder:")


def draw_renaming(project: Project, about: ProjectAbout, place: str) -> None:
    """Draw a field for another name."""
    with st.form(f"rename-{place}-{project.identity}", border=False):
        name = st.text_input("Name", about.name, key=f"name-{place}-{project.identity}")
        asked = st.form_submit_button("Rename", icon=":material/edit:")
        below = st.container()
    if not asked or name.strip() == about.name:
        return
    try:
        open_catalogue().rename(project, name)
    except Refusal as refusal:
        with below:
            show_refusal(refusal)
        return
    st.rerun()


def _draw_keeping(session: Session, project: Project) -> None:
    """Draw a copy of the table, where somebody asks for one."""
    st.markdown("**A copy of the table**")
    if table_copy.keeps_table(project):
        st.caption(
            "The project’s folder holds every record of the table, so that it opens by itself. "
            "Whoever can read that folder can read them."
        )
        if st.button("Erase the copy", icon=":material/delete:", key="copy-erase"):
            table_copy.erase_table(project)
            session.notices.append("The copy of the table is erased.")
            st.rerun()
        return
    st.caption(
        "None is kept: the table is asked for again each time. A copy spares you that, and is one "
        "more place the records lie in."
    )
    table = session.data.table
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
        table_copy.keep_table(project, table.raw, table.name)
        session.cautions.append(
            "A copy of the confidential table now lies in the project’s folder, until you erase it."
        )
        st.rerun()


_MOST = 12


def draw_projects(session: Session, found: Sequence[ListedProject]) -> None:
    """Draw the projects that are not put away, newest used first; older ones behind a fold."""
    for each in found[:_MOST]:
        _draw_row(session, each)
    if len(found) > _MOST:
        older = st.expander(f"{words.count(len(found) - _MOST, 'older project')}")
        with older:
            for each in found[_MOST:]:
                _draw_row(session, each)


def draw_archived(session: Session, found: Sequence[ListedProject]) -> None:
    """Draw the projects that were put away, folded."""
    if not found:
        return
    with st.expander(f"Archived projects ({len(found)})", key="archived"):
        for each in found:
            _draw_archived_row(session, each)


def _draw_row(session: Session, listed: ListedProject) -> None:
    project, about = listed.project, listed.about
    is_open = project == session.project
    with st.container(border=True, key=f"project-{project.identity}"):
        name, state, doing = st.columns([5, 4, 4], vertical_alignment="center")
        source = words.escape(about.source) or "no table yet"
        name.markdown(f"**{words.escape(about.name)}**  \n:small[{source}]")
        state.markdown(" · ".join(list_states(session, listed)))
        buttons = doing.container(horizontal=True, horizontal_alignment="right")
        if buttons.button(
            "Go on" if is_open else "Open",
            key=f"project-open-{project.identity}",
            type="primary" if is_open else "secondary",
        ):
            if not is_open:
                enter_project(session, project)
            st.switch_page("views/data.py")
        fold = buttons.popover(
            "More",
            key=f"project-more-{project.identity}",
            on_change="rerun",
            help=f"Rename, duplicate or archive {words.escape(about.name)}",
        )
        if fold.open:
            with fold:
                _draw_more(session, listed)


def list_states(session: Session, listed: ListedProject) -> list[str]:
    """Return what there is to say of a project, in a few words each."""
    project = listed.project
    said = ["**open now**"] if project == session.project else []
    if listed.about.sample:
        said.append("simulated people")
    elif table_copy.keeps_table(project):
        said.append(":material/warning: holds a copy of its table")
    elif project != session.project or session.data.table is None:
        said.append("asks for its table")
    return [*said, _describe_runs(session, project), *_describe_packets(project)]


def _describe_runs(session: Session, project: Project) -> str:
    """Return how many runs it has, and when the last one was."""
    found = list_runs(project.runs)

    def count_runs() -> tuple[int, str]:
        abouts = [each for run in found if (each := read_about(run)) and each.purpose == "release"]
        return len(abouts), max((each.at for each in abouts), default="")

    number, last = session.cache.keep(
        f"runs of {project.identity}", tuple(run.identity for run in found), count_runs
    )
    if not number:
        return "no runs yet"
    progress = read_progress(found[0])
    if progress is not None and not progress.ended:
        return f"{words.count(number, 'run')}, one under way"
    return (
        f"{words.count(number, 'run')}, last "
        f"{format_day(datetime.fromisoformat(last), date.today())}"
    )


def format_day(at: datetime, today: date) -> str:
    """Return a day as people speak of it, in this computer's time."""
    then = at.astimezone().date()
    ago = (today - then).days
    if ago in (0, 1):
        return ("today", "yesterday")[ago]
    return f"on {then:%-d %B %Y}" if then.year != today.year else f"on {then:%-d %B}"


def _describe_packets(project: Project) -> list[str]:
    """Return what was made for a review board, and when it was last issued."""
    found = list_packets(project.packets)
    issued = max((each.issued.at for each in found if each.issued), default="")
    if issued:
        return [f"packet issued {format_day(datetime.fromisoformat(issued), date.today())}"]
    return [words.count(len(found), "packet") + ", not issued"] if found else []


def _draw_more(session: Session, listed: ListedProject) -> None:
    """Draw what renames, duplicates and archives a project."""
    project, about = listed.project, listed.about
    draw_renaming(project, about, "row")
    if st.button(
        "Duplicate",
        icon=":material/content_copy:",
        key=f"project-duplicate-{project.identity}",
        width="stretch",
        help="The columns, the settings and the kept plans; no runs, no packets, no table. Both "
        "spend from the one budget of their table.",
    ):
        made = open_catalogue().duplicate(project)
        session.notices.append(f"{words.escape(made.about().name)} is made.")
        st.rerun()
    if st.button(
        "Archive",
        icon=":material/archive:",
        key=f"project-archive-{project.identity}",
        width="stretch",
        help="Puts it away; nothing is lost.",
    ):
        open_catalogue().archive(project)
        if project == session.project:
            session.close()
        session.notices.append(f"{words.escape(about.name)} is archived.")
        st.rerun()


def _draw_archived_row(session: Session, listed: ListedProject) -> None:
    project, about = listed.project, listed.about
    name, back, delete = st.columns([7, 2, 2], vertical_alignment="center")
    name.markdown(f"**{words.escape(about.name)}** · {_describe_runs(session, project)}")
    if back.button("Restore", key=f"project-restore-{project.identity}", width="stretch"):
        open_catalogue().archive(project, away=False)
        st.rerun()
    fold = delete.popover("Delete", key=f"project-delete-{project.identity}", on_change="rerun")
    if fold.open:
        with fold:
            _draw_delete(session, project, words.escape(about.name))


def _draw_delete(session: Session, project: Project, name: str) -> None:
    st.markdown(
        f"Everything in **{name}** is deleted for good: its settings, runs and packets. What its "
        "runs spent stays spent, and is in the ledger."
    )
    agreed = st.checkbox(f"Delete {name} for good", key=f"delete-agreed-{project.identity}")
    if st.button(
        "Delete",
        key=f"delete-{project.identity}",
        icon=":material/delete_forever:",
        disabled=not agreed,
    ):
        open_catalogue().delete(project)
        session.notices.append(f"{name} is deleted.")
        st.rerun()
