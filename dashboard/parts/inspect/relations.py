"""Pairs of columns: all of them as a heatmap, and one of them side by side. Internal."""

from __future__ import annotations

import math
from collections.abc import Sequence

import streamlit as st

from dashboard.frame import link, refuse
from dashboard.parts.pictures import picture
from dashboard.session import Session
from engine.charts.heatmaps import heatmap, heatmap_table
from engine.charts.pair_shares import side_by_side, side_by_side_table
from engine.core.refusal import Refusal
from engine.evaluation.comparison import Compared
from engine.evaluation.distances import pair_shares
from engine.mechanisms.mechanism import PlannedRun
from engine.runs.evidence import comparable_table
from engine.runs.folder import RunFolder
from engine.runs.released import read_released
from engine.table.encoding import encode_public
from engine.table.records import Records
from engine.table.schema import Schema

_MOST_CELLS = 40_000
"""A picture of more combinations than this shows nothing, and takes a browser down."""


def all_pairs(compared: Sequence[Compared], titles: Sequence[str]) -> None:
    """Every pair of columns of one table, on a scale that is the same for all tables."""
    by_name = {each.name: each for each in compared}
    name = st.selectbox(
        "Table",
        list(by_name),
        index=list(by_name).index("released") if "released" in by_name else 0,
        key="heatmap-of",
    )
    most = max(each.distances.farthest_pair for each in compared)
    pairs = by_name[name].distances.pairs
    picture(
        heatmap(titles, pairs, name, most),
        heatmap_table(titles, pairs),
        key=f"heatmap-{name}",
        alt=f"Distance of every pair of columns, {name} from held-out records",
    )


def one_pair(session: Session, run: RunFolder, decided: PlannedRun, titles: Sequence[str]) -> None:
    """Two columns of the real and of the released table, side by side."""
    schema = decided.compared
    real = real_records(session, decided)
    if real is None:
        st.info(
            "This needs the confidential table, in the columns and buckets of the run. Open it to "
            "compare one pair of columns side by side."
        )
        link("data", "Open the table on the Data page", ":material/arrow_back:")
        return
    released = released_records(session, run, schema)
    if released is None:
        st.info("No record was released, so there is nothing to compare.")
        return
    places = range(len(titles))
    left, right = st.columns(2)
    one = left.selectbox("One column", places, format_func=titles.__getitem__, key="pair-one")
    other = right.selectbox(
        "Another", places, index=1, format_func=titles.__getitem__, key="pair-other"
    )
    if one == other:
        st.info("Choose two different columns.")
        return
    if math.prod(schema.columns[place].cardinality for place in (one, other)) > _MOST_CELLS:
        st.info("These two columns have too many combinations to draw. Choose another pair.")
        return
    first, second = (schema.columns[place].labels for place in (one, other))
    both = (titles[one], titles[other])
    ours, theirs = (pair_shares(records, one, other) for records in (real, released))
    picture(
        side_by_side(first, second, ours, theirs, both),
        side_by_side_table(first, second, ours, theirs, both),
        key=f"pair-{one}-{other}",
        alt=f"Shares of {both[0]} and {both[1]} in the real and in the released table",
    )


def real_records(session: Session, decided: PlannedRun) -> Records | None:
    """The open table in the columns that are compared, where it is described as the run's was."""
    if session.table is None or session.schema is None:
        return None
    if session.schema.fingerprint != decided.schema.fingerprint:
        return None
    try:
        return session.records().narrowed(decided.compared)
    except Refusal as refusal:
        refuse(refusal)
        return None


def released_records(session: Session, run: RunFolder, schema: Schema) -> Records | None:
    """The released table as codes; None where it is empty, or there is none of these columns."""

    def read() -> Records | None:
        try:
            return encode_public(read_released(comparable_table(run)), schema)
        except Refusal:
            return None

    records: Records | None = session.keep("released", run.identity, read)
    return records
