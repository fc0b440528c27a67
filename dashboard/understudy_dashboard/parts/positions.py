"""Positions of people on the Data page: asked about, made into days on a map, and how they are
read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.table.positions.area import Area
from understudy.table.positions.grids import PEOPLE_A_CELL, cells_carried, fit_cells, square_cells
from understudy.table.positions.likely import LikelyPositions, likely
from understudy.table.positions.places import Places
from understudy.table.positions.positions import Positions, zones
from understudy.table.sources.positions.place_list import place_list
from understudy.table.sources.positions.reading import ReadTraces, read_positions
from understudy_dashboard import words
from understudy_dashboard.frame import mark_internal, show_refusal
from understudy_dashboard.open_project import read_table_again
from understudy_dashboard.parts.controls import ask_yes_or_no
from understudy_dashboard.questions import answer
from understudy_dashboard.session import Session

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator


_WIDTH, _PEOPLE, _COUNTS = (
    "As wide as I say",
    "As small as the number of people allows",
    "So many each way",
)
_DEGREES, _LISTED = "In degrees", "By the names of places in a public list"
_USUAL_CELLS: Final = 400
_COLUMNS: Final = ("person", "time", "latitude", "longitude", "place", "places")
_MAP: Final = ("south", "north", "west", "east", "rows", "columns", "cell_km", "people", "epsilon")
_KEPT: Final = ("zone", "days", "gap_hours", "faulty")
_EDGES: Final = (
    ("south", "Southern edge", 48.10, 89.0),
    ("north", "Northern edge", 48.33, 89.0),
    ("west", "Western edge", 16.18, 180.0),
    ("east", "Eastern edge", 16.58, 180.0),
)
"""Of each edge: its setting, its label, an example, and how many degrees it may have."""


@dataclass(frozen=True)
class PositionsRequest:
    """What the fields say.

    Attributes:
        how: how positions are read; None where something is missing or cannot be.
        refusal: why it cannot be; None where something is missing only.
        spots: where a refusal stands that is about some of the settings.
    """

    how: Positions | None
    refusal: Refusal | None
    spots: dict[tuple[str, ...], DeltaGenerator]

    def refuse(self, refusal: Refusal | None = None) -> None:
        """Show this refusal, or the own one, beside the fields it is about; below all of them where
        it is about none."""
        shown = refusal or self.refusal
        if shown is None:
            return
        spot = next((each for names, each in self.spots.items() if shown.field in names), None)
        with spot or st.container():
            show_refusal(shown)


def ask_positions(
    session: Session, found: LikelyPositions, before: Positions | None
) -> PositionsRequest:
    """Draw the fields.

    Args:
        session: the page's state.
        found: columns that are called as those of positions are.
        before: how the positions were read before, where they were.
    """
    turn = session.revision
    spots: dict[tuple[str, ...], DeltaGenerator] = {}
    refused: list[Refusal] = []
    settings: dict[str, Any] = {}
    settings |= _ask_columns(session, found, before, turn, refused)
    spots[_COLUMNS] = st.container()
    area = _ask_area(before, turn, refused)
    spots[_MAP] = st.container()
    settings |= _ask_kept(before, turn)
    spots[_KEPT] = st.container()
    if refused or area is None or settings.pop("waits", False):
        return PositionsRequest(None, refused[0] if refused else None, spots)
    try:
        return PositionsRequest(Positions(area=area, **settings), None, spots)
    except Refusal as refusal:
        return PositionsRequest(None, refusal, spots)


def _ask_columns(
    session: Session,
    found: LikelyPositions,
    before: Positions | None,
    turn: int,
    refused: list[Refusal],
) -> dict[str, Any]:
    assert session.data.table is not None
    names = list(session.data.table.raw.names)
    listed = (before.place is not None) if before else not found.placed
    first, second = st.columns(2)
    settings: dict[str, Any] = {
        "person": _ask_column(first, "Whose a position is", names, "person", found, before, turn),
        "time": _ask_column(second, "When it was", names, "time", found, before, turn),
    }
    where = st.radio(
        "Where somebody was is said",
        [_DEGREES, _LISTED],
        index=int(listed),
        horizontal=True,
        key=f"positions-where-{turn}",
    )
    third, fourth = st.columns(2)
    if where == _DEGREES:
        for at, label in ((third, "Latitude"), (fourth, "Longitude")):
            field = label.lower()
            settings[field] = _ask_column(at, label, names, field, found, before, turn)
        return settings
    settings["place"] = _ask_column(third, "The place", names, "place", found, before, turn)
    with fourth:
        places = _ask_places(session, before, turn, refused)
    return settings | ({"waits": True} if places is None else {"places": places})


def _ask_column(
    at: DeltaGenerator,
    label: str,
    names: Sequence[str],
    field: str,
    found: LikelyPositions,
    before: Positions | None,
    turn: int,
) -> str:
    usual = (getattr(before, field) if before else None) or getattr(found, field)
    chosen: str = at.selectbox(
        label,
        names,
        index=names.index(usual) if usual in names else 0,
        key=f"positions-{field}-{turn}",
    )
    return chosen


def _ask_places(
    session: Session, before: Positions | None, turn: int, refused: list[Refusal]
) -> Places | None:
    given = st.file_uploader(
        "The list of places: code, latitude, longitude",
        type=["csv", "tsv", "txt", "parquet", "xlsx"],
        key=f"positions-places-{turn}",
        help="It has to be public, such as the stops of a timetable: it is kept, and published, "
        "with how the file is read.",
    )
    if given is None:
        if before is None or before.places is None:
            return None
        st.caption(f"The list of {len(before.places.codes):,} places from before holds.")
        return before.places
    try:
        found: Places = session.cache.keep(
            "places", given.file_id, lambda: place_list(given.getvalue(), given.name)
        )
    except Refusal as refusal:
        refused.append(refusal)
        return None
    return found


def _ask_area(before: Positions | None, turn: int, refused: list[Refusal]) -> Area | None:
    """Return the map; None where it is not whole yet, or cannot be."""
    st.markdown("**The area**, in degrees as an atlas gives them")
    edges: dict[str, float | None] = {}
    boxes = (*st.columns(2), *st.columns(2))
    for at, (name, label, example, most) in zip(boxes, _EDGES, strict=True):
        edges[name] = at.number_input(
            label,
            min_value=-most,
            max_value=most,
            value=getattr(before.area, name) if before else None,
            step=0.01,
            format="%0.4f",
            placeholder=f"{example:.2f}",
            key=f"positions-{name}-{turn}",
            help="Negative south of the equator." if most < 90 else "Negative west of Greenwich.",
        )
    way = st.radio(
        "Its cells are",
        [_WIDTH, _PEOPLE, _COUNTS],
        index=2 if before else 0,
        horizontal=True,
        key=f"positions-cells-{turn}",
    )
    sizes = _ask_sizes(way, before, turn)
    if None in edges.values() or None in sizes.values():
        st.caption("Enter all four edges, such as those of the region that the data are about.")
        return None
    try:
        area = _cut_area(Area.read(edges), way, sizes)
    except Refusal as refusal:
        refused.append(refusal)
        return None
    north, east = area.cell_km
    cells = area.rows * area.columns
    st.caption(
        f"That makes {area.rows:,} by {area.columns:,} cells of {north:.2f} by {east:.2f} km. With "
        f"{cells:,} cells you need about {PEOPLE_A_CELL * cells:,} people at ε = 1; with fewer the "
        "map is mostly noise."
    )
    return area


def _ask_sizes(way: str, before: Positions | None, turn: int) -> dict[str, Any]:
    """Return what is entered about the cells."""
    left, right = st.columns(2)
    if way == _WIDTH:
        km = left.number_input(
            "Kilometres",
            min_value=0.01,
            max_value=1000.0,
            value=None,
            step=0.1,
            placeholder=f"of about {_USUAL_CELLS} cells",
            key=f"positions-km-{turn}",
        )
        return {} if km is None else {"cell_km": km}
    if way == _PEOPLE:
        people = left.number_input(
            "People who are publicly known to be in the table, at least",
            min_value=1,
            value=None,
            step=1,
            placeholder="1000",
            key=f"positions-people-{turn}",
            help="Such as how many were asked. Never counted in the file.",
        )
        epsilon = right.number_input(
            "ε that may be spent",
            min_value=0.01,
            value=1.0,
            step=0.5,
            key=f"positions-epsilon-{turn}",
        )
        return {"people": people, "epsilon": epsilon}
    return {
        name: at.number_input(
            label,
            min_value=1,
            max_value=100,
            value=getattr(before.area, name) if before else 20,
            key=f"positions-{name}-{turn}",
        )
        for at, name, label in (
            (left, "rows", "Rows, from south to north"),
            (right, "columns", "Columns, from west to east"),
        )
    }


def _cut_area(area: Area, way: str, sizes: dict[str, Any]) -> Area:
    if way == _WIDTH:
        return square_cells(area, sizes["cell_km"]) if sizes else fit_cells(area, _USUAL_CELLS)
    if way == _PEOPLE:
        return fit_cells(area, cells_carried(sizes["people"], sizes["epsilon"]))
    return area.cut(sizes["rows"], sizes["columns"])


def _ask_kept(before: Positions | None, turn: int) -> dict[str, Any]:
    first, second, third = st.columns(3, vertical_alignment="bottom")
    known = zones()
    zone = first.selectbox(
        "Time zone",
        known,
        index=known.index(before.zone) if before and before.zone in known else 0,
        key=f"positions-zone-{turn}",
        help="Hours and days are by its clocks. A time that names no zone is taken to be by them.",
    )
    days = second.number_input(
        "Days kept of a person",
        min_value=1,
        max_value=366,
        value=before.days if before else 28,
        key=f"positions-days-{turn}",
        help="Counted from the Monday on or before the person’s first position.",
    )
    gap = third.number_input(
        "Hours that somebody is taken to stay",
        min_value=1,
        max_value=24,
        value=before.gap_hours if before else None,
        placeholder="to the next one",
        key=f"positions-gap-{turn}",
        help="After so long without a position they count as outside, to the next one or to "
        "midnight. Left empty, they stay to the next one.",
    )
    faulty = st.checkbox(
        "Leave out positions that cannot be used",
        value=before is not None and before.faulty == "leave-out",
        key=f"positions-faulty-{turn}",
        help="No person, time or place can be read, or it is off the earth or not in the list. "
        "Otherwise they are counted and the file is refused.",
    )
    return {
        "zone": zone,
        "days": days,
        "gap_hours": gap,
        "faulty": "leave-out" if faulty else "refuse",
    }


_ASK: Final = "Are these positions of people?"
_ANSWERS: Final = "No, every row is a record", "Yes, where people were and when"
_BEFORE: Final = "positions-before"
_ARE: Final = "positions-are"
_COUNTED: Final = "Counted in your file. What you entered above is public; these are not."
_MADE: Final = (
    "Your positions have been turned into daily itineraries; this is now your table. Look through "
    "its columns, confirm them, and choose a method for people’s days on the Privacy page."
)


def draw_positions(session: Session) -> None:
    """Ask whether the rows are positions of people, and how they are read."""
    assert session.data.table is not None
    found = likely(session.data.table.raw.names)
    before: Positions | None = st.session_state.get(_BEFORE)
    st.markdown(f"**{_ASK}**")
    st.caption(
        f"Columns are called as those of positions are: {_name_columns(found)}. What stands in "
        "them "
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
        _draw_preview(session, ask_positions(session, found, before))


def _draw_preview(session: Session, said: PositionsRequest) -> None:
    """Draw what becomes of the positions, and the button that makes it the table."""
    assert session.data.table is not None
    raw, how = session.data.table.raw, said.how
    if how is None:
        said.refuse()
        return
    try:
        with st.spinner("Reading the positions…"):
            made: ReadTraces = session.cache.keep(
                "positions", (id(raw), how), lambda: read_positions(raw, how)
            )
    except Refusal as refusal:
        said.refuse(refusal)
        return
    with mark_internal("positions", _COUNTED):
        _draw_sentences(made.raw.notes)
    if st.button(
        "Make days on this map of them", type="primary", icon=":material/map:", key="positions-make"
    ):
        read_table_again(session, raw.reading.changed(positions=how), suggest=True)
        st.session_state.pop(_BEFORE, None)
        session.notices.append(_MADE)
        st.rerun()


def draw_made_positions(session: Session) -> None:
    """Say how the open table was made of positions, where it was, and offer a way back to them."""
    assert session.data.table is not None
    how = session.data.table.raw.reading.positions
    if how is None or session.data.table.sample:
        return
    with st.container(border=True, key="positions"):
        st.markdown("**These rows are days on a map, made of positions.**")
        st.markdown(_describe_map(how))
        with mark_internal("positions-made", _COUNTED):
            _draw_sentences(session.data.table.raw.notes)
        if session.data.table.again is None:
            st.caption("To make them otherwise, open the file of the positions again.")
        elif st.button("Make them otherwise", icon=":material/undo:", key="positions-back"):
            st.session_state[_BEFORE] = how
            try:
                with st.spinner("Reading the table…"):
                    read_table_again(
                        session, session.data.table.raw.reading.of_file(), suggest=True
                    )
                answer(session, positions=True)
            except Refusal as refusal:
                show_refusal(refusal)
                return
            st.rerun()


def _draw_sentences(notes: tuple[str, ...]) -> None:
    st.markdown("\n".join(f"- {words.escape(each)}" for each in notes))


def _name_columns(found: LikelyPositions) -> str:
    where = (found.latitude, found.longitude) if found.placed else (found.place,)
    return ", ".join(f"“{words.escape(each)}”" for each in (found.person, found.time, *where))


def _describe_map(how: Positions) -> str:
    """Return how positions are read, in words for whoever confirms it as public."""
    area = how.area
    north, east = area.cell_km
    said = [
        f"The map: {area.rows:,} by {area.columns:,} cells of {north:.2f} by {east:.2f} km, "
        f"between {area.south:g} and {area.north:g} degrees north, and {area.west:g} and "
        f"{area.east:g} degrees east. Hours and days are by the clocks of "
        f"{words.escape(how.zone)}; "
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
