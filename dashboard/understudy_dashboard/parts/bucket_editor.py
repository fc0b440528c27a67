"""The buckets of one column: widths, cut points, levels, and what they keep apart."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Final

import streamlit as st

from understudy.charts.histogram import join_bars
from understudy.core.refusal import Refusal
from understudy.table.authoring import cuts as cutting
from understudy.table.buckets import Buckets, ByCuts, ByGroups, ByWidth, EachValue
from understudy.table.column import Column
from understudy.table.domain import Ranged, range_of, read_decimal
from understudy.table.levels import calendar_levels
from understudy.table.schema import Schema
from understudy_dashboard import words
from understudy_dashboard.components import load_component
from understudy_dashboard.frame import FieldRefusals, mark_internal
from understudy_dashboard.parts.columns import draw_bucket_preview
from understudy_dashboard.parts.group_editor import (
    MOST_CHIPS,
    draw_group_editor,
    draw_levels,
    draw_suggestions,
    grouping_of,
    keep_grouping,
)
from understudy_dashboard.session import Session

_NAMED: Final = 12


def draw_differences(session: Session, column: Column) -> None:
    """Draw which differences the model can still see, in words and in your table."""
    st.markdown("**What the model can still see**")
    st.markdown(describe_differences(column))
    if session.data.table is None:
        st.caption("Open the table on the Data page to see how many records each bucket holds.")
        return
    with mark_internal("buckets", "Counted in your table: how many records each bucket holds."):
        draw_bucket_preview(session, column)


def describe_differences(column: Column) -> str:
    """Return which differences are left, in words."""
    labels = column.bucket_labels[: column.bucket_count - column.missing_count]
    missing = _describe_missing_groups(column)
    if len(labels) == 1:
        return (
            "Nothing: every value falls in one bucket, so the column cannot help to predict "
            f"another.{missing}"
        )
    if len(labels) == column.domain.size:
        return f"Every value: all {column.domain.size:,} are told apart.{missing}"
    if column.ordered:
        named = [words.escape(label) for label in labels[:_NAMED]]
        said, inside = f"{len(labels):,} ranges: ", "Within a range all values look the same."
    else:
        sizes = [int((column.bucket_map == bucket).sum()) for bucket in range(len(labels))]
        named = [
            words.escape(label) + (f" ({size:,} categories)" if size > 1 else "")
            for label, size in zip(labels[:_NAMED], sizes, strict=False)
        ]
        said, inside = f"{len(labels):,} groups: ", "Within a group all categories look the same."
    more = f" and {len(labels) - _NAMED:,} more" if len(labels) > _NAMED else ""
    return f"{said}{' · '.join(f'**{each}**' for each in named)}{more}. {inside}{missing}"


def _describe_missing_groups(column: Column) -> str:
    labels = [f"“{words.escape(label)}”" for label in column.missing_labels]
    if not labels:
        return ""
    if len(labels) == 1:
        return f" Missing values form a group of their own, {labels[0]}."
    return f" Each code for missing is a group of its own: {', '.join(labels)}."


_SHOWN: Final = 3


def draw_long_lists(session: Session, schema: Schema) -> None:
    """Draw a button to each column of many ungrouped values, longest first."""
    found = list_ungrouped(schema)
    with st.container():
        if not found:
            return
        st.markdown(
            "**Group these columns first:** with this many values, relations to other columns will "
            "be lost."
        )
        with st.container(horizontal=True):
            for column in found[:_SHOWN]:
                st.button(
                    f"{words.escape(column.title or column.name)}: {column.domain.size:,} values",
                    key=f"long-{column.name}",
                    icon=":material/lightbulb:",
                    disabled=column.name == session.column,
                    on_click=setattr,
                    args=(session, "column", column.name),
                )


def list_ungrouped(schema: Schema) -> tuple[Column, ...]:
    """Return the columns of many categories, each its own bucket; the longest lists first."""
    found = [
        each
        for each in schema.columns
        if not each.ordered
        and isinstance(each.buckets, EachValue)
        and each.domain.size > MOST_CHIPS
    ]
    return tuple(sorted(found, key=lambda each: -each.domain.size))


MOST_DRAGGED: Final = 40
_MOST_BARS: Final = 240

_mount = load_component("cuts")


def draw_cut_editor(session: Session, column: Column) -> None:
    """Draw the cuts over what the table holds, and follow what is done to them."""
    key = _key_of(column.name)
    editing, grid = session.editing, range_of(column.domain)
    places = cutting.cut_places(column)
    movable = 0 < len(places) <= MOST_DRAGGED

    def follow() -> None:
        take_deeds(session, column.name, st.session_state[key]["deeds"])

    with mark_internal("cuts", "The bars are counted in your table; the cuts are public."):
        bars, per_bar = join_bars(
            session.data.fitting(column, session.settings.require_schema()).counts[: grid.size],
            _MOST_BARS,
        )
        lowest, highest = grid.code_ends
        _mount(
            key=key,
            data={
                "title": column.title or column.name,
                "bars": bars.tolist(),
                "per_bar": per_bar,
                "size": grid.size,
                "lowest": lowest,
                "highest": None if highest == lowest else highest,
                "cuts": places if movable else (),
                "movable": movable,
                "splittable": len(places) < MOST_DRAGGED
                and cutting.widest_middle(column) is not None,
                "still": _why_not_movable(len(places)),
                "answered": editing.answered.get(key, 0),
            },
            on_deeds_change=follow,
        )


def take_deeds(session: Session, name: str, told: Any) -> None:
    """Do to the cuts of a column what somebody did on the histogram, whatever they are by now.

    Args:
        session: the page's state.
        name: the column.
        told: what the component told, deeds that were answered before among them.
    """
    for deed in session.editing.list_unanswered(_key_of(name), told):
        _follow_deed(session, name, deed)


def _key_of(name: str) -> str:
    return f"cuts-of-{name}"


def _why_not_movable(cuts: int) -> str:
    if not cuts:
        return "There is no cut: everything is one bucket."
    return f"{cuts:,} cuts are too many to drag. Choose fewer buckets to have them here."


def _follow_deed(session: Session, name: str, deed: dict[str, Any]) -> None:
    schema = session.settings.schema
    if schema is None or name not in schema.names:
        return
    column = schema.column(name)
    buckets = _change_buckets(column, deed) if column.ordered else None
    if buckets is not None and buckets != column.buckets:
        session.describe(schema.replace(column.with_buckets(buckets)))


def _change_buckets(column: Column, deed: dict[str, Any]) -> Buckets | None:
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


_FEW: Final = 10
_BASES: Final[tuple[cutting.Base, ...]] = (10, 2)


def draw_buckets(session: Session, column: Column) -> None:
    """Edit the buckets of a column."""
    if not column.ordered:
        draw_suggestions(session, column, lambda made: _adopt_buckets(session, made))
    kinds = column.domain.bucket_kinds
    if column.buckets.kind not in kinds:
        kinds = (*kinds, column.buckets.kind)
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
            buckets = _ask_buckets(session, column, kind, key)
        if buckets != column.buckets:
            _take_buckets(session, column, buckets, by_form=True)
            st.rerun()
    except Refusal as refused:
        refusal = refused
    FieldRefusals(refusal).rest()
    with st.container():
        if refusal is not None:
            st.caption("Until this is mended, the buckets stay as they were.")
    draw_levels(session, column)
    _offer_levels(session, column)
    if column.ordered:
        _draw_presets(session, column, key)
        if session.data.table is not None:
            draw_cut_editor(session, column)


def _offer_levels(session: Session, column: Column) -> None:
    """Draw a button that keeps longer periods above the buckets of dates or times without any."""
    levels = () if column.levels else calendar_levels(column.domain, column.buckets)
    if not levels:
        return
    kept = column.changed(levels=levels)
    named = ", then ".join(map(kept.name_level, range(2, kept.coarsest + 1)))
    st.button(
        f"Keep {named} too",
        key=f"keep-levels-{session.revision}-{column.name}",
        icon=":material/stacks:",
        on_click=_adopt_buckets,
        args=(session, kept),
        help="Longer periods above these. The calibrated model then counts the finest that the "
        "budget carries and all above it, so that noise on short periods does not add up in long "
        "ones.",
    )


def _adopt_buckets(session: Session, column: Column) -> None:
    """Take a column in groups that were made elsewhere, in place of those being edited."""
    assert session.settings.schema is not None
    session.editing.groups.pop(column.name, None)
    session.describe(session.settings.schema.replace(column))


def _take_buckets(
    session: Session, column: Column, buckets: Buckets, *, by_form: bool = False
) -> None:
    """Put a column in other buckets.

    Raises:
        Refusal: they do not fit it.
    """
    assert session.settings.schema is not None
    changed = column.with_buckets(buckets)
    if isinstance(buckets, ByGroups):
        keep_grouping(session, changed, grouping_of(session, column))
    session.describe(session.settings.schema.replace(changed), by_form=by_form)


def _ask_buckets(session: Session, column: Column, kind: str, key: str) -> Buckets:
    """Return the buckets as the widgets have them.

    Raises:
        Refusal: a field cannot be read, or the groups do not make sense by themselves.
    """
    match kind:
        case "width":
            return _ask_width(column, key)
        case "cuts":
            return _ask_cuts(column, key)
        case "groups":
            return draw_group_editor(session, column, key)
    return EachValue()


def _ask_width(column: Column, key: str) -> ByWidth:
    buckets, grid = column.buckets, range_of(column.domain)
    start = buckets.width if isinstance(buckets, ByWidth) else _suggest_width(grid)
    text = st.text_input(
        "Width of a bucket",
        value=f"{start:f}",
        key=f"width-{key}",
        help=f"The first bucket begins at {grid.spell(grid.minimum)}.",
    )
    return ByWidth(width=read_decimal(text, "width"))


def _ask_cuts(column: Column, key: str) -> ByCuts:
    text = st.text_input(
        "Cut points, separated by commas",
        value=", ".join(map(range_of(column.domain).spell, _suggest_cuts(column))),
        key=f"cuts-{key}",
        help="A value below a cut lies below it; the cut itself belongs above.",
    )
    parts = [part for part in text.replace(";", ",").split(",") if part.strip()]
    return ByCuts(cuts=tuple(_read_cut(range_of(column.domain), part) for part in parts))


def _suggest_cuts(column: Column) -> tuple[Decimal, ...]:
    """Return the cuts there are, as far as they can be overlooked, or else one in the middle."""
    buckets, grid = column.buckets, range_of(column.domain)
    if isinstance(buckets, ByCuts):
        return buckets.cuts
    places = cutting.cut_places(column)
    if not 0 < len(places) <= MOST_DRAGGED:
        places = (grid.size // 2,)
    return tuple(grid.numbers[place] for place in places)


def _draw_presets(session: Session, column: Column, key: str) -> None:
    """Draw buckets that follow from the public range alone, at a click."""
    grid = range_of(column.domain)
    presets = {
        title: (cutting.cut_or_none(cuts), grid.cuts_help)
        for title, cuts in grid.cut_presets().items()
    }
    if column.domain.numeric:
        presets |= {
            f"Powers of {base}": (
                _cut_at_powers(grid, base),
                f"Cuts at 1, {base}, {base**2} … for numbers that spread over many sizes.",
            )
            for base in _BASES
        }

    def take(made: Buckets) -> None:
        _take_buckets(session, column, made)

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
        for title, (made, why) in presets.items():
            st.button(
                title,
                key=f"{title.lower().replace(' ', '-')}-{key}",
                on_click=take,
                args=(made,),
                disabled=made is None,
                help=why,
            )


def _cut_at_powers(grid: Ranged, base: cutting.Base) -> Buckets | None:
    try:
        return cutting.power_cuts(grid, base)
    except Refusal:
        return None


def _suggest_width(grid: Ranged) -> Decimal:
    """Return a width of whole steps that makes about ten buckets."""
    return grid.width * max(1, round(grid.size / _FEW))


def _read_cut(grid: Ranged, text: str) -> Decimal:
    """Return a cut point that is typed.

    Raises:
        Refusal: it is none of the kind of the column.
    """
    cut = grid.parse(text.strip().replace("−", "-"))
    if cut is None:
        raise Refusal(
            f"A cut point is none of the {grid.words.plural} of the column.",
            f"Enter one such as {grid.spell(grid.numbers[grid.size // 2])}.",
            field="buckets",
        )
    return cut
