"""Choosing a run among those of the open project, and how the settings of plans are called."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.mechanisms.fields import FieldTable
from understudy.mechanisms.kinds import Span, plainly
from understudy.mechanisms.plan import TAG, Differing, MechanismPlan, list_all_settings
from understudy.mechanisms.registry import mechanism_of
from understudy.runs.folder import RunFolder
from understudy_dashboard import words
from understudy_dashboard.ledger_status import (
    load_planned_run,
    read_about,
    runs_of_purpose,
    title_of_run,
)
from understudy_dashboard.methods.words import method_title
from understudy_dashboard.parts.panel import TITLE, PanelScope, draw_panel
from understudy_dashboard.session import Session

METHOD = "Method"


class SettingWords:
    """The words of the settings of several plans.

    Args:
        plans: they.
    """

    def __init__(self, plans: Sequence[MechanismPlan]) -> None:
        self._plans = plans
        self._tables: list[FieldTable] = [mechanism_of(each).fields for each in plans]

    def settings(self) -> tuple[Differing, ...]:
        """Return every setting that somebody decided, the method first."""
        kinds = tuple(each.kind for each in self._plans)
        found = (
            each
            for each in list_all_settings(self._plans)
            if each.setting != TAG and not any(each.setting in one.derived for one in self._tables)
        )
        return (Differing(TAG, kinds), *found)

    def list_differing(self) -> tuple[Differing, ...]:
        """Return the settings in which the plans are not all alike."""
        return tuple(each for each in self.settings() if not each.alike)

    def label_setting(self, setting: str) -> str:
        """Return what a setting is called, where one of the plans has it."""
        if setting == TAG:
            return METHOD
        table = next((each for each in self._tables if each.at(setting)), self._tables[0])
        return table.label_setting(setting)

    def print_setting(self, each: Differing) -> tuple[str, ...]:
        """Return what a setting is in each plan, as a person reads it."""
        return tuple(
            self._print_value(each.setting, place, value) for place, value in enumerate(each.values)
        )

    def print_together(self, each: Differing) -> tuple[str, tuple[str, ...]]:
        """Return what a setting is called and reads in each plan; with those beside it, where all
        the plans show a field of several as one value."""
        field = self._tables[0].at(each.setting)
        if field is None or len(field.places) < 2 or not isinstance(field.kind, Span):
            return self.label_setting(each.setting), self.print_setting(each)
        if any(table.at(each.setting) != field for table in self._tables):
            return self.label_setting(each.setting), self.print_setting(each)
        room = each.setting.split(".")[0]
        return field.words.title, tuple(field.show(getattr(plan, room)) for plan in self._plans)

    def _print_value(self, setting: str, place: int, value: Any) -> str:
        if setting == TAG:
            return method_title(str(value))
        table = self._tables[place]
        if table.at(setting) is None:
            return "–" if value is None else plainly(value)
        return table.print_setting(setting, value)


_MOST = 20


def choose_run(session: Session, place: str) -> RunFolder | None:
    """Return the run to look at: the one last chosen, or the newest; None if there is none.

    Args:
        session: the page's state.
        place: the page it stands on, to tell the widgets apart.
    """
    found = runs_of_purpose(session, "release")
    if not found:
        return None
    by_name = {run.identity: run for run in found}
    titles = list_run_titles(session, found)
    if session.run not in by_name:
        session.run = found[0].identity
    if len(found) > 1:
        key = f"run-{place}"
        st.session_state[key] = session.run
        st.selectbox(
            "Run",
            list(by_name),
            format_func=titles.__getitem__,
            key=key,
            on_change=_take_choice,
            args=(session, key),
            help="The runs of this project, newest first.",
        )
    else:
        st.caption(title_of_run(session, found[0]))
    return by_name[session.run or ""]


def list_run_titles(session: Session, found: Sequence[RunFolder]) -> dict[str, str]:
    """Return the title of each run by its name, numbered where two of one second are alike: a list
    tells what was chosen by its text."""
    titles: dict[str, str] = {}
    for run in reversed(found):
        text = title_of_run(session, run)
        alike = sum(each.startswith(text) for each in titles.values())
        titles[run.identity] = f"{text} ({alike + 1})" if alike else text
    return titles


def _take_choice(session: Session, key: str) -> None:
    session.run = st.session_state[key]


def draw_recent(session: Session) -> None:
    """Draw the runs of this project, to open again."""
    found = runs_of_purpose(session, "release")
    if not found:
        return
    with st.expander(f"Recent runs ({len(found)})", expanded=session.settings.schema is None):
        for run in found[:_MOST]:
            _draw_row(session, run)
        if len(found) > _MOST:
            st.caption(f"and {words.count(len(found) - _MOST, 'older run')}.")


def _draw_row(session: Session, run: RunFolder) -> None:
    text, promises, button = st.columns([5, 2, 1], vertical_alignment="center")
    text.markdown(title_of_run(session, run))
    about = promises.popover(
        TITLE, type="tertiary", key=f"promises-{run.identity}", on_change="rerun"
    )
    if about.open:
        with about:
            draw_panel(find_scope(session, run), f"list-{run.identity}")
    if session.watching and run.identity == session.run:
        button.caption("open")
        return
    button.button(
        "Open",
        key=f"open-{run.identity}",
        on_click=_open_run,
        args=(session, run.identity),
        width="stretch",
    )


def _open_run(session: Session, identity: str) -> None:
    session.run, session.watching = identity, True


def find_scope(session: Session, run: RunFolder) -> PanelScope | None:
    """Return what a run promises, as its statement has it or, without one, its plan; None for
    nothing."""
    scope: PanelScope | None = session.cache.keep(
        f"scope {run.identity}", run.guarantee.exists(), lambda: _read_scope(run)
    )
    return scope


def _read_scope(run: RunFolder) -> PanelScope | None:
    about = read_about(run)
    if about is None or about.stained:
        return None
    try:
        if run.guarantee.exists():
            said = json.loads(run.guarantee.read_text(encoding="utf-8"))
            return PanelScope.of_statement(said["guarantee"])
        return PanelScope.of(load_planned_run(run).guarantee)
    except (OSError, ValueError, KeyError, Refusal):
        return None
