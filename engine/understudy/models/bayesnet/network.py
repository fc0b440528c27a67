"""A Bayesian network that conditions on the buckets of parents (6.12, 6.17).

Where the schema has rules, no value is drawn that leads to a record which breaks one, and
likelihoods are those of what is drawn (see `rules`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from understudy.core.arrays import BoolArray, CodeArray, FloatArray
from understudy.models.bayesnet.families import Family
from understudy.models.bayesnet.rules import RuledTable
from understudy.models.categorical import ConditionalTable
from understudy.models.sequential import Columns
from understudy.models.tilts import Tilts
from understudy.privacy.randomness import RandomSource
from understudy.table.rules.masks import compile_masks, order_for
from understudy.table.rules.relation import Relation, Relations
from understudy.table.schema import Schema

_FEWEST_PROPOSED = 64


@dataclass(frozen=True)
class Structure:
    """Which attributes each attribute depends on.

    Attributes:
        parents: for each attribute, by index in the schema, the indices of its parents.
        order: the dependency order: every attribute after its parents.
    """

    parents: tuple[tuple[int, ...], ...]
    order: tuple[int, ...]

    def __post_init__(self) -> None:
        place = {attribute: position for position, attribute in enumerate(self.order)}
        if sorted(place) != list(range(len(self.parents))):
            raise ValueError("order must name every attribute once")
        for child, parents in enumerate(self.parents):
            if any(place[parent] >= place[child] for parent in parents):
                raise ValueError("order must put every attribute after its parents")

    @classmethod
    def of(cls, parents: Sequence[Sequence[int]], sizes: Sequence[int] | None = None) -> Structure:
        """Return the structure with these parents, ordered parents first.

        Args:
            parents: of each attribute.
            sizes: how many values each attribute has. Where the order is free, the attribute of
                fewest values comes first: first attributes are kept, and coarse values are
                shared by most records. None orders by index.

        Raises:
            ValueError: the parents form a cycle.
        """
        order: list[int] = []
        while len(order) < len(parents):
            ready = [
                child
                for child in range(len(parents))
                if child not in order and all(parent in order for parent in parents[child])
            ]
            if not ready:
                raise ValueError("the parents form a cycle")
            order.append(min(ready, key=lambda each: (0 if sizes is None else sizes[each], each)))
        return cls(tuple(tuple(each) for each in parents), tuple(order))

    @classmethod
    def independent(cls, attributes: int, relations: Relations | None = None) -> Structure:
        """Return the structure without edges, of the marginals baseline, in an order along which
        masks of the relations can be compiled."""
        order = range(attributes) if not relations else order_for(relations, range(attributes))
        return cls(((),) * attributes, tuple(order))

    @property
    def edges(self) -> tuple[tuple[int, int], ...]:
        """(parent, child) pairs."""
        return tuple((parent, child) for child, each in enumerate(self.parents) for parent in each)


def families(schema: Schema, structure: Structure) -> tuple[Family, ...]:
    """Return the family of every attribute, in schema order."""
    return tuple(
        Family.of(schema, child, parents) for child, parents in enumerate(structure.parents)
    )


@dataclass(frozen=True)
class BayesianNetwork:
    """A structure and, for every attribute, its conditional table.

    Attributes:
        schema: the domains and buckets the tables are laid out by.
        structure: the parents and the dependency order.
        tables: one table an attribute, in schema order.
        tilts: weights of whole records (see `Tilts`); None where records follow the tables.
        bound: relations that records keep instead of those of the schema; None for those.
    """

    schema: Schema
    structure: Structure
    tables: tuple[ConditionalTable, ...]
    tilts: Tilts | None = None
    bound: Relations | None = None

    def __post_init__(self) -> None:
        for column, family, table in zip(
            self.schema.columns, self.families, self.tables, strict=True
        ):
            if table.weights.shape != (family.configurations, column.cardinality):
                raise ValueError(f"the table of {column.name} does not fit its family")

    @cached_property
    def families(self) -> tuple[Family, ...]:
        """The family of every attribute, in schema order."""
        return families(self.schema, self.structure)

    @cached_property
    def ruled_tables(self) -> dict[int, RuledTable]:
        """By attribute, the tables that rules put a mask on."""
        relations = self.schema.relations if self.bound is None else self.bound
        masks = compile_masks(relations, self.order) if relations else {}
        return {
            place: RuledTable(self.families[place], self.tables[place], mask)
            for place, mask in masks.items()
        }

    @property
    def order(self) -> tuple[int, ...]:
        """The dependency order."""
        return self.structure.order

    @property
    def parents(self) -> tuple[tuple[int, ...], ...]:
        """The parents of every attribute, in schema order."""
        return self.structure.parents

    @property
    def conditions(self) -> tuple[tuple[int, ...], ...]:
        """For each attribute, in schema order, its parents, and the earlier ones that decide which
        of its values rules leave."""
        return tuple(
            tuple(dict.fromkeys((*parents, *self.ruled_tables[child].mask.scope)))
            if child in self.ruled_tables
            else parents
            for child, parents in enumerate(self.parents)
        )

    @property
    def is_tilted(self) -> bool:
        """Whether whole records are weighted; see `Tilts`."""
        return self.tilts is not None

    def draw(self, attribute: int, columns: Columns, source: RandomSource) -> CodeArray:
        """Return fresh codes of one attribute given its parents among `columns` (schema order)."""
        if attribute in self.ruled_tables:
            return self.ruled_tables[attribute].draw(columns, source)
        configuration = self.families[attribute].configuration(columns)
        return self.tables[attribute].draw(configuration, source)

    def log_likelihood(self, attribute: int, columns: Columns) -> FloatArray:
        """Return ln Pr{code | parents} of one attribute, for columns of codes in schema order."""
        if attribute in self.ruled_tables:
            return self.ruled_tables[attribute].log_likelihood(columns)
        configuration = self.families[attribute].configuration(columns)
        return self.tables[attribute].log_likelihood(configuration, columns[attribute])

    def records(self, count: int, source: RandomSource) -> CodeArray:
        """Return (m, count) whole records in schema order, tilted where there are tilts.

        Each record follows the model, but those of one call are not independent: they are
        stratified, so that their frequencies vary less around the model's.
        """
        if self.tilts is None:
            return self._spread(count, source)
        parts, left = [], count
        while left:
            proposed = self._spread(max(_FEWEST_PROPOSED, round(left * self.tilts.cap)), source)
            accepted = self.tilts.accept(list(proposed), self.order, source)
            parts.append(proposed[:, accepted[:left]])
            left -= parts[-1].shape[1]
        return np.concatenate(parts, axis=1) if parts else self._spread(0, source)

    def within(self, codes: Mapping[int, BoolArray]) -> BayesianNetwork:
        """Return the network, without tilts, that draws only some codes of some attributes.

        Args:
            codes: by attribute, (cardinality,) which of its codes.

        Raises:
            TooWide: the rules bind too many values together then.
            ValueError: they leave no record.
        """
        only = [Relation((attribute,), allowed) for attribute, allowed in codes.items()]
        each = (*self.schema.relations.each, *only)
        relations = Relations.of(self.schema.cardinalities.tolist(), each)
        return replace(self, tilts=None, bound=relations)

    def effective(self, count: int, source: RandomSource) -> float | None:
        """Return the effective sample size of `count` proposals weighted by the tilts, as a share
        of them; None without tilts."""
        if self.tilts is None:
            return None
        return self.tilts.effective(list(self._spread(count, source)))

    def _spread(self, count: int, source: RandomSource) -> CodeArray:
        """Return (m, count) records as the tables say; see `ConditionalTable.spread`."""
        columns = np.zeros((len(self.order), count), dtype=np.uint16)
        for attribute in self.order:
            if attribute in self.ruled_tables:
                drawn = self.ruled_tables[attribute].draw(list(columns), source, spread=True)
            else:
                configuration = self.families[attribute].configuration(list(columns))
                drawn = self.tables[attribute].spread(configuration, source)
            columns[attribute] = drawn
        return columns

    @property
    def cells(self) -> int:
        """How many probabilities the tables hold."""
        return sum(table.weights.size for table in self.tables)
