"""What helps to settle a plan: which release, which numbers are Gaussian, how strong a prior."""

from __future__ import annotations

from typing import Any, Final

import streamlit as st

from dashboard import drawings
from dashboard.methods.choosing import Filled
from dashboard.methods.imputation.drawn import CAPTIONS, picture
from dashboard.session import Session
from engine.core.refusal import Refusal
from engine.mechanisms.imputation.fields import RELEASES
from engine.mechanisms.imputation.plan import ImputationPlan
from engine.mechanisms.imputation.planning import strength_for
from engine.table.domain import Continuous, Grid
from engine.table.schema import Column, Schema

_ACROSS: Final = 2
_MOST_NUMBERS: Final = 30


def release_picker(held: Any) -> None:
    """A card for each release, with a small picture of it."""
    st.html(f"<style>{drawings.CSS}</style>")
    releases = list(CAPTIONS)
    for first in range(0, len(releases), _ACROSS):
        for place, release in zip(
            st.columns(_ACROSS), releases[first : first + _ACROSS], strict=False
        ):
            with place, st.container(border=True):
                st.markdown(picture(release), unsafe_allow_html=True)
                st.markdown(f"**{RELEASES[release]}**")
                st.caption(CAPTIONS[release])
                chosen = held.release == release
                st.button(
                    "Chosen" if chosen else "Choose",
                    key=f"release-{release}",
                    disabled=chosen,
                    on_click=setattr,
                    args=(held, "release", release),
                    width="stretch",
                )


def numbers(held: Any, schema: Schema) -> None:
    """For each column of numbers, whether it is Gaussian, and with which deviation."""
    released = held.columns or list(schema.names)
    ranged = [each for each in schema.columns if _measured(each) and each.name in released]
    if not ranged:
        return
    with st.expander("Columns of numbers", expanded=bool(held.deviations)):
        st.caption(
            "A column of numbers is drawn from a Gaussian where its deviation σ is publicly known. "
            "A σ worked out from these records would give them away. Without one, every value is "
            "counted by itself."
        )
        for column in ranged[:_MOST_NUMBERS]:
            _deviation(held, column)


def _measured(column: Column) -> bool:
    return isinstance(column.domain, Grid | Continuous) and not column.missing


def _deviation(held: Any, column: Column) -> None:
    key = f"deviation-{column.name}"
    assert isinstance(column.domain, Grid | Continuous)
    low, high = column.domain.ends
    st.number_input(
        f"σ of {column.title or column.name}, from {low} to {high}",
        min_value=0.0,
        value=float(held.deviations.get(column.name, 0.0)),
        key=key,
        help="0 for none.",
        on_change=_take_deviation,
        args=(held, column.name, key),
    )


def _take_deviation(held: Any, name: str, key: str) -> None:
    value = st.session_state[key]
    others = {each: sigma for each, sigma in held.deviations.items() if each != name}
    held.deviations = {**others, name: value} if value else others


def planner(session: Session, chosen: Filled) -> None:
    """The smallest prior for an ε."""
    with st.expander("Find the smallest prior"):
        wanted = st.number_input(
            "ε to keep to", min_value=0.01, max_value=50.0, value=1.0, key="wanted-epsilon",
            help="Of the whole release, at the δ below.",
        )  # fmt: skip
        st.button("Find it", key="find-strength", on_click=_find, args=(session, chosen, wanted))
        said = st.session_state.pop("found-strength", None)
        if isinstance(said, Refusal):
            st.error(f"{said.problem} {said.remedy}")
        elif said is not None:
            st.success(f"A strength of {said:g} is enough, and stands below.")


def _find(session: Session, chosen: Filled, wanted: float) -> None:
    assert session.schema is not None
    try:
        plan = chosen.plan(session.schema, {})
        assert isinstance(plan, ImputationPlan)
        found = strength_for(plan, session.schema, wanted)
    except Refusal as refusal:
        st.session_state["found-strength"] = refusal
        return
    chosen.held.strength = found  # type: ignore[attr-defined]
    st.session_state["found-strength"] = found
