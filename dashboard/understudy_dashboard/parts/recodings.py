"""Columns that are modelled by how far they are from another: the offer beside a rule that puts two
in order, and what became of it."""

from __future__ import annotations

from decimal import Decimal
from functools import partial
from typing import Final

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.table.authoring.recoding_edits import follow_columns, suggest_follows
from understudy.table.buckets import ByCuts
from understudy.table.column import Column
from understudy.table.domain import range_of
from understudy.table.grid import Grid
from understudy.table.recodings.recoded_column import Follows, Recoding
from understudy.table.rules.rule import Rule
from understudy.table.schema import Schema
from understudy_dashboard import words
from understudy_dashboard.frame import IconButton, draw_link, draw_with_buttons
from understudy_dashboard.schema_edits import try_change
from understudy_dashboard.session import Session

_SHOWN: Final = 12
"""Ranges that are listed at most."""
_MINUTES_A_DAY: Final = 1440


def draw_order(session: Session, rule: Rule, key: str) -> None:
    """Draw the offer to keep how far one column is after another that a rule puts in order, or how
    that is kept."""
    schema = session.settings.require_schema()
    if len(rule.names) != 2:
        return
    for recoding in schema.recodings:
        if {recoding.name, recoding.after} == {*rule.names}:
            draw_recoded(session, recoding, key)
            return
    follows = suggest_follows(schema, rule)
    if follows is not None and follows.column not in schema.sums:
        _draw_offer(session, follows, key)


def _draw_offer(session: Session, follows: Follows, key: str) -> None:
    """Draw what a column could be modelled by, with its ranges and the button that does it."""
    schema = session.settings.require_schema()
    try:
        changed = follow_columns(schema, [follows])
    except Refusal:
        return
    (recoding,) = (each for each in changed.recodings if each.name == follows.column)
    kept = "the length of stay" if _is_dated(recoding) else "the difference"
    name = words.escape(recoding.name)
    st.markdown(
        f"**Keep {kept}:** model *{name}* as {_word_distance(changed, recoding)}. "
        f"Released rows have *{name}* as before."
    )
    st.button(
        f"Keep {kept}",
        key=f"{key}-follow",
        icon=":material/straighten:",
        help="Of two columns that are modelled apart, little is kept of what lies between them. "
        "A column of its own keeps it, and costs nothing more.",
        on_click=partial(try_change, session, partial(session.follow, follows)),
    )


def draw_recoded(session: Session, recoding: Recoding, where: str) -> None:
    """Draw how a column is modelled by its distance from another, and the way back."""
    name = words.escape(recoding.name)
    draw_with_buttons(
        f"*{name}* is modelled as {_word_distance(session.settings.require_schema(), recoding)}. "
        "It is put together from the two when rows are written.",
        IconButton(
            key=f"recoding-drop-{where}-{recoding.name}",
            icon=":material/delete:",
            help=f"Model {name} as it is again",
            on_click=partial(session.drop_recoding, recoding.name),
        ),
    )
    if session.column == recoding.distance:
        draw_link("buckets", "Change these ranges on Buckets", icon=None)


def _is_dated(recoding: Recoding) -> bool:
    return range_of(recoding.column.domain).per_day > 0


def _word_distance(schema: Schema, recoding: Recoding) -> str:
    """Return what a column is modelled as, with the ranges of its distance."""
    distance = _count_in_days(schema.column(recoding.distance))
    counted = (
        f"{distance.domain.units or 'days'} after" if _is_dated(recoding) else "its difference from"
    )
    labels = distance.bucket_labels[: distance.bucket_count - distance.missing_count]
    shown = [*labels[: _SHOWN - 1], "…", labels[-1]] if len(labels) > _SHOWN else [*labels]
    after, ranges = words.escape(recoding.after), words.escape("; ".join(shown))
    return f"{counted} *{after}*, in these ranges: {ranges}"


def _count_in_days(distance: Column) -> Column:
    """Return a column of minutes in cells of whole days as one of days, to name its ranges; any
    other as it is."""
    ranged, buckets = range_of(distance.domain), distance.buckets
    in_days = ranged.units == "minutes" and ranged.width == _MINUTES_A_DAY
    if not in_days or not isinstance(buckets, ByCuts):
        return distance
    return Column(
        name=distance.name,
        domain=Grid(minimum=Decimal(0), maximum=ranged.maximum // _MINUTES_A_DAY - 1),
        buckets=ByCuts(cuts=tuple(cut / _MINUTES_A_DAY for cut in buckets.cuts)),
    )
