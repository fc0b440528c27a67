"""A project that waits for its table, and what is asked where a table is not plainly its own."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from understudy.core.numerals import join_first
from understudy.projects import table_copy
from understudy.projects.catalogue import ListedProject
from understudy.projects.project import ProjectAbout
from understudy_dashboard import words
from understudy_dashboard.frame import draw_link, mark_internal, showing_refusals
from understudy_dashboard.ledger_status import open_book
from understudy_dashboard.loaded_table import LoadedTable
from understudy_dashboard.open_project import (
    confirm_dataset,
    confirm_other_people,
    confirm_same_people,
    is_usable,
    take_into_project,
    take_other_table,
    take_table,
)
from understudy_dashboard.parts.table_questions import draw_resemblance, name_dataset
from understudy_dashboard.session import ProjectQuestion, Session

_NAMED = 8


def draw_waiting(session: Session) -> None:
    """Say which table the open project needs."""
    project = session.project
    if project is None:
        return
    about = project.about()
    which = f", **{words.escape(about.source)}**" if about.source else ""
    st.info(
        f"**{words.escape(about.name)}** is open as you left it, and now needs its table{which}. "
        "Give it again below, and it is recognised, whatever its file is called.",
        icon=":material/table:",
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        draw_link("start", "All projects", ":material/arrow_back:")
        if table_copy.keeps_table(project) and st.button(
            "Open the copy kept here", icon=":material/save:", key="awaiting-copy"
        ):
            name, raw = table_copy.take_back_table(project)
            take_table(session, LoadedTable(name, raw))
            st.rerun()


def draw_recognition(session: Session) -> None:
    """Ask which project a table belongs to."""
    question, project = session.question, session.project
    assert question is not None
    about = None if project is None else project.about()
    with mark_internal("recognition", "Compared with what the project remembers of its table."):
        st.subheader(_write_question(question, about), anchor=False)
        _draw_column_differences(question, about)
    draw_resemblance(question.alike, open_book(session))
    choices = st.container()
    with choices, showing_refusals():
        if question.projects:
            _draw_projects(session, question)
        if about is None and question.alike and not question.projects:
            _draw_alike(session, question)
        elif about is not None and _may_be_newer(session, question):
            same, other = st.columns(2, gap="large")
            with same, st.container(border=True):
                _draw_same(session, about)
            with other, st.container(border=True):
                _draw_other(session, about)
        else:
            with st.container(border=True):
                _draw_other(session, about)
    _draw_neither(session)


def _draw_neither(session: Session) -> None:
    if st.button("Neither: choose another file", icon=":material/close:", key="recognise-none"):
        session.question = None
        session.revision += 1
        st.rerun()


def _draw_alike(session: Session, question: ProjectQuestion) -> None:
    """Draw a table without a project that looks like one that was spent on."""
    same, other = st.columns(2, gap="large")
    with same, st.container(border=True):
        st.markdown("**The same people, or some of them**")
        st.markdown(
            "A correction, a later export, a part of the table, or the same people with other "
            "columns. It gets a project of its own, and **what was spent on these people goes on "
            "counting**. Where in doubt, choose this."
        )
        for each in question.alike:
            if st.button(
                f"The same people as in {name_dataset(each.dataset, open_book(session))}",
                type="primary",
                icon=":material/group:",
                key=f"recognise-people-{each.dataset.id}",
            ):
                confirm_dataset(session, each)
                st.rerun()
    with other, st.container(border=True):
        st.markdown("**Other people, although they look alike**")
        reason = st.text_input(
            "How you know that nobody is in both",
            key="recognise-reason",
            help="It is in the ledger, with your word that they are others.",
        )
        if st.button(
            "Other people: make a new project",
            icon=":material/create_new_folder:",
            key="recognise-others",
        ):
            confirm_other_people(session, reason)
            st.rerun()


def _write_question(question: ProjectQuestion, about: ProjectAbout | None) -> str:
    """Return what is found, in a sentence."""
    table = words.escape(question.table.name)
    if question.projects:
        name = words.escape(question.projects[0].about.name)
        return f"{table} is the very table of the project “{name}”"
    if about is None:
        return f"{table} looks like a table that was spent on already"
    if question.known is not None:
        return f"{table} is a table of “{words.escape(question.known)}”, by the ledger"
    return f"{table} is not the table that “{words.escape(about.name)}” was about"


def _draw_column_differences(question: ProjectQuestion, about: ProjectAbout | None) -> None:
    """Draw how its columns differ from those of the project."""
    if question.projects or about is None:
        return
    said = []
    if question.lacking:
        said.append(f"It does not have {_join_names(question.lacking)}.")
    if question.further:
        said.append(f"It has {_join_names(question.further)} besides.")
    st.markdown(" ".join(said) or "It has the same columns, and its records differ.")


def _join_names(names: Sequence[str]) -> str:
    noun = "the column" if len(names) == 1 else "the columns"
    return f"{noun} {join_first([f'**{words.escape(name)}**' for name in names], _NAMED)}"


def _may_be_newer(session: Session, question: ProjectQuestion) -> bool:
    """Return whether it can be a newer table of the same people."""
    return is_usable(session) and question.known is None


def _draw_projects(session: Session, question: ProjectQuestion) -> None:
    for each in question.projects:
        _draw_project(session, each)


def _draw_project(session: Session, listed: ListedProject) -> None:
    name = words.escape(listed.about.name)
    if st.button(
        f"Open “{name}” with it",
        type="primary",
        icon=":material/folder_open:",
        key=f"recognise-open-{listed.project.identity}",
    ):
        take_into_project(session, listed.project)
        session.notices.append(f"{name} is open, with its table.")
        st.rerun()


def _draw_same(session: Session, about: ProjectAbout) -> None:
    st.markdown("**The same people, in a newer file**")
    st.markdown(
        "A correction, a later export, or the same survey with some people more or fewer. It goes "
        "on in this project, and **what was spent on these people goes on counting**. Where in "
        "doubt, choose this."
    )
    if st.button(
        "The same people, newer file",
        type="primary",
        icon=":material/group:",
        key="recognise-same",
        help=f"Your settings in {words.escape(about.name)} stay as they are.",
    ):
        confirm_same_people(session)
        st.rerun()


def _draw_other(session: Session, about: ProjectAbout | None) -> None:
    if about is None:
        st.markdown("**Or begin afresh with it.** Both projects spend from one budget.")
    else:
        name = words.escape(about.name)
        st.markdown("**Another table**")
        st.markdown(
            f"It gets a project of its own, and “{name}” stays as it is. Choose this only where "
            f"**nobody in it is in “{name}” too**: what was spent there does not count here, "
            "unless the ledger knows it by the same name."
        )
    if st.button(
        "Another table: make a new project" if about else "Make a new project of it",
        icon=":material/create_new_folder:",
        key="recognise-new",
    ):
        made = take_other_table(session)
        session.notices.append(f"A new project, {words.escape(made.about().name)}, is open.")
        st.rerun()
