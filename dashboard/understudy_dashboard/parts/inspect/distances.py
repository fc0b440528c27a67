"""Columns and pairs in the real and in the released table, and the distance of each. Internal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import streamlit as st

from understudy.charts.histogram import overlaid, overlaid_table
from understudy.charts.pair_shares import heatmap, heatmap_table, side_by_side, side_by_side_table
from understudy.core.refusal import Refusal
from understudy.evaluation.binning import ValuePart, part_shares, parts_of
from understudy.evaluation.comparison import Compared
from understudy.evaluation.excess import Excess, excess_of_release
from understudy.evaluation.fitness import further_off
from understudy.mechanisms.mechanism import PlannedRun
from understudy.runs.evidence import find_comparable_table
from understudy.runs.folder import RunFolder
from understudy.runs.table_file import read_released
from understudy.table.column import Column
from understudy.table.encoding import encode_public
from understudy.table.records import Records
from understudy.table.schema import Schema
from understudy_dashboard import words
from understudy_dashboard.frame import draw_link, show_refusal
from understudy_dashboard.methods.page import RunInspection
from understudy_dashboard.parts.evaluation import list_titles
from understudy_dashboard.parts.pictures import draw_picture
from understudy_dashboard.session import Session


def find_excess(looked: RunInspection) -> Excess | None:
    """Return how much further off than other real records the released table is; None where that
    was not measured."""
    return excess_of_release(looked.compared)


def draw_pairs(compared: Sequence[Compared], titles: Sequence[str]) -> None:
    """Draw every pair of columns of one table, on a scale that is the same for all tables."""
    by_name = {each.name: each for each in compared}
    name = st.selectbox(
        "Table",
        list(by_name),
        index=list(by_name).index("released") if "released" in by_name else 0,
        key="heatmap-of",
    )
    most = max(each.distances.farthest_pair for each in compared)
    pairs = by_name[name].distances.pairs
    draw_picture(
        heatmap(titles, pairs, name, most),
        heatmap_table(titles, pairs),
        key=f"heatmap-{name}",
        alt=f"Distance of every pair of columns, {name} from held-out records",
    )


def draw_pair(looked: RunInspection, titles: Sequence[str]) -> None:
    """Draw two columns of the real and of the released table, side by side: at first the pair that
    is farthest off. Long lists are seen in parts, and each part can be looked into."""
    real = load_real_records(looked.session, looked.decided)
    if real is None:
        st.info(
            "This needs the confidential table, in the columns and buckets of the run. Open it to "
            "compare one pair of columns side by side."
        )
        draw_link("data", "Open the table on the Data page", ":material/arrow_back:")
        return
    released = load_released_records(looked.session, looked.run, looked.schema)
    if released is None:
        st.info("No record was released, so there is nothing to compare.")
        return
    places = range(len(titles))
    first = _find_farthest(looked)
    left, right = st.columns(2)
    one = left.selectbox(
        "One column", places, index=first[0], format_func=titles.__getitem__, key="pair-one"
    )
    other = right.selectbox(
        "Another", places, index=first[1], format_func=titles.__getitem__, key="pair-other"
    )
    if one == other:
        st.info("Choose two different columns.")
        return
    with left:
        down = _ask_parts(looked.schema.columns[one], titles[one], f"down-{one}")
    with right:
        across = _ask_parts(looked.schema.columns[other], titles[other], f"across-{other}")
    first_labels, second_labels = ([each.label for each in parts] for parts in (down, across))
    both = (titles[one], titles[other])
    ours, theirs = (
        part_shares(records, (one, other), (down, across)) for records in (real, released)
    )
    with st.container(key="one-pair"):
        draw_picture(
            side_by_side(first_labels, second_labels, ours, theirs, both),
            side_by_side_table(first_labels, second_labels, ours, theirs, both),
            key=f"pair-{one}-{other}",
            alt=f"Shares of {both[0]} and {both[1]} in the real and in the released table",
        )


def _find_farthest(looked: RunInspection) -> tuple[int, int]:
    """Return the pair that is further off than other real records by most; the first two columns
    where none was measured."""
    excess = find_excess(looked)
    ranked = [] if excess is None else excess.worst_pairs()
    return (ranked[0][0][0], ranked[0][0][1]) if ranked else (0, min(1, len(looked.schema) - 1))


def _ask_parts(column: Column, title: str, key: str) -> tuple[ValuePart, ...]:
    """Return the parts that a column is seen in: of all of it, or of a part that is looked into."""
    parts, depth = parts_of(column), 0
    while any(not each.single for each in parts):
        chosen: ValuePart | None = st.selectbox(
            f"Look into a part of {title}" if not depth else "and further into",
            [None, *(each for each in parts if not each.single)],
            format_func=lambda each: "all of it" if each is None else each.label,
            key=f"into-{key}-{depth}",
        )
        if chosen is None:
            break
        parts, depth = parts_of(column, chosen), depth + 1
    return parts


def load_real_records(session: Session, decided: PlannedRun) -> Records | None:
    """Return the open table in the columns that are compared, where it is described as the run's
    was."""
    if session.data.table is None or session.settings.schema is None:
        return None
    if session.settings.schema.fingerprint != decided.schema.fingerprint:
        return None
    try:
        return session.records().narrow(decided.compared).complete()
    except Refusal as refusal:
        show_refusal(refusal)
        return None


def load_released_records(session: Session, run: RunFolder, schema: Schema) -> Records | None:
    """Return the released table as codes; None where it is empty, or there is none of these
    columns."""

    def read() -> Records | None:
        try:
            return encode_public(read_released(find_comparable_table(run)), schema)
        except Refusal:
            return None

    records: Records | None = session.cache.keep("released", run.identity, read)
    return records


_AT_FIRST: Final = 6
_ACROSS: Final = 2


def draw_column_distances(looked: RunInspection) -> None:
    """Draw the columns, the worst first: a few at once, and all where that is asked for."""
    real = load_real_records(looked.session, looked.decided)
    if real is None:
        st.info(
            "Open the confidential table, in the columns and buckets of the run, to see each "
            "column of it and of the released one laid over each other."
        )
        draw_link("data", "Open the table on the Data page", ":material/arrow_back:")
        return
    made = load_released_records(looked.session, looked.run, looked.schema)
    if made is None:
        st.info("No record was released, so there is nothing to compare.")
        return
    ranked = _rank_columns(looked)
    shown = ranked[:_AT_FIRST]
    if len(ranked) > _AT_FIRST and st.toggle(
        f"All {len(ranked)} columns", key=f"all-columns-{looked.run.identity}"
    ):
        shown = ranked
    for first in range(0, len(shown), _ACROSS):
        for at, (place, said) in zip(
            st.columns(_ACROSS), shown[first : first + _ACROSS], strict=False
        ):
            with at:
                _draw_column(looked, place, said, real, made)


def _rank_columns(looked: RunInspection) -> list[tuple[int, str]]:
    """Return every column with what is said of it, the worst first; in their order where none was
    measured."""
    excess = find_excess(looked)
    if excess is None:
        return [(place, "") for place in range(len(looked.schema))]
    return [(place, further_off(each)) for (place,), each in excess.worst_columns()]


def _draw_column(
    looked: RunInspection, place: int, said: str, real: Records, made: Records
) -> None:
    column = looked.schema.columns[place]
    title = list(list_titles(looked.schema).values())[place]
    ours, theirs = (
        np.bincount(records.codes[:, place], minlength=column.cardinality)
        for records in (real, made)
    )
    st.markdown(f"**{words.escape(title)}**")
    draw_picture(
        overlaid(column, ours, theirs, said),
        overlaid_table(column, ours, theirs),
        key=f"column-{place}",
        alt=f"Shares of the values of {title}, real and synthetic",
    )
