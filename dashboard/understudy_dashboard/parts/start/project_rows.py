"""The projects of a person, a row each, with what can be done to each."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime

import streamlit as st

from understudy.projects import table_copy
from understudy.projects.catalogue import Listed
from understudy.projects.project import Project
from understudy.report.shelf import packets
from understudy.runs.control import runs
from understudy_dashboard import words
from understudy_dashboard.parts.project_box import rename
from understudy_dashboard.recognising import catalogue, enter
from understudy_dashboard.session import Session
from understudy_dashboard.spending import about_of, progress_of

_MOST = 12


def rows(session: Session, found: Sequence[Listed]) -> None:
    """The projects that are not put away, newest used first; older ones behind a fold."""
    for each in found[:_MOST]:
        _row(session, each)
    if len(found) > _MOST:
        older = st.expander(f"{words.count(len(found) - _MOST, 'older project')}")
        with older:
            for each in found[_MOST:]:
                _row(session, each)


def archived(session: Session, found: Sequence[Listed]) -> None:
    """The projects that were put away, folded."""
    if not found:
        return
    with st.expander(f"Archived projects ({len(found)})", key="archived"):
        for each in found:
            _away(session, each)


def _row(session: Session, listed: Listed) -> None:
    project, about = listed.project, listed.about
    is_open = project == session.project
    with st.container(border=True, key=f"project-{project.identity}"):
        name, state, doing = st.columns([5, 4, 4], vertical_alignment="center")
        source = words.plain(about.source) or "no table yet"
        name.markdown(f"**{words.plain(about.name)}**  \n:small[{source}]")
        state.markdown(" · ".join(states(session, listed)))
        buttons = doing.container(horizontal=True, horizontal_alignment="right")
        if buttons.button(
            "Go on" if is_open else "Open",
            key=f"project-open-{project.identity}",
            type="primary" if is_open else "secondary",
        ):
            if not is_open:
                enter(session, project)
            st.switch_page("views/data.py")
        fold = buttons.popover(
            "More",
            key=f"project-more-{project.identity}",
            on_change="rerun",
            help=f"Rename, duplicate or archive {words.plain(about.name)}",
        )
        if fold.open:
            with fold:
                _more(session, listed)


def states(session: Session, listed: Listed) -> list[str]:
    """Return what there is to say of a project, in a few words each."""
    project = listed.project
    said = ["**open now**"] if project == session.project else []
    if listed.about.sample:
        said.append("simulated people")
    elif table_copy.is_kept(project):
        said.append(":material/warning: holds a copy of its table")
    elif project != session.project or session.table is None:
        said.append("asks for its table")
    return [*said, _runs(session, project), *_packets(project)]


def _runs(session: Session, project: Project) -> str:
    """Return how many runs it has, and when the last one was."""
    found = runs(project.runs)

    def counted() -> tuple[int, str]:
        abouts = [each for run in found if (each := about_of(run)) and each.purpose == "release"]
        return len(abouts), max((each.at for each in abouts), default="")

    number, last = session.keep(
        f"runs of {project.identity}", tuple(run.identity for run in found), counted
    )
    if not number:
        return "no runs yet"
    progress = progress_of(found[0])
    if progress is not None and not progress.ended:
        return f"{words.count(number, 'run')}, one under way"
    return f"{words.count(number, 'run')}, last {day(datetime.fromisoformat(last), date.today())}"


def day(at: datetime, today: date) -> str:
    """Return a day as people speak of it, in this computer's time."""
    then = at.astimezone().date()
    ago = (today - then).days
    if ago in (0, 1):
        return ("today", "yesterday")[ago]
    return f"on {then:%-d %B %Y}" if then.year != today.year else f"on {then:%-d %B}"


def _packets(project: Project) -> list[str]:
    """Return what was made for a review board, and when it was last issued."""
    found = packets(project.packets)
    issued = max((each.issued.at for each in found if each.issued), default="")
    if issued:
        return [f"packet issued {day(datetime.fromisoformat(issued), date.today())}"]
    return [words.count(len(found), "packet") + ", not issued"] if found else []


def _more(session: Session, listed: Listed) -> None:
    """Rename, duplicate, archive."""
    project, about = listed.project, listed.about
    rename(project, about, "row")
    if st.button(
        "Duplicate",
        icon=":material/content_copy:",
        key=f"project-duplicate-{project.identity}",
        width="stretch",
        help="The columns, the settings and the kept plans; no runs, no packets, no table. Both "
        "spend from the one budget of their table.",
    ):
        made = catalogue().duplicate(project)
        session.notices.append(f"{words.plain(made.about().name)} is made.")
        st.rerun()
    if st.button(
        "Archive",
        icon=":material/archive:",
        key=f"project-archive-{project.identity}",
        width="stretch",
        help="Puts it away; nothing is lost.",
    ):
        catalogue().archive(project)
        if project == session.project:
            session.close()
        session.notices.append(f"{words.plain(about.name)} is archived.")
        st.rerun()


def _away(session: Session, listed: Listed) -> None:
    project, about = listed.project, listed.about
    name, back, delete = st.columns([7, 2, 2], vertical_alignment="center")
    name.markdown(f"**{words.plain(about.name)}** · {_runs(session, project)}")
    if back.button("Restore", key=f"project-restore-{project.identity}", width="stretch"):
        catalogue().archive(project, away=False)
        st.rerun()
    fold = delete.popover("Delete", key=f"project-delete-{project.identity}", on_change="rerun")
    if fold.open:
        with fold:
            _delete(session, project, words.plain(about.name))


def _delete(session: Session, project: Project, name: str) -> None:
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
        catalogue().delete(project)
        session.notices.append(f"{name} is deleted.")
        st.rerun()
