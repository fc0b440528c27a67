"""Files of positions as they are published, whose columns have no names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from understudy.table.declared_reading import Reading
from understudy.table.raw import RawTable
from understudy.table.sources.reading import MOST_BYTES, read_table
from understudy.table.sources.source import open_source


@dataclass(frozen=True)
class Layout:
    """A text file without a line of names.

    Attributes:
        columns: what its columns are called here, in their order.
        reading: how it is read.
        told_by: which of the columns say who, when and where, by the settings that name them.
    """

    columns: tuple[str, ...]
    reading: Reading
    told_by: Mapping[str, str]


LAYOUTS: Final[Mapping[str, Layout]] = {
    "foursquare": Layout(
        columns=(
            "user", "venue", "category", "category_name", "latitude", "longitude", "offset", "time",
        ),
        reading=Reading(kind="csv", encoding="iso-8859-1", separator="\t", quote=None),
        told_by={"person": "user"},
    ),
}  # fmt: skip
"""“foursquare”: the check-ins of New York and Tokyo of 2012 and 2013 (Yang and others 2015), a line
for each: user, venue, its category, its name, degrees, minutes off UTC, and the time in UTC."""


def read_layout(path: Path, layout: Layout) -> RawTable:
    """Read a file of a layout.

    Raises:
        Refusal: it cannot be read.
    """
    data = open_source(path, None, MOST_BYTES).data
    separator = layout.reading.separator or ","
    names = separator.join(layout.columns).encode()
    return read_table(names + b"\n" + data, layout.reading, name=path.name)
