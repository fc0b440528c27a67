"""A public rectangle of the earth, cut into cells."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from pydantic import Field, model_validator

from understudy.core.arrays import FloatArray, IntArray
from understudy.core.refusal import Refusal
from understudy.core.validation import Frozen

_KM_A_DEGREE: Final = 111.195

MOST_CELLS: Final = 1000
"""How many cells a map of traces has at most."""
OUTSIDE: Final = "outside"
"""The place of whoever is not on the map."""


class Area(Frozen, what="the area"):
    """Between two circles of latitude and two meridians, cut evenly into rows and columns.

    Declared by the custodian as public, from an atlas and not from the positions.

    Attributes:
        south, north: in degrees of latitude.
        west, east: in degrees of longitude; an area does not cross the 180th meridian.
        rows, columns: how many cells there are each way.

    Raises:
        Refusal: the bounds are no area, lie off the earth, or there are too many cells.
    """

    south: float = Field(ge=-89, le=89, allow_inf_nan=False)
    north: float = Field(ge=-89, le=89, allow_inf_nan=False)
    west: float = Field(ge=-180, le=180, allow_inf_nan=False)
    east: float = Field(ge=-180, le=180, allow_inf_nan=False)
    rows: int = Field(default=20, ge=1, le=100)
    columns: int = Field(default=20, ge=1, le=100)

    @model_validator(mode="after")
    def _usable(self) -> Area:
        for low, high in (("south", "north"), ("west", "east")):
            if getattr(self, low) >= getattr(self, high):
                raise Refusal(
                    f"The {low} of the area is not below its {high}.",
                    "Enter the smaller number first, as an atlas gives them: south and west are "
                    "negative below the equator and west of Greenwich.",
                    field=low,
                )
        if self.rows * self.columns > MOST_CELLS:
            raise Refusal(
                f"An area of {self.rows:,} by {self.columns:,} cells has more than {MOST_CELLS:,}.",
                "Choose larger cells.",
                field="rows",
            )
        return self

    @property
    def names(self) -> tuple[str, ...]:
        """(cells,) what each cell is called: its row from the south, and its column from the west,
        both from 1."""
        width = len(str(max(self.rows, self.columns)))
        return tuple(
            f"r{row:0{width}d}c{column:0{width}d}"
            for row in range(1, self.rows + 1)
            for column in range(1, self.columns + 1)
        )

    def cells(self, latitude: FloatArray, longitude: FloatArray) -> IntArray:
        """Return (n,) the cell of each position; the number of cells for those outside."""
        row = np.floor((latitude - self.south) / (self.north - self.south) * self.rows)
        column = np.floor((longitude - self.west) / (self.east - self.west) * self.columns)
        row = np.where(latitude == self.north, self.rows - 1, row)
        column = np.where(longitude == self.east, self.columns - 1, column)
        inside = (row >= 0) & (row < self.rows) & (column >= 0) & (column < self.columns)
        found = np.where(inside, row * self.columns + column, self.rows * self.columns)
        return found.astype(np.int64)

    @property
    def cell_km(self) -> tuple[float, float]:
        """How far a cell reaches north and east, in kilometres, in the middle of the area."""
        north, east = self.extent_km
        return north / self.rows, east / self.columns

    @property
    def extent_km(self) -> tuple[float, float]:
        """How far the area reaches north and east, in kilometres, in its middle."""
        middle = math.radians((self.south + self.north) / 2)
        north = (self.north - self.south) * _KM_A_DEGREE
        east = (self.east - self.west) * _KM_A_DEGREE * math.cos(middle)
        return north, east

    def cut(self, rows: int, columns: int) -> Area:
        """Return the same area, cut into so many rows and columns.

        Raises:
            Refusal: as on construction.
        """
        return Area(**{**self.model_dump(), "rows": rows, "columns": columns})

    def settings(self) -> dict[str, Any]:
        """Return the settings of a plan of traces over it."""
        north, east = self.cell_km
        return {
            "rows": self.rows,
            "columns": self.columns,
            "north_km": round(north, 4),
            "east_km": round(east, 4),
        }
