"""The choice of buckets for one column, counting at once or answered beside its field."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

import streamlit as st

from dashboard import words
from dashboard.frame import Fields
from dashboard.session import Session
from engine.refusal import Refusal
from engine.table.schema import (
    Buckets,
    ByCuts,
    ByGroups,
    ByWidth,
    Categories,
    Column,
    EachValue,
    Grid,
    Group,
)

_FEW = 10


def bucketing(session: Session, column: Column) -> None:
    """Edit the buckets of a column."""
    kinds = ("each", "width", "cuts") if column.ordered else ("each", "groups")
    key = f"{session.revision}-{column.name}"
    kind = st.radio(
        "Buckets",
        kinds,
        index=kinds.index(column.buckets.kind),
        format_func=words.BUCKETS.__getitem__,
        key=f"buckets-{key}",
    )
    refusal: Refusal | None = None
    try:
        buckets = _buckets(session, column, kind, key)
        if buckets != column.buckets:
            schema = session.schema
            assert schema is not None
            session.describe(schema.replace(column.with_buckets(buckets)), by_form=True)
            st.rerun()
    except Refusal as refused:
        refusal = refused
    Fields(refusal).rest()
    if refusal is not None:
        st.caption("Until this is mended, the buckets stay as they were.")


def _buckets(session: Session, column: Column, kind: str, key: str) -> Buckets:
    """The buckets as the widgets have them.

    Raises:
        Refusal: a field cannot be read, or the groups do not make sense by themselves.
    """
    match kind:
        case "width":
            return _by_width(column, key)
        case "cuts":
            return _by_cuts(column, key)
        case "groups":
            return _by_groups(session, column, key)
    return EachValue()


def _by_width(column: Column, key: str) -> ByWidth:
    buckets, grid = column.buckets, _grid(column)
    start = buckets.width if isinstance(buckets, ByWidth) else _tenth(grid)
    text = st.text_input(
        "Width of a bucket",
        value=f"{start:f}",
        key=f"width-{key}",
        help=f"The first bucket begins at {grid.minimum:f}.",
    )
    return ByWidth(width=_decimal(text, "width"))


def _by_cuts(column: Column, key: str) -> ByCuts:
    buckets, grid = column.buckets, _grid(column)
    middle = grid.numbers[grid.size // 2]
    start = buckets.cuts if isinstance(buckets, ByCuts) else (middle,)
    text = st.text_input(
        "Cut points, separated by commas",
        value=", ".join(f"{cut:f}" for cut in start),
        key=f"cuts-{key}",
        help="A value below a cut lies below it; the cut itself belongs above.",
    )
    parts = [part for part in text.replace(";", ",").split(",") if part.strip()]
    return ByCuts(cuts=tuple(_decimal(part, "cut point") for part in parts))


def _by_groups(session: Session, column: Column, key: str) -> ByGroups:
    domain = column.domain
    assert isinstance(domain, Categories)
    groups = session.groups.setdefault(key, _first_groups(column))
    groups[:] = [(label, [v for v in values if v in domain.values]) for label, values in groups]
    labels = dict(zip(domain.values, column.labels, strict=False))
    taken = {value for _, values in groups for value in values}
    for number, (label, values) in enumerate(groups):
        name, drop = st.columns([6, 1], vertical_alignment="bottom")
        name_key, members_key = f"label-{key}-{number}", f"members-{key}-{number}"
        st.session_state[name_key], st.session_state[members_key] = label, values
        name.text_input(
            f"Group {number + 1}", key=name_key, on_change=_rename, args=(groups, number, name_key)
        )
        st.multiselect(
            f"Group {number + 1} holds",
            [value for value in domain.values if value in values or value not in taken],
            key=members_key,
            format_func=lambda value: labels[value],
            label_visibility="collapsed",
            placeholder="Choose its values",
            on_change=_refill,
            args=(groups, number, members_key),
        )
        drop.button(
            ":material/delete:",
            key=f"drop-{key}-{number}",
            help=f"Remove group {number + 1}",
            on_click=_drop,
            args=(groups, number),
            disabled=len(groups) == 1,
            width="stretch",
        )
    st.button("Add a group", key=f"add-{key}", on_click=_add, args=(groups,))
    rest = _rest(column, key, open_=len(taken) < domain.size)
    made = tuple(Group(label=label, values=tuple(values)) for label, values in groups if values)
    return ByGroups(groups=made, rest=rest)


def _rest(column: Column, key: str, open_: bool) -> str | None:
    """The name of a bucket for every category in no group, where one is wanted."""
    buckets = column.buckets
    before = buckets.rest if isinstance(buckets, ByGroups) else None
    wanted = st.checkbox(
        "Everything else goes together",
        value=before is not None or not isinstance(buckets, ByGroups),
        key=f"rest-{key}",
        help="Without this, every category has to be in a group.",
    )
    if not wanted:
        return None
    return (
        st.text_input(
            "Name of that group", value=before or "everything else", key=f"rest-name-{key}"
        ).strip()
        if open_
        else before
    )


def _first_groups(column: Column) -> list[tuple[str, list[str]]]:
    """The groups there are or, where there are none, one of the first two categories."""
    buckets, domain = column.buckets, column.domain
    if isinstance(buckets, ByGroups):
        return [(group.label, list(group.values)) for group in buckets.groups]
    assert isinstance(domain, Categories)
    return [("group 1", list(domain.values[:2]))]


def _rename(groups: list[tuple[str, list[str]]], number: int, key: str) -> None:
    groups[number] = (st.session_state[key].strip(), groups[number][1])


def _refill(groups: list[tuple[str, list[str]]], number: int, key: str) -> None:
    groups[number] = (groups[number][0], list(st.session_state[key]))


def _drop(groups: list[tuple[str, list[str]]], number: int) -> None:
    del groups[number]


def _add(groups: list[tuple[str, list[str]]]) -> None:
    used = {label for label, _ in groups}
    number = next(n for n in range(1, len(groups) + 2) if f"group {n}" not in used)
    groups.append((f"group {number}", []))


def _grid(column: Column) -> Grid:
    assert isinstance(column.domain, Grid)
    return column.domain


def _tenth(grid: Grid) -> Decimal:
    """A width of whole steps that makes about ten buckets."""
    return grid.step * max(1, round(grid.size / _FEW))


def _decimal(text: str, what: str) -> Decimal:
    try:
        return Decimal(text.strip().replace("−", "-"))
    except InvalidOperation:
        raise Refusal(
            f"The {what} is not a number.", "Enter a plain number such as 10.", field="buckets"
        ) from None
