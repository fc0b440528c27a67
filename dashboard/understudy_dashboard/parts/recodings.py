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
    ranged = schema.of_file.column(follows.column).domain.ranged
    dated = ranged is not None and bool(ranged.per_day)
    name, after = words.escape(follows.column), words.escape(follows.after)
    distance = _count_in_days(changed.column(changed.sums[follows.column][1]))
    st.markdown(
        f"**Keep {'the length of stay' if dated else 'the difference'}:** model *{name}* as "
        f"{_name_unit(distance)} after *{after}*, in these ranges: {_list_ranges(distance)}. "
        f"Released rows have *{name}* as before."
    )
    st.button(
        "Keep the length of stay" if dated else "Keep the difference",
        key=f"{key}-follow",
        icon=":material/straighten:",
        help="Of two columns that are modelled apart, little is kept of what lies between them. "
        "A column of its own keeps it, and costs nothing more.",
        on_click=partial(try_change, session, partial(session.follow, follows)),
    )


def _count_in_days(distance: Column) -> Column:
    """Return a column of minutes in cells of whole days as one of days, to name its ranges; any
    other as it is."""
    ranged, buckets = range_of(distance.domain), distance.buckets
    in_days = ranged.units == "minutes" and ranged.width == _MINUTES_A_DAY
    if not in_days or not isinstance(buckets, ByCuts):
        return distance
    return Column(
        name=distance.name,
        title="Days",
        domain=Grid(minimum=Decimal(0), maximum=ranged.maximum // _MINUTES_A_DAY - 1),
        buckets=ByCuts(cuts=tuple(cut / _MINUTES_A_DAY for cut in buckets.cuts)),
    )


def _name_unit(distance: Column) -> str:
    """Return what distances are counted in."""
    return distance.title.partition(" ")[0].lower() if distance.title else "how far"


def _list_ranges(distance: Column) -> str:
    """Return the ranges of distances in a phrase."""
    labels = distance.bucket_labels[: distance.bucket_count - distance.missing_count]
    shown = [*labels[: _SHOWN - 1], "…", labels[-1]] if len(labels) > _SHOWN else [*labels]
    return words.escape("; ".join(shown))


def draw_recoded(session: Session, recoding: Recoding, where: str) -> None:
    """Draw how a column is modelled by its distance from another, and the way back."""
    distance = _count_in_days(session.settings.require_schema().column(recoding.distance))
    draw_with_buttons(
        f"*{words.escape(recoding.name)}* is modelled by how far it is after "
        f"*{words.escape(recoding.after)}*, in {_list_ranges(distance)}, and put together from the "
        "two when rows are written.",
        IconButton(
            key=f"recoding-drop-{where}-{recoding.name}",
            icon=":material/delete:",
            help=f"Model {words.escape(recoding.name)} as it is again",
            on_click=partial(session.drop_recoding, recoding.name),
        ),
    )
    if session.column == recoding.distance:
        draw_link("buckets", "Change these ranges on Buckets", icon=None)
