"""A few real records beside what a small space keeps of them. Internal."""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd
import streamlit as st

from understudy.models.latent.small_space import Reconstruction, as_records
from understudy.table.pictures.declared import are_pictures
from understudy.table.schema import Schema
from understudy_dashboard import words
from understudy_dashboard.methods.page import RunInspection
from understudy_dashboard.parts.evaluation import titles_of
from understudy_dashboard.parts.sheets import drawn, shown_sheet

SHOWN: Final = 8
"""How many records are looked at."""
_IN_A_TABLE: Final = 4
_MOST_COLUMNS: Final = 24
_ABOUT: Final = (
    "Each record was put through the small space and back without any noise: what is missing on "
    "the way back no made record can have. The records are real and were not learned from, where "
    "some were held out. For your eyes."
)


def beside_what_is_kept(looked: RunInspection, found: Reconstruction) -> None:
    """Pictures above what is kept of them, or values beside what is kept of each."""
    st.caption(_ABOUT)
    if are_pictures(looked.schema):
        st.markdown("**Real**")
        drawn(shown_sheet(found.real, looked.schema, internal=True), "Real pictures")
        st.markdown("**What is kept of them**")
        kept = as_records(found.real, found.kept)
        drawn(shown_sheet(kept, looked.schema, internal=True), "What is kept of them")
        return
    st.markdown(
        "Of a column of two values the chance of its second one is given, of a number what is "
        "expected. Columns are those of which the first records differ most from what is kept."
    )
    st.table(table(found, looked.schema).set_index("Column"))


def table(found: Reconstruction, schema: Schema) -> pd.DataFrame:
    """Return a row for each column, and for each of the first records its value and what is
    kept."""
    some = slice(0, _IN_A_TABLE)
    codes, kept = found.real.codes[some].astype(np.float64), found.kept[some]
    sizes = np.maximum(1.0, np.array([each.domain.size - 1 for each in schema.columns]))
    through = np.asarray(~np.isnan(kept).any(axis=0))
    apart = np.where(through, np.abs(codes - np.nan_to_num(kept)).sum(axis=0) / sizes, -1.0)
    places = [int(at) for at in np.argsort(-apart, kind="stable") if through[at]][:_MOST_COLUMNS]
    titles = list(titles_of(schema).values())
    rows = []
    for place in places:
        row = {"Column": words.plain(titles[place])}
        for number, (code, back) in enumerate(zip(codes[:, place], kept[:, place], strict=True), 1):
            row[f"Record {number}"] = _said(schema, place, int(code), float(back))
        rows.append(row)
    count = len(codes)
    return pd.DataFrame(
        rows, columns=["Column", *(f"Record {number}" for number in range(1, count + 1))]
    )


def _said(schema: Schema, place: int, code: int, back: float) -> str:
    """Return a value, and what is kept of it."""
    column = schema.columns[place]
    value = column.texts[code]
    if column.domain.size == 2:
        return words.plain(f"{value} → {100 * back:.0f}\N{NO-BREAK SPACE}%")
    return words.plain(f"{value} → {column.texts[round(back)]}")
