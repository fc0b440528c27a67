"""What Inspect works out from a run and the table it was made from. Internal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pandas as pd
import streamlit as st

from understudy.core.refusal import Refusal
from understudy.mechanisms.mechanism import Evidence
from understudy.models.latent.small_space import Reconstruction, as_records
from understudy.runs.evidence import load_evidence
from understudy.table.pictures.picture_schema import are_pictures
from understudy.table.schema import Schema
from understudy_dashboard import words
from understudy_dashboard.frame import draw_link, show_refusal
from understudy_dashboard.methods.page import RunInspection
from understudy_dashboard.parts.evaluation import list_titles
from understudy_dashboard.parts.sheets import draw_pictures, draw_sheet


def load_from_evidence(
    looked: RunInspection[Any], name: str, make: Callable[[Evidence[Any]], Any], *, turn: int = 0
) -> Any:
    """Return what is made of the evidence of a run, once; None, after saying why, where its table
    is not open or it cannot be made.

    Args:
        looked: the run.
        name: what is made, among all that the page keeps.
        make: makes it.
        turn: raised where it is to be made anew.
    """
    session, schema = looked.session, looked.decided.schema
    table = session.settings.schema
    if session.data.table is None or table is None or table.fingerprint != schema.fingerprint:
        st.info(
            "This needs the confidential table, in the columns and buckets of the run. Open it to "
            "see more of the run here."
        )
        draw_link("data", "Open the table on the Data page", ":material/arrow_back:")
        return None

    def load() -> Any:
        with looked.run.intact():
            return make(load_evidence(looked.run, session.records()))

    try:
        return session.cache.keep(name, (looked.run.identity, turn), load)
    except Refusal as refusal:
        show_refusal(refusal)
        return None


SHOWN: Final = 8
"""How many records are looked at."""
_IN_A_TABLE: Final = 4
_MOST_COLUMNS: Final = 24
_ABOUT: Final = (
    "Each record was put through the small space and back without any noise: what is missing on "
    "the way back no made record can have. The records are real and were not learned from, where "
    "some were held out. For your eyes."
)


def draw_beside_kept(looked: RunInspection, found: Reconstruction) -> None:
    """Draw pictures above what is kept of them, or values beside what is kept of each."""
    st.caption(_ABOUT)
    if are_pictures(looked.schema):
        st.markdown("**Real**")
        draw_pictures(draw_sheet(found.real, looked.schema, internal=True), "Real pictures")
        st.markdown("**What is kept of them**")
        kept = as_records(found.real, found.kept)
        draw_pictures(draw_sheet(kept, looked.schema, internal=True), "What is kept of them")
        return
    st.markdown(
        "Of a column of two values the chance of its second one is given, of a number what is "
        "expected. Columns are those of which the first records differ most from what is kept."
    )
    st.table(reconstruction_table(found, looked.decided.compared).set_index("Column"))


def reconstruction_table(found: Reconstruction, schema: Schema) -> pd.DataFrame:
    """Return a row for each column, and for each of the first records its value and what is
    kept."""
    some = slice(0, _IN_A_TABLE)
    codes, kept = found.real.codes[some].astype(np.float64), found.kept[some]
    sizes = np.maximum(1.0, np.array([each.domain.size - 1 for each in schema.columns]))
    through = np.asarray(~np.isnan(kept).any(axis=0))
    apart = np.where(through, np.abs(codes - np.nan_to_num(kept)).sum(axis=0) / sizes, -1.0)
    places = [int(at) for at in np.argsort(-apart, kind="stable") if through[at]][:_MOST_COLUMNS]
    titles = list(list_titles(schema).values())
    rows = []
    for place in places:
        row = {"Column": words.escape(titles[place])}
        for number, (code, back) in enumerate(zip(codes[:, place], kept[:, place], strict=True), 1):
            row[f"Record {number}"] = _describe_kept(schema, place, int(code), float(back))
        rows.append(row)
    count = len(codes)
    return pd.DataFrame(
        rows, columns=["Column", *(f"Record {number}" for number in range(1, count + 1))]
    )


def _describe_kept(schema: Schema, place: int, code: int, back: float) -> str:
    """Return a value, and what is kept of it."""
    column = schema.columns[place]
    value = column.texts[code]
    if column.domain.size == 2:
        return words.escape(f"{value} → {100 * back:.0f}\N{NO-BREAK SPACE}%")
    return words.escape(f"{value} → {column.texts[round(back)]}")
