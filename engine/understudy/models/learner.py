"""What a model that can be learned for synthesis is to whatever uses it: one object for each kind.

Each kind has its instance in its own folder (`as_learner.py`). Whoever promises, learns, foresees
or describes asks the instance; nobody asks which kind it is.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final, overload

import numpy as np

from understudy.models.about import ModelAbout
from understudy.models.marks import UNMARKED, Importance, Marks
from understudy.models.noisy_tables import NoisyTable
from understudy.models.possible import refuse_orders
from understudy.models.prediction import Predicted
from understudy.models.sequential import Sequential
from understudy.models.streamed_rows import StreamedRows, StreamedSplit
from understudy.privacy.accounting.published_figures import PublishedCost
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records
from understudy.table.rules.masks import check_some_order
from understudy.table.schema import Schema
from understudy.table.split import PARAMETERS, STRUCTURE, Shares, Split

Parts = Split | StreamedSplit
"""The records in their parts, in memory or read piece by piece."""

_HARDLY_ANY: Final = 1.0
"""Seconds."""


@dataclass(frozen=True)
class PrivacyWord:
    """On whose word a model is private that another package brings.

    Attributes:
        name: what it is installed as.
        source: who stands behind its guarantee, and where that is argued.
        covers: what the guarantee covers.
    """

    name: str
    source: str
    covers: str


@dataclass(frozen=True)
class CellNoise:
    """What is foreseen of the cells of the tables that a model is made of.

    Attributes:
        deviation: the standard deviation of the noise on each cell, in records; 0 un-noised.
        records: how many records the tables are learned from, on average over the coins.
        most_cells: the most cells a table of several columns is given; 0 where there is none.
    """

    deviation: float
    records: float
    most_cells: float


@dataclass(frozen=True)
class Terms:
    """What a model is learned under. Public.

    Attributes:
        schema: of the records.
        budget: the most that each part of learning may cost one of the records that it sees.
        shares: by which records are dealt to the parts.
        marks: what must survive: of how the budget is divided, and never of how much it is.
    """

    schema: Schema
    budget: Budget
    shares: Shares
    marks: Marks = UNMARKED

    @property
    def importance(self) -> Importance:
        """What errors of columns, pairs and triples weigh."""
        return self.marks.importance(self.schema.names)


class Learner(ABC):
    """A kind of model with its settings.

    All but `learn` looks at public numbers only. A kind says only what is its own: without that, a
    model is this package's, was published with no formula, is foreseen in nothing and takes no
    time to speak of.
    """

    about: ClassVar[ModelAbout]
    """What is known of its kind."""

    @property
    def word(self) -> PrivacyWord | None:
        """On whose word it is private; None for this package's own."""
        return None

    @abstractmethod
    def shares(self, seeds: float, held_out: float) -> Shares:
        """Return the shares that give it all the records that are neither seeds nor held out."""

    def check_rules(self, schema: Schema) -> None:
        """Check that the model can draw no record that breaks a rule of the schema: that there is
        an order of the columns in which it can draw them, if it chooses the order itself.

        Raises:
            Refusal: it cannot.
        """
        with refuse_orders(schema, "No model can draw its columns one after another under them."):
            check_some_order(schema.relations)

    @abstractmethod
    def cost(self, schema: Schema, budget: Budget) -> Mapping[str, Budget]:
        """Return what each part of learning costs one of the records that it sees, by the part's
        name. No two parts see the same record; each stays within the budget."""

    def published_cost(self, schema: Schema, budget: Budget) -> PublishedCost | None:
        """Return what all of it costs by the formula it was published with; None where there is
        none."""
        return None

    @abstractmethod
    def learn(self, split: Parts, terms: Terms, noise: Noise, source: RandomSource) -> Sequential:
        """Return the model, learned within the budget.

        Args:
            split: the records in their parts, of which it looks at structure and parameters.
            terms: what it is learned under.
            noise: where noise comes from that a run which was killed can go on from.
            source: other randomness; what is learned without noise draws none.

        Raises:
            Refusal: it has to see its records and they are read piece by piece, they cannot be
                read to their end, or the model of another package cannot be used.
        """

    def learn_and_tell(
        self, split: Parts, terms: Terms, noise: Noise, source: RandomSource
    ) -> tuple[Sequential, tuple[NoisyTable, ...]]:
        """Return the model as `learn` makes it, and the noisy tables that it was learned from; none
        where it was not learned from tables that can be told. Both are covered by what it costs.

        Raises:
            Refusal: as `learn`.
        """
        return self.learn(split, terms, noise, source), ()

    def foreseen(self, terms: Terms, records: int, rows: int) -> Predicted | None:
        """Return what noise and chance will set apart in so many rows, of a table of so many
        records; None where nothing is known beforehand."""
        return None

    def seconds(self, terms: Terms, records: int, found: Predicted, rows: int) -> float:
        """Return about how many seconds learning from a table of so many records and drawing so
        many rows take on one core of a usual machine, where `found` is foreseen of them."""
        return _HARDLY_ANY

    def most_prefixes(self, schema: Schema, kept: int) -> int:
        """Return how many combinations the first columns in order of dependency have at most, as a
        rule.

        Args:
            schema: the columns.
            kept: how many of them come first, 0 or more.
        """
        return math.prod(sorted(schema.cardinalities.tolist())[len(schema) - kept :])

    @abstractmethod
    def cell_noise(self, terms: Terms, records: int) -> CellNoise:
        """Return what its cells will be like, of a table of so many records."""


@overload
def together(split: Split) -> Records: ...


@overload
def together(split: StreamedSplit) -> StreamedRows: ...


def together(split: Parts) -> Records | StreamedRows:
    """Return the records of structure and parameters together."""
    if isinstance(split, StreamedSplit):
        return split.of(STRUCTURE, PARAMETERS)
    parts = (split.structure, split.parameters)
    numbers = [each.numbers for each in parts if each.numbers is not None]
    return Records(
        split.parameters.schema,
        np.concatenate([each.codes for each in parts]),
        np.concatenate(numbers) if len(numbers) == len(parts) else None,
    )


def learned_from(shares: Shares, records: int) -> float:
    """Return how many of so many records a model sees that is learned from all of them together."""
    return records * (shares.structure + shares.parameters)


def at_once_shares(seeds: float, held_out: float) -> Shares:
    """Return shares for such a model; which of its two parts a record goes to makes no
    difference."""
    rest = 1 - seeds - held_out
    structure = rest / 2 if seeds else 0.0
    return Shares(seeds=seeds, structure=structure, parameters=rest - structure, held_out=held_out)
