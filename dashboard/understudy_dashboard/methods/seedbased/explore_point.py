"""A point of the trade-off: chosen by a click or from a list, told in sentences, and adopted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import streamlit as st

from understudy.mechanisms.seedbased.charts.space import space, space_table
from understudy.mechanisms.seedbased.charts.tradeoff import (
    PICKED,
    Explored,
    has_place,
    named,
    tradeoff,
    tradeoff_table,
    why_not,
)
from understudy.mechanisms.seedbased.evaluation.sweep import PARAMETERS, Point
from understudy.mechanisms.seedbased.plan import Plan
from understudy_dashboard import words
from understudy_dashboard.frame import link, showing_refusals
from understudy_dashboard.methods.seedbased.own import own
from understudy_dashboard.parts.pictures import picture, turnable
from understudy_dashboard.session import Session

_CHART, _LIST, _CHOSEN = "tradeoff", "explore-frontier", "explore-chosen"


def drawn(explored: Explored) -> None:
    """The chart, and beside it the frontier as a list for who does without a mouse."""
    points = explored.sweep.points
    picture(
        tradeoff(explored),
        tradeoff_table(explored),
        key=_CHART,
        alt="The total ε of plans against their utility, a line joining those that none beats",
        confidential=explored.internal,
        on_select=partial(_pick, points),
    )
    _turned(explored)
    edge = frontier_of(explored)
    if edge:
        _listed(explored, edge)


def _turned(explored: Explored) -> None:
    """ε, records and distance in one chart, where that is asked for."""
    if st.toggle(
        "Turn it in space: ε, records and distance at once",
        key="explore-space",
        help="A plan that loses in one of the three may win in the two others. Drag to turn, "
        "scroll to come closer.",
    ):
        turnable(
            space(explored),
            space_table(explored),
            key="space",
            alt="Plans by total ε, records released and the distance of a typical pair",
            confidential=explored.internal,
        )


def frontier_of(explored: Explored) -> list[Point]:
    """Return the points that no other beats, by their ε."""
    on_edge = explored.sweep.edge(explored.utility)
    kept = [point for point, on in zip(explored.sweep.points, on_edge, strict=True) if on]
    return sorted(kept, key=lambda point: point.epsilon)


def _listed(explored: Explored, edge: Sequence[Point]) -> None:
    """The frontier to choose from; it shows what was clicked, where that is on it."""
    now = chosen(explored)
    st.session_state[_LIST] = next(
        (place for place, point in enumerate(edge) if now is not None and point.plan == now.plan),
        None,
    )
    st.selectbox(
        "Or choose from the frontier",
        range(len(edge)),
        format_func=lambda place: in_short(explored, edge[place]),
        placeholder=_offered(len(edge)),
        key=_LIST,
        on_change=_take,
        args=(edge,),
    )


def _offered(points: int) -> str:
    said = words.count(points, "point")
    return said if points == 1 else f"{said}, from the smallest ε on"


def in_short(explored: Explored, point: Point) -> str:
    """Return a point in a line."""
    settings = ", ".join(named(point, name) for name in explored.varied)
    return f"ε = {words.epsilon(point.epsilon)}: {_utility(explored, point)} · {settings}"


def _utility(explored: Explored, point: Point) -> str:
    match explored.utility:
        case "records":
            return f"{point.records:,.0f} records"
        case "pass_rate":
            return f"{words.percent(point.pass_rate)} pass"
        case "excess":
            return f"{words.percent(point.excess)} beyond real records"
    return f"a typical pair differs by {words.percent(point.distance)}"


def _pick(points: Sequence[Point]) -> None:
    """Take what was clicked; a click beside every point changes nothing."""
    state = st.session_state.get(f"chart-{_CHART}")
    clicked = state.selection.get(PICKED) if state is not None else None
    if clicked:
        place = int(clicked[0]["point"])
        if 0 <= place < len(points):
            st.session_state[_CHOSEN] = points[place].plan


def _take(edge: Sequence[Point]) -> None:
    place = st.session_state[_LIST]
    if place is not None:
        st.session_state[_CHOSEN] = edge[place].plan


def chosen(explored: Explored) -> Point | None:
    """Return the point that was chosen, while it is among those drawn."""
    plan: Plan | None = st.session_state.get(_CHOSEN)
    if plan is None:
        return None
    return next(
        (
            point
            for point in explored.sweep.points
            if _alike(point.plan, plan) and has_place(point, explored.utility)
        ),
        None,
    )


def _alike(one: Plan, other: Plan) -> bool:
    """Return whether two plans differ at most in how they were chosen, as one does once it is
    adopted."""
    marked = one.model_copy(update={"chosen_by_looking": other.chosen_by_looking})
    return marked == other


def point_chosen(session: Session, explored: Explored) -> None:
    """The settings of the chosen point in sentences, and the button that takes them over."""
    point = chosen(explored)
    if point is None:
        st.caption("Click a point, or choose one from the frontier, to see its settings.")
        return
    with st.container(border=True):
        st.markdown(f"**{_settings(point)}.**")
        for sentence in _sentences(explored, point):
            st.markdown(sentence)
        _adopting(session, explored, point)


def _settings(point: Point) -> str:
    names = [name for name in PARAMETERS if name != "gamma" or hasattr(point.plan.test, "gamma")]
    return ", ".join(named(point, name) for name in names)


def _sentences(explored: Explored, point: Point) -> list[str]:
    assert point.total is not None
    said = [f"In all that is **{words.budget(point.total)}**."]
    if point.plan.protocol == "attempts":
        said[0] += (
            f" About {words.percent(point.pass_rate)} of the candidates pass, so about "
            f"{words.count(round(point.records), 'record')} will be released."
        )
    else:
        said[0] += f" About {words.percent(point.pass_rate)} of the candidates pass."
    trouble = why_not(point, "distance")
    if trouble:
        return [*said, words.plain(trouble)]
    if math.isfinite(point.distance):
        said.append(_distances(explored, point))
    return said


def _distances(explored: Explored, point: Point) -> str:
    """Return how far what passes is, and what chance alone makes of so many records."""
    return (
        f"The shares of a typical pair of columns differ by {words.percent(point.distance)} "
        f"between what passes and held-out records, measured with candidates worth "
        f"{point.effective:,.0f} records. As many other real records differ by "
        f"{words.percent(point.real)}, by chance alone; {explored.sweep.candidates:,} records of "
        f"the marginals, which ignore all relations, by {words.percent(explored.sweep.marginals)}."
    )


def _of(explored: Explored, point: Point) -> Plan:
    """Return the plan of a point; where the scores are of confidential records, it says that it was
    chosen by looking at them."""
    looked = point.plan.chosen_by_looking or explored.internal
    return point.plan.model_copy(update={"chosen_by_looking": looked})


def _adopting(session: Session, explored: Explored, point: Point) -> None:
    with showing_refusals():
        plan = _of(explored, point)
        used = own(session).in_use(plan)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(
                "These settings are in use" if used else "Adopt these settings",
                type="primary",
                icon=":material/check:" if used else ":material/arrow_back:",
                disabled=used,
                key="explore-adopt",
                on_click=_adopt,
                args=(session, plan),
            )
            if used:
                link("privacy", "See them on the Privacy page")


def _adopt(session: Session, plan: Plan) -> None:
    session.adopt(plan)
    session.notices.append("The settings are adopted. What they promise is in the meter.")
    if plan.chosen_by_looking:
        session.notices.append(
            "They were chosen by looking at your own table. That is kept in the plan, and the "
            "statement of a release will say so."
        )
