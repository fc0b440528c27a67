"""Positions of people on the Data page: asked about, made into days on a map, and what they are."""

from __future__ import annotations

from typing import Final

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.table.positions.likely import Likely, likely
from understudy.table.positions.positions import Positions
from understudy.table.sources.positions.reading import Traces, read_positions
from understudy_dashboard import words
from understudy_dashboard.frame import refuse
from understudy_dashboard.internal import internal
from understudy_dashboard.parts.controls import ask_yes_or_no
from understudy_dashboard.parts.data.positions_form import Asked, asked
from understudy_dashboard.questions import answer
from understudy_dashboard.recognising import read_anew
from understudy_dashboard.session import Session

_ASK: Final = "Are these positions of people?"
_ANSWERS: Final = "No, every row is a record", "Yes, where people were and when"
_BEFORE: Final = "positions-before"
_ARE: Final = "positions-are"
_COUNTED: Final = "Counted in your file. What you entered above is public; these are not."
_MADE: Final = (
    "The positions are days on a map now, and that is your table. Look through its columns, "
    "confirm them, and choose a method for people’s days on the Privacy page."
)


def positions(session: Session) -> None:
    """Ask whether the rows are positions of people, and how they are read."""
    assert session.table is not None
    found = likely(session.table.raw.names)
    before: Positions | None = st.session_state.get(_BEFORE)
    st.markdown(f"**{_ASK}**")
    st.caption(
        f"Columns are called as those of positions are: {_named(found)}. What stands in them "
        "was not looked at."
    )
    said = session.answers.positions
    ask_yes_or_no(_ASK, _ANSWERS, _ARE, said, lambda yes: answer(session, positions=yes))
    if said:
        st.markdown(
            "They become a row for each arrival: whose, on which day, from which 20 minutes on, in "
            "which cell of a map. **What you enter here is published**: take it from an atlas and "
            "from what is known of the collection, never from the positions."
        )
        _preview(session, asked(session, found, before))


def _preview(session: Session, said: Asked) -> None:
    """What becomes of the positions, and the button that makes it the table."""
    assert session.table is not None
    raw, how = session.table.raw, said.how
    if how is None:
        said.refuse()
        return
    try:
        with st.spinner("Reading the positions…"):
            made: Traces = session.keep(
                "positions", (id(raw), how), lambda: read_positions(raw, how)
            )
    except Refusal as refusal:
        said.refuse(refusal)
        return
    with internal("positions", _COUNTED):
        _sentences(made.raw.notes)
    if st.button(
        "Make days on this map of them", type="primary", icon=":material/map:", key="positions-make"
    ):
        read_anew(session, raw.reading.changed(positions=how), suggest=True)
        st.session_state.pop(_BEFORE, None)
        session.notices.append(_MADE)
        st.rerun()


def explain_positions(session: Session) -> None:
    """Say how the open table was made of positions, where it was, and offer a way back to them."""
    assert session.table is not None
    how = session.table.raw.reading.positions
    if how is None or session.table.sample:
        return
    with st.container(border=True, key="positions"):
        st.markdown("**These rows are days on a map, made of positions.**")
        st.markdown(_said(how))
        with internal("positions-made", _COUNTED):
            _sentences(session.table.raw.notes)
        if session.table.again is None:
            st.caption("To make them otherwise, open the file of the positions again.")
        elif st.button("Make them otherwise", icon=":material/undo:", key="positions-back"):
            st.session_state[_BEFORE] = how
            try:
                with st.spinner("Reading the table…"):
                    read_anew(session, session.table.raw.reading.of_file(), suggest=True)
                answer(session, positions=True)
            except Refusal as refusal:
                refuse(refusal)
                return
            st.rerun()


def _sentences(notes: tuple[str, ...]) -> None:
    st.markdown("\n".join(f"- {words.plain(each)}" for each in notes))


def _named(found: Likely) -> str:
    where = (found.latitude, found.longitude) if found.placed else (found.place,)
    return ", ".join(f"“{words.plain(each)}”" for each in (found.person, found.time, *where))


def _said(how: Positions) -> str:
    """Return how positions are read, in words for whoever confirms it as public."""
    area = how.area
    north, east = area.cell_km
    said = [
        f"The map: {area.rows:,} by {area.columns:,} cells of {north:.2f} by {east:.2f} km, "
        f"between {area.south:g} and {area.north:g} degrees north, and {area.west:g} and "
        f"{area.east:g} degrees east. Hours and days are by the clocks of {words.plain(how.zone)}; "
        f"of each person the first {how.days:,} days are kept, from a Monday on."
    ]
    if how.places is not None:
        said.append(f"Places are those of a list of {len(how.places.codes):,}.")
    if how.gap_hours is None:
        said.append("Between two positions somebody stays where they were.")
    else:
        said.append(
            f"Between two positions somebody stays where they were, for {how.gap_hours} hours at "
            "most, and then counts as outside."
        )
    if how.faulty == "leave-out":
        said.append("Positions that cannot be used are left out.")
    return " ".join(said) + " It is confirmed as public below, with the columns."
