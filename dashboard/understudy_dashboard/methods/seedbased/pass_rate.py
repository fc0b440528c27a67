"""How many candidates pass the privacy test: foreseen from public numbers, and as rehearsed."""

from __future__ import annotations

import math
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
import streamlit as st

from understudy.charts.pass_rate import pass_rate_curves, pass_rate_curves_table
from understudy.mechanisms.seedbased.evaluation.figures import RunFigures
from understudy.mechanisms.seedbased.evaluation.pass_rate import (
    TELLING,
    Expected,
    ScoreSample,
    expect_passing,
    surely_passing,
)
from understudy.mechanisms.seedbased.fields.table import FIELDS
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import Promise
from understudy.privacy.accounting.unit_counts import MISS_SHARE
from understudy.runs.folder import RecordsOf, RunFolder
from understudy.runs.work import Job
from understudy_dashboard import words
from understudy_dashboard.frame import mark_internal, showing_refusals
from understudy_dashboard.ledger_status import read_about, read_progress
from understudy_dashboard.methods.seedbased.method_settings import plan_choice
from understudy_dashboard.methods.seedbased.planner import PlanOffer
from understudy_dashboard.methods.seedbased.score_sources import (
    WHAT,
    list_scored_runs,
    start_rehearsal,
)
from understudy_dashboard.parts.controls import list_field_stops
from understudy_dashboard.parts.pictures import KeptPicture, draw_kept_picture, draw_picture
from understudy_dashboard.parts.watch import watch_run
from understudy_dashboard.session import Session, find_open_run


def describe_pass_rate(figures: RunFigures, plan: Plan, made: Promise) -> str:
    """Return how many candidates pass, in a sentence; "" where none were scored or nothing is
    tested."""
    sample = find_score_sample(figures, plan)
    if sample is None or made.seeds is None:
        return ""
    rate = sample.pass_rate(plan.test, made.pass_cap)
    return f"About {words.percent(rate)} of the candidates were expected to pass the privacy test."


def find_score_sample(figures: RunFigures, plan: Plan) -> ScoreSample | None:
    """Return the sample of the plan’s own ω, where one was drawn; of one number there is one
    reading."""
    wanted = plan.omega
    for sample in figures.samples:
        omega = sample.omega
        same_values = (omega.low, omega.high) == (wanted.low, wanted.high)
        if same_values and (wanted.is_fixed or omega.reading == wanted.reading):
            return sample
    return None


AT_LEAST: Final = "At least, foreseen"
MEANS: Final = (
    "What is foreseen holds however the records are spread over the column that is copied, which "
    "is the coarsest, as a rule. A rehearsal makes candidates and counts them; nothing is released."
)
_HEIGHT: Final = 290
_CONFIDENTIAL: Final = "confidential"


@dataclass(frozen=True)
class _Rehearsal:
    """Scores of candidates, and whose they are.

    Attributes:
        sample: the scores.
        whose: as `score_sources.WHAT` has it.
        confidential: whether that is the confidential table.
    """

    sample: ScoreSample
    whose: str
    confidential: bool


def draw_pass_curve(session: Session, plan: Plan, made: Promise, *, key: str) -> bool:
    """Draw how many candidates pass, and return whether that was rehearsed.

    Args:
        session: the page's state.
        plan: the plan in use, with seeds.
        made: what it promises.
        key: names the picture on the page.

    Returns:
        Whether there are scores of a rehearsal.
    """
    found = _find_rehearsal(session, plan)
    hidden = found is not None and found.confidential
    with mark_internal(key, words.TUNING) if hidden else nullcontext():
        _draw_curve(session, plan, made, found, key)
    return found is not None


def _draw_curve(
    session: Session, plan: Plan, made: Promise, found: _Rehearsal | None, key: str
) -> None:
    schema = session.settings.schema
    assert schema is not None
    ks = np.unique([*list_field_stops(FIELDS["k"]), plan.test.k]).astype(np.int64)
    here = int(np.searchsorted(ks, plan.test.k))
    curves = {}
    surely = surely_passing(plan, schema, made, ks)
    said = []
    if surely is not None:
        curves[AT_LEAST] = surely
        said.append(
            f"At least **{words.percent(surely[here])}** pass, foreseen."
            if surely[here] >= TELLING
            else "At this k nothing is sure of how many pass; a rehearsal tells."
        )
    if found is not None:
        name = f"Rehearsed on {found.whose}"
        curves[name] = found.sample.curve(plan.test, ks, made.pass_cap)
        said.append(f"About **{words.percent(curves[name][here])}** pass, as rehearsed.")
    if not curves:
        st.info(
            "Nothing is sure beforehand of so many copied columns, or of so large a k. A "
            "rehearsal tells how many candidates pass.",
            icon=":material/help:",
        )
        return
    hidden = found is not None and found.confidential
    told = tuple((name, values.tobytes()) for name, values in curves.items())
    # It may stand on the page twice.
    drawn: KeptPicture = session.cache.keep(
        "pass curve drawn",
        (told, plan.test.k, hidden),
        lambda: KeptPicture(
            pass_rate_curves(ks, curves, plan.test.k, internal=hidden, height=_HEIGHT),
            pass_rate_curves_table(ks, curves),
        ),
    )
    draw_kept_picture(
        drawn,
        key=key,
        alt="The share of candidates that pass, for each k",
        confidential=hidden,
    )
    st.caption(" ".join(said))


def _find_rehearsal(session: Session, plan: Plan) -> _Rehearsal | None:
    """Return scores of the plan's own ω: of a table that stands in before those of the confidential
    one, and then those last chosen, or the newest."""
    told = [(_find_whose(run), run) for run in list_scored_runs(session)]
    for whose, run in sorted(
        told, key=lambda each: (each[0] == _CONFIDENTIAL, each[1].identity != session.scores)
    ):
        sample = session.cache.keep(
            f"pass curve {run.identity}", str(plan.omega), partial(_find_sample, run, plan)
        )
        if sample is not None:
            return _Rehearsal(sample, WHAT[whose], whose == _CONFIDENTIAL)
    return None


def _find_whose(run: RunFolder) -> RecordsOf:
    about = read_about(run)
    return _CONFIDENTIAL if about is None else about.records_of


def _find_sample(run: RunFolder, plan: Plan) -> ScoreSample | None:
    with run.intact():
        figures = RunFigures.load(run.internal)
    return None if figures is None else find_score_sample(figures, plan)


def draw_rehearsal(session: Session, plan: Plan, made: Promise) -> None:
    """Draw the preview of the pass rate, or the button that makes it."""
    with mark_internal("rehearsal", "Estimated from your records."), showing_refusals():
        run = find_open_run(session, session.rehearsal)
        progress = None if run is None else read_progress(run)
        if run is not None and progress is not None and not progress.ended:
            st.markdown("**Rehearsing** on your table. Nothing is released and nothing spent.")
            watch_run(run)
            return
        if progress is not None and progress.state == "failed":
            st.error(words.escape(progress.message), icon=":material/error:")
        figures = None if run is None else _load_figures(session, run)
        if run is not None and figures is not None:
            _draw_curves(figures, plan, made)
            _warn_stale(session, run, plan)
        _draw_button(session, plan, again=figures is not None)


def _draw_button(session: Session, plan: Plan, again: bool) -> None:
    st.caption(f":material/warning: {words.TUNING}")
    label = "Rehearse again" if again else "Rehearse: estimate how many candidates will pass"
    if st.button(label, icon=":material/theater_comedy:", key="rehearse"):
        with st.spinner("Starting the rehearsal…"):
            job = Job(session.records(), plan, purpose="rehearsal")
            session.rehearsal = start_rehearsal(session, job)
        st.rerun()


def _load_figures(session: Session, run: RunFolder) -> RunFigures | None:
    if not (run.internal / "figures.json").exists():
        return None
    figures: RunFigures | None = session.cache.keep(
        "rehearsal", run.identity, lambda: RunFigures.load(run.internal)
    )
    return figures


def _draw_curves(figures: RunFigures, plan: Plan, made: Promise) -> None:
    ks = np.array(list_field_stops(FIELDS["k"]), dtype=np.int64)
    planned = find_score_sample(figures, plan)
    if planned is not None:
        _draw_expected(planned, plan, made)
    else:
        st.info(
            f"The rehearsal did not try ω = {words.print_range(str(plan.omega))}. Rehearse again "
            "to see it.",
            icon=":material/refresh:",
        )
    curves = {
        words.print_range(f"ω = {each.omega}"): each.curve(plan.test, ks, made.pass_cap)
        for each in figures.samples
    }
    draw_picture(
        pass_rate_curves(ks, curves, plan.test.k),
        pass_rate_curves_table(ks, curves),
        key="rehearsed",
        alt="The share of attempts that pass, for each k, one line for each ω",
    )


def _draw_expected(sample: ScoreSample, plan: Plan, made: Promise) -> None:
    """Draw the share that passes, and what that makes of the run."""
    found = expect_passing(sample, plan.test, made.pass_cap, plan.attempts)
    passing, outcome = st.columns(2)
    passing.metric("Candidates that pass", words.percent(found.rate))
    low, high = (words.percent(end) for end in (found.passing.low, found.passing.high))
    passing.caption(f"between {low} and {high}, as far as a sample of candidates tells")
    with outcome:
        if plan.protocol == "releases":
            _draw_attempts(found, plan)
        else:
            st.metric("Records released, about", f"{found.records:,.0f}")
            low, high = (f"{end:,.0f}" for end in (found.between.low, found.between.high))
            st.caption(f"of {plan.attempts:,} attempts; {low} to {high} in 19 of 20 runs")


def _draw_attempts(found: Expected, plan: Plan) -> None:
    """Draw how many attempts so many records take, and whether the declared floor holds."""
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


def _warn_stale(session: Session, run: RunFolder, plan: Plan) -> None:
    """Say that the model would now be another, where it would."""
    rehearsed = Plan.from_json(run.read_text("plan.json"))
    settings = ("domain", "model", "shares", "policies")
    if any(getattr(rehearsed, name) != getattr(plan, name) for name in settings):
        st.info(
            "The model’s settings, the buckets or the columns changed since the rehearsal. "
            "Rehearse again to see what that does.",
            icon=":material/refresh:",
        )


def draw_test(session: Session, plan: Plan, made: Promise) -> None:
    """Draw the privacy test: its numbers, why they are so, and a rehearsal.

    Args:
        session: the page's state.
        plan: the plan in use, with seeds.
        made: what it promises.
    """
    draw_parameters(plan, made)
    if not plan_choice(session).planned.by_hand:
        _draw_reasons(session, plan_choice(session).offer())
    draw_rehearsal(session, plan, made)


def draw_parameters(plan: Plan, made: Promise) -> None:
    """Draw k, ε0, t and ρ, and a warning where hardly anything can pass."""
    assert made.seeds is not None
    if 2 * plan.test.k > plan.seeds_at_least:
        st.warning(
            "k is more than half of the seeds counted on, so hardly any candidate will pass. "
            "Fewer attempts, or fewer columns copied, make it smaller or easier to reach.",
            icon=":material/filter_alt:",
        )
    figures = st.columns(4)
    figures[0].metric("k", f"{plan.test.k:,}", help=FIELDS["k"].words.help)
    if plan.test.epsilon0 is not None:
        figures[1].metric("ε0", f"{plan.test.epsilon0:g}", help=FIELDS["epsilon0"].words.help)
    figures[2].metric("t", f"{made.seeds.t or 0:,}", help=FIELDS["t"].words.help)
    if plan.protocol == "attempts":
        figures[3].metric("ρ", words.percent(made.pass_cap), help=words.HELP["pass_cap"])


def _draw_reasons(session: Session, offer: PlanOffer) -> None:
    """Draw why these numbers, and what the published rule would take."""
    with st.expander("Why these numbers"):
        if offer.published_k is not None:
            st.caption(
                f"The published rule k = 2t would take k = {offer.published_k:,}. A smaller k "
                "turns away fewer candidates."
            )
        st.markdown("\n".join(f"- {words.escape(each)}" for each in offer.explanation))
        st.caption(_describe_delta_share(session))


def _describe_delta_share(session: Session) -> str:
    """Return why the test is planned at a smaller δ, and maybe ε, than may be spent."""
    wish, aimed = plan_choice(session).wish, plan_choice(session).find_target()
    said = (
        f"The test is planned at δ = {words.delta(aimed.delta)}: {words.percent(MISS_SHARE)} of "
        "δ is set aside for there being fewer seeds than counted on"
    )
    if wish.protocol == "releases":
        said += ", and as much for a run that has to stop"
    if wish.records_per_person > 1:
        said += (
            f". One person may have {wish.records_per_person:,} records, so one that becomes a "
            f"seed may cost ε = {words.epsilon(aimed.epsilon)} only"
        )
    return f"{said}."
