"""Which scores many plans are tried on: of the confidential table, or of one that stands in."""

from __future__ import annotations

from datetime import datetime

import streamlit as st

from understudy.mechanisms.seedbased.evaluation.pool import Pools
from understudy.mechanisms.seedbased.fields.table import FIELDS
from understudy.mechanisms.seedbased.inquiries.pooling import Pooling, all_pools
from understudy.mechanisms.seedbased.plan import Plan
from understudy.runs.control import runs
from understudy.runs.folder import About, RunFolder
from understudy.runs.inquiry import ask, inquiry_of
from understudy.runs.work import Job
from understudy.table.records import Records
from understudy_dashboard import words
from understudy_dashboard.frame import showing_refusals
from understudy_dashboard.methods.seedbased.explore_settings import ascending, numbers, omegas
from understudy_dashboard.methods.seedbased.explore_stand_in import records_again, stand_ins
from understudy_dashboard.methods.seedbased.rehearsing import start_rehearsal
from understudy_dashboard.parts.inquiring import watch_inquiry
from understudy_dashboard.parts.watch import watch
from understudy_dashboard.session import Session
from understudy_dashboard.spending import about_of, moment, plan_of, progress_of

WHAT = {
    "confidential": "a confidential table",
    "simulated": "simulated people",
    "public": "a public table",
    "synthetic": "a released synthetic table",
}
"""Whose scores they are."""


def scored(session: Session) -> tuple[RunFolder, ...]:
    """Return the runs and rehearsals that there are, or will be, scores of: of the open schema,
    newest first."""
    assert session.schema is not None
    wanted = session.schema.fingerprint
    found = runs(session.runs_at)
    return tuple(run for run in found if _domain(session, run) == wanted and _usable(run))


def _domain(session: Session, run: RunFolder) -> str:
    found: str = session.keep(
        f"domain {run.identity}", None, lambda: getattr(plan_of(run), "domain", "")
    )
    return found


def _usable(run: RunFolder) -> bool:
    if (run.internal / "figures.json").exists():
        return True
    progress = progress_of(run)
    return progress is not None and not progress.ended


def chosen(session: Session) -> RunFolder | None:
    """Return the scores to look at: those last chosen or asked for, or the newest; None without
    any."""
    found = scored(session)
    by_name = {run.identity: run for run in found}
    if session.scores not in by_name:
        session.scores = next(iter(by_name), None)
    if session.scores is None:
        return None
    key = "explore-scores"
    st.session_state[key] = session.scores
    st.selectbox(
        "Scores of",
        list(by_name),
        format_func=lambda name: title(by_name[name]),
        key=key,
        on_change=_choose,
        args=(session, key),
        help="Runs and rehearsals on a table with these columns, newest first.",
    )
    return by_name[session.scores]


def _choose(session: Session, key: str) -> None:
    session.scores = st.session_state[key]


def title(run: RunFolder) -> str:
    """Return a run in a line, by whose scores they are. It stays the same as the run goes on."""
    about = about_of(run)
    if about is None:
        return run.identity
    whose = WHAT[about.records_of].capitalize()
    if about.records_of == "public":
        whose += f" ({about.named})"
    doing = "rehearsed" if about.purpose == "rehearsal" else "released from"
    return f"{whose} · {doing} · {moment(datetime.fromisoformat(about.at))}"


def warned(session: Session, run: RunFolder, plan: Plan) -> None:
    """Whether choosing by these scores is covered, and the way to scores by which it is."""
    about = about_of(run)
    other = "Choose on another table instead: nothing of yours is read"
    if about is None or about.records_of == "confidential":
        st.warning(
            "**These scores are of confidential records. Settings chosen by looking at them "
            "are not covered by the guarantee:** the choice itself can show something. Look for "
            "the shape of the trade-off here, or choose on another table instead.",
            icon=":material/warning:",
        )
    else:
        st.success(fine(about), icon=":material/check:")
        other = "Choose on yet another table"
    with st.expander(other, icon=":material/swap_horiz:"):
        stand_ins(session, plan)


def fine(about: About) -> str:
    """Return why choosing by these scores costs nothing."""
    why = {
        "simulated": "**These scores are of simulated people, none of whom exists.** Nothing of "
        "your table was read, so settings chosen here tell nothing about it.",
        "public": f"**These scores are of {words.plain(about.named)}, which you said is public.** "
        "Nothing of your table was read, so settings chosen here tell nothing about it.",
        "synthetic": "**These scores are of a synthetic table that was released and paid for.** "
        "What is done with a released table costs nothing more, and choosing by it is covered.",
    }
    return why[about.records_of] + " How your own table does may differ."


def first(session: Session, plan: Plan) -> None:
    """Where there are no scores yet: the ways to make some."""
    st.info(
        "There are no scores of these columns yet. A rehearsal makes them: it learns the model, "
        "makes some thousand candidates and releases nothing.",
        icon=":material/theater_comedy:",
    )
    st.markdown("**On another table**, so that the guarantee covers what you choose:")
    with st.container(border=True):
        stand_ins(session, plan)
    rehearse(session, plan)


def rehearse(session: Session, plan: Plan) -> None:
    """The button that rehearses on the confidential table."""
    st.markdown("**On your own table**, to see what it does there:")
    st.caption(f":material/warning: {words.TUNING}")
    if st.button(
        "Rehearse now on my table", icon=":material/theater_comedy:", key="explore-rehearse"
    ):
        with showing_refusals():
            with st.spinner("Starting the rehearsal…"):
                job = Job(session.records(), plan, purpose="rehearsal")
                session.scores = session.rehearsal = start_rehearsal(session, job)
            st.rerun()


def under_way(run: RunFolder) -> bool:
    """Return whether these scores are still being made; if so, watch."""
    progress = progress_of(run)
    if progress is None or progress.ended:
        return False
    st.markdown("**Making candidates and their scores.** Nothing is released and nothing spent.")
    watch(run)
    return True


def pools_of(session: Session, run: RunFolder) -> Pools:
    """Return every pool of a run.

    Raises:
        Refusal: it has none.
    """
    asked = inquiry_of(run, Pooling)
    stamp = (run.identity, "" if asked is None else asked.result.name)
    found: Pools = session.keep("pools", stamp, lambda: all_pools(run))
    return found


def more_pools(session: Session, run: RunFolder, pools: Pools) -> None:
    """The way to scores at another ε of the model, or at other ω."""
    asked = inquiry_of(run, Pooling)
    if asked is not None:
        watch_inquiry(asked)
        if not asked.progress().ended:
            return
    with (
        st.expander(
            "Scores at another ε of the model, or at another ω",
            icon=":material/add_chart:",
        ),
        st.form("explore-asked", border=False),
    ):
        st.caption(
            "A model is learned for each ε from the same records, and candidates are made with "
            "each ω. This takes seconds, and on a large table a minute or more."
        )
        one, other = st.columns(2)
        epsilons = one.text_input(
            FIELDS["model_epsilon"].words.title, "0.1, 0.3, 1, 3, 10", key="explore-more-epsilons"
        )
        ranges = other.text_input(
            FIELDS["omega"].words.title,
            ", ".join(str(each) for each in ascending(pools)),
            key="explore-more-omegas",
        )
        if st.form_submit_button("Make these scores", icon=":material/add:", key="explore-more"):
            with showing_refusals():
                _ask(session, run, pools, epsilons, ranges)
                st.rerun()


def _ask(session: Session, run: RunFolder, pools: Pools, epsilons: str, ranges: str) -> None:
    wanted = dict.fromkeys((*pools.epsilons, *numbers(epsilons, "model_epsilon")))
    omega = dict.fromkeys((*pools.omegas, *omegas(ranges)))
    assert session.schema is not None
    for each in omega:
        each.fits(len(session.schema))
    ask(Pooling(tuple(wanted), tuple(omega)), _records(session, run), run)


def _records(session: Session, run: RunFolder) -> Records:
    about = about_of(run)
    if about is None or about.records_of == "confidential":
        return session.records()
    return records_again(session, run, about)
