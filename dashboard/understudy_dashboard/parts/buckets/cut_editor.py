"""Cut points that can be dragged over the histogram of a column of numbers."""

from __future__ import annotations

from typing import Any, Final

import streamlit as st

from understudy.charts.histogram import binned
from understudy.table.authoring import cutting
from understudy.table.buckets import Buckets
from understudy.table.column import Column
from understudy.table.domain import Ranged, range_of
from understudy_dashboard.components import component
from understudy_dashboard.internal import internal
from understudy_dashboard.session import Session

MOST_DRAGGED: Final = 40
_MOST_BARS: Final = 240

_mount = component("cuts")


def cut_editor(session: Session, column: Column) -> None:
    """Draw the cuts over what the table holds, and follow what is done to them."""
    key = _key(column.name)
    editing, grid = session.editing, range_of(column.domain)
    places = cutting.cut_places(column)
    movable = 0 < len(places) <= MOST_DRAGGED

    def follow() -> None:
        answer(session, column.name, st.session_state[key]["deeds"])

    with internal("cuts", "The bars are counted in your table; the cuts are public."):
        bars, per_bar = binned(session.fitting(column).counts[: grid.size], _MOST_BARS)
        _mount(
            key=key,
            data={
                "title": column.title or column.name,
                "bars": bars.tolist(),
                "per_bar": per_bar,
                "size": grid.size,
                "minimum": float(grid.minimum),
                "step": float(grid.step),
                "maximum": float(grid.ends[1]),
                "reach": _reach(grid),
                "decimals": grid.lattice.decimals,
                "cuts": places if movable else (),
                "movable": movable,
                "splittable": len(places) < MOST_DRAGGED
                and cutting.widest_middle(column) is not None,
                "still": _still(len(places)),
                "answered": editing.answered.get(key, 0),
            },
            on_deeds_change=follow,
        )


def answer(session: Session, name: str, told: Any) -> None:
    """Do to the cuts of a column what somebody did on the histogram, whatever they are by now.

    Args:
        session: the page's state.
        name: the column.
        told: what the component told, deeds that were answered before among them.
    """
    for deed in session.editing.unanswered(_key(name), told):
        _follow(session, name, deed)


def _reach(grid: Ranged) -> float:
    """From the lowest number of a cell to its highest; 0 where a step is one number."""
    return float(grid.step - grid.resolution)


def _key(name: str) -> str:
    return f"cuts-of-{name}"


def _still(cuts: int) -> str:
    if not cuts:
        return "There is no cut: everything is one bucket."
    return f"{cuts:,} cuts are too many to drag. Choose fewer buckets to have them here."


def _follow(session: Session, name: str, deed: dict[str, Any]) -> None:
    schema = session.schema
    if schema is None or name not in schema.names:
        return
    column = schema.column(name)
    buckets = _done(column, deed) if column.ordered else None
    if buckets is not None and buckets != column.buckets:
        session.describe(schema.replace(column.with_buckets(buckets)))


def _done(column: Column, deed: dict[str, Any]) -> Buckets | None:
    place, to = deed.get("place"), deed.get("to")
    match deed["act"], place, to:
        case "move", int(), int():
            return cutting.move_cut(column, place, to)
        case "add", int(), _:
            return cutting.add_cut(column, place)
        case "remove", int(), _:
            return cutting.remove_cut(column, place)
        case "split", _, _:
            middle = cutting.widest_middle(column)
            return None if middle is None else cutting.add_cut(column, middle)
    return None
