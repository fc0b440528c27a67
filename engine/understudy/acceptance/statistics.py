"""What an acceptance test asks: statistics that the custodian names before the run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from understudy.core.refusal import Refusal
from understudy.core.validation import Frozen
from understudy.table.schema import Schema

MOST_STATISTICS: Final = 20
MOST_CELLS: Final = 1 << 22

Fraction = Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)]


class ShareOf(Frozen, what="the share"):
    """The share of records that have one of these values.

    Attributes:
        column: the name of the column.
        values: of it, as they stand in a file; several are counted as one group.
        limit: how far the share may be off, 0 to 1; None where nothing is to be passed.
    """

    kind: Literal["share"] = "share"
    column: str
    values: tuple[str, ...] = Field(min_length=1)
    limit: Fraction | None = None

    def check(self, schema: Schema) -> None:
        """Check that the column has these values, and others too.

        Raises:
            Refusal: it does not.
        """
        texts = schema.column(self.column).texts
        if not set(self.values) <= set(texts):
            raise Refusal(
                f"A value that the acceptance test counts is none of “{self.column}”.",
                "Name values as the schema has them, such as " + ", ".join(texts[:3]) + ".",
                field="acceptance",
            )
        if set(self.values) == set(texts):
            raise Refusal(
                f"The acceptance test counts every value of “{self.column}”, and so all records.",
                "Leave a value out.",
                field="acceptance",
            )

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are looked at."""
        return (self.column,)


class MeanOf(Frozen, what="the mean"):
    """The mean of a number between its declared bounds, of the records that have one.

    Attributes:
        column: the name of the column. Of a continuous one the lower ends of its cells count.
        limit: how far the mean may be off, in units of the column; None where nothing is to be
            passed.
    """

    kind: Literal["mean"] = "mean"
    column: str
    limit: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None

    def check(self, schema: Schema) -> None:
        """Check that the column holds numbers.

        Raises:
            Refusal: it does not, or one number alone.
        """
        domain = schema.column(self.column).domain
        if not domain.numeric or domain.size < 2:
            raise Refusal(
                f"“{self.column}” has no numbers to take a mean of.",
                "Choose a column of numbers, or ask for the share of some of its values.",
                field="acceptance",
            )

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are looked at."""
        return (self.column,)


class DistanceOf(Frozen, what="the distance"):
    """The total variation distance of two columns together, through their buckets, between the
    released records and the held-out ones: the share of records that would have to change.

    Attributes:
        columns: the names of the two.
        limit: how large it may be, 0 to 1; None where nothing is to be passed.
    """

    kind: Literal["distance"] = "distance"
    columns: tuple[str, str]
    limit: Fraction | None = None

    def check(self, schema: Schema) -> None:
        """Check that these are two columns, of few enough buckets.

        Raises:
            Refusal: they are not.
        """
        one, other = (schema.column(name) for name in self.columns)
        if one == other:
            raise Refusal(
                f"The acceptance test relates “{self.columns[0]}” to itself.",
                "Name two columns.",
                field="acceptance",
            )
        if one.bucket_count * other.bucket_count > MOST_CELLS:
            raise Refusal(
                f"“{self.columns[0]}” and “{self.columns[1]}” have more than {MOST_CELLS:,} pairs "
                "of buckets.",
                "Give them fewer buckets.",
                field="acceptance",
            )


Statistic = Annotated[ShareOf | MeanOf | DistanceOf, Field(discriminator="kind")]


class AcceptanceTest(Frozen, what="the acceptance test"):
    """What is measured of the held-out records, and for how much.

    Attributes:
        epsilon: ε of all statistics together, for one held-out record; divided evenly.
        statistics: what is measured.
        confidence: with what probability each interval holds what it is about.
    """

    epsilon: Annotated[float, Field(ge=1e-4, le=1000, allow_inf_nan=False)]
    statistics: tuple[Statistic, ...] = Field(min_length=1, max_length=MOST_STATISTICS)
    confidence: Annotated[float, Field(ge=0.5, le=0.999, allow_inf_nan=False)] = 0.95

    def check(self, schema: Schema) -> None:
        """Check that it can be asked of a table of these columns.

        Raises:
            Refusal: a column is not there, or has not what is asked of it.
        """
        for each in self.statistics:
            for name in each.columns:
                if name not in schema.names:
                    raise Refusal(
                        f"The acceptance test asks about “{name}”, which is no column.",
                        "Name a column of the schema: " + ", ".join(schema.names) + ".",
                        field="acceptance",
                    )
            each.check(schema)

    @property
    def of_each(self) -> float:
        """The ε that each statistic may cost."""
        return self.epsilon / len(self.statistics)


def asked_of(plan: Any) -> AcceptanceTest | None:
    """Return the acceptance test that a plan of any method asks for; None where it asks for
    none."""
    found = getattr(plan, "acceptance", None)
    return found if isinstance(found, AcceptanceTest) else None


def statistic_words(statistic: ShareOf | MeanOf | DistanceOf, titles: Mapping[str, str]) -> str:
    """Return what a statistic is, as a reader calls it.

    Args:
        statistic: it.
        titles: what columns are called, by their names.
    """
    named = [f"“{titles.get(name, name)}”" for name in statistic.columns]
    match statistic:
        case ShareOf():
            return f"Share of {named[0]}: {', '.join(statistic.values)}"
        case MeanOf():
            return f"Mean of {named[0]}"
        case DistanceOf():
            return f"Distance of {named[0]} with {named[1]}"
