"""Many plans at once, privacy against utility, from scores that are kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.mechanisms.seedbased.charts.tradeoff import UTILITIES, Explored, has_place
from understudy.mechanisms.seedbased.evaluation.pool import Pools
from understudy.mechanisms.seedbased.evaluation.sweep import (
    Grid,
    Parameter,
    Point,
    Sweep,
    Utility,
    grid,
    sweep,
)
from understudy.mechanisms.seedbased.fields.table import FIELDS
from understudy.mechanisms.seedbased.plan import Plan
from understudy.runs.folder import RunFolder
from understudy_dashboard import words
from understudy_dashboard.frame import showing_refusals
from understudy_dashboard.internal import internal
from understudy_dashboard.methods.seedbased import explore_scores as scores
from understudy_dashboard.methods.seedbased.budgets import draw_choices
from understudy_dashboard.methods.seedbased.explore_point import drawn, point_chosen
from understudy_dashboard.methods.seedbased.explore_settings import values_of, what_to_vary
from understudy_dashboard.methods.seedbased.own import own, seedbased_plan
from understudy_dashboard.parts.pictures import pictures_of
from understudy_dashboard.session import Session
from understudy_dashboard.spending import about_of

_MODEL = ("shares", "policies")


def explore(session: Session, plan: Plan | None, tested: Plan | None) -> None:
    """Draw many plans at once: from scores of candidates, where there are any and the plan has a
    use for them; or else from public numbers, with the ways to such scores folded.

    Args:
        session: the page's state.
        plan: the plan in use; None where there is none.
        tested: a plan with seeds, around which others are tried; None where candidates have no
            test.
    """
    if tested is None:
        draw_choices(session, plan)
    elif scores.scored(session):
        _from_scores(session, tested)
    else:
        draw_choices(session, plan)
        with st.expander("How many candidates pass"):
            scores.first(session, tested)


def _from_scores(session: Session, plan: Plan) -> None:
    run = scores.chosen(session)
    if run is None:
        return
    if scores.under_way(run):
        return
    about = about_of(run)
    confidential = about is None or about.records_of == "confidential"
    frame = internal("explore") if confidential else nullcontext()
    with frame, pictures_of(run), showing_refusals():
        _explore(session, run, plan, confidential)
    scores.warned(session, run, plan)
    with st.expander("Rehearse on your own table", icon=":material/theater_comedy:"):
        scores.rehearse(session, plan)


def _explore(session: Session, run: RunFolder, plan: Plan, confidential: bool) -> None:
    pools = scores.pools_of(session, run)
    start = _at_pools(plan, session, pools)
    _stale(run, plan, start)
    chart = st.container()
    with st.expander("What is drawn, and which plans are tried", icon=":material/tune:"):
        utility: Utility = st.selectbox(
            "Utility, upwards",
            list(UTILITIES),
            format_func=UTILITIES.__getitem__,
            key="explore-utility",
        )
        # The names of three settings need the whole width of a small screen.
        names = what_to_vary(start, pools)
        given = _given(session, start, pools, names, run.identity)
        _explained(utility)
    if given is not None:
        with chart, showing_refusals():
            made, found, now = _swept(session, start, given, pools, run)
            explored = Explored(found, utility, list(given), _present(session, now), confidential)
            drawn(explored)
            point_chosen(session, explored)
            _left_out(made, found, utility)
    scores.more_pools(session, run, pools)


def _given(
    session: Session, plan: Plan, pools: Pools, names: Sequence[Parameter], run: str
) -> dict[Parameter, tuple[Any, ...]] | None:
    """Return the values of what is varied; None where one is refused, beside its field."""
    assert session.schema is not None
    try:
        return values_of(plan, session.schema, pools, names, run)
    except Refusal:
        return None


def _at_pools(plan: Plan, session: Session, pools: Pools) -> Plan:
    """Return the plan, at an ω and an ε of the model that there are scores of."""
    assert session.schema is not None
    model, omega = plan.model, plan.omega
    if model.epsilon not in pools.epsilons:
        model = model.at(pools.epsilons[0])
    if pools.of(model.epsilon, omega) is None:
        omega = next(each.sample.omega for each in pools.each if each.epsilon == model.epsilon)
    return plan.changed(session.schema, model=model, omega=omega)


def _stale(run: RunFolder, plan: Plan, start: Plan) -> None:
    """Say where the scores are not of the present plan."""
    if start != plan:
        st.caption(
            ":material/refresh: There are no scores of the present plan. Where they are not "
            f"varied, ω = {FIELDS['omega'].show(start.omega)} and ε of the model = "
            f"{FIELDS['model_epsilon'].show(start.model.epsilon)} are taken. Rehearse again to "
            "see your own."
        )
    of = seedbased_plan(run)
    if of is None:
        return
    kinds = (of.model.kind, of.model.estimate) != (plan.model.kind, plan.model.estimate)
    if kinds or any(getattr(of, name) != getattr(plan, name) for name in _MODEL):
        st.caption(
            ":material/refresh: The model’s settings, the shares or the choices for stray values "
            "changed since these scores were made. Rehearse again to see what that does."
        )


def _swept(
    session: Session,
    start: Plan,
    given: Mapping[Parameter, Sequence[Any]],
    pools: Pools,
    run: RunFolder,
) -> tuple[Grid, Sweep, Point]:
    """Return the sweep, and the plan it starts from; worked out again only when something
    changes."""
    schema = session.schema
    assert schema is not None

    def made() -> tuple[Grid, Sweep, Point]:
        plans = grid(start, schema, given)
        now = sweep([start], schema, pools).points[0]
        return plans, sweep(plans.plans, schema, pools), now

    key = (run.identity, id(pools), start.to_json(), repr(given))
    with st.spinner("Trying the plans…"):
        found: tuple[Grid, Sweep, Point] = session.keep("sweep", key, made)
    return found


def _present(session: Session, now: Point) -> Point | None:
    return now if own(session).in_use(now.plan) else None


def _left_out(made: Grid, found: Sweep, utility: Utility) -> None:
    """How many plans there are, and why some are not drawn."""
    said = [words.count(len(found.points), "plan") + " tried."]
    missing = [point for point in found.points if not has_place(point, utility)]
    if missing:
        reasons = Counter(point.trouble or "nothing is known of them" for point in missing)
        most = reasons.most_common(1)[0][0]
        said.append(
            f"{len(missing):,} of them cannot be drawn; as a table, each has its reason, such as: "
            f"{words.plain(most)}"
        )
    if made.refused and made.refusal is not None:
        said.append(
            f"{words.count(made.refused, 'combination')} left out, as they make no plan: "
            f"{words.plain(made.refusal.problem)}"
        )
    st.caption(" ".join(said))


def _explained(utility: Utility) -> None:
    """What the upward axis means."""
    if utility in ("distance", "excess"):
        st.caption(
            "**How far what passes is from the truth.** For each pair of columns: the largest "
            "difference in the share of records that any statement about the pair can show, "
            "between candidates that pass and held-out records; typical is the middle one of all "
            "pairs. Any table of so many records differs a little by chance, real ones too: no "
            "plan can be expected under that line. Above the marginals’ line, a table without any "
            "relations would be closer."
        )
    st.caption(
        "Nothing is generated: some thousand candidates were kept with their scores, and each "
        "plan counts them by their chance to pass."
    )
