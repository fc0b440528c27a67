"""Maps of people's days: cells by how much time is spent there, moves between zones, one path.

A map has kilometres on both axes and nothing else: no tiles, no projection, no address that a
browser would have to ask.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import altair as alt
import numpy as np
import pandas as pd

from understudy.charts import grids, scales
from understudy.charts.palette import BLUE, LETTERS, QUIET, SEQUENTIAL
from understudy.core.arrays import FloatArray, IntArray
from understudy.models.mobility.geography import Geography

HEIGHT: Final = 380
_BEND: Final = 2.0
_MOST_FLOWS: Final = 60
_ROW, _COLUMN = "Row from the south", "Column from the west"
_FROM, _TO = "Between zone", "and zone"


def density_table(where: Geography, shares: FloatArray, of: str) -> pd.DataFrame:
    """Return a row for each cell that is not empty, the fullest first: where it is, and its share
    in %.

    Args:
        where: the map.
        shares: (cells,) of all cells.
        of: what they are shares of.
    """
    order = np.argsort(-shares, kind="stable")
    order = order[shares[order] > 0]
    row, column = np.divmod(order, where.columns)
    return pd.DataFrame(
        {_ROW: row + 1, _COLUMN: column + 1, f"{of} (%)": (100 * shares[order]).round(3)}
    )


def density(
    where: Geography, shares: FloatArray, of: str, most: float, title: alt.TitleParams
) -> alt.LayerChart:
    """Return cells coloured by their share, zones outlined.

    Args:
        where: the map.
        shares: (cells,) of all cells.
        of: what they are shares of.
        most: the share at the upper end of the colours, the same for maps side by side; more
            looks the same.
        title: above it.
    """
    frame = _squares(where).assign(share=shares)
    shade = grids.colour_scale(
        "share", of, SEQUENTIAL, (0.0, most or 1.0), bend=_BEND, legend="bottom"
    )
    said = [
        alt.Tooltip("row:Q", title=_ROW),
        alt.Tooltip("column:Q", title=_COLUMN),
        alt.Tooltip("share:Q", title=of, format=".2%"),
    ]
    x, y = _axes(where)
    cells = (
        alt.Chart(frame)
        .mark_rect()
        .encode(x=x, x2=alt.X2("east"), y=y, y2=alt.Y2("north"), color=shade, tooltip=said)
    )
    return _frame_map(where, [cells], title, f"A map of {of.lower()}, by cell.")


def flows_table(where: Geography, shares: FloatArray) -> pd.DataFrame:
    """Return a row for each pair of zones that people move between, the most first: the share in %.

    Args:
        where: the map.
        shares: (zones², zones²) of moves from each zone to each.
    """
    one, other, share = _pairs(shares)
    names = _zone_names(where)
    return pd.DataFrame(
        {
            _FROM: [names[each] for each in one],
            _TO: [names[each] for each in other],
            "Moves (%)": (100 * share).round(3),
        }
    )


def flows(
    where: Geography, shares: FloatArray, most: float, title: alt.TitleParams
) -> alt.LayerChart:
    """Return a line between two zones, the thicker the more of all moves go between them, either
    way.

    Args:
        where: the map.
        shares: (zones², zones²) of moves from each zone to each.
        most: the share of the thickest line, the same for maps side by side; more looks the same.
        title: above it.
    """
    one, other, share = (each[:_MOST_FLOWS] for each in _pairs(shares))
    names, middles = _zone_names(where), _zone_middles(where)
    frame = pd.DataFrame(
        {
            "west": middles[one, 1], "south": middles[one, 0],
            "east": middles[other, 1], "north": middles[other, 0],
            "share": share,
            "what": [f"{names[a]} and {names[b]}" for a, b in zip(one, other, strict=True)],
        }
    )  # fmt: skip
    x, y = _axes(where)
    size = alt.Size(
        "share:Q",
        scale=alt.Scale(domain=[0, most or 1.0], range=[0.4, 14], clamp=True),
        legend=None,
    )
    said = [
        alt.Tooltip("what:N", title="Between zones"),
        alt.Tooltip("share:Q", title="Share of moves", format=".2%"),
    ]
    lines = (
        alt.Chart(frame)
        .mark_rule(color=BLUE, opacity=0.75, strokeCap="round")
        .encode(x=x, x2=alt.X2("east"), y=y, y2=alt.Y2("north"), size=size, tooltip=said)
    )
    return _frame_map(where, [lines], title, "Lines between zones, the thicker the more moves.")


def path(
    where: Geography, cells: Sequence[int], said: Sequence[str], title: alt.TitleParams
) -> alt.LayerChart:
    """Return the places of a day, numbered in order, and straight lines between them.

    Args:
        where: the map.
        cells: the place of each stay; the next one is elsewhere.
        said: what is said of each.
        title: above it.
    """
    at = where.middles[np.asarray(cells, dtype=np.int64)]
    stops = pd.DataFrame(
        {"west": at[:, 1], "south": at[:, 0], "what": list(said),
         "number": [str(each) for each in range(1, len(at) + 1)]}
    )  # fmt: skip
    # A number is written once at a place, with all times that somebody comes there.
    labels = stops.groupby(["west", "south"], as_index=False).agg(
        {"number": ", ".join, "what": "; ".join}
    )
    legs = pd.DataFrame(
        {"west": at[:-1, 1], "south": at[:-1, 0], "east": at[1:, 1], "north": at[1:, 0]}
    )
    x, y = _axes(where)
    place = {"x": x, "y": y, "tooltip": [alt.Tooltip("what:N", title="When")]}
    layers = [
        alt.Chart(legs)
        .mark_rule(color=BLUE, strokeWidth=2.5, opacity=0.8, tooltip=None)
        .encode(x=x, x2=alt.X2("east"), y=y, y2=alt.Y2("north")),
        alt.Chart(labels).mark_point(filled=True, size=120, color=BLUE, opacity=1).encode(**place),
        alt.Chart(labels)
        .mark_text(fontSize=13, fontWeight="bold", dy=-14, color=LETTERS, tooltip=None)
        .encode(x=x, y=y, text=alt.Text("number:N")),
    ]
    return _frame_map(where, layers, title, "The path of a day on the map.")


def grid(where: Geography, title: alt.TitleParams) -> alt.LayerChart:
    """Return the cells of a map, and its zones."""
    x, y = _axes(where)
    cells = (
        alt.Chart(_squares(where))
        .mark_rect(filled=False, stroke=QUIET, strokeWidth=0.4)
        .encode(
            x=x, x2=alt.X2("east"), y=y, y2=alt.Y2("north"),
            tooltip=[alt.Tooltip("row:Q", title=_ROW), alt.Tooltip("column:Q", title=_COLUMN)],
        )
    )  # fmt: skip
    return _frame_map(where, [cells], title, "A map cut into cells, gathered in zones.", bold=2.0)


def _squares(where: Geography) -> pd.DataFrame:
    """Return a row for each cell: its edges in kilometres, and where it is."""
    row, column = np.divmod(np.arange(where.cells), where.columns)
    high, wide = where.cell_km
    return pd.DataFrame(
        {
            "west": column * wide, "east": (column + 1) * wide,
            "south": row * high, "north": (row + 1) * high,
            "row": row + 1, "column": column + 1,
        }
    )  # fmt: skip


def _axes(where: Geography) -> tuple[alt.X, alt.Y]:
    high, wide = where.rows * where.cell_km[0], where.columns * where.cell_km[1]

    def scale(end: float) -> alt.Scale:
        return alt.Scale(domain=[0, end], nice=False, zero=False)

    plain = alt.Axis(grid=False, tickCount=5, format=",~g")
    return (
        alt.X("west:Q", title="km to the east", scale=scale(wide), axis=plain),
        alt.Y("south:Q", title="km to the north", scale=scale(high), axis=plain),
    )


def _frame_map(
    where: Geography,
    layers: Sequence[alt.Chart],
    title: alt.TitleParams,
    description: str,
    bold: float = 0.8,
) -> alt.LayerChart:
    """Return layers on a map, the borders of its zones over them."""
    x, y = _axes(where)
    edges = pd.DataFrame(_borders(where), columns=["west", "south", "east", "north"])
    borders = (
        alt.Chart(edges)
        .mark_rule(color=QUIET, strokeWidth=bold, opacity=0.8, tooltip=None)
        .encode(x=x, x2=alt.X2("east"), y=y, y2=alt.Y2("north"))
    )
    return scales.stack_layers(
        *layers, borders, title=title, description=description, height=HEIGHT
    )


def _borders(where: Geography) -> list[tuple[float, float, float, float]]:
    """West, south, east and north ends of the lines around zones, in kilometres."""
    zone = where.zone.reshape(where.rows, where.columns)
    high, wide = where.cell_km
    north, east = where.rows * high, where.columns * wide
    rows = [0, *(np.flatnonzero(np.diff(zone[:, 0])) + 1).tolist(), where.rows]
    columns = [0, *(np.flatnonzero(np.diff(zone[0])) + 1).tolist(), where.columns]
    across = [(0.0, row * high, east, row * high) for row in rows]
    return across + [(column * wide, 0.0, column * wide, north) for column in columns]


def _zone_middles(where: Geography) -> FloatArray:
    """Return (zones², 2) how far north and east the middle of each zone lies, in kilometres."""
    counts = np.maximum(1, np.bincount(where.zone, minlength=where.zones**2))
    found: FloatArray = np.column_stack(
        [
            np.bincount(where.zone, weights=where.middles[:, axis], minlength=where.zones**2)
            / counts
            for axis in (0, 1)
        ]
    )
    return found


def _zone_names(where: Geography) -> list[str]:
    """Return (zones²,) such as “2.3”: the second zone from the south, the third from the west."""
    row, column = np.divmod(np.arange(where.zones**2), where.zones)
    return [f"{one + 1}.{other + 1}" for one, other in zip(row, column, strict=True)]


def _pairs(shares: FloatArray) -> tuple[IntArray, IntArray, FloatArray]:
    """Return pairs of different zones with moves between them, either way, the most first."""
    both = shares + shares.T
    one, other = np.triu_indices(len(shares), 1)
    share = both[one, other]
    order = np.argsort(-share, kind="stable")
    order = order[share[order] > 0]
    return one[order].astype(np.int64), other[order].astype(np.int64), share[order]
