"""How many cells a plan counts, how much of what is released is the prior, and what it can carry.

Public numbers alone: the schema, and the number of records.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from understudy.mechanisms.imputation.parts import MOST_CELLS, MOST_VALUES, Histogram, histograms
from understudy.mechanisms.imputation.plan import ImputationPlan
from understudy.table.schema import Schema

TELLING: Final = 0.1
"""A prior of no more than this share of the records leaves them most of the say."""


@dataclass(frozen=True)
class Weight:
    """A histogram beside its prior.

    Attributes:
        columns: the names of those that are counted.
        given: the names of those that they depend on.
        sizes: how many values each of both has, the counted ones first.
        mass: how many records the prior counts for.
        records: how many there are.
    """

    columns: tuple[str, ...]
    given: tuple[str, ...]
    sizes: tuple[int, ...]
    mass: float
    records: int

    @property
    def carried(self) -> bool:
        """Whether the records outweigh the prior."""
        return self.mass <= self.records

    @property
    def telling(self) -> bool:
        """Whether they have most of the say."""
        return self.mass <= TELLING * self.records


def weights(plan: ImputationPlan, schema: Schema) -> tuple[Weight, ...]:
    """Return every histogram of a plan beside its prior, too heavy ones too.

    Raises:
        Refusal: as `histograms`.
    """
    return tuple(_weight(each, schema) for each in histograms(plan, schema))


def countable(plan: ImputationPlan, schema: Schema) -> tuple[str, ...]:
    """Return the columns that can be counted value by value: released, with few values, and no
    σ."""
    return tuple(
        each.name
        for each in schema.columns
        if each.name in (plan.columns or schema.names) and each.name not in plan.deviations
        if not each.measured and 2 <= each.cardinality <= MOST_VALUES
    )


def all_on(plan: ImputationPlan, schema: Schema, one: str) -> dict[str, tuple[str, ...]]:
    """Return every column depending on one, as far as the records keep most of the say.

    Args:
        plan: says what is released, under which prior.
        schema: the columns.
        one: a column that can be counted.

    Returns:
        By name, what each column depends on; those left out would be mostly prior.
    """
    together = {name for group in plan.joint for name in group}
    most = min(MOST_CELLS, TELLING * plan.used_records / plan.strength)
    groups = schema.column(one).cardinality
    return {
        name: (one,)
        for name in countable(plan, schema)
        if name != one and name not in together
        if groups * schema.column(name).cardinality <= most
    }


def _weight(found: Histogram, schema: Schema) -> Weight:
    return Weight(
        columns=tuple(schema.names[place] for place in found.columns),
        given=tuple(schema.names[place] for place in found.given),
        sizes=(*found.sizes, *found.given_sizes),
        mass=found.mass,
        records=found.records,
    )
