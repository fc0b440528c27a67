"""`understudy traces`: from positions to a table of who is where, and its schema."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.cli.output import disk_refusal, echo, print_json, print_wrapped, refuse_taken
from engine.cli.settings import Json
from engine.cli.verb import number, whole

if TYPE_CHECKING:
    from engine.table.positions.positions import Positions, Read

_MAP = "The map"
_COLUMNS = "The columns of the file"


def _edge(name: str, what: str) -> object:
    return typer.Option(
        f"--{name}", metavar="DEGREES", rich_help_panel=_MAP, parser=number, help=what
    )


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What was typed."""

    file: Annotated[
        Path,
        typer.Argument(metavar="POSITIONS", help="CSV, Parquet or the like: one position a row."),
    ]
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The table, as CSV.")]
    schema: Annotated[
        Path, typer.Option("--schema", metavar="FILE", help="The schema of the table, in JSON.")
    ]
    south: Annotated[float, _edge("south", "The southern edge of the area, in degrees.")]
    north: Annotated[float, _edge("north", "The northern edge.")]
    west: Annotated[float, _edge("west", "The western edge.")]
    east: Annotated[float, _edge("east", "The eastern edge.")]
    rows: Annotated[
        int,
        typer.Option(
            "--rows", metavar="N", rich_help_panel=_MAP, parser=whole,
            help="How many cells lie between south and north (default 20).",
        ),
    ] = 20  # fmt: skip
    columns: Annotated[
        int,
        typer.Option(
            "--columns", metavar="N", rich_help_panel=_MAP, parser=whole,
            help="How many cells lie between west and east (default 20).",
        ),
    ] = 20  # fmt: skip
    zone: Annotated[
        str,
        typer.Option(
            "--zone", metavar="NAME", rich_help_panel=_MAP,
            help="The time zone whose clocks count, such as Europe/Lisbon (default UTC).",
        ),
    ] = "UTC"  # fmt: skip
    days: Annotated[
        int,
        typer.Option(
            "--days", metavar="N", rich_help_panel=_MAP, parser=whole,
            help="How many days of a person are kept, from the Monday of the first week on "
            "(default 28).",
        ),
    ] = 28  # fmt: skip
    person: Annotated[str, typer.Option("--person", metavar="COLUMN", rich_help_panel=_COLUMNS)] = (
        "person"
    )
    time: Annotated[str, typer.Option("--time", metavar="COLUMN", rich_help_panel=_COLUMNS)] = (
        "time"
    )
    latitude: Annotated[
        str, typer.Option("--latitude", metavar="COLUMN", rich_help_panel=_COLUMNS)
    ] = "latitude"
    longitude: Annotated[
        str, typer.Option("--longitude", metavar="COLUMN", rich_help_panel=_COLUMNS)
    ] = "longitude"
    as_json: Json = False


def traces(asked: Asked) -> None:
    """Turn positions (person, time, latitude, longitude) into a table of traces and its schema.

    The area, its cells and the time zone have to be public: take them from an atlas.
    """
    from engine.table.positions.positions import read
    from engine.table.positions.writing import write
    from engine.table.sources.reading import read_table

    refuse_taken(asked.out)
    refuse_taken(asked.schema, field="schema")
    how = _how(asked)
    found = read(read_table(asked.file), how)
    try:
        write(found, asked.out)
    except OSError as error:
        raise disk_refusal(error, asked.out) from None
    how.described().save(asked.schema)
    _tell(asked, how, found)


def _how(asked: Asked) -> Positions:
    from engine.table.positions.area import Area
    from engine.table.positions.positions import Positions

    area = Area(
        south=asked.south,
        north=asked.north,
        west=asked.west,
        east=asked.east,
        rows=asked.rows,
        columns=asked.columns,
    )
    return Positions(
        person=asked.person,
        time=asked.time,
        latitude=asked.latitude,
        longitude=asked.longitude,
        area=area,
        zone=asked.zone,
        days=asked.days,
    )


def _tell(asked: Asked, how: Positions, found: Read) -> None:
    if asked.as_json:
        print_json(
            {
                "table": str(asked.out),
                "schema": str(asked.schema),
                "internal": {
                    "positions": found.positions,
                    "outside": found.outside,
                    "late": found.late,
                    "rows": len(found.rows["person"]),
                },
                "settings": how.area.settings(),
            }
        )
        return
    echo(f"Wrote {asked.out} and its schema, {asked.schema}.")
    print_wrapped(
        f"Internal: {found.positions:,} positions, {found.outside:,} of them off the map and "
        f"{found.late:,} later than the days that are kept."
    )
    settings = " ".join(
        f"--{name.replace('_', '-')} {value}" for name, value in (how.area.settings().items())
    )
    print_wrapped(f"A plan of this map has: {settings}")
