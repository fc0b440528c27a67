"""`understudy traces`: from positions to a table of who is where, and its schema."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from understudy.cli.options import Json
from understudy.cli.output import (
    echo,
    print_json,
    print_wrapped,
    refuse_disk_faults,
    refuse_taken,
)
from understudy.cli.verb import number_type, one_of_type, whole_type
from understudy.core.refusal import Refusal

if TYPE_CHECKING:
    from understudy.table.positions.area import Area
    from understudy.table.positions.positions import Positions
    from understudy.table.raw import RawTable
    from understudy.table.sources.positions.reading import ReadTraces

_MAP = "The map"
_KEPT = "What is kept"
_COLUMNS = "The columns of the file"
_CELLS = ("rows", "columns", "cell_km", "people")


def _edge(name: str, what: str) -> object:
    return typer.Option(
        f"--{name}", metavar="DEGREES", rich_help_panel=_MAP, parser=number_type, help=what
    )


@dataclass(frozen=True, kw_only=True)
class TracesRequest:
    """What was typed."""

    file: Annotated[
        Path,
        typer.Argument(
            metavar="POSITIONS",
            help="CSV, Parquet or the like, one position a row; or tracks: a GPX or PLT file, or "
            "a ZIP archive or a folder of them.",
        ),
    ]
    schema: Annotated[
        Path, typer.Option("--schema", metavar="FILE", help="The schema of the table, in JSON.")
    ]
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="FILE",
            help="The table, as CSV. Left out, the schema says how the positions become the table, "
            "and other verbs read them by it.",
        ),
    ] = None  # fmt: skip
    as_json: Json = False


@dataclass(frozen=True, kw_only=True)
class MapOptions:
    """What was typed about the map."""

    south: Annotated[float, _edge("south", "The southern edge of the area, in degrees.")]
    north: Annotated[float, _edge("north", "The northern edge.")]
    west: Annotated[float, _edge("west", "The western edge.")]
    east: Annotated[float, _edge("east", "The eastern edge.")]
    rows: Annotated[
        int | None,
        typer.Option(
            "--rows", metavar="N", rich_help_panel=_MAP, parser=whole_type,
            help="How many cells lie between south and north (default 20).",
        ),
    ] = None  # fmt: skip
    columns: Annotated[
        int | None,
        typer.Option(
            "--columns", metavar="N", rich_help_panel=_MAP, parser=whole_type,
            help="How many cells lie between west and east (default 20).",
        ),
    ] = None  # fmt: skip
    cell_km: Annotated[
        float | None,
        typer.Option(
            "--cell-km", metavar="KM", rich_help_panel=_MAP, parser=number_type,
            help="Instead: how wide a cell is, as good as square.",
        ),
    ] = None  # fmt: skip
    people: Annotated[
        int | None,
        typer.Option(
            "--people", metavar="N", rich_help_panel=_MAP, parser=whole_type,
            help="Instead: how many people are publicly known to be in the file; cells are made "
            "as small as they can carry, one for every ten at ε = 1.",
        ),
    ] = None  # fmt: skip
    epsilon: Annotated[
        float | None,
        typer.Option(
            "--epsilon", metavar="EPSILON", rich_help_panel=_MAP, parser=number_type,
            help="With --people: what may be spent (default 1).",
        ),
    ] = None  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class KeptOptions:
    """What was typed about what is kept."""

    zone: Annotated[
        str,
        typer.Option(
            "--zone", metavar="NAME", rich_help_panel=_KEPT,
            help="The time zone whose clocks count, such as Europe/Lisbon (default UTC).",
        ),
    ] = "UTC"  # fmt: skip
    days: Annotated[
        int,
        typer.Option(
            "--days", metavar="N", rich_help_panel=_KEPT, parser=whole_type,
            help="How many days of a person are kept, from the Monday of the first week on "
            "(default 28).",
        ),
    ] = 28  # fmt: skip
    gap_hours: Annotated[
        int | None,
        typer.Option(
            "--gap-hours", metavar="N", rich_help_panel=_KEPT, parser=whole_type,
            help="After so many hours without a position a person counts as outside; left out, "
            "they stay where they were to the next or to midnight.",
        ),
    ] = None  # fmt: skip
    faulty: Annotated[
        str,
        typer.Option(
            "--faulty", metavar="WORD", rich_help_panel=_KEPT,
            parser=one_of_type("refuse", "leave-out"),
            help="What becomes of positions that cannot be read, lie off the earth or name no "
            "listed place: refuse the file (the default) or leave-out.",
        ),
    ] = "refuse"  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class ColumnOptions:
    """What was typed about the columns of the file."""

    layout: Annotated[
        str | None,
        typer.Option(
            "--layout", metavar="WORD", rich_help_panel=_COLUMNS, parser=one_of_type("foursquare"),
            help="A published file whose columns have no names: foursquare. Takes --out.",
        ),
    ] = None  # fmt: skip
    person: Annotated[
        str | None,
        typer.Option(
            "--person", metavar="COLUMN", rich_help_panel=_COLUMNS,
            help="The column that says whose a position is (default person).",
        ),
    ] = None  # fmt: skip
    time: Annotated[
        str | None,
        typer.Option(
            "--time", metavar="COLUMN", rich_help_panel=_COLUMNS,
            help="The column of the points in time (default time).",
        ),
    ] = None  # fmt: skip
    latitude: Annotated[
        str | None,
        typer.Option(
            "--latitude", metavar="COLUMN", rich_help_panel=_COLUMNS,
            help="The column of degrees north (default latitude).",
        ),
    ] = None  # fmt: skip
    longitude: Annotated[
        str | None,
        typer.Option(
            "--longitude", metavar="COLUMN", rich_help_panel=_COLUMNS,
            help="The column of degrees east (default longitude).",
        ),
    ] = None  # fmt: skip
    place: Annotated[
        str | None,
        typer.Option(
            "--place", metavar="COLUMN", rich_help_panel=_COLUMNS,
            help="The column that names a place of --places, instead of latitude and longitude.",
        ),
    ] = None  # fmt: skip
    places: Annotated[
        Path | None,
        typer.Option(
            "--places", metavar="FILE", rich_help_panel=_COLUMNS,
            help="A public list of places, with the columns code, latitude and longitude.",
        ),
    ] = None  # fmt: skip


def traces(
    asked: TracesRequest, of_map: MapOptions, of_kept: KeptOptions, of_columns: ColumnOptions
) -> None:
    """Turn positions (person, time, latitude, longitude) into a table of traces and its schema.

    The area, its cells and the time zone have to be public: take them from an atlas.
    """
    from understudy.table.sources.positions.position_table import write_table
    from understudy.table.sources.positions.reading import described_schema, read_positions

    if asked.out is None:
        _check_read_again(asked, of_columns)
    else:
        refuse_taken(asked.out)
    refuse_taken(asked.schema, field="schema")
    how = _how(of_map, of_kept, of_columns)
    raw = _positions(asked.file, of_columns.layout)
    found = read_positions(raw, how)
    made = described_schema(how)
    if asked.out is None:
        made = made.with_reading(found.raw.reading)
    else:
        with refuse_disk_faults(asked.out):
            write_table(found.raw, asked.out)
    made.save(asked.schema)
    _tell(asked, how, found)


def _check_read_again(asked: TracesRequest, of_columns: ColumnOptions) -> None:
    """Check that a schema alone can say how the positions are read.

    Raises:
        Refusal: it cannot.
    """
    if asked.file.is_dir() or of_columns.layout is not None:
        what = "A folder" if asked.file.is_dir() else "A file whose columns have no names"
        raise Refusal(
            f"{what} is not read by a schema alone.",
            "Name a file for the table with --out.",
            field="out",
        )


def _positions(file: Path, layout: str | None) -> RawTable:
    from understudy.table.sources.isolation import read_isolated_folder
    from understudy.table.sources.positions.layouts import LAYOUTS, read_layout
    from understudy.table.sources.reading import read_table

    if file.is_dir():
        return read_isolated_folder(file)
    return read_table(file) if layout is None else read_layout(file, LAYOUTS[layout])


def _how(of_map: MapOptions, of_kept: KeptOptions, of_columns: ColumnOptions) -> Positions:
    from understudy.table.positions.positions import Positions
    from understudy.table.sources.positions.layouts import LAYOUTS
    from understudy.table.sources.positions.place_list import place_list

    named: dict[str, Any] = {}
    if of_columns.layout is not None:
        named.update(LAYOUTS[of_columns.layout].told_by)
    for field in ("person", "time", "latitude", "longitude", "place"):
        typed = getattr(of_columns, field)
        if typed is not None:
            named[field] = typed
    if of_columns.places is not None:
        named["places"] = place_list(of_columns.places)
    return Positions(area=_area(of_map), **asdict(of_kept), **named)


def _area(of_map: MapOptions) -> Area:
    from understudy.table.positions.area import Area
    from understudy.table.positions.grids import cells_carried, fit_cells, square_cells

    rows_or_columns = of_map.rows is not None or of_map.columns is not None
    ways = (rows_or_columns, of_map.cell_km is not None, of_map.people is not None)
    if sum(ways) > 1:
        raise Refusal(
            "The cells are given in more than one way.",
            "Give --rows and --columns, or --cell-km, or --people.",
            field=next(each for each in _CELLS if getattr(of_map, each) is not None),
        )
    if of_map.epsilon is not None and of_map.people is None:
        raise Refusal("ε says how many cells so many people carry.", "Give --people with it.",
                      field="epsilon")  # fmt: skip
    area = Area(
        south=of_map.south, north=of_map.north, west=of_map.west, east=of_map.east,
        rows=20 if of_map.rows is None else of_map.rows,
        columns=20 if of_map.columns is None else of_map.columns,
    )  # fmt: skip
    if of_map.cell_km is not None:
        return square_cells(area, of_map.cell_km)
    if of_map.people is not None:
        epsilon = 1.0 if of_map.epsilon is None else of_map.epsilon
        return fit_cells(area, cells_carried(of_map.people, epsilon))
    return area


def _tell(asked: TracesRequest, how: Positions, found: ReadTraces) -> None:
    if asked.as_json:
        print_json(
            {
                "table": None if asked.out is None else str(asked.out),
                "schema": str(asked.schema),
                "internal": asdict(found.counted),
                "settings": how.area.settings(),
            }
        )
        return
    if asked.out is None:
        echo(f"Wrote {asked.schema}, by which the positions are read.")
    else:
        echo(f"Wrote {asked.out} and its schema, {asked.schema}.")
    for sentence in found.raw.notes:
        print_wrapped(f"Internal: {sentence}")
    settings = " ".join(
        f"--{name.replace('_', '-')} {value}" for name, value in (how.area.settings().items())
    )
    print_wrapped(f"A plan of this map has: {settings}")
