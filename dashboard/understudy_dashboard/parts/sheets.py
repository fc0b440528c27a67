"""Sheets of small grey pictures: what a run released, and beside it what it was made from."""

from __future__ import annotations

import base64
import html
from collections.abc import Mapping
from typing import Final

import numpy as np
import streamlit as st

from understudy.charts.picture_sheet import sheet
from understudy.core.refusal import Refusal
from understudy.mechanisms.mechanism import PlannedRun
from understudy.privacy.randomness import RandomSource
from understudy.runs.between import What, has_space, make_between
from understudy.runs.evidence import has_evidence
from understudy.runs.folder import RunFolder
from understudy.runs.table_file import read_first_records
from understudy.table.pictures.grey import GreySet
from understudy.table.pictures.picture_schema import LABEL, are_pictures, pictures_of
from understudy.table.records import Records
from understudy.table.schema import Schema
from understudy_dashboard import words
from understudy_dashboard.frame import draw_link, show_refusal
from understudy_dashboard.parts.inspect.distances import load_real_records, load_released_records
from understudy_dashboard.session import Session

SHOWN: Final = 100
"""The most pictures of a sheet on a page."""

_ACROSS: Final = 10
_BETWEEN: Final[Mapping[What, str]] = {
    "walks": "Walks from one made picture to another",
    "decodings": "Several pictures of one point",
    "labels": "What each label changes of a picture",
}
_SAID: Final[Mapping[What, str]] = {
    "walks": "Each row goes in even steps from one made picture to another, through the model’s "
    "small space. What the space does not hold is missing at both ends too.",
    "decodings": "Each row is one made picture’s point in the small space, decoded several times: "
    "what differs is what the point leaves open.",
    "labels": "Each row is a made picture without a label, moved against the way that sets made "
    "pictures of that label apart, on the left, and along it, on the right.",
}


def draw_released(run: RunFolder, output: str, schema: Schema, *, stained: bool) -> None:
    """Draw the first pictures of a released table and a way to save them; nothing where it holds
    none.

    Args:
        run: the run, which has finished.
        output: the name of the table.
        schema: its columns.
        stained: whether what was released is promised nothing about. The sheet is internal then.
    """
    if not are_pictures(schema):
        return
    try:
        found = read_first_records(run.table_of(output), schema, SHOWN)
    except (OSError, KeyError):
        show_refusal(Refusal("The released table cannot be read.", "Make the run again."))
        return
    png = draw_sheet(found, schema, internal=stained)
    draw_pictures(png, "The first made pictures")
    st.download_button(
        "Save these pictures",
        data=png,
        file_name="internal-pictures.png" if stained else "pictures.png",
        mime="image/png",
        on_click="ignore",
        icon=":material/image:",
        key=f"pictures-{output}",
    )


def draw_between(run: RunFolder, output: str, schema: Schema, *, stained: bool) -> None:
    """Draw what lies between released pictures, where the run's model has a small space: drawn when
    it is asked for.

    Args:
        run, output, schema, stained: as of `draw_released`.
    """
    if not are_pictures(schema) or not has_evidence(run) or not has_space(run):
        return
    choices = [each for each in _BETWEEN if each != "labels" or schema.names[-1] == LABEL]
    what = st.radio(
        "More to see of these pictures, by the model alone",
        choices,
        index=None,
        format_func=lambda each: _BETWEEN[each],
        key=f"between-{output}",
        help="Made of released pictures and of the model, which the guarantee covers. No real "
        "picture is asked, and nothing is spent.",
    )
    if what is None:
        return
    try:
        found = make_between(run, what, RandomSource.secure())
    except Refusal as refusal:
        show_refusal(refusal)
        return
    about = pictures_of(found.pictures.schema)
    png = sheet(GreySet.of(found.pictures, about), found.across, internal=stained)
    st.caption(_SAID[what])
    draw_pictures(png, _BETWEEN[what])
    if found.rows:
        rows = ", ".join(f"{at} {words.escape(name)}" for at, name in enumerate(found.rows, 1))
        st.caption(f"Rows: {rows}.")
    st.download_button(
        "Save this sheet",
        data=png,
        file_name=f"internal-{what}.png" if stained else f"{what}.png",
        mime="image/png",
        on_click="ignore",
        icon=":material/image:",
        key=f"between-file-{output}",
    )


def draw_beside_real(session: Session, run: RunFolder, decided: PlannedRun) -> None:
    """Draw the first real pictures and the first made ones. Internal."""
    schema = decided.compared
    made = load_released_records(session, run, schema)
    if made is None:
        st.info("No picture was released, so there is nothing to compare.")
        return
    left, right = st.columns(2)
    with left:
        st.subheader("Real", anchor=False)
        real = load_real_records(session, decided)
        if real is None:
            st.info("This needs the pictures that the run was made from. Open them to see some.")
            draw_link("data", "Open the pictures on the Data page", ":material/arrow_back:")
        else:
            draw_pictures(draw_sheet(real, schema, internal=True), "The first real pictures")
    with right:
        st.subheader("Made", anchor=False)
        draw_pictures(draw_sheet(made, schema, internal=False), "The first made pictures")
    st.caption(
        "No made picture belongs to the real one at its place. Black and white are the declared "
        "ends. The made ones can be saved on the Release page; the real ones stay here."
    )


def draw_sheet(records: Records, schema: Schema, *, internal: bool) -> bytes:
    """Return a PNG of the first records as pictures."""
    some = records.take(np.arange(min(SHOWN, len(records))))
    return sheet(GreySet.of(some, pictures_of(schema)), _ACROSS, internal=internal)


def draw_pictures(png: bytes, alt: str) -> None:
    """Draw a picture within the page itself: real ones get no address that they could be fetched
    by."""
    source = f"data:image/png;base64,{base64.b64encode(png).decode()}"
    st.html(f'<img src="{source}" alt="{html.escape(alt)}" style="max-width: 100%">')
