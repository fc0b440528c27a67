"""Many plans at once, privacy against utility: from public numbers, or from scores that are
kept."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any, Final

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.mechanisms.seedbased.charts.budgets import budgets_table, draw_budgets
from understudy.mechanisms.seedbased.charts.tradeoff import (
    PICKED,
    UTILITIES,
    Explored,
    has_place,
    name_setting,
    space,
    space_table,
    tradeoff,
    tradeoff_table,
    why_not,
)
from understudy.mechanisms.seedbased.evaluation.pool import Pools
from understudy.mechanisms.seedbased.evaluation.sweep import (
    PARAMETERS,
    Parameter,
    Sweep,
    SweepGrid,
    SweepPoint,
    Utility,
    combine_settings,
    sweep,
)
from understudy.mechanisms.seedbased.fields.table import FIELDS
from understudy.mechanisms.seedbased.models import MODELS
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.proposal import PlanOption
from understudy.runs.folder import RunFolder
from understudy_dashboard import words
from understudy_dashboard.frame import draw_link, mark_internal, showing_refusals
from understudy_dashboard.ledger_status import read_about
from understudy_dashboard.methods.seedbased import planner
from understudy_dashboard.methods.seedbased import score_sources as scores
from understudy_dashboard.methods.seedbased.method_settings import plan_choice, plan_of_run
from understudy_dashboard.methods.seedbased.score_sources import ask_settings, ask_values
from understudy_dashboard.parts.pictures import draw_picture, draw_turnable, label_pictures
from understudy_dashboard.session import Session

_CHOICES_CHART: Final = "budgets"
_CHOICES_LIST: Final = "budgets-chosen"
_SAID: Final = (
    "Each point is a plan: the higher, the nearer, if columns are tied as usual. Choose one."
)


def draw_choices(session: Session, plan: Plan | None) -> None:
    """Draw every choice, if it is known how many records there are.

    Args:
        session: the page's state.
        plan: the plan in use; None where there is none.
    """
    every = _list_choices(session)
    if every is None:
        return
    if not every:
        st.info("No plan fits at any ε up to 10.", icon=":material/help:")
        return
    st.caption(_SAID)
    draw_picture(
        draw_budgets(every, _find_epsilon(session, plan)),
        budgets_table(every),
        key=_CHOICES_CHART,
        alt="How far off pairs of a usual table will be, by ε, a line for each kind of model",
        confidential=False,
        on_select=lambda: _pick_choice(every),
    )
    _draw_choice_list(session, every)


def _list_choices(session: Session) -> tuple[PlanOption, ...] | None:
    """Return every choice; None if the number of records is not known or a number is wrong."""
    held, schema = plan_choice(session).planned, session.settings.schema
    assert schema is not None
    if held.wish.records_at_least is None:
        return None
    wish = planner.without_epsilon(held.wish)

    def make_choices() -> tuple[PlanOption, ...] | None:
        try:
            return planner.list_choices(wish, held.draft, schema)
        except Refusal:
            return None

    key = schema.fingerprint, repr(wish), repr(held.draft)
    found: tuple[PlanOption, ...] | None = session.cache.keep("budgets", key, make_choices)
    return found


def _find_epsilon(session: Session, plan: Plan | None) -> float | None:
    """Return the ε of the plan in use."""
    if plan is None or not plan_choice(session).is_in_use(plan):
        return None
    total = plan_choice(session).promise().total
    return total.epsilon if total.bounded else None


def _pick_choice(every: Sequence[PlanOption]) -> None:
    """Take what was clicked; a click beside every point changes nothing."""
    state = st.session_state.get(f"chart-{_CHOICES_CHART}")
    clicked = state.selection.get(PICKED) if state is not None else None
    if clicked:
        place = int(clicked[0]["point"])
        if 0 <= place < len(every):
            st.session_state[_CHOICES_LIST] = place


def _draw_choice_list(session: Session, every: Sequence[PlanOption]) -> None:
    """Draw the list of choices, and the button that puts the chosen one in use."""
    if st.session_state.get(_CHOICES_LIST) not in (None, *range(len(every))):
        st.session_state[_CHOICES_LIST] = None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        place = st.selectbox(
            "A plan",
            range(len(every)),
            index=None,
            format_func=lambda at: describe_choice(every[at]),
            placeholder="Choose one",
            key=_CHOICES_LIST,
        )
        st.button(
            "Use this plan",
            key="budgets-adopt",
            icon=":material/arrow_upward:",
            disabled=place is None,
            on_click=_adopt_choice,
            args=(session, None if place is None else every[place]),
        )


def describe_choice(choice: PlanOption) -> str:
    """Return a choice in a line."""
    said = f"ε = {words.epsilon(choice.epsilon)}, {MODELS[choice.kind].title}"
    said += f": {words.percent(choice.lost)} as far off as without relations"
    return f"{said} (proposed)" if choice.proposed else said


def _adopt_choice(session: Session, choice: PlanOption) -> None:
    """Ask for its ε, where it is what is proposed there; or else set its model by hand."""
    held, schema = plan_choice(session).planned, session.settings.schema
    assert schema is not None
    if choice.proposed:
        plan_choice(session).ask_questions(None).epsilon = choice.epsilon
    else:
        try:
            session.settings.adopt(
                planner.plan_of_choice(
                    held.wish, held.draft, schema, choice, session.settings.policies
                )
            )
        except Refusal as refusal:
            session.cautions.append(words.escape(f"{refusal.problem} {refusal.remedy}"))
            return
    session.notices.append("The plan is in use. What it promises is in the meter.")


_POINTS_CHART, _POINTS_LIST, _CHOSEN = "tradeoff", "explore-frontier", "explore-chosen"


def draw_points(explored: Explored) -> None:
    """Draw the chart, and beside it the frontier as a list for who does without a mouse."""
    points = explored.sweep.points
    draw_picture(
        tradeoff(explored),
        tradeoff_table(explored),
        key=_POINTS_CHART,
        alt="The total ε of plans against their utility, a line joining those that none beats",
        confidential=explored.internal,
        on_select=partial(_pick_point, points),
    )
    _draw_space(explored)
    edge = find_frontier(explored)
    if edge:
        _draw_list(explored, edge)


def _draw_space(explored: Explored) -> None:
    """Draw ε, records and distance in one chart, where that is asked for."""
    if st.toggle(
        "Turn it in space: ε, records and distance at once",
        key="explore-space",
        help="A plan that loses in one of the three may win in the two others. Drag to turn, "
        "scroll to come closer.",
    ):
        draw_turnable(
            space(explored),
            space_table(explored),
            key="space",
            alt="Plans by total ε, records released and the distance of a typical pair",
            confidential=explored.internal,
        )


def find_frontier(explored: Explored) -> list[SweepPoint]:
    """Return the points that no other beats, by their ε."""
    on_edge = explored.sweep.edge(explored.utility)
    kept = [point for point, on in zip(explored.sweep.points, on_edge, strict=True) if on]
    return sorted(kept, key=lambda point: point.epsilon)


def _draw_list(explored: Explored, edge: Sequence[SweepPoint]) -> None:
    """Draw the frontier to choose from; it shows what was clicked, where that is on it."""
    now = find_chosen_point(explored)
    st.session_state[_POINTS_LIST] = next(
        (place for place, point in enumerate(edge) if now is not None and point.plan == now.plan),
        None,
    )
    st.selectbox(
        "Or choose from the frontier",
        range(len(edge)),
        format_func=lambda place: describe_point(explored, edge[place]),
        placeholder=_describe_offer(len(edge)),
        key=_POINTS_LIST,
        on_change=_take_point,
        args=(edge,),
    )


def _describe_offer(points: int) -> str:
    said = words.count(points, "point")
    return said if points == 1 else f"{said}, from the smallest ε on"


def describe_point(explored: Explored, point: SweepPoint) -> str:
    """Return a point in a line."""
    settings = ", ".join(name_setting(point, name) for name in explored.varied)
    return f"ε = {words.epsilon(point.epsilon)}: {_describe_utility(explored, point)} · {settings}"


def _describe_utility(explored: Explored, point: SweepPoint) -> str:
    match explored.utility:
        case "records":
            return f"{point.records:,.0f} records"
        case "pass_rate":
            return f"{words.percent(point.pass_rate)} pass"
        case "excess":
            return f"{words.percent(point.excess)} beyond real records"
    return f"a typical pair differs by {words.percent(point.distance)}"


def _pick_point(points: Sequence[SweepPoint]) -> None:
    """Take what was clicked; a click beside every point changes nothing."""
    state = st.session_state.get(f"chart-{_POINTS_CHART}")
    clicked = state.selection.get(PICKED) if state is not None else None
    if clicked:
        place = int(clicked[0]["point"])
        if 0 <= place < len(points):
            st.session_state[_CHOSEN] = points[place].plan


def _take_point(edge: Sequence[SweepPoint]) -> None:
    place = st.session_state[_POINTS_LIST]
    if place is not None:
        st.session_state[_CHOSEN] = edge[place].plan


def find_chosen_point(explored: Explored) -> SweepPoint | None:
    """Return the point that was chosen, while it is among those drawn."""
    plan: Plan | None = st.session_state.get(_CHOSEN)
    if plan is None:
        return None
    return next(
        (
            point
            for point in explored.sweep.points
            if _are_alike(point.plan, plan) and has_place(point, explored.utility)
        ),
        None,
    )


def _are_alike(one: Plan, other: Plan) -> bool:
    """Return whether two plans differ at most in how they were chosen, as one does once it is
    adopted."""
    marked = one.model_copy(update={"chosen_by_looking": other.chosen_by_looking})
    return marked == other


def draw_chosen_point(session: Session, explored: Explored) -> None:
    """Draw the settings of the chosen point in sentences, and the button that takes them over."""
    point = find_chosen_point(explored)
    if point is None:
        st.caption("Click a point, or choose one from the frontier, to see its settings.")
        return
    with st.container(border=True):
        st.markdown(f"**{_describe_settings(point)}.**")
        for sentence in _describe_plan(explored, point):
            st.markdown(sentence)
        assert point.total is not None
        warning = words.warn_large(point.total, "Choose a point further left.")
        if warning is not None:
            st.warning(warning, icon=":material/balance:")
        _draw_adoption(session, explored, point)


def _describe_settings(point: SweepPoint) -> str:
    names = [name for name in PARAMETERS if name != "gamma" or hasattr(point.plan.test, "gamma")]
    return ", ".join(name_setting(point, name) for name in names)


def _describe_plan(explored: Explored, point: SweepPoint) -> list[str]:
    assert point.total is not None
    said = [f"In all that is **{words.format_budget(point.total)}**."]
    if point.plan.protocol == "attempts":
        said[0] += (
            f" About {words.percent(point.pass_rate)} of the candidates pass, so about "
            f"{words.count(round(point.records), 'record')} will be released."
        )
    else:
        said[0] += f" About {words.percent(point.pass_rate)} of the candidates pass."
    trouble = why_not(point, "distance")
    if trouble:
        return [*said, words.escape(trouble)]
    if math.isfinite(point.distance):
        said.append(_describe_distances(explored, point))
    return said


def _describe_distances(explored: Explored, point: SweepPoint) -> str:
    """Return how far what passes is, and what chance alone makes of so many records."""
    return (
        f"The shares of a typical pair of columns differ by {words.percent(point.distance)} "
        f"between what passes and held-out records, measured with candidates worth "
        f"{point.effective:,.0f} records. As many other real records differ by "
        f"{words.percent(point.real)}, by chance alone; {explored.sweep.candidates:,} records of "
        f"the marginals, which ignore all relations, by {words.percent(explored.sweep.marginals)}."
    )


def _plan_of(explored: Explored, point: SweepPoint) -> Plan:
    """Return the plan of a point; where the scores are of confidential records, it says that it was
    chosen by looking at them."""
    looked = point.plan.chosen_by_looking or explored.internal
    return point.plan.model_copy(update={"chosen_by_looking": looked})


def _draw_adoption(session: Session, explored: Explored, point: SweepPoint) -> None:
    with showing_refusals():
        plan = _plan_of(explored, point)
        used = plan_choice(session).is_in_use(plan)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(
                "These settings are in use" if used else "Adopt these settings",
                type="primary",
                icon=":material/check:" if used else ":material/arrow_back:",
                disabled=used,
                key="explore-adopt",
                on_click=_adopt_point,
                args=(session, plan),
            )
            if used:
                draw_link("privacy", "See them on the Privacy page")


def _adopt_point(session: Session, plan: Plan) -> None:
    session.settings.adopt(plan)
    session.notices.append("The settings are adopted. What they promise is in the meter.")
    if plan.chosen_by_looking:
        session.notices.append(
            "They were chosen by looking at your own table. That is kept in the plan, and the "
            "statement of a release will say so."
        )


_MODEL = ("shares", "policies")


def draw_many_plans(session: Session, plan: Plan | None, tested: Plan | None) -> None:
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
    elif scores.list_scored_runs(session):
        _draw_from_scores(session, tested)
    else:
        draw_choices(session, plan)
        with st.expander("How many candidates pass"):
            scores.draw_first_scores(session, tested)


def _draw_from_scores(session: Session, plan: Plan) -> None:
    run = scores.choose_scores(session)
    if run is None:
        return
    if scores.draw_progress(run):
        return
    about = read_about(run)
    confidential = about is None or about.records_of == "confidential"
    frame = mark_internal("explore") if confidential else nullcontext()
    with frame, label_pictures(run), showing_refusals():
        _draw_sweep(session, run, plan, confidential)
    scores.draw_warnings(session, run, plan)
    with st.expander("Rehearse on your own table", icon=":material/theater_comedy:"):
        scores.draw_rehearsals(session, plan)


def _draw_sweep(session: Session, run: RunFolder, plan: Plan, confidential: bool) -> None:
    pools = scores.load_run_pools(session, run)
    start = _fit_to_pools(plan, session, pools)
    _warn_stale(run, plan, start)
    chart = st.container()
    with st.expander("What is drawn, and which plans are tried", icon=":material/tune:"):
        utility: Utility = st.selectbox(
            "Utility, upwards",
            list(UTILITIES),
            format_func=UTILITIES.__getitem__,
            key="explore-utility",
        )
        # The names of three settings need the whole width of a small screen.
        names = ask_settings(start, pools)
        given = _ask_values(session, start, pools, names, run.identity)
        _draw_utility(utility)
    if given is not None:
        with chart, showing_refusals():
            made, found, now = _sweep_plans(session, start, given, pools, run)
            explored = Explored(
                found, utility, list(given), _find_point_in_use(session, now), confidential
            )
            draw_points(explored)
            draw_chosen_point(session, explored)
            _draw_left_out(made, found, utility)
    scores.draw_more_pools(session, run, pools)


def _ask_values(
    session: Session, plan: Plan, pools: Pools, names: Sequence[Parameter], run: str
) -> dict[Parameter, tuple[Any, ...]] | None:
    """Return the values of what is varied; None where one is refused, beside its field."""
    assert session.settings.schema is not None
    try:
        return ask_values(plan, session.settings.schema, pools, names, run)
    except Refusal:
        return None


def _fit_to_pools(plan: Plan, session: Session, pools: Pools) -> Plan:
    """Return the plan, at an ω and an ε of the model that there are scores of."""
    assert session.settings.schema is not None
    model, omega = plan.model, plan.omega
    if model.epsilon not in pools.epsilons:
        model = model.at(pools.epsilons[0])
    if pools.of(model.epsilon, omega) is None:
        omega = next(each.sample.omega for each in pools.each if each.epsilon == model.epsilon)
    return plan.change(session.settings.schema, model=model, omega=omega)


def _warn_stale(run: RunFolder, plan: Plan, start: Plan) -> None:
    """Say where the scores are not of the present plan."""
    if start != plan:
        st.caption(
            ":material/refresh: There are no scores of the present plan. Where they are not "
            f"varied, ω = {FIELDS['omega'].show(start.omega)} and ε of the model = "
            f"{FIELDS['model_epsilon'].show(start.model.epsilon)} are taken. Rehearse again to "
            "see your own."
        )
    of = plan_of_run(run)
    if of is None:
        return
    kinds = (of.model.kind, of.model.estimate) != (plan.model.kind, plan.model.estimate)
    if kinds or any(getattr(of, name) != getattr(plan, name) for name in _MODEL):
        st.caption(
            ":material/refresh: The model’s settings, the shares or the choices for stray values "
            "changed since these scores were made. Rehearse again to see what that does."
        )


def _sweep_plans(
    session: Session,
    start: Plan,
    given: Mapping[Parameter, Sequence[Any]],
    pools: Pools,
    run: RunFolder,
) -> tuple[SweepGrid, Sweep, SweepPoint]:
    """Return the sweep, and the plan it starts from; worked out again only when something
    changes."""
    schema = session.settings.schema
    assert schema is not None

    def sweep_both() -> tuple[SweepGrid, Sweep, SweepPoint]:
        plans = combine_settings(start, schema, given)
        now = sweep([start], schema, pools).points[0]
        return plans, sweep(plans.plans, schema, pools), now

    key = (run.identity, id(pools), start.to_json(), repr(given))
    with st.spinner("Trying the plans…"):
        found: tuple[SweepGrid, Sweep, SweepPoint] = session.cache.keep("sweep", key, sweep_both)
    return found


def _find_point_in_use(session: Session, now: SweepPoint) -> SweepPoint | None:
    return now if plan_choice(session).is_in_use(now.plan) else None


def _draw_left_out(made: SweepGrid, found: Sweep, utility: Utility) -> None:
    """Draw how many plans there are, and why some are not drawn."""
    said = [words.count(len(found.points), "plan") + " tried."]
    missing = [point for point in found.points if not has_place(point, utility)]
    if missing:
        reasons = Counter(point.trouble or "nothing is known of them" for point in missing)
        most = reasons.most_common(1)[0][0]
        said.append(
            f"{len(missing):,} of them cannot be drawn; as a table, each has its reason, such as: "
            f"{words.escape(most)}"
        )
    if made.refused and made.refusal is not None:
        said.append(
            f"{words.count(made.refused, 'combination')} left out, as they make no plan: "
            f"{words.escape(made.refusal.problem)}"
        )
    st.caption(" ".join(said))


def _draw_utility(utility: Utility) -> None:
    """Draw what the upward axis means."""
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
