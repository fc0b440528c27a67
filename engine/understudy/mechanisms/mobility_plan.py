"""What plans over people's days on a map have alike: the columns that tell of them, and the map."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any, ClassVar, Final

from understudy.core import numerals
from understudy.core.refusal import Refusal
from understudy.mechanisms.fields import FieldGroup
from understudy.mechanisms.kinds import Share
from understudy.mechanisms.plan import ColumnName, HeldOut, MechanismPlan
from understudy.mechanisms.setting import COST, MADE, declare_setting
from understudy.models.mobility.geography import (
    Geography,
    block_names,
)
from understudy.models.mobility.stays import Days
from understudy.models.mobility.trace_records import TraceColumns, days_of
from understudy.table.categories import Categories
from understudy.table.positions.area import MOST_CELLS, OUTSIDE, Area
from understudy.table.positions.grids import cells_for
from understudy.table.positions.slots import SLOTS
from understudy.table.records import Records
from understudy.table.schema import Schema

MAP: Final = FieldGroup("The map", "The map")
TABLE: Final = FieldGroup("The columns of the table", "The table")

_CELL: Final = re.compile(r"r(\d+)c(\d+)")


class OnAMapPlan(MechanismPlan, what="the plan"):
    """A plan over rows that say who was where from when on."""

    form_groups: ClassVar[tuple[FieldGroup, ...]] = (COST, MADE, MAP, TABLE)

    day: ColumnName = declare_setting(
        "day",
        "Column of the day",
        "The column of the day, counted from a Monday: 0, 1, 2 …",
        group=TABLE,
        stands="folded",
    )
    slot: ColumnName = declare_setting(
        "slot",
        "Column of the slot",
        "The column of the slot of 20 minutes from which somebody is in a place: 0 to 71.",
        group=TABLE,
        stands="folded",
    )
    place: ColumnName = declare_setting(
        "place",
        "Column of the place",
        "The column of the place, a cell of the map.",
        group=TABLE,
        stands="folded",
    )
    rows: int = declare_setting(
        20,
        "Cells from south to north",
        "How many cells the map has from south to north.",
        group=MAP,
        ge=1,
        le=100,
        stands="folded",
    )
    columns: int = declare_setting(
        20,
        "Cells from west to east",
        "How many cells the map has from west to east.",
        group=MAP,
        ge=1,
        le=100,
        stands="folded",
    )
    north_km: float = declare_setting(
        1.0,
        "A cell from south to north, km",
        "How far a cell reaches from south to north, in kilometres.",
        group=MAP,
        gt=0,
        le=1000,
        allow_inf_nan=False,
        stands="folded",
    )
    east_km: float = declare_setting(
        1.0,
        "A cell from west to east, km",
        "How far a cell reaches from west to east, in kilometres.",
        group=MAP,
        gt=0,
        le=1000,
        allow_inf_nan=False,
        stands="folded",
    )
    zones: int = declare_setting(
        5,
        "Zones each way",
        "Cells are gathered in so many zones each way. What few people tell of cells, zones tell.",
        group=MAP,
        ge=1,
        le=20,
        stands="folded",
    )
    km_a_slot: float = declare_setting(
        5.0,
        "How far people get in 20 minutes, km",
        "How far people usually get in 20 minutes, as is publicly known.",
        group=MAP,
        gt=0,
        le=500,
        allow_inf_nan=False,
        stands="folded",
    )
    public_people: int | None = declare_setting(
        None,
        "People in the table, publicly known",
        "How many people are publicly known to be in the table at least. Nothing rests "
        "on it but the advice whether the map is too fine.",
        group=COST,
        ge=1,
        le=10**9,
        after="delta",
        none="Nobody has said",
    )
    held_out: HeldOut = declare_setting(
        0.1,
        "Share of people held out, to compare with",
        "The share of people who are not counted, to compare with.",
        group=MADE,
        kind=Share(),
        stands="folded",
    )

    @property
    def told_by(self) -> TraceColumns:
        """The columns that say when and where."""
        return TraceColumns(self.day, self.slot, self.place)

    @property
    def where(self) -> Geography:
        """The map."""
        return Geography(
            rows=self.rows,
            columns=self.columns,
            cell_km=(self.north_km, self.east_km),
            zones=self.zones,
            km_a_slot=self.km_a_slot,
        )

    def days_told(self, records: Records) -> Days:
        """Return the days that records tell of, on the map of the plan. Confidential.

        A function of each person's records alone, as `days_of`.

        Raises:
            ValueError: the records do not say whose they are.
        """
        return days_of(records, self.told_by)

    def check(self, schema: Schema) -> None:
        """Check that the plan was made for this schema, and that this is one of days on its map.

        Raises:
            Refusal: it was not, or it is not.
        """
        super().check(schema)
        check_traces(schema)
        self._check_columns(schema)
        self._check_map(schema)

    def _check_columns(self, schema: Schema) -> None:
        for field, name in zip(("day", "slot", "place"), self.told_by, strict=True):
            if name not in schema.names:
                raise Refusal(
                    f"The table has no column “{name}”.",
                    "Name the column of the " + field + ": one of " + ", ".join(schema.names) + ".",
                    field=field,
                )
        for field, name, most in (("day", self.day, 366), ("slot", self.slot, SLOTS)):
            texts = schema.column(name).texts
            if list(texts) != [str(number) for number in range(len(texts))] or len(texts) > most:
                raise Refusal(
                    f"Column “{name}” does not count {field}s from 0.",
                    f"Name a column of whole numbers from 0 to {most - 1} at most.",
                    field=field,
                )

    def _check_map(self, schema: Schema) -> None:
        domain = schema.column(self.place).domain
        places = () if domain.ordered else domain.texts
        # Who is off the map has the last code, or there is no such place.
        inside = len(places) - (OUTSIDE in places)
        if inside != self.rows * self.columns or OUTSIDE in places[:-1]:
            raise Refusal(
                f"Column “{self.place}” does not have the {self.rows * self.columns:,} cells of "
                f"the map, {self.rows:,} by {self.columns:,}.",
                "State the rows and columns of the grid that the places were made with.",
                field="rows",
            )
        if inside > MOST_CELLS:
            raise Refusal(
                f"A map of {inside:,} cells is finer than this method takes.",
                f"Choose larger cells: {MOST_CELLS:,} at most.",
                field="rows",
            )

    def check_detail(self, epsilon: float, share: float = 1.0) -> None:
        """Check that the people who are publicly known to be there can carry the map.

        Args:
            epsilon: what noise on the map is for.
            share: of them whom the map is made of.

        Raises:
            Refusal: the map is too fine.
        """
        if self.public_people is None:
            return
        cells, people = self.where.cells, int(share * self.public_people)
        most = cells_for(people, epsilon)
        if cells <= most:
            return
        raise Refusal(
            f"A map of {cells:,} cells is finer than {people:,} people can carry at "
            f"ε = {epsilon:g}: it would be little but noise.",
            f"Choose larger cells, about {max(4, most):,} at most, a larger "
            "ε, or a table of more people.",
            field="rows",
        )


def shape_of_map(schema: Schema) -> tuple[int, int]:
    """Return how many rows and columns of cells the map of the column “place” has, as the names of
    places tell: r03c17 is in the third row and the seventeenth column. Of other names, as near to a
    square as their number allows.

    Raises:
        Refusal: there is no such column.
    """
    place = next((each for each in schema.columns if each.name == "place"), None)
    if place is None or place.ordered:
        raise Refusal(
            "The table has no column “place” with the cells of a map.",
            "Make one from positions with `understudy traces`.",
            field="place",
        )
    names = [value for value in place.domain.texts if value != OUTSIDE]
    last = _CELL.fullmatch(names[-1]) if names else None
    if last is not None and int(last[1]) * int(last[2]) == len(names):
        return int(last[1]), int(last[2])
    sides = range(1, int(len(names) ** 0.5) + 1)
    rows = max((each for each in sides if not len(names) % each), default=1)
    return rows, max(1, len(names) // rows)


def check_traces(schema: Schema) -> None:
    """Check that a table is one of people's days.

    Raises:
        Refusal: its schema does not say whose the records are.
    """
    if schema.people is None:
        raise Refusal(
            "This method makes people's days, and the schema does not say whose the records are.",
            "Say on the Data page that one person has several rows, and name the column that says "
            "whose each is.",
            field="people",
        )


def tells_of_days(schema: Schema) -> bool:
    """Return whether the records are people's days on a map: made of positions, or with a day, a
    slot and a place in the columns of these names."""
    if declared_area(schema) is not None:
        return True
    try:
        rows, columns = shape_of_map(schema)
        OnAMapPlan(domain=schema.fingerprint, rows=rows, columns=columns).check(schema)
    except Refusal:
        return False
    return True


def label_places(plan: OnAMapPlan, schema: Schema, by: int = 1) -> Categories:
    """Return the places of released days, each labelled with the middle of its cell: in degrees if
    the schema declares where the map lies, else in kilometres from its south-western corner. Both
    are public.

    Args:
        plan: whose map it is.
        schema: of the confidential table.
        by: how many cells each way are one place.
    """
    told = schema.column(plan.place).domain
    fine = Geography(rows=plan.rows, columns=plan.columns, cell_km=(plan.north_km, plan.east_km))
    names = told.texts[: fine.cells] if by == 1 else block_names(fine, by)
    outside = (OUTSIDE,) if OUTSIDE in told.texts else ()
    labels = list(_middles(schema, fine, by))
    if by == 1 and told.given_labels:
        labels = [f"{name}, {at}" for name, at in zip(told.given_labels, labels, strict=False)]
    return Categories(values=(*names, *outside), labels=(*labels, *(OFF for _ in outside)))


OFF: Final = "off the map"


def _middles(schema: Schema, fine: Geography, by: int) -> Iterator[str]:
    """Yield where the middle of each block of so many cells lies, as far as the map reaches."""

    def middles(size: int) -> list[float]:
        return [(first + min(first + by, size)) / 2 for first in range(0, size, by)]

    at = [(row, column) for row in middles(fine.rows) for column in middles(fine.columns)]
    area = declared_area(schema)
    if area is None or (area.rows, area.columns) != (fine.rows, fine.columns):
        high, wide = fine.cell_km
        for row, column in at:
            north = numerals.significant(row * high, 4)
            east = numerals.significant(column * wide, 4)
            yield f"{north} km north, {east} km east of the south-western corner"
        return
    high, wide = (area.north - area.south) / area.rows, (area.east - area.west) / area.columns
    digits = max(2, 2 - math.floor(math.log10(min(high, wide))))
    for row, column in at:
        latitude, longitude = area.south + row * high, area.west + column * wide
        yield (
            f"{abs(latitude):.{digits}f}° {'N' if latitude >= 0 else 'S'}, "
            f"{abs(longitude):.{digits}f}° {'E' if longitude >= 0 else 'W'}"
        )


def declared_area(schema: Schema) -> Area | None:
    """Return the map that positions are read on; None if the schema does not say so."""
    positions = None if schema.reading is None else schema.reading.positions
    return None if positions is None else positions.area


def declared_map(schema: Schema) -> dict[str, Any]:
    """Return the settings of a plan over the map that positions are read on, where the schema says
    so."""
    area = declared_area(schema)
    return {} if area is None else area.settings()
