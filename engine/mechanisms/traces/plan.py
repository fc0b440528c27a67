"""A plan of made traces."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from engine.core.refusal import Refusal
from engine.mechanisms.plan import ColumnName, MechanismPlan
from engine.mechanisms.traces.geography import MOST_CELLS, Geography
from engine.mechanisms.traces.stays import SLOTS
from engine.table.domain import Categories
from engine.table.schema import Schema

MOST_TRACES = 10_000
OUTSIDE = "outside"
"""The place of whoever is not on the map."""


class TracesPlan(MechanismPlan, what="the plan"):
    """Everything a run needs besides the table and its schema.

    Attributes:
        epsilon, delta: what the release may cost one person, with all days.
        traces: how many people are made.
        days: how many days each has; the first is a Monday.
        day, slot, place: the columns of the table that say on which day (0 is a Monday), from which
            slot of 20 minutes on, and where a person is.
        rows, columns, north_km, east_km, zones, km_a_slot: as of `Geography`.
        public_people: how many people the custodian confirmed to be publicly known to be in the
            table at least; None where nobody has said.
        held_out: the chance with which a person's days are only compared with.
    """

    kind: ClassVar[str] = "traces"

    epsilon: float = Field(
        default=1.0, ge=1e-4, le=1000, allow_inf_nan=False,
        description="ε for one person, with all days of theirs: what the release may cost.",
    )  # fmt: skip
    delta: float = Field(
        default=1e-9, ge=1e-30, lt=1, allow_inf_nan=False,
        description="δ for one person. Far below one in the number of people.",
    )  # fmt: skip
    traces: int = Field(
        default=1000, ge=1, le=MOST_TRACES,
        description="How many people are made. More cost nothing.",
    )  # fmt: skip
    days: int = Field(
        default=7, ge=1, le=28,
        description="How many days each made person has, from a Monday on.",
    )  # fmt: skip
    day: ColumnName = Field(
        default="day",
        description="The column of the day, counted from a Monday: 0, 1, 2 …",
    )  # fmt: skip
    slot: ColumnName = Field(
        default="slot",
        description="The column of the slot of 20 minutes from which somebody is in a place: 0 to "
        "71.",
    )  # fmt: skip
    place: ColumnName = Field(
        default="place",
        description="The column of the place, a cell of the map.",
    )  # fmt: skip
    rows: int = Field(
        default=20, ge=1, le=100,
        description="How many cells the map has from south to north.",
    )  # fmt: skip
    columns: int = Field(
        default=20, ge=1, le=100,
        description="How many cells the map has from west to east.",
    )  # fmt: skip
    north_km: float = Field(
        default=1.0, gt=0, le=1000, allow_inf_nan=False,
        description="How far a cell reaches from south to north, in kilometres.",
    )  # fmt: skip
    east_km: float = Field(
        default=1.0, gt=0, le=1000, allow_inf_nan=False,
        description="How far a cell reaches from west to east, in kilometres.",
    )  # fmt: skip
    zones: int = Field(
        default=5, ge=1, le=20,
        description="Cells are gathered in so many zones each way. What few people tell of cells, "
        "zones tell.",
    )  # fmt: skip
    km_a_slot: float = Field(
        default=5.0, gt=0, le=500, allow_inf_nan=False,
        description="How far people usually get in 20 minutes, as is publicly known.",
    )  # fmt: skip
    public_people: int | None = Field(
        default=None, ge=1, le=10**9,
        description="How many people are publicly known to be in the table at least. Nothing rests "
        "on it but the advice whether the map is too fine.",
    )  # fmt: skip
    held_out: float = Field(
        default=0.1, ge=0, lt=1, allow_inf_nan=False,
        description="The share of people who are not counted, to compare with.",
    )  # fmt: skip

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

    def check(self, schema: Schema) -> None:
        """Check that the plan was made for this schema, and that this is one of traces.

        Raises:
            Refusal: it was not, or it is not.
        """
        super().check(schema)
        check_traces(schema)
        self._check_columns(schema)
        if self.public_people is not None and self.delta >= 1 / self.public_people:
            raise Refusal(
                "δ is not below one in the number of people: publishing somebody's days as they "
                "are would keep to it.",
                "Enter a far smaller δ, such as 1e-9.",
                field="delta",
            )
        self._check_detail()

    def _check_columns(self, schema: Schema) -> None:
        names = (self.day, self.slot, self.place)
        for field, name in zip(("day", "slot", "place"), names, strict=True):
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
        domain = schema.column(self.place).domain
        found = len(domain.values) if isinstance(domain, Categories) else 0
        inside = found - (isinstance(domain, Categories) and OUTSIDE in domain.values)
        if inside != self.rows * self.columns or (
            isinstance(domain, Categories)
            and OUTSIDE in domain.values
            and domain.values[-1] != OUTSIDE
        ):
            raise Refusal(
                f"Column “{self.place}” does not have the {self.rows * self.columns:,} cells of "
                f"the map, {self.rows:,} by {self.columns:,}.",
                "State the rows and columns of the grid that the places were made with.",
                field="rows",
            )

    def _check_detail(self) -> None:
        cells = self.rows * self.columns
        if cells > MOST_CELLS:
            raise Refusal(
                f"A map of {cells:,} cells is finer than this method takes.",
                f"Choose larger cells: {MOST_CELLS:,} at most.",
                field="rows",
            )
        if self.public_people is not None and 10 * cells > self.public_people * self.epsilon:
            carried = max(4, int(self.public_people * self.epsilon / 10))
            raise Refusal(
                f"A map of {cells:,} cells is finer than {self.public_people:,} people can carry "
                f"at ε = {self.epsilon:g}: it would be little but noise.",
                f"Choose larger cells, about {carried:,} at most, a larger ε, or a table of more "
                "people.",
                field="rows",
            )


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
