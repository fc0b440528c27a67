"""What is publicly known of a set of grey pictures: their size, their levels of grey, their labels.

A picture is one record and a pixel one of its columns, a whole number from 0 (black) to the number
of levels (white). All of it is declared and none of it looked up in the pictures.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

from pydantic import Field, model_validator

from understudy.core.refusal import Refusal
from understudy.core.validation import Frozen
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.schema import Schema

LABEL: Final = "label"
"""The column of the label, where labels are declared."""

MOST_PIXELS: Final = 255
"""As many columns as a schema may have."""

_PIXEL: Final = re.compile(r"r(\d{2,3})c(\d{2,3})")


class Pictures(Frozen, what="the pictures"):
    """What every picture of a set is like.

    Attributes:
        height, width: in pixels of the table.
        reduced: how many pixels of a file, each way, are taken together into one by their mean.
        levels: the level of white; that of black is 0.
        white: what white is in the files.
        labels: the labels that a picture may have, as everybody may know them; none for no column
            of labels.

    Raises:
        Refusal: there are more pixels than columns can be, or labels that cannot be told apart.
    """

    height: int = Field(ge=1, le=MOST_PIXELS)
    width: int = Field(ge=1, le=MOST_PIXELS)
    reduced: int = Field(default=1, ge=1, le=64)
    levels: int = Field(default=16, ge=1, le=255)
    white: int = Field(default=255, ge=1, le=255)
    labels: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _usable(self) -> Pictures:
        most = MOST_PIXELS - bool(self.labels)
        if self.height * self.width > most:
            raise Refusal(
                f"Pictures of {self.height} × {self.width} have {self.height * self.width:,} "
                f"pixels, and a table at most {most} columns for them.",
                "Declare a smaller size, with a whole factor by which larger files are reduced.",
                field="reduced",
            )
        if self.height * self.width == 1:
            raise Refusal(
                "Pictures of 1 × 1 are single numbers.", "Declare a larger size.", field="height"
            )
        if self.labels:
            Categories(values=self.labels)
        return self

    @property
    def pixels(self) -> tuple[str, ...]:
        """The names of the pixels' columns, row by row."""
        return tuple(
            f"r{row:02d}c{column:02d}"
            for row in range(1, self.height + 1)
            for column in range(1, self.width + 1)
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all columns."""
        return (*self.pixels, LABEL) if self.labels else self.pixels

    @property
    def in_file(self) -> tuple[int, int]:
        """Height and width of a picture as it stands in a file."""
        return self.height * self.reduced, self.width * self.reduced

    def make_schema(self) -> Schema:
        """Return the schema of their table; not declared public yet."""
        grey = Grid(minimum=Decimal(0), maximum=Decimal(self.levels))
        columns = [Column(name=each, domain=grey) for each in self.pixels]
        if self.labels:
            columns.append(Column(name=LABEL, domain=Categories(values=self.labels)))
        return Schema(columns=tuple(columns))


def pictures_of(schema: Schema) -> Pictures:
    """Return what a schema says of pictures, told by the names and ranges of its columns.

    Raises:
        Refusal: it is no schema of pictures.
    """
    labels: tuple[str, ...] = ()
    columns = schema.columns
    if columns and columns[-1].name == LABEL and not columns[-1].ordered:
        labels, columns = columns[-1].domain.texts, columns[:-1]
    last = _PIXEL.fullmatch(columns[-1].name) if columns else None
    domain = columns[-1].domain.ranged if columns else None
    if last is None or domain is None:
        raise _no_pictures()
    height, width = int(last[1]), int(last[2])
    if height * width != len(columns) or not 1 <= domain.maximum <= MOST_PIXELS:
        raise _no_pictures()
    found = Pictures(height=height, width=width, levels=int(domain.maximum), labels=labels)
    if found.make_schema().fingerprint != schema.fingerprint:
        raise _no_pictures()
    return found


def are_pictures(schema: Schema) -> bool:
    """Return whether a schema is one of pictures."""
    try:
        pictures_of(schema)
    except Refusal:
        return False
    return True


def _no_pictures() -> Refusal:
    return Refusal(
        "The schema is not one of pictures.",
        "Choose the schema that was written when the pictures were read.",
        field="schema",
    )
