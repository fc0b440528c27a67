"""How many candidates will pass: from a rehearsal that releases nothing."""

from __future__ import annotations

import math

import numpy as np
import streamlit as st

from understudy.charts.passing import pass_rate_curves, pass_rate_curves_table
from understudy.mechanisms.seedbased.evaluation.expected import Expected, expected
from understudy.mechanisms.seedbased.evaluation.figures import Figures
from understudy.mechanisms.seedbased.evaluation.pass_rate import ScoreSample
from understudy.mechanisms.seedbased.fields.table import FIELDS
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import Promise
from understudy.runs.folder import RunFolder
from understudy.runs.work import Job
from understudy_dashboard import words
from understudy_dashboard.frame import showing_refusals
from understudy_dashboard.internal import internal
from understudy_dashboard.methods.seedbased.passing import planned_sample
from understudy_dashboard.methods.seedbased.rehearsing import start_rehearsal
from understudy_dashboard.parts.controls import stops_of
from understudy_dashboard.parts.pictures import picture
from understudy_dashboard.parts.watch import watch
from understudy_dashboard.session import Session, find_run
from understudy_dashboard.spending import progress_of


def rehearsal(session: Session, plan: Plan, made: Promise) -> None:
    """The preview of the pass rate, or the button that makes it."""
    with internal("rehearsal", "Estimated from your records."), showing_refusals():
        run = find_run(session, session.rehearsal)
        progress = None if run is None else progress_of(run)
        if run is not None and progress is not None and not progress.ended:
            st.markdown("**Rehearsing** on your table. Nothing is released and nothing spent.")
            watch(run)
            return
        if progress is not None and progress.state == "failed":
            st.error(words.plain(progress.message), icon=":material/error:")
        figures = None if run is None else _figures(session, run)
        if run is not None and figures is not None:
            _curves(figures, plan, made)
            _stale(session, run, plan)
        _button(session, plan, again=figures is not None)


def _button(session: Session, plan: Plan, again: bool) -> None:
    st.caption(f":material/warning: {words.TUNING}")
    label = "Rehearse again" if again else "Rehearse: estimate how many candidates will pass"
    if st.button(label, icon=":material/theater_comedy:", key="rehearse"):
        with st.spinner("Starting the rehearsal…"):
            job = Job(session.records(), plan, purpose="rehearsal")
            session.rehearsal = start_rehearsal(session, job)
        st.rerun()


def _figures(session: Session, run: RunFolder) -> Figures | None:
    if not (run.internal / "figures.json").exists():
        return None
    figures: Figures | None = session.keep(
        "rehearsal", run.identity, lambda: Figures.load(run.internal)
    )
    return figures


def _curves(figures: Figures, plan: Plan, made: Promise) -> None:
    ks = np.array(stops_of(FIELDS["k"]), dtype=np.int64)
    planned = planned_sample(figures, plan)
    if planned is not None:
        _expected(planned, plan, made)
    else:
        st.info(
            f"The rehearsal did not try ω = {words.ranged(str(plan.omega))}. Rehearse again to "
            "see it.",
            icon=":material/refresh:",
        )
    curves = {
        words.ranged(f"ω = {each.omega}"): each.curve(plan.test, ks, made.pass_cap)
        for each in figures.samples
    }
    picture(
        pass_rate_curves(ks, curves, plan.test.k),
        pass_rate_curves_table(ks, curves),
        key="rehearsed",
        alt="The share of attempts that pass, for each k, one line for each ω",
    )


def _expected(sample: ScoreSample, plan: Plan, made: Promise) -> None:
    """The share that passes, and what that makes of the run."""
    found = expected(sample, plan.test, made.pass_cap, plan.attempts)
    passing, outcome = st.columns(2)
    passing.metric("Candidates that pass", words.percent(found.rate))
    low, high = (words.percent(end) for end in (found.passing.low, found.passing.high))
    passing.caption(f"between {low} and {high}, as far as a sample of candidates tells")
    with outcome:
        if plan.protocol == "releases":
            _attempts_needed(found, plan)
        else:
            st.metric("Records released, about", f"{found.records:,.0f}")
            low, high = (f"{end:,.0f}" for end in (found.between.low, found.between.high))
            st.caption(f"of {plan.attempts:,} attempts; {low} to {high} in 19 of 20 runs")


def _attempts_needed(found: Expected, plan: Plan) -> None:
    """How many attempts so many records take, and whether the declared floor holds."""
    needed = plan.attempts / found.rate if found.rate > 0 else math.inf
    st.metric("Attempts needed, about", f"{needed:,.0f}" if math.isfinite(needed) else "no end")
    floor = plan.pass_floor
    if floor is None:
        return
    if found.rate < floor:
        st.caption(
            f":material/warning: Fewer pass than the {words.percent(floor)} that are declared to "
            "be sure to pass: the run would stop and release nothing."
        )
    else:
        st.caption(f"for {plan.attempts:,} records; at least {words.percent(floor)} are declared")


def _stale(session: Session, run: RunFolder, plan: Plan) -> None:
    """Say so where the model would now be another."""
    rehearsed = Plan.from_json(run.read_text("plan.json"))
    settings = ("domain", "model", "shares", "policies")
    if any(getattr(rehearsed, name) != getattr(plan, name) for name in settings):
        st.info(
            "The model’s settings, the buckets or the columns changed since the rehearsal. "
            "Rehearse again to see what that does.",
            icon=":material/refresh:",
        )
