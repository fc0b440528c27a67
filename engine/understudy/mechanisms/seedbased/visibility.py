"""What buckets leave for the model to learn from, before anything is learned: public numbers only.

A column is learned as a table with a row for each configuration of its parents' buckets and a cell
for each of its values; every cell gets noise. More buckets make more cells, and fewer records a
cell.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from understudy.mechanisms.seedbased.learning import promised_terms
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import Promise
from understudy.mechanisms.seedbased.relating import known_records
from understudy.table.schema import Schema


@dataclass(frozen=True)
class Family:
    """How many cells one column's table has, given which columns help to predict it.

    Attributes:
        configurations: of the parents' buckets; 1 without parents.
        values: of the column that is predicted, missing included.
    """

    configurations: int
    values: int

    @classmethod
    def of(cls, schema: Schema, child: str, parents: Sequence[str]) -> Family:
        """Return the table of a column under these parents.

        Raises:
            Refusal: a name is none of the schema's.
        """
        counts = [schema.column(parent).bucket_count for parent in parents]
        return cls(math.prod(counts), schema.column(child).cardinality)

    @property
    def cells(self) -> int:
        """How many counts are noised."""
        return self.configurations * self.values


@dataclass(frozen=True)
class Precision:
    """What a plan makes of a cell.

    Attributes:
        deviation: the standard deviation, in records, of the noise on each cell; 0 un-noised.
        records: how many records the tables are learned from at least, on average over the coins
            that assign them, as far as is publicly known.
        most_cells: the most cells the engine lets a table have with so many records; parents
            that would make more are not used together. 0 for the marginals, which have none.
    """

    deviation: float
    records: float
    most_cells: float

    @classmethod
    def of(cls, plan: Plan, schema: Schema, made: Promise, records: int | None = None) -> Precision:
        """Return the precision of a plan's model; of a third-party one, that of the calibrated one.

        Args:
            plan: the settings.
            schema: what it was made for.
            made: what it promises.
            records: how many records the table is publicly known to have; None goes by the seeds
                that are counted on.
        """
        known = known_records(plan, made, records)
        found = plan.model.learner.cell_noise(promised_terms(plan, schema, made), known)
        return cls(found.deviation, found.records, found.most_cells)

    def even(self, family: Family) -> float:
        """Return how many records a cell would hold if they were spread evenly."""
        return self.records / family.cells

    def noise_share(self, family: Family) -> float:
        """Return the noise's standard deviation as a share of that even count."""
        return self.deviation / self.even(family)

    def usable(self, family: Family) -> bool:
        """Return whether the engine would use these parents together."""
        return family.cells <= self.most_cells
