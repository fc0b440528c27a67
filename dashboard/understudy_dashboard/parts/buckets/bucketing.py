"""The choice of buckets for one column, counting at once or answered beside its field."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Final

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.table.authoring import cutting
from understudy.table.domain import Ranged, range_of
from understudy.table.schema import Buckets, ByCuts, ByGroups, ByWidth, Column, EachValue
from understudy_dashboard import words
from understudy_dashboard.frame import Fields
from understudy_dashboard.parts.buckets.cut_editor import MOST_DRAGGED, cut_editor
from understudy_dashboard.parts.buckets.group_editor import group_editor, grouping, keep
from understudy_dashboard.parts.buckets.group_suggestions import group_suggestions
from understudy_dashboard.parts.buckets.levels import levels_above
from understudy_dashboard.session import Session

_FEW: Final = 10


def bucketing(session: Session, column: Column) -> None:
    """Edit the buckets of a column."""
    if not column.ordered:
        group_suggestions(session, column, lambda made: _adopt(session, made))
    kinds = ("each", "width", "cuts") if column.ordered else ("each", "groups")
    key = f"{session.revision}-{column.name}"
    kind = st.radio(
        "Buckets",
        kinds,
        index=kinds.index(column.buckets.kind),
        format_func=words.BUCKETS.__getitem__,
        key=f"buckets-{key}",
        horizontal=True,
    )
    refusal: Refusal | None = None
    below = st.container()
    try:
        with below:
            buckets = _buckets(session, column, kind, key)
        if buckets != column.buckets:
            _take(session, column, buckets, by_form=True)
            st.rerun()
    except Refusal as refused:
        refusal = refused
    Fields(refusal).rest()
    with st.container():
        if refusal is not None:
            st.caption("Until this is mended, the buckets stay as they were.")
    levels_above(session, column)
    if column.ordered:
        _presets(session, column, key)
        if session.table is not None:
            cut_editor(session, column)


def _adopt(session: Session, column: Column) -> None:
    """Take a column in groups that were made elsewhere, in place of those being edited."""
    assert session.schema is not None
    session.editing.groups.pop(column.name, None)
    session.describe(session.schema.replace(column))


def _take(session: Session, column: Column, buckets: Buckets, *, by_form: bool = False) -> None:
    """Put a column in other buckets.

    Raises:
        Refusal: they do not fit it.
    """
    assert session.schema is not None
    changed = column.with_buckets(buckets)
    if isinstance(buckets, ByGroups):
        keep(session, changed, grouping(session, column))
    session.describe(session.schema.replace(changed), by_form=by_form)


def _buckets(session: Session, column: Column, kind: str, key: str) -> Buckets:
    """Return the buckets as the widgets have them.

    Raises:
        Refusal: a field cannot be read, or the groups do not make sense by themselves.
    """
    match kind:
        case "width":
            return _by_width(column, key)
        case "cuts":
            return _by_cuts(column, key)
        case "groups":
            return group_editor(session, column, key)
    return EachValue()


def _by_width(column: Column, key: str) -> ByWidth:
    buckets, grid = column.buckets, range_of(column.domain)
    start = buckets.width if isinstance(buckets, ByWidth) else _tenth(grid)
    text = st.text_input(
        "Width of a bucket",
        value=f"{start:f}",
        key=f"width-{key}",
        help=f"The first bucket begins at {grid.minimum:f}.",
    )
    return ByWidth(width=_decimal(text, "width"))


def _by_cuts(column: Column, key: str) -> ByCuts:
    text = st.text_input(
        "Cut points, separated by commas",
        value=", ".join(f"{cut:f}" for cut in _first_cuts(column)),
        key=f"cuts-{key}",
        help="A value below a cut lies below it; the cut itself belongs above.",
    )
    parts = [part for part in text.replace(";", ",").split(",") if part.strip()]
    return ByCuts(cuts=tuple(_decimal(part, "cut point") for part in parts))


def _first_cuts(column: Column) -> tuple[Decimal, ...]:
    """Return the cuts there are, as far as they can be overlooked, or else one in the middle."""
    buckets, grid = column.buckets, range_of(column.domain)
    if isinstance(buckets, ByCuts):
        return buckets.cuts
    places = cutting.cut_places(column)
    if not 0 < len(places) <= MOST_DRAGGED:
        places = (grid.size // 2,)
    return tuple(grid.numbers[place] for place in places)


def _presets(session: Session, column: Column, key: str) -> None:
    """Buckets that follow from the public range alone, at a click."""
    grid = range_of(column.domain)

    def take(made: Buckets) -> None:
        _take(session, column, made)

    with st.container(horizontal=True, vertical_alignment="bottom"):
        count = st.number_input(
            "How many",
            min_value=1,
            max_value=grid.size,
            value=min(_FEW, grid.size),
            key=f"count-{column.name}",
            width=130,
        )
        st.button(
            "Equal parts of the range",
            key=f"parts-{key}",
            on_click=lambda: take(cutting.equal_buckets(grid, int(count))),
            help="So many buckets, each with about as many possible values. The public range is "
            "cut, not your records: their quantiles would be theirs.",
        )
        for base in (10, 2):
            made = _powers(grid, 10 if base == 10 else 2)
            st.button(
                f"Powers of {base}",
                key=f"powers-{base}-{key}",
                on_click=take,
                args=(made,),
                disabled=made is None,
                help=f"Cuts at 1, {base}, {base**2} … for numbers that spread over many sizes.",
            )


def _powers(grid: Ranged, base: cutting.Base) -> Buckets | None:
    try:
        return cutting.power_cuts(grid, base)
    except Refusal:
        return None


def _tenth(grid: Ranged) -> Decimal:
    """Return a width of whole steps that makes about ten buckets."""
    return grid.step * max(1, round(grid.size / _FEW))


def _decimal(text: str, what: str) -> Decimal:
    try:
        return Decimal(text.strip().replace("−", "-"))
    except InvalidOperation:
        raise Refusal(
            f"The {what} is not a number.", "Enter a plain number such as 10.", field="buckets"
        ) from None
